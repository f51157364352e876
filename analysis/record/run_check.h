/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_CHECK_H
#define MEMSEARCH_RECORD_RUN_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Rules that a run (run.h) from a file must fulfil. */
struct run;

/* What makes a run from a file invalid: "regions[3].parent", "is 7, not an earlier row". */
struct run_fault {
	char where[96], why[96];
};

/*
 * Checks a run that came from a file against the rules of its fields (analysis/record/fields.h).
 * True: every index names a row, parents stand before their children, numbers are possible, strings
 * are there unless they are optional. False: *fault_out has the first error, and the run must not
 * be used. Rows that name a metric of a later version are removed; `removed_out` gets their number.
 * If !run->complete, indices of rows that were cut off are corrected. A run that passed is not
 * changed by a second check.
 */
bool run_check(struct run *run, size_t *removed_out, struct run_fault *fault_out);

#endif
