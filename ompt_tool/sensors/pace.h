/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_PACE_H
#define MEMSEARCH_SENSORS_PACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many lines there is room for. Two executions are simulated, and only the second one counts: while the first goes on, what both will take is told from
 * what it took so far, and with fewer lines from then on it may be less. Knows nothing of what is simulated.
 */
#define PACE_TO_TELL 0.5                 /* less than this part of an execution does not say what all of it takes, so that it is given up */

struct pace {
	uint32_t sparsest;               /* one line in so many at least is looked at */
	double (*lines_share)(uint32_t one_in);  /* what one line in so many takes, as a part of what all take */
	double room_ns;                  /* for both, from the begin of the first one on … */
	double spare_ns;                 /* … and so much more before what was begun is given up */
	double spent_ns, as_now_ns;      /* so far, and what it would have been with as many lines as now */
	uint64_t words;                  /* of record, of the first one */
	uint64_t looked_ns;              /* on the clock, when that was last brought up to date */
};

/* When it begins; `now_ns`: on the clock. The rest of the struct is the caller's to fill before. */
void pace_begin(struct pace *pace, uint64_t words, uint64_t now_ns);
/* Whether enough time has passed to look again. */
bool pace_is_due(const struct pace *pace, uint64_t now_ns);
/*
 * Up to now it was one line in so many: in how many it is from now on. 0: there is no room however few, not even to end the first one, or at its end for
 * the second one, which may come later.
 */
uint32_t pace_look(struct pace *pace, uint32_t one_in, uint64_t words_left, uint64_t now_ns);

#endif
