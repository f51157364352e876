/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of `memsearch diff`: files, the runs in them, and which are compared. */
#include "analysis/cmds/diff_runs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/show.h"
#include "analysis/cmds/simulate_record.h"
#include "analysis/store/store.h"

#define VALUES_LISTED 12
/* memory of a run that the next may use again: fresh pages cost more than clearing these */
#define RUN_KEEP ((size_t)256 << 20)

struct words {
	const char **items;
	size_t nr, room;
};

struct operand {
	const char *text;
	struct words files;
	struct words names, values; /* conditions: "threads", "16" */
	size_t first, nr;           /* its profiles in `all` */
};

struct reader {
	const struct command *command;
	struct arena *arena;
	struct arena *of_run; /* of one run at a time, as profiles take less memory */
	const struct show_how *how;
	enum profile_by by;
	struct operand *operands;
	size_t nr_operands, room_operands;
	const struct profile **all; /* in the order of operands */
	size_t nr, room;
};

/* ------------------------------------------------------------------ operands */

static bool add_word(struct arena *arena, struct words *words, const char *begin, size_t length)
{
	char *copy = arena_strndup(arena, begin, length);

	if (!copy || !ARENA_GROW(arena, words->items, words->nr, words->room))
		return false;
	words->items[words->nr++] = copy;
	return true;
}

static bool split(struct arena *arena, struct words *words, const char *text, size_t length)
{
	for (size_t at = 0; at <= length;) {
		size_t nr = 0;

		while (at + nr < length && text[at + nr] != ',')
			nr++;
		if (!add_word(arena, words, text + at, nr))
			return false;
		at += nr + 1;
	}
	return true;
}

static int read_conditions(struct reader *reader, struct operand *operand, const char *text)
{
	struct words pairs = { 0 };

	if (!split(reader->arena, &pairs, text, strlen(text)))
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < pairs.nr; i++) {
		const char *equal = strchr(pairs.items[i], '=');

		if (!equal || equal == pairs.items[i])
			return command_usage(
				reader->command,
				"'%s': a setting is NAME=VALUE behind @, such as @threads=16",
				operand->text);
		if (!add_word(reader->arena, &operand->names, pairs.items[i],
			      (size_t)(equal - pairs.items[i])) ||
		    !add_word(reader->arena, &operand->values, equal + 1, strlen(equal + 1)))
			return COMMAND_BAD_DATA;
	}
	return COMMAND_GO_ON;
}

/* A file's name may have an @ with a = behind it. NULL: no settings. */
static const char *conditions_of(const char *text)
{
	const char *at = strrchr(text, '@');

	return at && strchr(at, '=') && access(text, F_OK) != 0 ? at : NULL;
}

/* A setting without its value looks like the name of a file that is not there. */
static bool lacks_value(struct arena *arena, const char *text)
{
	const char *at = strrchr(text, '@'),
		   *file = at ? arena_strndup(arena, text, (size_t)(at - text)) : NULL;

	return file && *file && access(text, F_OK) != 0 && access(file, F_OK) == 0;
}

static int read_operand(struct reader *reader, const char *text)
{
	const char *at = conditions_of(text);
	struct operand *operand;

	if (!ARENA_GROW(reader->arena, reader->operands, reader->nr_operands,
			reader->room_operands))
		return COMMAND_BAD_DATA;
	operand = &reader->operands[reader->nr_operands++];
	operand->text = text;
	if (!at && lacks_value(reader->arena, text))
		return command_usage(reader->command,
				     "'%s': a setting is NAME=VALUE behind @, such as @threads=16",
				     text);
	if (!split(reader->arena, &operand->files, text, at ? (size_t)(at - text) : strlen(text)))
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < operand->files.nr; i++)
		if (!*operand->files.items[i])
			return command_usage(reader->command, "'%s': a file's name is empty", text);
	return at ? read_conditions(reader, operand, at + 1) : COMMAND_GO_ON;
}

/* ------------------------------------------------------------------ files */

static int add_profile(struct reader *reader, struct run *run)
{
	const struct profile *profile;

	show_complete(reader->of_run, run, reader->how->properties);
	profile = profile_of(reader->arena, run, reader->by);
	if (!profile || !ARENA_GROW(reader->arena, reader->all, reader->nr, reader->room))
		return COMMAND_BAD_DATA;
	reader->all[reader->nr++] = profile;
	return COMMAND_GO_ON;
}

static int read_record(struct reader *reader, const char *path)
{
	struct run *runs;
	size_t nr = 0;
	int code = COMMAND_BAD_DATA;

	if (store_load(reader->of_run, path, &runs, &nr) == MS_OK && nr)
		code = simulate_record(reader->command, reader->of_run, path, runs, reader->how);
	if (code == COMMAND_GO_ON)
		code = add_profile(reader, runs);
	arena_reset(reader->of_run, RUN_KEEP);
	return code;
}

static int read_run(struct reader *reader, struct store *store, int64_t id)
{
	struct run run;
	int code = store_read(store, reader->of_run, id, &run) == MS_OK ? add_profile(reader, &run)
									: COMMAND_BAD_DATA;

	arena_reset(reader->of_run, RUN_KEEP);
	return code;
}

static int read_store(struct reader *reader, const char *path)
{
	struct store *store = NULL;
	int64_t *ids = NULL;
	size_t nr = 0;
	int code = COMMAND_BAD_DATA;

	if (store_open(path, false, &store) == MS_OK &&
	    store_runs(store, reader->arena, &ids, &nr) == MS_OK)
		code = COMMAND_GO_ON;
	for (size_t i = 0; i < nr && code == COMMAND_GO_ON; i++)
		code = read_run(reader, store, ids[i]);
	store_close(store);
	return code;
}

static int read_files(struct reader *reader, struct operand *operand)
{
	int code = COMMAND_GO_ON;

	operand->first = reader->nr;
	for (size_t i = 0; i < operand->files.nr && code == COMMAND_GO_ON; i++) {
		const char *path = operand->files.items[i];

		code = store_is(path) ? read_store(reader, path) : read_record(reader, path);
	}
	operand->nr = reader->nr - operand->first;
	return code;
}

/* ------------------------------------------------------------------ settings */

static const char *value_of(const struct profile *profile, const char *name)
{
	const char *value = profile_setting(profile, name);

	return value ? value : "";
}

/* Each once, in the order of the runs. */
static struct words values_of(struct arena *arena, const struct profile *const *profiles, size_t nr,
			      const char *name)
{
	struct words values = { 0 };

	for (size_t i = 0; i < nr; i++) {
		const char *value = value_of(profiles[i], name);
		bool known = false;

		for (size_t k = 0; k < values.nr && !known; k++)
			known = !strcmp(values.items[k], value);
		if (!known && ARENA_GROW(arena, values.items, values.nr, values.room))
			values.items[values.nr++] = value;
	}
	return values;
}

static const char *list_words(struct arena *arena, const struct words *words)
{
	const char *text = "";

	for (size_t i = 0; i < words->nr && i < VALUES_LISTED && text; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
				    *words->items[i] ? words->items[i] : "none");
	return text ? text : "";
}

static struct words setting_names(struct arena *arena, const struct profile *const *profiles,
				  size_t nr)
{
	struct words names = { 0 };

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < profiles[i]->nr_settings; k++) {
			const char *name = profiles[i]->settings[k].name;
			bool known = false;

			for (size_t m = 0; m < names.nr && !known; m++)
				known = !strcmp(names.items[m], name);
			if (!known && ARENA_GROW(arena, names.items, names.nr, names.room))
				names.items[names.nr++] = name;
		}
	return names;
}

static int no_such_run(struct reader *reader, const struct operand *operand,
		       const struct profile *const *profiles, const char *name, const char *value)
{
	struct words values = values_of(reader->arena, profiles, operand->nr, name),
		     names = setting_names(reader->arena, profiles, operand->nr);

	for (size_t i = 0; i < names.nr; i++)
		if (!strcmp(names.items[i], name))
			return command_usage(reader->command,
					     "'%s': no run has %s=%s; there are: %s", operand->text,
					     name, value, list_words(reader->arena, &values));
	return command_usage(reader->command, "'%s': no run has a setting '%s'; there are: %s",
			     operand->text, name, list_words(reader->arena, &names));
}

/* Keeps the runs that have an operand's settings. */
static int select_runs(struct reader *reader, struct operand *operand)
{
	const struct profile **profiles = reader->all + operand->first;

	for (size_t i = 0; i < operand->names.nr; i++) {
		const char *name = operand->names.items[i], *value = operand->values.items[i];
		size_t kept = 0;

		for (size_t k = 0; k < operand->nr; k++)
			kept += !strcmp(value_of(profiles[k], name), value);
		if (!kept && operand->nr)
			return no_such_run(reader, operand, profiles, name, value);
		kept = 0;
		for (size_t k = 0; k < operand->nr; k++)
			if (!strcmp(value_of(profiles[k], name), value))
				profiles[kept++] = profiles[k];
		operand->nr = kept;
	}
	if (operand->nr)
		return COMMAND_GO_ON;
	log_warning("there is no run in '%s'", operand->text);
	return COMMAND_BAD_DATA;
}

/* Settings that are not of the runs' conditions. */
static bool is_counted_out(const char *name)
{
	return !strcmp(name, SETTING_REPETITION) || !strcmp(name, SETTING_OVERSUBSCRIBED);
}

static struct words varying(struct arena *arena, const struct profile *const *profiles, size_t nr)
{
	struct words names = setting_names(arena, profiles, nr);
	size_t kept = 0;

	for (size_t i = 0; i < names.nr; i++)
		if (!is_counted_out(names.items[i]) &&
		    values_of(arena, profiles, nr, names.items[i]).nr > 1)
			names.items[kept++] = names.items[i];
	names.nr = kept;
	return names;
}

/* ------------------------------------------------------------------ sides */

static int number_order(const void *left, const void *right)
{
	unsigned long a = strtoul(*(const char *const *)left, NULL, 10),
		      b = strtoul(*(const char *const *)right, NULL, 10);

	return (a > b) - (a < b);
}

static const char *setting_words(struct arena *arena, const char *name, const char *value)
{
	if (!strcmp(name, SETTING_THREADS))
		return arena_printf(arena, "%s thread%s", value,
				    strcmp(value, "1") != 0 ? "s" : "");
	if (!strncmp(name, SETTING_ENVIRONMENT, strlen(SETTING_ENVIRONMENT)))
		return arena_printf(arena, "%s=%s", name + strlen(SETTING_ENVIRONMENT), value);
	return *value ? value : arena_printf(arena, "no %s", name);
}

static bool add_run(struct arena *arena, struct diff_runs *out, const struct profile *profile,
		    size_t column)
{
	size_t room = out->room, room_too = out->room;

	if (!ARENA_GROW(arena, out->columns, out->nr, room) ||
	    !ARENA_GROW(arena, out->sides, out->nr, room_too) ||
	    !ARENA_GROW(arena, out->profiles, out->nr, out->room))
		return false;
	out->profiles[out->nr] = profile;
	out->columns[out->nr++] = column;
	return true;
}

static bool add_side(struct arena *arena, struct diff_runs *out, enum match_side side,
		     const struct profile *const *profiles, size_t nr, const char *name,
		     const char *value, size_t column)
{
	for (size_t i = 0; i < nr; i++) {
		if (name && strcmp(value_of(profiles[i], name), value) != 0)
			continue;
		if (!add_run(arena, out, profiles[i], column))
			return false;
		out->sides[out->nr - 1] = side;
	}
	out->nr_compared = out->nr;
	return true;
}

/* A serial run may use another algorithm (McKenney 1999): of three or more values, 1 is skipped. */
static size_t base_value(const struct words *values, const char *name)
{
	return !strcmp(name, SETTING_THREADS) && values->nr > 2 && !strcmp(values->items[0], "1")
		       ? 1
		       : 0;
}

/* Values that are positive numbers are loads: of threads, or of a variable such as N. */
static void set_loads(struct arena *arena, struct diff_runs *out, const char *name,
		      const struct words *values)
{
	out->loads = arena_alloc(arena, values->nr * sizeof(*out->loads));
	out->load = !strncmp(name, SETTING_ENVIRONMENT, strlen(SETTING_ENVIRONMENT))
			    ? name + strlen(SETTING_ENVIRONMENT)
			    : name;
	for (size_t i = 0; out->loads && i < values->nr; i++) {
		char *end;

		out->loads[i] = strtod(values->items[i], &end);
		if (end == values->items[i] || *end || !(out->loads[i] > 0) ||
		    (i && out->loads[i] <= out->loads[i - 1]))
			out->loads = NULL;
	}
}

static bool divide(struct reader *reader, struct diff_runs *out, const struct operand *operand,
		   const char *name)
{
	const struct profile *const *profiles = reader->all + operand->first;
	struct words values = values_of(reader->arena, profiles, operand->nr, name);
	size_t base, last = values.nr - 1;
	bool fine = true;

	if (!strcmp(name, SETTING_THREADS))
		qsort(values.items, values.nr, sizeof(*values.items), number_order);
	base = base_value(&values, name);
	out->column_names = arena_alloc(reader->arena, values.nr * sizeof(*out->column_names));
	if (!out->column_names)
		return false;
	for (size_t i = 0; i < values.nr; i++)
		out->column_names[i] = setting_words(reader->arena, name, values.items[i]);
	out->nr_columns = values.nr;
	set_loads(reader->arena, out, name, &values);
	out->names[MATCH_BASE] = out->column_names[base];
	out->names[MATCH_NEW] = out->column_names[last];
	fine = add_side(reader->arena, out, MATCH_BASE, profiles, operand->nr, name,
			values.items[base], base) &&
	       add_side(reader->arena, out, MATCH_NEW, profiles, operand->nr, name,
			values.items[last], last);
	for (size_t i = 0; i < values.nr && fine; i++) {
		size_t compared = out->nr_compared;

		if (i != base && i != last)
			fine = add_side(reader->arena, out, MATCH_BASE, profiles, operand->nr, name,
					values.items[i], i);
		out->nr_compared = compared;
	}
	return fine;
}

static int divide_one(struct reader *reader, struct diff_runs *out)
{
	struct operand *operand = &reader->operands[0];
	const struct profile *const *profiles = reader->all + operand->first;
	struct words names = varying(reader->arena, profiles, operand->nr);
	const char *list = "";

	if (operand->nr < 2)
		return command_usage(reader->command,
				     "'%s' has one run: name another file to compare it with",
				     operand->text);
	if (!names.nr)
		return command_usage(
			reader->command,
			"the %zu runs of '%s' have the same settings: name another file to compare them with",
			operand->nr, operand->text);
	if (names.nr == 1)
		return divide(reader, out, operand, names.items[0]) ? COMMAND_GO_ON
								    : COMMAND_BAD_DATA;
	for (size_t i = 0; i < names.nr && list; i++) {
		struct words values = values_of(reader->arena, profiles, operand->nr,
						names.items[i]);

		list = arena_printf(reader->arena, "%s%s%s (%s)", list, i ? "; " : "",
				    names.items[i], list_words(reader->arena, &values));
	}
	return command_usage(
		reader->command,
		"the runs of '%s' differ in %s: choose all but one setting, such as %s@%s=%s",
		operand->text, list, operand->text, names.items[0],
		value_of(profiles[0], names.items[0]));
}

/* "base.ms", "sweep.db@threads=16", "a1.ms and 2 more". */
static const char *operand_words(struct arena *arena, const struct operand *operand)
{
	const char *file = base_name(operand->files.items[0]),
		   *at = operand->names.nr ? conditions_of(operand->text) : NULL;

	if (operand->files.nr > 1)
		file = arena_printf(arena, "%s and %zu more", file, operand->files.nr - 1);
	return at ? arena_printf(arena, "%s%s", file, at) : file;
}

/*
 * By threads where these are all that differs, else by the operands: by their files' names, unless
 * these are the same.
 */
static void name_sides(struct reader *reader, const struct profile *const *sides,
		       const char **names)
{
	bool by_threads = sides[MATCH_BASE]->threads != sides[MATCH_NEW]->threads &&
			  !strcmp(sides[MATCH_BASE]->build, sides[MATCH_NEW]->build);

	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		names[side] = by_threads ? arena_printf(reader->arena, "%u threads",
							sides[side]->threads)
					 : operand_words(reader->arena, &reader->operands[side]);
	if (strcmp(names[MATCH_BASE], names[MATCH_NEW]) != 0)
		return;
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		names[side] = reader->operands[side].text;
}

static bool divide_two(struct reader *reader, struct diff_runs *out)
{
	const struct profile *sides[MATCH_SIDES];

	out->column_names = arena_alloc(reader->arena, MATCH_SIDES * sizeof(*out->column_names));
	if (!out->column_names)
		return false;
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		sides[side] = reader->all[reader->operands[side].first];
	name_sides(reader, sides, out->names);
	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		const struct operand *operand = &reader->operands[side];

		out->column_names[side] = out->names[side];
		if (!add_side(reader->arena, out, side, reader->all + operand->first, operand->nr,
			      NULL, NULL, side))
			return false;
	}
	out->nr_columns = MATCH_SIDES;
	return true;
}

/* Stores have a row for each machine. */
static bool add_machine(struct reader *reader, struct operand *operand)
{
	const char *machine = reader->how->machine;

	if (!machine || !store_is(operand->files.items[0]))
		return true;
	return add_word(reader->arena, &operand->names, RUN_SETTING_MACHINE,
			strlen(RUN_SETTING_MACHINE)) &&
	       add_word(reader->arena, &operand->values, machine, strlen(machine));
}

static int read_runs(struct reader *reader)
{
	int code = COMMAND_GO_ON;

	for (size_t i = 0; i < reader->nr_operands && code == COMMAND_GO_ON; i++) {
		code = add_machine(reader, &reader->operands[i])
			       ? read_files(reader, &reader->operands[i])
			       : COMMAND_BAD_DATA;
		if (code == COMMAND_GO_ON)
			code = select_runs(reader, &reader->operands[i]);
	}
	return code;
}

static int read_operands(struct reader *reader, int nr, char *const *operands)
{
	int code = COMMAND_GO_ON;

	for (int i = 0; i < nr && code == COMMAND_GO_ON; i++)
		code = read_operand(reader, operands[i]);
	return code == COMMAND_GO_ON ? read_runs(reader) : code;
}

int diff_runs_read(const struct command *command, struct arena *arena, struct arena *of_run,
		   int nr_operands, char *const *operands, const struct show_how *how,
		   enum profile_by by, struct diff_runs *out)
{
	struct reader reader = {
		.command = command, .arena = arena, .of_run = of_run, .how = how, .by = by
	};
	int code;

	*out = (struct diff_runs){ 0 };
	if (nr_operands < 1 || nr_operands > MATCH_SIDES)
		return command_usage(
			command,
			nr_operands
				? "two sides are compared: '%s' is too much"
				: "no runs to compare: name two records, or the store of a sweep",
			nr_operands ? operands[MATCH_SIDES] : "");
	code = read_operands(&reader, nr_operands, operands);
	if (code != COMMAND_GO_ON)
		return code;
	if (nr_operands == 1)
		return divide_one(&reader, out);
	return divide_two(&reader, out) ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

int diff_runs_all(const struct command *command, struct arena *arena, struct arena *of_run,
		  int nr_operands, char *const *operands, const struct show_how *how,
		  enum profile_by by, struct diff_runs *out)
{
	struct reader reader = {
		.command = command, .arena = arena, .of_run = of_run, .how = how, .by = by
	};
	int code = read_operands(&reader, nr_operands, operands);

	*out = (struct diff_runs){ 0 };
	for (size_t i = 0; i < reader.nr_operands && code == COMMAND_GO_ON; i++)
		if (!add_side(arena, out, MATCH_NEW, reader.all + reader.operands[i].first,
			      reader.operands[i].nr, NULL, NULL, 0))
			code = COMMAND_BAD_DATA;
	return code;
}
