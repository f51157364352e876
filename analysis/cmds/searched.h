/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SEARCHED_H
#define MEMSEARCH_CMDS_SEARCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/search/monitored_search.h"

/* Searches over records, and how `memsearch search` prints one. */
struct arena;
struct machine_model;
struct ms_strategy;
struct property_set;
struct text;

struct searched {
	const char *path;      /* of the record or store */
	const struct run *run; /* as it was recorded */
	/* the run with the nodes, measurements and data accounting of the search */
	struct run found;
	const struct ms_strategy *strategy;
	struct monitored_search search;
	double trace_bytes; /* as record_replay_trace_bytes */
};

/* What the searches of one call of the command share. */
struct searched_how {
	const struct property_set *properties;
	const struct machine_model *model; /* that was simulated; NULL: none */
	double overhead_limit;
	const char *earlier;   /* as in struct monitored_search */
	double deep_threshold; /* as in struct engine_config; 0: its default */
	uint64_t executions_most;
};

/*
 * Begins a search of searched->run by searched->strategy; false: no memory, or the run has nothing
 * to search over, after a message.
 */
bool searched_begin(struct searched *searched, struct arena *arena, const struct searched_how *how);
/* searched->found from searched->run, whose own nodes and measurements stay as they are. */
void searched_found_init(struct searched *searched);
/* Brings searched->found up to the search so far; false: no memory, after a message. */
bool searched_update(struct searched *searched);
/* After the last monitored_search_advance; false: no memory, after a message. */
bool searched_finish(struct searched *searched);
/* Both, with all that is between. */
bool searched_run_over(struct searched *searched, struct arena *arena,
		       const struct searched_how *how);

/* Whether a proven node is a finding, not a step of severity 0 on the way to one. */
bool searched_is_finding(const struct searched *searched, const struct run_node *node);

struct searched_format {
	/* "text", "json" (schema memsearch-search-1) or "csv" (a row for what was proven) */
	const char *format;
	int width; /* of text */
	bool all;  /* in text also what led to findings */
};
void searched_print(struct text *out, const struct searched *searched,
		    const struct searched_format *as);

#endif
