/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SEARCH_COMPARE_H
#define MEMSEARCH_CMDS_SEARCH_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/search/search_profile.h"

/* Several strategies over the same runs, for `memsearch search --compare`. */
struct arena;
struct ms_strategy;
struct searched_how;
struct text;

struct compared_search {
	const char *strategy;
	struct search_profile profile; /* findings; its points in the arena of the comparison */
	uint64_t executions;
	bool ended; /* nothing was left to decide */
	struct run_cost cost;
	size_t candidates;
	double trace_bytes;
};

/* One run. */
struct compared_run {
	const char *path;
	const struct run *run;
	size_t known;
	struct compared_search *searches;
	size_t nr;
};

/* Searches by each strategy, in the arena; false: no memory or nothing to search over, reported. */
bool compared_run_fill(struct compared_run *compared, struct arena *arena,
		       const struct searched_how *how, const struct ms_strategy *const *strategies,
		       size_t nr);

/* `format`: "text", "json" (schema memsearch-search-compare-1) or "csv". */
void compared_print(struct text *out, const struct compared_run *runs, size_t nr,
		    const char *format);

#endif
