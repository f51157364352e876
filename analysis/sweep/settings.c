/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a sweep's runs: made, compared and put into words. */
#include "analysis/sweep/settings.h"

#include <string.h>

#include "analysis/base/arena.h"

static bool set(struct arena *arena, struct settings *settings, const char *name, const char *value)
{
	if (!name || !value || !ARENA_GROW(arena, settings->items, settings->nr, settings->room))
		return false;
	settings->items[settings->nr++] = (struct run_setting){ name, value };
	return true;
}

static bool set_number(struct arena *arena, struct settings *settings, const char *name,
		       uint32_t value)
{
	return set(arena, settings, name, arena_printf(arena, "%u", value));
}

bool settings_of(struct arena *arena, const struct sweep_plan *plan,
		 const struct matrix_configuration *configuration, uint32_t repetition,
		 const char *machine, uint32_t cpus, struct settings *out)
{
	bool fits;

	*out = (struct settings){ 0 };
	fits = set(arena, out, SETTING_BINARY, configuration->binary) &&
	       set(arena, out, SETTING_ARGUMENTS, configuration->arguments->text) &&
	       set_number(arena, out, SETTING_THREADS, configuration->threads) &&
	       set_number(arena, out, SETTING_REPETITION, repetition) &&
	       set(arena, out, RUN_SETTING_MACHINE, machine);
	for (size_t i = 0; i < plan->nr_variables && fits; i++)
		fits = set(arena, out,
			   arena_printf(arena, SETTING_ENVIRONMENT "%s", plan->variables[i].name),
			   configuration->values[i]);
	if (fits && *plan->options)
		fits = set(arena, out, SETTING_OPTIONS, plan->options);
	if (fits && configuration->threads > cpus)
		fits = set(arena, out, SETTING_OVERSUBSCRIBED, "yes");
	return fits;
}

static bool is_compared(const char *name)
{
	return strcmp(name, SETTING_OVERSUBSCRIBED) != 0 && strcmp(name, SETTING_REPETITION) != 0 &&
	       strcmp(name, RUN_SETTING_MACHINE) != 0;
}

static size_t nr_compared(const struct run_setting *items, size_t nr)
{
	size_t compared = 0;

	for (size_t i = 0; i < nr; i++)
		compared += is_compared(items[i].name);
	return compared;
}

bool settings_match(const struct settings *settings, const struct run *run)
{
	if (nr_compared(settings->items, settings->nr) !=
	    nr_compared(run->settings, run->nr_settings))
		return false;
	for (size_t i = 0; i < settings->nr; i++) {
		const char *value = run_setting(run, settings->items[i].name);

		if (is_compared(settings->items[i].name) &&
		    (!value || strcmp(value, settings->items[i].value) != 0))
			return false;
	}
	return true;
}

const char *settings_environment(struct arena *arena, const struct sweep_plan *plan,
				 const struct matrix_configuration *configuration)
{
	const char *text = "";

	for (size_t i = 0; i < plan->nr_variables && text; i++)
		text = arena_printf(arena, "%s%s%s=%s", text, i ? " " : "", plan->variables[i].name,
				    configuration->values[i]);
	return text;
}

static const char *add_words(struct arena *arena, const char *text, const struct sweep_plan *plan,
			     const struct matrix_configuration *configuration)
{
	const char *environment = settings_environment(arena, plan, configuration);

	if (text && environment && *environment)
		text = arena_printf(arena, "%s, %s", text, environment);
	if (text && plan->binaries.nr > 1)
		text = arena_printf(arena, "%s, %s", text, configuration->binary);
	if (text && plan->nr_arguments > 1)
		text = arena_printf(arena, "%s, %s", text, configuration->arguments->text);
	return text;
}

const char *settings_words(struct arena *arena, const struct sweep_plan *plan,
			   const struct matrix_configuration *configuration)
{
	const char *text = arena_printf(arena, "%u thread%s", configuration->threads,
					configuration->threads == 1 ? "" : "s");

	return add_words(arena, text, plan, configuration);
}

const char *settings_words_online(struct arena *arena, const struct sweep_plan *plan,
				  const struct matrix_configuration *configuration)
{
	const char *text = "";

	for (size_t i = 0; i < plan->nr_threads && text; i++)
		text = arena_printf(arena, "%s%s%u", text, i ? ", " : "", plan->threads[i]);
	text = text ? arena_printf(arena, "%s threads in turn", text) : NULL;
	return add_words(arena, text, plan, configuration);
}
