/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_THREAD_BINDINGS_H
#define MEMSEARCH_PROCESS_THREAD_BINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Restricts threads of this process to the CPUs of the NUMA node that each is on, by
 * sched_setaffinity(2), and back. At phase boundaries, one thread at a time. Machines with more than
 * CPU_SETSIZE (1024) CPUs are not supported: no thread is found.
 */
struct arena;

#define THREAD_BINDINGS_NODES "/sys/devices/system/node"

struct thread_binding; /* a thread, its node's CPUs, and those that it may use */

struct thread_bindings {
	struct thread_binding *items; /* in an arena */
	size_t nr, room;
};

/*
 * Of these threads (gettid(2)) those that may run on CPUs of several of the nodes in `folder`.
 * False: no memory.
 */
bool thread_bindings_find(struct arena *arena, const char *folder, const int *threads, size_t nr,
			  struct thread_bindings *out);
/*
 * Binds them, or (back) lets them run where they could before; one whose CPUs the program has
 * changed meanwhile is left as it is. Returns the number of threads that the kernel refused.
 */
size_t thread_bindings_apply(const struct thread_bindings *bindings, bool back);

#endif
