/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the options of a run, before the program starts. */
#include "analysis/cmds/run_checks.h"

#include <errno.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/core_queries.h"
#include "analysis/cmds/environment.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/list_machines.h"
#include "analysis/cmds/search_setup.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_text.h"
#include "analysis/options/triggers.h"
#include "analysis/properties/property.h"
#include "analysis/record/file.h"

extern char **environ;

bool run_check_option(const char *name, const char *value, char *error)
{
	struct options options;
	char *const nothing[] = { NULL };

	options_from_environment(&options, nothing);
	return options_set(&options, name, value, error);
}

static int check_strategy(const struct command *self, struct arena *arena,
			  const struct options *options)
{
	const struct search_setup setup = { .command = self, .arena = arena };
	const struct ms_strategy *strategy;

	if (!strcmp(options->strategy, options_default("strategy")))
		return COMMAND_GO_ON;
	return search_setup_strategy(&setup, options->strategy, &strategy);
}

static int check_properties(const struct command *self, struct arena *arena,
			    const struct options *options)
{
	const char *folder = installation_path(arena, INSTALLATION_PROPERTIES);
	const struct property_set *set = *options->properties && folder
						 ? property_set_load(arena, folder,
								     options->properties)
						 : NULL;

	(void)self;
	for (size_t i = 0; set && i < set->nr_messages; i++)
		log_warning("%s", property_message_line(arena, &set->messages[i]));
	return set && set->nr_messages ? COMMAND_USAGE : COMMAND_GO_ON;
}

static int check_machine(const struct command *self, struct arena *arena,
			 const struct options *options)
{
	const struct model_file *file;
	const char *path;

	if (!*options->machine || !strcmp(options->machine, MACHINES_HOST))
		return COMMAND_GO_ON;
	if (machines_find(self, arena, options->machine, &path) != COMMAND_OK)
		return COMMAND_USAGE;
	file = model_read(arena, path);
	return file && model_tell_mistakes(arena, file) ? COMMAND_USAGE : COMMAND_GO_ON;
}

static int check_output(const struct command *self, struct arena *arena,
			const struct options *options)
{
	int error = *options->output ? record_file_try(options->output) : 0;

	(void)arena;
	if (!error)
		return COMMAND_GO_ON;
	if (error == EEXIST || error == EINVAL)
		return command_usage(self,
				     "--output: '%s' exists and is no record: name another file",
				     options->output);
	if (error == ELOOP)
		return command_usage(
			self,
			"--output: '%s' is a symbolic link, through which nothing is written: name the file itself",
			options->output);
	return command_usage(self, "--output: cannot write '%s': %s", options->output,
			     strerror(error));
}

/*
 * The tool's own sensors, with these options alone in the environment. False: they cannot be asked.
 */
static bool ask_sensors(struct arena *arena, const struct options *options, struct ms_probe *probe)
{
	char *const nothing[] = { NULL };
	struct environment asking;
	char **before = environ;
	const char *why;
	bool asked;

	environment_init(&asking, arena, nothing);
	environment_set(&asking, "MEMSEARCH_EVENT", options->event);
	environment_set(&asking, "MEMSEARCH_COUNTERS", options->counters);
	environ = asking.variables;
	asked = core_query_probe(arena, NULL, probe, &why);
	environ = before;
	return asked;
}

static int refuse_event(const char *events, const char *why)
{
	log_warning("--event %s: %s", events, why);
	return COMMAND_USAGE;
}

/*
 * An event that no table of this machine has; one that cannot be counted, for lack of a PMU or of
 * rights, is the report's to tell.
 */
static int check_events(const struct command *self, struct arena *arena,
			const struct options *options)
{
	struct ms_probe *probe = *options->event ? arena_alloc(arena, sizeof(*probe)) : NULL;

	(void)self;
	if (!probe || !ask_sensors(arena, options, probe))
		return COMMAND_GO_ON;
	for (uint32_t metric = MS_METRIC_EVENT_1; metric <= MS_METRIC_EVENT_8; metric++)
		if (!probe->metrics[metric].works &&
		    probe->metrics[metric].why == MS_MISSING_UNSUPPORTED)
			return refuse_event(options->event, probe->metrics[metric].text);
	return COMMAND_GO_ON;
}

static int check_intervals(const struct command *self, struct arena *arena,
			   const struct options *options)
{
	struct trigger triggers[TRIGGERS_MOST];
	char error[TRIGGER_ERROR_BYTES];
	bool bad;

	(void)arena;
	triggers_parse(options->interval, triggers, TRIGGERS_MOST, &bad, error);
	return bad ? command_usage(self, "--interval: %s", error) : COMMAND_GO_ON;
}

int run_checks(const struct command *self, struct arena *arena, const struct options *options)
{
	static int (*const checks[])(const struct command *self, struct arena *arena,
				     const struct options *options) = {
		check_strategy, check_properties, check_machine,
		check_output,   check_events,     check_intervals,
	};
	int code = COMMAND_GO_ON;

	for (size_t i = 0; code == COMMAND_GO_ON && i < sizeof(checks) / sizeof(*checks); i++)
		code = checks[i](self, arena, options);
	return code;
}
