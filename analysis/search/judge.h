/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_JUDGE_H
#define MEMSEARCH_SEARCH_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/engine.h"

/*
 * From values to a verdict: evaluates a property over all observations, computes its confidence
 * from the spread over the batches, and applies hysteresis at thresholds. Not here: when a verdict
 * may be given (engine.c).
 *
 * Hysteresis (±5 % around a threshold, as Paradyn's): what was true so far is tested with every
 * bound of its condition 5 % easier, what was false with 5 % harder (property_context.bias).
 *
 * Confidence = the property's own * the smaller of two probabilities:
 *  - (a + 1) / (n + 2), Laplace's rule of succession: n is the number of executions under
 *    observation, a of those in batches with the same truth. One execution gives 2/3 at best, ten
 *    0.92, a hundred 0.99; a batch in four that disagrees takes a quarter off. Batches, not
 *    executions, are judged, because a single execution of a short phase is mostly noise;
 *  - that the severity of a true one is above 0, by Student's t. Needed because batches can all
 *    agree by chance: the slowest of several threads is always slower than their mean, whichever it
 *    is.
 *
 * severity_low … high: the wider of the property's own interval and Student's t over the severities
 * of the batches; with one batch there is nothing to widen it with, and without an error of the
 * values no interval is known. What is true with a confidence below one half, or with an interval
 * that reaches 0, is unknown instead: MS_MISSING_SCATTER.
 */
struct judge {
	const struct property_set *properties;
	const struct database *db;
	double hysteresis;
};

struct judge_question {
	const struct ms_candidate *candidate;
	bool recent;          /* use the recent window only, see database_mark */
	enum ms_truth before; /* the previous verdict, or MS_UNKNOWN */
	uint64_t executions;  /* number of observed executions */
	/* evaluate the batches also when it is false, which costs five times as much */
	bool false_too;
};

/*
 * Evaluates at the candidate's focus, over its interval. `agreement_out`: share of the batches with the same
 * truth; 1 where none has any. MS_ERR_*: as property_evaluate.
 */
enum ms_status judge_evaluate(const struct judge *judge, const struct judge_question *question,
			      struct ms_verdict *verdict_out, double *agreement_out);
/* The threads a by-thread property names at this focus, in the property's order; at most `room`. */
uint32_t judge_threads(const struct judge *judge, const struct judge_question *question,
		       uint32_t *out, uint32_t room);
/* The NUMA nodes it names, likewise. */
uint32_t judge_nodes(const struct judge *judge, const struct judge_question *question,
		     uint32_t *out, uint32_t room);

#endif
