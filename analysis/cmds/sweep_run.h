/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SWEEP_RUN_H
#define MEMSEARCH_CMDS_SWEEP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/sweep/results.h"

/* The runs of a sweep, one after the other, from its plan into its store. */
struct arena;
struct command;
struct store;

struct sweep {
	const struct command *command;
	struct arena *arena;
	const struct sweep_plan *plan;
	struct store *store;
	const char *store_path;
	struct results results;     /* what the store has */
	const char *const *options; /* words for `memsearch run`, before "--" */
	size_t nr_options;
	const char *properties; /* more property files, or NULL */
	uint64_t jobs;          /* threads that simulate; 0: one for each CPU */
	uint32_t cpus;          /* that the program may use */
	/* the user named no limit: short programs get a larger one */
	bool choose_overhead;
	bool calibrate; /* what memory delivers, if that is due */
	bool show_output;
};

/*
 * Runs what the store does not have, and adds it to store and results. COMMAND_OK; COMMAND_BAD_DATA
 * where one run or more failed, or none could be stored any more, after messages. Does not return
 * when the process gets SIGINT, SIGTERM or SIGHUP: its exit status is then 128 + the signal.
 */
int sweep_run(struct sweep *sweep);

#endif
