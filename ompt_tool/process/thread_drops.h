/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_THREAD_DROPS_H
#define MEMSEARCH_PROCESS_THREAD_DROPS_H

/* What was not measured, and why. To add a cause: a row here. */
#define THREAD_TABLES "the tool's tables are bounded"
/* clang-format off */
#define THREAD_DROP_LIST(X) \
	X(FRAMES, "constructs nested deeper than 64", THREAD_TABLES) \
	X(PARALLELS, "parallel regions nested deeper than 64", THREAD_TABLES) \
	X(TASKS, "tasks suspended more than 64 deep", THREAD_TABLES) \
	X(HELD, "locks that a thread held at once, beyond 16", THREAD_TABLES) \
	X(MUTEXES, "releases of locks beyond the first 512, which have no values of their own", THREAD_TABLES) \
	X(LOCK_USES, "releases of locks beyond the first 1024 pairs of a lock and a place that takes several", THREAD_TABLES) \
	X(WAITS, "waits at the end of a parallel region whose end was not seen", THREAD_TABLES) \
	X(REST, "times events of the rest of a parallel region", "callbacks alone cost more than the limit on overhead (`--overhead`)") \
	X(SENSORS, "threads a sensor could not cover", "file descriptors, lockable memory or memory did not suffice (`ulimit -n`, `ulimit -l`)") \
	X(SUCCESSORS, "threads without sensors, as the program keeps creating threads", "the limit on overhead left no time for them (`--overhead`)") \
	X(COUNTERS, "threads whose counters could not be opened", "file descriptors did not suffice for their events (`ulimit -n`)")
/* clang-format on */

enum thread_drop {
#define X(id, text, why) THREAD_DROP_##id,
	THREAD_DROP_LIST(X)
#undef X
		THREAD_DROPS
};

#endif
