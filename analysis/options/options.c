/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a measured run: parsing and the table. */
#define _GNU_SOURCE
#include "analysis/options/options.h"

#include <ctype.h>
#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/options/followed.h"
#include "memsearch/metric.h"

#define ERROR_BYTES 160
#define PREFIX "MEMSEARCH_"
/* MEMSEARCH__X is for memsearch's own parts to talk to each other, not an option. */
#define PRIVATE_PREFIX "MEMSEARCH__"

#define FLAG_string false
#define FLAG_number false
#define FLAG_fraction false
#define FLAG_boolean true
#define FLAG_list false
#define LIST_MAX (MS_METRIC_EVENT_8 - MS_METRIC_EVENT_1 + 1)

const struct option_row option_rows[] = {
#define X(field, type, parser, name, metavariable, value, help) \
	{ name, metavariable, value, help, FLAG_##parser },
	OPTION_LIST(X)
#undef X
};
const unsigned int nr_option_rows = sizeof(option_rows) / sizeof(option_rows[0]);

static bool parse_string(const char *value, const char **out, char *error)
{
	(void)error;
	*out = value;
	return true;
}

/* Names separated by commas. */
static bool parse_list(const char *value, const char **out, char *error)
{
	int nr = 0;

	*out = value;
	for (const char *name = value; *value && name; nr++) {
		size_t length = strcspn(name, ", \t");

		if (!length || (name[length] && name[length] != ',')) {
			snprintf(error, ERROR_BYTES,
				 length ? "'%s' has a space in a name" : "'%s' has an empty name",
				 value);
			return false;
		}
		name = name[length] ? name + length + 1 : NULL;
	}
	if (nr <= LIST_MAX)
		return true;
	snprintf(error, ERROR_BYTES, "%d names are too many: at most %d", nr, LIST_MAX);
	return false;
}

/* A number that is not negative, and what follows it. */
static bool parse_start(const char *value, double *out, char **end_out)
{
	/* glibc's own constant: nothing to free */
	*out = strtod_l(value, end_out, newlocale(LC_ALL_MASK, "C", (locale_t)0));
	return *end_out != value && *out >= 0 && *out < 1e300;
}

static bool parse_number(const char *value, double *out, char *error)
{
	char *end;

	if (parse_start(value, out, &end) && !*end)
		return true;
	snprintf(error, ERROR_BYTES, "'%s' is not a number", value);
	return false;
}

/* of the program's time: recording everything takes some ten times it */
#define MOST_FRACTION 100

static bool parse_fraction(const char *value, double *out, char *error)
{
	char *end;

	if (parse_start(value, out, &end) && (!*end || !strcmp(end, "%"))) {
		bool percent = *end;

		*out = percent ? *out / 100 : *out;
		if (*out <= (percent ? MOST_FRACTION : 1)) /* 5 would be 5% or 500% */
			return true;
	}
	snprintf(error, ERROR_BYTES, "'%s' is not a share: write 5%% or 0.05, at most %d%%", value,
		 100 * MOST_FRACTION);
	return false;
}

static bool parse_boolean(const char *value, bool *out, char *error)
{
	static const char *const words[] = { "0", "1", "no", "yes", "off", "on", "false", "true" };

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(value, words[i])) {
			*out = i % 2;
			return true;
		}
	}
	snprintf(error, ERROR_BYTES, "'%s' is neither yes nor no: write 1 or 0", value);
	return false;
}

static bool is_one_of(const char *value, const char *words, char *error)
{
	size_t length = strlen(value);

	for (const char *word = words; *word;
	     word += strcspn(word, ",") + strspn(word + strcspn(word, ","), ", "))
		if (strcspn(word, ",") == length && !strncmp(word, value, length))
			return true;
	snprintf(error, ERROR_BYTES, "'%s' is not one of %s", value, words);
	return false;
}

static bool can_be_followed(const char *names, char *error)
{
	for (const char *name = names; *name;) {
		size_t length = strcspn(name, ",");

		if (followed_is_refused(name, length)) {
			snprintf(
				error, ERROR_BYTES,
				"'%.*s' cannot be followed: the C library, the OpenMP runtime and memsearch itself never are",
				(int)(length < 40 ? length : 40), name);
			return false;
		}
		name += length + (name[length] == ',');
	}
	return true;
}

#define MOST_RESTARTS 1000
#define MOST_AT_ONCE 1000
#define MOST_TRACE_MIB 65536
#define MOST_JOBS 4096
#define MOST_WAIT 86400 /* s */

static bool is_whole(double value, unsigned int most, char *error)
{
	if (value <= most && value == (double)(unsigned int)value)
		return true;
	snprintf(error, ERROR_BYTES, "'%g' is not a whole number of at most %u", value, most);
	return false;
}

static bool is_part(double value, char *error)
{
	if (value > 0 && value <= 1)
		return true;
	snprintf(error, ERROR_BYTES, "'%g' is not a part: write 20%% or 0.2, above 0, at most 1",
		 value);
	return false;
}

static bool in_range(const char *name, struct options *options, char *error)
{
	if (!strcmp(name, "deep-threshold"))
		return is_part(options->deep_threshold, error);
	if (!strcmp(name, "measure"))
		return is_one_of(options->measure, "search, time, all, none", error);
	if (!strcmp(name, "agent"))
		return is_one_of(options->agent, "no, allow, wait", error);
	if (!strcmp(name, "agent-wait"))
		return is_whole(options->agent_wait, MOST_WAIT, error);
	if (!strcmp(name, "counters"))
		return is_one_of(options->counters, "auto, perf, papi, none", error);
	if (!strcmp(name, "addresses"))
		return is_one_of(options->addresses, "auto, pebs, ibs, spe, power, faults, none",
				 error);
	if (!strcmp(name, "runtime"))
		return is_one_of(options->runtime, "own, libomp", error);
	if (!strcmp(name, "trace-limit"))
		return is_whole(options->trace_limit, MOST_TRACE_MIB, error);
	if (!strcmp(name, "restarts"))
		return is_whole(options->restarts, MOST_RESTARTS, error);
	if (!strcmp(name, "jobs"))
		return is_whole(options->jobs, MOST_JOBS, error);
	if (!strcmp(name, "counters-at-once"))
		return is_whole(options->counters_at_once, MOST_AT_ONCE, error);
	if (!strcmp(name, "follow"))
		return can_be_followed(options->follow, error);
	if (!strcmp(name, "sampling-rate") &&
	    (options->sampling_rate < 1 || options->sampling_rate > 4000)) {
		snprintf(error, ERROR_BYTES, "'%g' is not between 1 and 4000",
			 options->sampling_rate);
		return false;
	}
	return true;
}

bool options_set(struct options *options, const char *name, const char *value, char *error)
{
	const struct options before = *options;

#define X(field, type, parser, option, metavariable, initial, help) \
	if (!strcmp(name, option)) { \
		if (parse_##parser(value, &options->field, error) && \
		    in_range(name, options, error)) \
			return true; \
		*options = before; \
		return false; \
	}
	OPTION_LIST(X)
#undef X
	snprintf(error, ERROR_BYTES, "no such option");
	return false;
}

static void set_defaults(struct options *options)
{
	char error[ERROR_BYTES];

	memset(options, 0, sizeof(*options));
	for (unsigned int i = 0; i < nr_option_rows; i++)
		if (!options_set(options, option_rows[i].name, option_rows[i].value, error))
			log_warning("option '%s': default %s", option_rows[i].name, error);
}

const char *options_default(const char *name)
{
	for (unsigned int i = 0; i < nr_option_rows; i++)
		if (!strcmp(name, option_rows[i].name))
			return option_rows[i].value;
	return "";
}

/* X_Y → x-y, up to the '='. */
static bool option_name(const char *variable, char *name, size_t bytes)
{
	size_t length = strcspn(variable, "=");

	if (length >= bytes)
		return false;
	for (size_t i = 0; i < length; i++)
		name[i] = variable[i] == '_' ? '-' : (char)tolower((unsigned char)variable[i]);
	name[length] = '\0';
	return true;
}

/* x-y → MEMSEARCH_X_Y */
static void variable_name(const char *option, char *name, size_t bytes)
{
	size_t length = (size_t)snprintf(name, bytes, "%s%s", PREFIX, option);

	for (size_t i = strlen(PREFIX); i < length && i < bytes; i++)
		name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
}

static void warn_unknown(const char *variable)
{
	char names[sizeof(option_rows) / sizeof(option_rows[0])][64];
	const char *list[sizeof(option_rows) / sizeof(option_rows[0])], *nearest;
	char unknown[64];

	snprintf(unknown, sizeof(unknown), "%.*s", (int)strcspn(variable, "="), variable);
	for (unsigned int i = 0; i < nr_option_rows; i++) {
		variable_name(option_rows[i].name, names[i], sizeof(names[i]));
		list[i] = names[i];
	}
	nearest = log_nearest(unknown, list, nr_option_rows);
	if (nearest)
		log_warning("unknown variable %s is ignored (did you mean %s?)", unknown, nearest);
	else
		log_warning("unknown variable %s is ignored (see `memsearch help run`)", unknown);
}

static bool is_option(const char *name)
{
	for (unsigned int i = 0; i < nr_option_rows; i++)
		if (!strcmp(name, option_rows[i].name))
			return true;
	return false;
}

static bool is_private(const char *variable)
{
	static const char *const names[] = {
		PRIVATE_PREFIX,
		OPTIONS_RUNTIME_SWAPPED "=",
		OPTIONS_FILLING,
		OPTIONS_VARIED_THREADS "=",
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

static void set_from_variable(struct options *options, struct arena *arena, const char *variable)
{
	const char *value = strchr(variable, '=');
	char name[64], error[ERROR_BYTES];
	const char *copy;

	if (!value || !option_name(variable + strlen(PREFIX), name, sizeof(name)) ||
	    !is_option(name)) {
		warn_unknown(variable);
		return;
	}
	copy = arena ? arena_strdup(arena, value + 1) : NULL;
	if (!options_set(options, name, copy ? copy : value + 1, error))
		log_warning("%.*s is ignored: %s", (int)(value - variable), variable, error);
}

/*
 * Values are copied: the program may change its environment. The arena lives as long as the
 * process.
 */
void options_from_environment(struct options *options, char *const *environment)
{
	struct arena *arena = NULL;

	set_defaults(options);
	for (; environment && *environment; environment++) {
		if (strncmp(*environment, PREFIX, strlen(PREFIX)) || is_private(*environment))
			continue;
		if (!arena)
			arena = arena_new();
		set_from_variable(options, arena, *environment);
	}
}
