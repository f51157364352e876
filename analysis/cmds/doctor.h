/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_DOCTOR_H
#define MEMSEARCH_CMDS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/cmds/doctor_machine.h"

/*
 * The results of `memsearch doctor`: rows, each with a state, a text, and the command that would
 * fix it. Each part adds rows; doctor_rows.c prints them.
 *
 * To add a row: doctor_add where the fact is read. To judge a fact as good or bad: a row in
 * setups.c.
 */
struct arena;
struct ms_probe;
struct setup_case;
struct text;

enum doctor_topic {
	DOCTOR_SENSOR,
	DOCTOR_METRIC,
	DOCTOR_PROGRAM,
	DOCTOR_SETUP,
	DOCTOR_MACHINE,
	DOCTOR_LIMIT,
	DOCTOR_RUNTIME,
	DOCTOR_TOPICS
};

enum doctor_state {
	DOCTOR_FACT, /* neither good nor bad */
	DOCTOR_WORKS,
	DOCTOR_LIMITED, /* works, and something is missing */
	DOCTOR_UNKNOWN, /* was not tried, or is not tested */
	DOCTOR_FAILS,
};

struct doctor_row {
	enum doctor_topic topic;
	enum doctor_state state;
	const char *name;
	const char *text;    /* what is the case, or why it does not work */
	const char *command; /* that would fix it; NULL: none */
	const char *advice;  /* the same as a sentence; NULL: none */
};

struct doctor {
	struct arena *arena;
	const char *subject;     /* "machine" or "program" */
	const char *answer;      /* one or two sentences */
	const char *commands[2]; /* that follow from the answer: how to measure; NULL: none */
	struct doctor_row *rows;
	size_t nr, room;
};

void doctor_add(struct doctor *doctor, const struct doctor_row *row);
/* A fact without judgement. `text` NULL: unknown, no row. */
void doctor_add_fact(struct doctor *doctor, enum doctor_topic topic, const char *name,
		     const char *text);
/* A row for each set-up of setups.c that applies. `program`, `libomp`: for setup_command. */
void doctor_add_setups(struct doctor *doctor, const struct setup_case *about, const char *program,
		       const char *libomp);

/*
 * This machine, or the one whose files stand below `root` ("": this one). False: there are none of
 * a machine.
 */
bool doctor_look_at_machine(struct doctor *doctor, const char *root);
/* A program, without running it. Exit code: COMMAND_OK, or COMMAND_BAD_DATA after a message. */
int doctor_look_at_program(struct doctor *doctor, const char *program);

/* Rows of sensors and metrics. */
void doctor_add_sensors(struct doctor *doctor, const struct ms_probe *probe);

/* "/usr/lib/llvm-19/lib/libomp.so.5 (LLVM 19), with its interface for tools" */
struct launch_file;
const char *doctor_runtime_text(struct arena *arena, const struct launch_file *library);

/* `format`: "text", "json" or "csv". */
void doctor_print(struct text *out, const struct doctor *doctor, const char *format);

#endif
