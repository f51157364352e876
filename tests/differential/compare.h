/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_COMPARE_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_COMPARE_H

#include "tests/differential/run.h"

struct text {
	char at[200];
}; /* what is different, or nothing */

/*
 * Two runs of a function: where they ended, kept and returned registers, memory, errno, data. True:
 * nothing is different.
 */
bool compare_outcomes(const struct outcome *want, const struct outcome *have, struct text *out);
/*
 * It ended with a stack pointer that leads nowhere: longjmp and its like, with a made up place to
 * go to. Clones use the stack where the original does not (a jump asks which clone it leads to), so
 * that they end at the same instruction, but perhaps with another signal.
 */
bool outcome_left_stack(const struct outcome *outcome);
/*
 * Words of `want` and `have` that another run of the original has left with other values: they say
 * nothing.
 */
void blank_undefined(struct outcome *want, const struct outcome *again, struct outcome *have);
/* Accesses that the clone recorded and those that steps through the original found. */
bool compare_counts(const struct outcome *steps, const struct outcome *clone, struct text *out);

#endif
