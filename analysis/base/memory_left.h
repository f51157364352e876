/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_MEMORY_LEFT_H
#define MEMSEARCH_BASE_MEMORY_LEFT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How much memory this process may still take, in bytes; SIZE_MAX: no limit, or not known. Read
 * before anything is reserved (own_memory.h) and before the core is loaded (tool.c), so it needs
 * libc only: no malloc, some 8 KiB of stack, errno is kept. Each call takes some 20 us where there
 * is a limit, else 5 us.
 */
enum memory_limit {
	MEMORY_UNLIMITED,
	MEMORY_ADDRESSES, /* RLIMIT_AS */
	MEMORY_DATA,      /* RLIMIT_DATA: private writable memory */
	/* vm.overcommit_memory=2: writable memory, whether it is touched or not */
	MEMORY_COMMIT,
	/* memory.max, memory.high, memory.limit_in_bytes of the own cgroup or one above */
	MEMORY_CGROUP,
};

struct memory_left {
	size_t bytes;
	enum memory_limit by;
};

/* Memory that can be mapped. */
struct memory_left memory_left_to_map(void);
/* Addresses that are mapped now; of these private writable memory, which RLIMIT_DATA counts. */
struct memory_mapped {
	size_t all, data;
};
struct memory_mapped memory_mapped(void);
/*
 * Memory that can be touched before the kernel reclaims or kills. `root`: "" or a folder with a
 * recorded /proc and /sys (tests).
 */
struct memory_left memory_left_to_touch(const char *root);
/* The limit as the user knows it: "the address space allowed (`ulimit -v`)". */
const char *memory_limit_name(enum memory_limit limit);

/* -- what memsearch takes at most: the one place that decides it */

/*
 * Of what can be mapped when the tool starts, all of memsearch's reservations take this part at
 * most. One table takes a quarter of that, and no more than MEMORY_TABLE_MOST where there is a limit:
 * a hard limit leaves the program that much less.
 */
#define MEMORY_SHARE 4
#define MEMORY_TABLE_SHARE 4
#define MEMORY_TABLE_MOST ((size_t)32 << 20)
/* Half of the reservations is kept for evaluation and the record, and no more than this. */
#define MEMORY_WORK_MOST ((size_t)128 << 20)
/*
 * Below these the core is not loaded. Addresses: its libraries and smallest tables take 110 MiB
 * (VmSize of a run under `ulimit -v`). Pages: it touches 8 to 12 MB without recording
 * (tests/live/limits.sh), so 32 MB leave the program two thirds.
 */
#define MEMORY_TO_MAP_MIN ((size_t)512 << 20)
#define MEMORY_TO_TOUCH_MIN ((size_t)32 << 20)
/* Below this nothing is recorded or simulated, which takes up to 64 MiB. */
#define MEMORY_TO_RECORD_MIN ((size_t)256 << 20)
/*
 * With less than this left at a phase boundary memsearch stops measuring: a boundary takes at most
 * this much, without recording.
 */
#define MEMORY_TO_GO_ON_MIN ((size_t)4 << 20)

/* True where the core may be loaded; else the limit that forbids it. */
bool memory_left_for_core(struct memory_left *why_out);

#endif
