/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_CALL_PATH_H
#define MEMSEARCH_EVENTS_CALL_PATH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls that lead to parallel regions in serial code. A region that is reached on a second path has a
 * region of kind CALL_REGION below it for each path from then on, the first one's too:
 *
 *     main ──▶ relax(u) ─┐                PARALLEL_REGION   in relax
 *          ──▶ relax(v) ─┴▶ parallel        ├ CALL_REGION     called in main, first line
 *                                           └ CALL_REGION     called in main, second line
 *
 * A path consists of return addresses in the program, those in the runtime, in memsearch and in libc
 * left out. It is found by the unwinder once. After that the stack words in which its return addresses
 * were are compared, at their distances from the callback's frame: each function of the path has the
 * frame it had, as what it was called by is the same. Where a function's frame has another size each
 * time (alloca), the unwinder is asked anew, CALL_PATH_WAYS times at most, and where the region is
 * recorded.
 */
struct region;

/* Stacks that are known of one region: paths, by clone or original, by entry of the runtime. */
#define CALL_PATH_WAYS 16

/* Unwinds: fills region->path, of a region that no event had before. `initial`: on the initial thread. */
void call_path_first(struct region *region, bool initial);
struct call_path {
	uint32_t region; /* CALL_REGION; 0: it is the only path so far, or not known */
	uint32_t
		number; /* among the region's, below CALL_PATH_WAYS; 0: the first one, or not known */
};

/*
 * The path on which the initial thread reaches the region now, in serial code. `frame`: of the caller, __builtin_frame_address(0); the
 * same caller each time. `recorded`: its body runs as a clone. Callbacks allowed.
 */
struct call_path call_path_region(struct region *region, uintptr_t frame, bool recorded);

#endif
