/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SEARCH_SETUP_H
#define MEMSEARCH_CMDS_SEARCH_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/cmds/searched.h"
#include "analysis/options/options.h"

/* Strategies, properties and limits of searches outside of the program, by the commands' options. */
struct arena;
struct command;
struct ms_strategy;
struct run;
struct strategy_list;

struct search_setup {
	const struct command *command;
	struct arena *arena;
	/* options as typed; NULL: not given */
	const char *properties, *overhead, *deep_threshold;
	struct searched_how how; /* executions_most is the caller's */
	uint64_t files;          /* hash of names, sizes and times of the files of --properties */
};

/* Reads the properties. COMMAND_GO_ON, or the exit code after a message, as the others. */
int search_setup_begin(struct search_setup *setup);
/*
 * Whether the files of --properties are others than at the last call, or at search_setup_begin. A
 * file is another one by its size or time of change.
 */
bool search_setup_changed(struct search_setup *setup);
/* The properties as their files are now. NULL: a file has mistakes, after messages. */
const struct property_set *search_setup_read_again(struct search_setup *setup);
/* NULL: no folder of strategies. */
const struct strategy_list *search_setup_strategies(struct arena *arena);
/* An installed one, or that of a shared object. */
int search_setup_strategy(const struct search_setup *setup, const char *name,
			  const struct ms_strategy **out);
/*
 * Before a search over a record: simulates what it keeps of accesses, as other commands do that
 * search after the run; its limit, if --overhead is not given.
 */
int search_setup_run(struct search_setup *setup, const char *path, struct run *run);
/* --overhead; else `limit`, if it is above 0; else the default. */
double search_setup_limit(const struct search_setup *setup, double limit);

#endif
