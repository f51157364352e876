/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_PACE_H
#define MEMSEARCH_ACCESSES_PACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Chooses the set sampling that the budget allows. Two executions are simulated, and only the second one counts: during
 * the first one the cost of both is extrapolated, and lines are reduced if needed. Independent of the simulated
 * accesses.
 */
#define PACE_TO_TELL 0.5                 /* a smaller part of an execution does not predict its cost, so it is stopped */

struct pace {
	uint32_t sparsest;               /* sparsest sampling: one line in this number */
	double (*lines_share)(uint32_t one_in);  /* the relative cost of this sampling */
	double room_ns;                  /* for both, from the begin of the first one on … */
	double spare_ns;                 /* … and this excess before a begun simulation is stopped */
	double spent_ns, as_now_ns;      /* so far, and what it would have been with as many lines as now */
	uint64_t words;                  /* of record, of the first one */
	uint64_t looked_ns;              /* on the clock, when that was last brought up to date */
};

/* When it begins; `now_ns`: on the clock. The rest of the struct is the caller's to fill before. */
void pace_begin(struct pace *pace, uint64_t words, uint64_t now_ns);
/* Whether enough time has passed to look again. */
bool pace_is_due(const struct pace *pace, uint64_t now_ns);
/*
 * Given the sampling so far, returns the one from now on. 0: no sampling fits, not even to end the first execution, or
 * at its end for the second one, which may follow later.
 */
uint32_t pace_look(struct pace *pace, uint32_t one_in, uint64_t words_left, uint64_t now_ns);

#endif
