/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_COMPARE_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_COMPARE_H

#include "tests/differential/run.h"

struct text { char at[200]; };           /* what is different, or nothing */

/* Two runs of a function: where they ended, kept and returned registers, memory, errno, data. True: nothing is different. */
bool compare_outcomes(const struct outcome *want, const struct outcome *have, struct text *out);
/* Accesses that the clone recorded and those that steps through the original found. */
bool compare_counts(const struct outcome *steps, const struct outcome *clone, struct text *out);

#endif
