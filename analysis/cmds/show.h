/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SHOW_H
#define MEMSEARCH_CMDS_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/report/report.h"

/* Getting runs from files and ready to be printed, for the commands that do so. */
struct arena;
struct command;
struct page_uses;
struct requests_source;
struct text;

/* The runs of one record or store. */
struct show_file {
	const char *path;
	struct run *runs;
	size_t nr_runs; /* at least 1 */
};

/*
 * Loads the record or store operands[0], or the newest in this folder if there is no operand.
 * COMMAND_GO_ON, or an exit code after a message.
 */
int show_load(const struct command *command, struct arena *arena, int nr_operands,
	      char *const *operands, struct show_file *out);

/*
 * Source lines, and the texts of the properties, for a run whose program could not do that itself
 * any more. `properties`: more property files, or NULL.
 */
void show_complete(struct arena *arena, struct run *run, const char *properties);

/*
 * Runs loaded and completed likewise are printed by `print`, which gets `values`. An exit code,
 * after saying what is wrong.
 */
typedef void show_print(struct text *out, const struct run *const *runs, size_t nr,
			const void *values);
struct show_how {
	bool several;           /* any number of files, whose runs are printed together */
	const char *properties; /* more property files, or NULL */
	uint64_t phase;         /* number of one of a program's phases; 0: the main one */
	/* what records keep of their traces is simulated before … */
	bool modelled;
	/* … on this machine; NULL: on a model of this one, if there can be one */
	const char *machine;
	/* … with threads and pages there (simulation/placement.h); NULL: the defaults */
	const char *places, *pages;
	bool huge_pages; /* … which are huge, … */
	/* … and data where the program had it, not in the order of first accesses, … */
	bool real_addresses;
	/* … and these ranges of arrays counted apart (array_ranges.h); NULL: none */
	const char *ranges;
	/* where nothing can be simulated, a record with nodes of pages is printed all the same */
	bool or_placements;
	bool findings; /* and searched for what is found of it */
	uint64_t jobs; /* threads that simulate; 0: one a CPU */
	/*
	 * Called with the simulated run, while what it was simulated from is there: COMMAND_GO_ON,
	 * or an exit code. Of the phase one execution is simulated. NULL: not.
	 */
	int (*then)(void *ctx, struct arena *arena, const struct requests_source *source);
	void *then_ctx;
	/* gets the simulated machine's pages (simulation/page_use.h); NULL: not wanted */
	struct page_uses *uses;
	/* thread_clock_ns by when that is to be done, 0: whenever */
	uint64_t deadline_ns;
};

/* Options of several commands, for members of their values that have these names. */
#define SHOW_PLACES(values) \
	{ \
		.name = "places", \
		.type = COMMAND_STRING, \
		.metavariable = "CORES", \
		.offset = offsetof(values, places), \
		.help = "run the threads on these cores of the simulated machine: close, spread, or cores such as 0-3,16-19 (default: as OMP_PROC_BIND and OMP_PLACES of the run have it, else close)" \
	}
#define SHOW_PAGES(values) \
	{ \
		.name = "pages", \
		.type = COMMAND_STRING, \
		.metavariable = "WHERE", \
		.offset = offsetof(values, pages), \
		.help = "nodes of the simulated machine's pages: first-touch, interleave, or the number of a node (default: as its file says)" \
	}
#define SHOW_HUGE_PAGES(values) \
	{ \
		.name = "huge-pages", \
		.type = COMMAND_FLAG, \
		.offset = offsetof(values, huge_pages), \
		.help = "place the recorded data in huge pages of the simulated machine, of the size huge_page in its file (usually 2 MiB)" \
	}
#define SHOW_REAL_ADDRESSES(values) \
	{ \
		.name = "real-addresses", \
		.type = COMMAND_FLAG, \
		.offset = offsetof(values, real_addresses), \
		.help = "simulate with the addresses of the recorded run (default: addresses in the order of first accesses, the same in every run)" \
	}
#define SHOW_JOBS(values) \
	{ \
		.name = "jobs", \
		.type = COMMAND_UNSIGNED, \
		.metavariable = "N", \
		.offset = offsetof(values, jobs), \
		.help = "simulate with N threads; the results are the same with any number (default: one for each CPU)" \
	}
#define SHOW_PHASE(values) \
	{ \
		.name = "phase", \
		.type = COMMAND_UNSIGNED, \
		.metavariable = "N", \
		.offset = offsetof(values, phase), \
		.help = "results of the Nth loop of time steps, if the program has several in sequence (default: of the loop that takes most time)" \
	}
/*
 * The machine to simulate: this one where none is named and `how` has places, pages, huge pages or
 * ranges. NULL: no simulation was asked for.
 */
const char *show_machine(const struct show_how *how);
/*
 * What a run is followed by: the search over its simulated accesses, and where no machine is named
 * no longer than 12 s. Sets machine, modelled, findings and deadline_ns. The numbers of causes are
 * those of `memsearch report` with the same options.
 */
void show_as_after_run(struct show_how *how);
int show_runs(const struct command *command, int nr_operands, char *const *operands,
	      const struct show_how *how, show_print *print, const void *values);

/* Says that no array of the run has that name, and the nearest; returns COMMAND_USAGE. */
int show_unknown_array(const struct command *command, struct arena *arena, const struct run *run,
		       const char *name);

/* MEMSEARCH_BRIEF, by the words that programs take for yes and no. */
bool show_is_brief(void);
/* MEMSEARCH_QUICK: nothing is simulated that was not asked for. */
bool show_is_quick(void);
/* Colour and width for what goes to `fd`; MEMSEARCH_BRIEF. */
void show_options(struct report_options *options, int fd);

#endif
