/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memsearch doctor`: what can be measured on this machine, or in a program, and what to do about
 * the rest.
 */
#include "analysis/cmds/doctor.h"

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/calibrate.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/setups.h"
#include "analysis/report/text.h"

struct doctor_values {
	const char *format, *root;
	bool table, calibrate;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct doctor_values),
	{ .name = "root",
	  .type = COMMAND_STRING,
	  .metavariable = "FOLDER",
	  .offset = offsetof(struct doctor_values, root),
	  .help = "examine another machine by copies of its /proc and /sys below FOLDER; no sensor is opened" },
	{ .name = "calibrate",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct doctor_values, calibrate),
	  .help = "measure bandwidth and latency of memory for two seconds, and store them for later runs" },
	{ .name = "table",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct doctor_values, table),
	  .help = "print which set-ups are supported and which are refused, in Markdown" },
	{ 0 }
};

static int print_table(struct arena *arena)
{
	struct text out;

	text_init(&out, arena);
	setups_table(&out);
	return command_print(&out);
}

static int look(struct doctor *doctor, const struct doctor_values *values, const char *program)
{
	if (program)
		return doctor_look_at_program(doctor, program);
	if (doctor_look_at_machine(doctor, values->root ? values->root : ""))
		return COMMAND_OK;
	log_warning(
		"there are no files of a machine below '%s': /proc/cpuinfo, /proc/sys and /sys are wanted",
		values->root);
	return COMMAND_BAD_DATA;
}

static int run_in(struct arena *arena, const struct doctor_values *values, const char *program)
{
	struct doctor doctor = { .arena = arena };
	struct text out;
	int code;

	if (values->table)
		return print_table(arena);
	if (values->calibrate && !calibrate(arena, &(struct bandwidth){ 0 }, true))
		return COMMAND_BAD_DATA;
	code = look(&doctor, values, program);
	if (code != COMMAND_OK)
		return code;
	text_init(&out, arena);
	doctor_print(&out, &doctor, values->format ? values->format : "text");
	return command_print(&out);
}

static int run_doctor(const struct command *self, int argc, char **argv)
{
	struct doctor_values values = { 0 };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	struct arena *arena;

	if (code != COMMAND_GO_ON)
		return code;
	if (nr > 1)
		return command_usage(self, "'%s' is too much", argv[1]);
	if (nr && (values.root || values.table || values.calibrate))
		return command_usage(
			self,
			"a program is examined on this machine: --root, --calibrate and --table go without one");
	if (values.calibrate && (values.root || values.table))
		return command_usage(
			self,
			"--calibrate measures this machine: --root and --table go without it");
	if (values.root && !*values.root)
		return command_usage(self, "--root takes a folder");
	arena = arena_new();
	if (!arena)
		return COMMAND_BAD_DATA;
	code = run_in(arena, &values, nr ? argv[0] : NULL);
	arena_free(arena);
	return code;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.operands = "[PROGRAM]",
	.summary = "report what can be measured here, or in a program, and how to fix the rest",
	.details =
		"Without PROGRAM every sensor and metric is tried on this machine, and what does not work is listed with its reason and "
		"the command that fixes it. With PROGRAM that program is examined and not run: which OpenMP runtime it finds, "
		"whether memsearch can get into it, whether it has debug lines.",
	.options = options,
	.run = run_doctor,
};
