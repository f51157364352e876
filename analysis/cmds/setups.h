/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SETUPS_H
#define MEMSEARCH_CMDS_SETUPS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Which set-ups of program, OpenMP runtime and machine memsearch supports and which it refuses: one
 * list, from which come the table in docs/setups.md, `memsearch doctor`, and what `memsearch run`
 * says when the tool did not get into a program.
 *
 * To add a set-up: 1. a row in setups.c; 2. `memsearch doctor --table` into docs/setups.md
 * (tests/cli/doctor_table.sh compares them).
 */
struct arena;
struct doctor_machine;
struct launch_file;
struct launch_runtime;
struct text;

enum setup_verdict {
	SETUP_YES,
	SETUP_LIMITED, /* works, and something is missing */
	SETUP_UNTESTED,
	SETUP_NO,
};

/* Facts of a program or a machine. */
struct setup_case {
	const struct launch_file *file;       /* the program; NULL: facts of a machine */
	const struct launch_runtime *runtime; /* what it loads; with `file` never NULL */
	/* the OpenMP runtime it would be measured with; NULL: unknown, or none */
	const struct launch_file *library;
	/* `runtime` is empty because the loader was not asked */
	bool not_asked;
	bool no_lines;                        /* known to hold none */
	const struct doctor_machine *machine; /* NULL: facts of a program */
};

struct setup {
	const char *name; /* short, of the row that doctor prints */
	const char *what; /* as docs/setups.md says it */
	/* with OMP_TOOL_LIBRARIES alone; with `memsearch run` */
	enum setup_verdict bare, run;
	const char *bare_note, *run_note; /* after the verdict; NULL: nothing */
	const char *why;                  /* in doctor's words; NULL: the note of `run` */
	/* what to do, a sentence; NULL: nothing has to be done */
	const char *advice;
	/* … as one command, with the words of setup_command; NULL: none */
	const char *command;
	bool (*applies)(const struct setup_case *about); /* NULL: cannot be seen from outside */
};

extern const struct setup setups[];
extern const size_t nr_setups;

/* The first that applies and that `memsearch run` refuses; NULL: none. */
const struct setup *setup_refusing(const struct setup_case *about);

/*
 * A command with paths instead of its words PROGRAM and LIBOMP (the folder of a libomp that could
 * be used), quoted for a shell. NULL: it needs one that is not known (NULL).
 */
const char *setup_command(struct arena *arena, const char *command, const char *program,
			  const char *libomp);

/* The table of docs/setups.md, in Markdown. */
void setups_table(struct text *out);

#endif
