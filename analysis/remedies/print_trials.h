/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REMEDIES_PRINT_TRIALS_H
#define MEMSEARCH_REMEDIES_PRINT_TRIALS_H

#include <stdbool.h>
#include <stddef.h>

/* What `memsearch try` prints. */
struct run;
struct text;
struct trials;

struct try_options {
	bool colour, brief; /* brief: without the program's path */
	int width;
};

void try_text(struct text *out, const struct run *run, const struct trials *trials,
	      const struct try_options *options);
/* Schema "memsearch-try-1". */
void try_json(struct text *out, const struct run *run, const struct trials *trials,
	      const struct try_options *options);
/* A row for each remedy. */
void try_csv(struct text *out, const struct run *run, const struct trials *trials,
	     const struct try_options *options);

#endif
