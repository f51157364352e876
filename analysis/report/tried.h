/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_TRIED_H
#define MEMSEARCH_REPORT_TRIED_H

#include <stdbool.h>

/* Changes of placement that were tried while the program ran (--try), and what they gained. */
struct arena;
struct json;
struct run;
struct run_trial;

/* smallest gain, and part of the time within which a change makes no difference */
#define TRIED_LEAST 0.01

enum tried_result {
	TRIED_HELPS, /* its whole 95 % interval is above TRIED_LEAST */
	TRIED_HARMS, /* … below -TRIED_LEAST */
	TRIED_NO_DIFFERENCE,
	TRIED_UNDECIDED, /* the interval is wider, or the trial ended early */
};
enum tried_result tried_result_of(const struct run_trial *trial);
/* NULL: there is none that helps. */
const struct run_trial *tried_best(const struct run *run);
/* One paragraph; NULL: no trials were requested. `all`: with those that gain less than the best. */
const char *tried_text(struct arena *arena, const struct run *run, bool all);
/* Member "tried"; nothing where no trials were requested. */
void tried_json(struct json *json, struct arena *arena, const struct run *run);

#endif
