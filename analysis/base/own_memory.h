/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_OWN_MEMORY_H
#define MEMSEARCH_BASE_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory of memsearch's own, for all that maps any: tables reserved and touched little by little,
 * arenas. One module, so that
 *   - all of it together stays within MEMORY_SHARE of what the limits leave (memory_left.h), and is
 *     refused beyond;
 *   - what is only reserved is never populated, nor counted as locked, whatever mlockall(2) the
 *     program calls;
 *   - the program's core file is as large as alone, but for libraries and copies of code;
 *   - the report can state what memsearch added.
 * Zeroed. errno: as mmap(2) left it on failure, else kept. Any thread; no malloc; a spin lock is
 * held for less than a microsecond.
 */

/* flags: MAP_SHARED, MAP_POPULATE, or 0: private. NULL: refused. */
void *own_memory(size_t bytes, int flags);
/*
 * The same for evaluation and the record, without which nothing could be reported: under a limit,
 * half is kept for it, and MEMORY_WORK_MOST at most.
 */
void *own_memory_for_work(size_t bytes, int flags);
/* The same at this address, which must be free (MAP_FIXED_NOREPLACE). NULL: refused, or EEXIST. */
void *own_memory_at(void *address, size_t bytes);
void own_memory_give_back(void *memory, size_t bytes);
/* Adds shared memory that other modules mapped: machine code. */
void own_memory_note(void *memory, size_t bytes);

/* In a process that is memsearch's alone: all that the limits leave is its own. Before the others. */
void own_memory_alone(void);
/* Bytes that one more table may take; SIZE_MAX: there is no limit. */
size_t own_memory_for_a_table(void);
/*
 * Bytes of it that are in memory now, without libraries; some 0.1 ms, before Linux 6.7 3 ms, for
 * some GB of reservations.
 */
size_t own_memory_resident(void);

/*
 * For a limit of addresses, or of data memory (RLIMIT_DATA), that the program sets for itself: the
 * bytes that must be added to it for all that is mapped here, and OWN_MEMORY_ROOM more. From then
 * on no more is mapped here than that. The same in every call. Without libraries.
 */
#define OWN_MEMORY_ROOM ((size_t)64 << 20)
size_t own_memory_leave(bool data);

/*
 * mlockall(2) for the program: locks everything but memory of memsearch's own, which would take
 * gigabytes. Returns as it does. What is mapped here later is not locked either.
 */
int own_memory_lock_all(int flags);

/*
 * Call first in a fork child: releases the table's lock, which another thread of the parent may
 * have held.
 */
void own_memory_in_child(void);

#endif
