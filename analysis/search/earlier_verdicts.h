/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_EARLIER_VERDICTS_H
#define MEMSEARCH_SEARCH_EARLIER_VERDICTS_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/status.h"
#include "memsearch/strategy.h"

/*
 * Verdicts of earlier runs of the same program order a search (history of earlier runs: Roth and
 * Miller, EuroPar 2002): what was true in one of them is tested first, what was false in all, in two
 * experiments at least, last. They are no verdicts of this run: each candidate is tested. Not here:
 * a search that one run continues for the next (engine_save).
 *
 *     memsearch-earlier 1
 *     verdict PROPERTY REGION THREAD STATE      REGION: a key, 0 for the phase; STATE: 1 true, 0 false
 *     end LINES CHECKSUM
 *
 * Regions have the same key in two runs if the program's files and their paths are the same
 * (struct run_region). Allocates from the arena only.
 */
struct arena;
struct engine;
struct run;

struct earlier_verdicts_count {
	size_t first, last; /* candidates that are tested first, last */
};

/* Of the nodes of these runs. NULL: no memory. */
char *earlier_verdicts_text(struct arena *arena, const struct run *const *runs, size_t nr,
			    struct earlier_verdicts_count *out);
/* Starts the engine's search over. MS_ERR_FORMAT: the text is damaged, the engine is unchanged. */
enum ms_status earlier_verdicts_load(struct engine *engine, const char *text);

/* --- for the engine: 1 true, -1 false, 0 not known */
struct earlier_verdict;
struct earlier_verdicts {
	struct earlier_verdict *items; /* sorted */
	size_t nr;
};
int earlier_verdicts_of(const struct engine *engine, const struct ms_candidate *candidate);

#endif
