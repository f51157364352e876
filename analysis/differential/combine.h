/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_COMBINE_H
#define MEMSEARCH_DIFFERENTIAL_COMBINE_H

#include <stdbool.h>

/*
 * Combining functions of differential profiling: one bucket of two profiles to one number, by which
 * buckets are sorted. The equations are those of P. E. McKenney, "Differential Profiling",
 * Software: Practice and Experience 29(3), 1999. Not here: which buckets correspond, and whether a
 * difference is noise. Pure functions: no state, no memory.
 *
 * To add a function: 1. its name in enum combine; 2. its row in `functions` (combine.c).
 */
enum combine {
	COMBINE_RATIO,      /* eq. 2: m2 / m1 */
	COMBINE_WEIGHTED,   /* eq. 3: w1 m2 - w2 m1 */
	COMBINE_DIFFERENCE, /* m2 - m1, which column D of the paper's Table 1 shows */
	/* eq. 4: load at which the measurement reaches its bound if it grows linearly */
	COMBINE_SATURATION,
	/*
	 * eq. 5: the same for a power law; as printed it yields the logarithm, here it is the load
	 */
	COMBINE_SATURATION_POWER,
	COMBINE_FUNCTIONS
};

struct load {
	/* amount of work or load, in the user's unit: threads, iterations, cells */
	double work;
	double measured; /* in the metric's unit */
};

struct combined {
	bool valid;
	/*
	 * NAN where not valid. Ratio: none; difference: the metric's unit; weighted: that times
	 * work's; saturation: work's
	 */
	double value;
	const char *why; /* not valid: the reason, static text; valid: NULL */
};

/*
 * `most` is the more stressful run. `bound` is the most that can be measured (100 % of a lock or
 * link), used by the saturation functions only. A projected load below most.work means that the
 * bound was exceeded there.
 */
struct combined combine(enum combine function, struct load least, struct load most, double bound);
/* "ratio", "weighted", "difference", "saturation", "saturation-power": as on the command line. */
const char *combine_name(enum combine function);
/*
 * Whether the worst bucket has the smallest value: projected saturation sorts ascending, all others
 * descending.
 */
bool combine_ascending(enum combine function);

/* What is known of a comparison. All false is a new situation. */
struct combine_situation {
	bool work_known;   /* the work of both runs is quantified */
	bool work_differs; /* and the second run has more of it */
	/* without the fault that is looked for, the measurement is proportional to the work */
	bool linear;
	bool full_size; /* the runs have the size that matters to the user */
	/*
	 * the measurement has an upper bound: utilisation, share of the run that a lock is held,
	 * bandwidth
	 */
	bool bounded;
	/* the measurement grows as a power of the load (fit_growth) */
	bool power_law;
};

struct combine_choice {
	enum combine function;
	const char *why; /* static text for the user */
};

/*
 * The paper's rules: saturation where the measurement is bounded; the weighted difference where its
 * three conditions hold; otherwise the ratio.
 */
struct combine_choice combine_choose(struct combine_situation situation);

#endif
