/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SCHEDULE_H
#define MEMSEARCH_SIMULATOR_SCHEDULE_H

#include "analysis/simulator/state.h"

/*
 * The order of all accesses of a window: threads run in time slices. The order depends on the
 * traces alone, not on what caches hold, so it can be computed ahead of the simulation: as steps,
 * which are then run in that order (run_step).
 */
/* accesses of one thread, one after the other */
struct step {
	/*
	 * `single`: so many strided runs of one access; else a group, read if the step `begins` it
	 */
	const struct stride_run *runs;
	uint32_t accesses; /* of the group: the next ones of it */
	/* `single`: how many can be read, to fetch what they need early */
	uint32_t known;
	uint32_t next;   /* of the group: strided run whose access comes first, … */
	uint64_t round;  /* … and which access of it */
	uint32_t events; /* of stages.c: for outer.c */
	uint8_t core;
	bool single;
	bool begins; /* first of the group */
};

/* NULL: no memory. */
struct schedule *schedule_new(struct arena *arena, uint32_t threads);
/* The window begins, to the ends of these traces, which stay until then. */
void schedule_begin(struct simulator *simulator, const struct simulator_trace *traces);
/*
 * Steps up to the window's end, or until `give` returns false, having taken the last one. False:
 * the window is at its end.
 */
typedef bool schedule_give(void *ctx, const struct step *step);
bool schedule_run(struct simulator *simulator, schedule_give *give, void *ctx);

struct runner *runners_new(struct arena *arena, uint32_t threads);
void run_step(struct simulator *simulator, const struct step *step);

#endif
