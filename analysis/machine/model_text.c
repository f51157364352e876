/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads machine files: lines of "key = value", each with its place in the file for what is wrong
 * with it.
 */
#include "analysis/machine/model_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/log.h"
#include "analysis/base/suffix.h"
#include "analysis/base/whole_file.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/line.h"
#include "analysis/machine/model_check.h"
#include "analysis/machine/topology.h"

#define FILE_MAX (1 << 20) /* bytes; shipped ones have some 5000 */
#define KEYS_MAX 128

enum text_key { TEXT_TITLE, TEXT_SOURCE, TEXT_HWLOC, TEXTS };
static const char *const text_keys[TEXTS] = { "title", "source", "hwloc" };

struct reader {
	struct arena *arena;
	struct model_file *file;
	struct model_mistake *mistakes;
	struct model_note *notes;
	size_t room_mistakes, room_notes;
	int line;
	struct line rest;              /* what is left of the line */
	int rows[MODEL_NODES];         /* lines of distances.N; 0: not given */
	uint32_t columns[MODEL_NODES]; /* numbers in each */
	bool failed_line;              /* no further mistake is reported for this line */
	bool full[MODEL_LEVELS], full_tlb[2], full_huge_tlb[2];
	const char *texts[TEXTS];
	const struct topology *topology; /* of an XML; NULL: the file names none */
	bool as_guest;                   /* in a user's program */
	/* the text that a line which begins with a quote continues; NULL: there is none */
	const char **continued;
};

static void mistake_at(struct reader *reader, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void mistake_at(struct reader *reader, int line, const char *format, ...)
{
	struct model_file *file = reader->file;
	const char *text;
	va_list args;
	size_t at;

	if (file->nr_mistakes == MODEL_MISTAKES_MAX ||
	    !ARENA_GROW(reader->arena, reader->mistakes, file->nr_mistakes, reader->room_mistakes))
		return;
	va_start(args, format);
	text = arena_vprintf(reader->arena, format, args);
	va_end(args);
	for (at = file->nr_mistakes++; at > 0 && line && reader->mistakes[at - 1].line > line; at--)
		reader->mistakes[at] = reader->mistakes[at - 1];
	reader->mistakes[at] = (struct model_mistake){ line, text ? text : "out of memory" };
	file->mistakes = reader->mistakes;
}

/* The first mistake of a line; later ones may be consequences. */
#define MISTAKE(reader, ...) \
	((reader)->failed_line ? (void)0 \
			       : ((reader)->failed_line = true, \
				  mistake_at(reader, (reader)->line, __VA_ARGS__)))

/* The text between quotes; NULL: there is a mistake. */
static const char *take_quoted(struct reader *reader)
{
	const char *text = line_quoted(&reader->rest, reader->arena);

	if (!text)
		MISTAKE(reader, "the text is not closed: there is no second '\"' in this line");
	return text;
}

static void expect_end(struct reader *reader)
{
	if (!line_ended(&reader->rest))
		MISTAKE(reader, "'%s' is too much", line_rest(&reader->rest, reader->arena));
}

/* -- numbers */

static const struct unit {
	const char *name;
	enum figure_kind kind;
	double scale; /* 0: nanoseconds, by the clock */
	bool rounds;  /* its result may be fractional */
} units[] = {
	{ "bytes", FIGURE_BYTES, 1, false }, { "KiB", FIGURE_BYTES, 1024, false }, { "MiB", FIGURE_BYTES, 1048576, false },
	{ "GiB", FIGURE_BYTES, 1073741824, false },
	{ "cycles", FIGURE_CYCLES, 1, false }, { "cycle", FIGURE_CYCLES, 1, false }, { "ns", FIGURE_CYCLES, 0, true },
	{ "GHz", FIGURE_HERTZ, 1e9, true }, { "MHz", FIGURE_HERTZ, 1e6, true }, { "Hz", FIGURE_HERTZ, 1, true },
}, no_unit = { "", FIGURE_COUNT, 1, false };
#define UNITS (sizeof(units) / sizeof(*units))

static const char *near_unit(struct reader *reader, enum figure_kind kind, const char *word)
{
	const char *names[UNITS], *nearest;
	size_t nr = 0;

	for (size_t i = 0; i < UNITS; i++)
		if (units[i].kind == kind)
			names[nr++] = units[i].name;
	nearest = log_nearest(word, names, nr);
	return arena_printf(reader->arena, "; did you mean '%s'?", nearest ? nearest : names[0]);
}

/* NULL: there is a mistake. */
static const struct unit *take_unit(struct reader *reader, const char *key, enum figure_kind kind)
{
	const char *word = line_word(&reader->rest, reader->arena);

	for (size_t i = 0; word && i < UNITS; i++) {
		if (units[i].kind != kind || strcmp(units[i].name, word) != 0)
			continue;
		if (units[i].scale > 0 || reader->file->model.hz > 0)
			return &units[i];
		MISTAKE(reader, "'%s' in ns needs the clock, in a line above", key);
		return NULL;
	}
	if (word && *word)
		MISTAKE(reader, "unknown unit '%s' of '%s'%s", word, key,
			near_unit(reader, kind, word));
	else
		MISTAKE(reader, "'%s' needs a unit: %s", key,
			kind == FIGURE_BYTES   ? "bytes, KiB, MiB or GiB"
			: kind == FIGURE_HERTZ ? "GHz, MHz or Hz"
					       : "cycles or ns");
	return NULL;
}

/* Nanoseconds are rounded to cycles, and clocks to Hz; anything else must be whole. */
static bool to_whole(struct reader *reader, const char *key, double number, const struct unit *unit,
		     uint64_t *out)
{
	double value = number * (unit->scale > 0 ? unit->scale : reader->file->model.hz / 1e9),
	       rounded;

	if (!(value < 1e18)) {
		MISTAKE(reader, "'%s' is too large", key);
		return false;
	}
	rounded = (double)(uint64_t)(value + 0.5);
	if (!unit->rounds && rounded != value) {
		MISTAKE(reader, "'%s' must be a whole number%s", key,
			unit->kind == FIGURE_BYTES ? " of bytes" : "");
		return false;
	}
	*out = (uint64_t)rounded;
	return true;
}

/* -- figures */

static void note(struct reader *reader, const char *key, const char *source)
{
	if (!ARENA_GROW(reader->arena, reader->notes, reader->file->nr_notes, reader->room_notes))
		return mistake_at(reader, reader->line, "out of memory");
	reader->notes[reader->file->nr_notes++] = (struct model_note){ key, reader->line,
								       source ? source : "" };
	reader->file->notes = reader->notes;
}

static struct model_note *note_of(struct reader *reader, const char *key)
{
	for (size_t i = 0; i < reader->file->nr_notes; i++)
		if (!strcmp(reader->notes[i].key, key))
			return &reader->notes[i];
	return NULL;
}

static bool is_new(struct reader *reader, const char *key)
{
	const struct model_note *before = note_of(reader, key);

	if (before && before->line)
		MISTAKE(reader, "second '%s'; the first is in line %d", key, before->line);
	return !before || !before->line;
}

/* "full": resolved at the end of the file. */
static bool take_full(struct reader *reader, const struct figure *figure)
{
	const struct line begin = reader->rest;
	const char *word = line_word(&reader->rest, reader->arena);

	if (figure->kind == FIGURE_WAYS && word && !strcmp(word, "full")) {
		if (figure->level)
			reader->full[figure->level - 1] = true;
		else if (figure->tlb)
			reader->full_tlb[figure->tlb - 1] = true;
		else
			reader->full_huge_tlb[figure->huge_tlb - 1] = true;
		return true;
	}
	reader->rest = begin;
	return false;
}

static void take_choice(struct reader *reader, const struct figure *figure)
{
	const char *word = line_word(&reader->rest, reader->arena), *names[8], *nearest, *hint;
	size_t nr = 0;
	int number = word ? figure_word(figure, word, strlen(word)) : 0;

	if (number >= 0) {
		figure_set(figure, &reader->file->model, (uint64_t)number);
		return;
	}
	for (const char *at = figure->words; nr < 8; at = strchr(at, '|') + 1) {
		names[nr] = figure_word_text(reader->arena, figure, nr);
		if (!names[nr++])
			return MISTAKE(reader, "out of memory");
		if (!strchr(at, '|'))
			break;
	}
	nearest = log_nearest(word, names, nr);
	hint = nearest ? arena_printf(reader->arena, "; did you mean '%s'?", nearest)
		       : arena_printf(reader->arena, " but one of %s", figure->words);
	MISTAKE(reader, "'%s' cannot be '%s'%s", figure->key,
		*word ? word : line_rest(&reader->rest, reader->arena), hint);
}

static void take_amount(struct reader *reader, const struct figure *figure)
{
	const struct unit *unit = &no_unit;
	uint64_t value;
	double number;

	if (!line_number(&reader->rest, &number))
		return MISTAKE(reader, "'%s' needs a number%s, not '%s'", figure->key,
			       figure->kind == FIGURE_WAYS ? " or 'full'" : "",
			       line_rest(&reader->rest, reader->arena));
	if (figure->kind == FIGURE_BYTES || figure->kind == FIGURE_CYCLES ||
	    figure->kind == FIGURE_HERTZ)
		unit = take_unit(reader, figure->key, figure->kind);
	if (!unit || !to_whole(reader, figure->key, number, unit, &value))
		return;
	if (!figure_set(figure, &reader->file->model, value))
		MISTAKE(reader, "'%s' is too large", figure->key);
}

static void take_note(struct reader *reader, const char *key)
{
	const char *source = line_at(&reader->rest, '"') ? take_quoted(reader) : "";

	expect_end(reader);
	if (reader->failed_line)
		return;
	note(reader, key, source);
	if (reader->file->nr_notes)
		reader->continued = &reader->notes[reader->file->nr_notes - 1].source;
}

static void take_figure(struct reader *reader, const struct figure *figure)
{
	struct model_note *by_hwloc = note_of(reader, figure->key);

	if (!is_new(reader, figure->key))
		return;
	if (by_hwloc)
		by_hwloc->key = "";
	if (figure->kind == FIGURE_WORD)
		take_choice(reader, figure);
	else if (!take_full(reader, figure))
		take_amount(reader, figure);
	if (!reader->failed_line)
		take_note(reader, figure->key);
}

/* "distances.3 = 232 312 392 cycles": from a core of node 3 to the memory of node 0, 1, 2. */
static void take_distances(struct reader *reader, const char *key, const char *number)
{
	uint32_t node = 0, nr = 0;
	const struct unit *unit;
	double values[MODEL_NODES];
	uint64_t value;

	for (; *number >= '0' && *number <= '9' && node < MODEL_NODES; number++)
		node = node * 10 + (uint32_t)(*number - '0');
	if (*number || node >= MODEL_NODES)
		return MISTAKE(
			reader,
			"unknown figure '%s': after 'distances.' comes the number of a node, below %d",
			key, MODEL_NODES);
	if (reader->rows[node])
		return MISTAKE(reader, "second '%s'; the first is in line %d", key,
			       reader->rows[node]);
	while (nr < MODEL_NODES && line_number(&reader->rest, &values[nr]))
		nr++;
	unit = take_unit(reader, key, FIGURE_CYCLES);
	for (uint32_t i = 0; unit && i < nr; i++) {
		if (!to_whole(reader, key, values[i], unit, &value))
			return;
		if (value > UINT32_MAX)
			return MISTAKE(reader, "'%s' is too large", key);
		reader->file->model.distances[node][i] = (uint32_t)value;
	}
	reader->rows[node] = reader->line;
	reader->columns[node] = nr;
	if (!reader->failed_line)
		take_note(reader, key);
}

/* -- texts, and what hwloc says */

/* A figure of the topology: hwloc's value overrides the file's. */
static bool is_topology(const struct figure *figure)
{
	if (figure->level)
		return figure->kind == FIGURE_BYTES || figure->kind == FIGURE_WAYS ||
		       figure->kind == FIGURE_COUNT;
	return !strcmp(figure->key, "cores") || !strcmp(figure->key, "nodes");
}

static const char *beside(struct arena *arena, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	if (*name == '/' || !slash)
		return name;
	return arena_printf(arena, "%.*s/%s", (int)(slash - path), path, name);
}

static void take_topology(struct reader *reader, const char *name)
{
	const char *path = beside(reader->arena, reader->file->path, name);
	struct topology *topology = arena_alloc(reader->arena, sizeof(*topology));
	const struct figure *all;
	size_t nr = figures(&all);
	const char *why;
	int line = reader->line;

	for (size_t i = 0; i < nr; i++)
		if (is_topology(&all[i]) && note_of(reader, all[i].key))
			return MISTAKE(reader,
				       "'hwloc' would replace '%s' in line %d: it must come before",
				       all[i].key, note_of(reader, all[i].key)->line);
	reader->file->names_topology = true;
	why = !path || !topology ? "out of memory"
	      : reader->as_guest ? "no child reads it in a user's program"
				 : topology_of_xml(reader->arena, path, topology);
	if (why)
		return MISTAKE(reader, "cannot take '%s': %s", name, why);
	topology_apply(topology, &reader->file->model);
	reader->topology = topology;
	reader->line = 0;
	for (size_t i = 0; i < nr; i++)
		if (is_topology(&all[i]) && figure_applies(&all[i], &reader->file->model))
			note(reader, all[i].key,
			     arena_printf(reader->arena, "%s, %s",
					  topology_says(topology, &reader->file->model, &all[i]),
					  name));
	reader->line = line;
}

static void take_text(struct reader *reader, enum text_key which)
{
	const char *text;

	if (reader->texts[which])
		return MISTAKE(reader, "second '%s'", text_keys[which]);
	if (!line_at(&reader->rest, '"'))
		return MISTAKE(reader, "'%s' needs a text in quotes", text_keys[which]);
	text = take_quoted(reader);
	expect_end(reader);
	if (reader->failed_line || !text)
		return;
	reader->texts[which] = text;
	if (which == TEXT_HWLOC)
		take_topology(reader, text);
	else
		reader->continued = &reader->texts[which];
}

static void unknown_key(struct reader *reader, const char *key)
{
	const char *names[KEYS_MAX], *nearest;
	const struct figure *all;
	size_t nr = figures(&all), nr_names = 0;

	for (size_t i = 0; i < nr && nr_names < KEYS_MAX - TEXTS - 1; i++)
		names[nr_names++] = all[i].key;
	for (size_t i = 0; i < TEXTS; i++)
		names[nr_names++] = text_keys[i];
	names[nr_names++] = "distances.0";
	nearest = log_nearest(key, names, nr_names);
	if (nearest)
		MISTAKE(reader, "unknown figure '%s'; did you mean '%s'?", key, nearest);
	else
		MISTAKE(reader, "unknown figure '%s'", key);
}

static void take_value(struct reader *reader, const char *key)
{
	const struct figure *figure = figure_find(key);

	for (size_t i = 0; i < TEXTS; i++)
		if (!strcmp(key, text_keys[i]))
			return take_text(reader, (enum text_key)i);
	if (figure)
		take_figure(reader, figure);
	else if (!strncmp(key, "distances.", 10) && key[10])
		take_distances(reader, key, key + 10);
	else
		unknown_key(reader, key);
}

/* A line that begins with a quote continues the text of the line above. */
static void take_continuation(struct reader *reader)
{
	const char *more, *text;

	if (!reader->continued)
		return MISTAKE(reader, "a text that belongs to no figure");
	more = take_quoted(reader);
	expect_end(reader);
	if (reader->failed_line || !more)
		return;
	text = **reader->continued ? arena_printf(reader->arena, "%s %s", *reader->continued, more)
				   : more;
	if (!text)
		return MISTAKE(reader, "out of memory");
	*reader->continued = text;
}

static void take_line(struct reader *reader)
{
	const char *key;

	reader->failed_line = false;
	if (line_at(&reader->rest, '"'))
		return take_continuation(reader);
	reader->continued = NULL;
	if (line_ended(&reader->rest))
		return;
	key = line_word(&reader->rest, reader->arena);
	if (!key)
		return MISTAKE(reader, "out of memory");
	if (!*key)
		return MISTAKE(reader, "'%s' is no figure",
			       line_rest(&reader->rest, reader->arena));
	if (!line_take(&reader->rest, '='))
		return MISTAKE(reader, "'=' is missing after '%s'", key);
	take_value(reader, key);
}

/* -- the whole file */

static void set_full(struct reader *reader)
{
	struct machine_model *model = &reader->file->model;

	for (int i = 0; i < MODEL_LEVELS; i++)
		if (reader->full[i] && model->cache[i].line &&
		    model->cache[i].bytes / model->cache[i].line <= UINT32_MAX)
			model->cache[i].ways = (uint32_t)(model->cache[i].bytes /
							  model->cache[i].line);
	for (int i = 0; i < 2; i++)
		if (reader->full_tlb[i])
			model->tlb[i].ways = model->tlb[i].entries;
	for (int i = 0; i < 2; i++)
		if (reader->full_huge_tlb[i])
			model->huge_tlb[i].ways = model->huge_tlb[i].entries;
}

/* Defaults. */
static void set_defaults(struct machine_model *model)
{
	for (int i = 0; i < MODEL_LEVELS; i++)
		if (!model->cache[i].cores)
			model->cache[i].cores = 1;
	if (!model->nodes)
		model->nodes = 1;
}

static void check_rows(struct reader *reader)
{
	for (uint32_t i = 0; i < MODEL_NODES; i++)
		if (reader->rows[i] && (i >= reader->file->model.nodes ||
					reader->columns[i] != reader->file->model.nodes))
			mistake_at(reader, reader->rows[i],
				   "'distances.%" PRIu32 "' has %" PRIu32
				   " numbers; the nodes are %" PRIu32,
				   i, reader->columns[i], reader->file->model.nodes);
}

/* The line of the figure that a sentence of model_check begins with. */
static int line_of(struct reader *reader, const char *sentence)
{
	const char *key = arena_strndup(reader->arena, sentence, strcspn(sentence, " "));
	const struct model_note *found = key ? note_of(reader, key) : NULL;

	return found ? found->line : 0;
}

/* From the firmware, by hwloc. */
static void put_distances(struct reader *reader)
{
	topology_apply_distances(reader->topology, &reader->file->model);
	reader->line = 0;
	if (reader->file->model.distances[0][0])
		note(reader, "distances.0",
		     "the firmware's, by hwloc, times the latency of memory");
}

static void finish(struct reader *reader)
{
	struct model_file *file = reader->file;
	const char *why;

	set_full(reader);
	set_defaults(&file->model);
	check_rows(reader);
	if (reader->topology && !file->model.remote_latency && !reader->rows[0])
		put_distances(reader);
	file->title = reader->texts[TEXT_TITLE] ? reader->texts[TEXT_TITLE] : "";
	file->model.source = reader->texts[TEXT_SOURCE] ? reader->texts[TEXT_SOURCE] : "";
	if (!file->nr_mistakes && !*file->model.source)
		mistake_at(reader, 0, "source is missing: where its figures are from");
	why = file->nr_mistakes ? NULL : model_check(reader->arena, &file->model);
	if (why)
		mistake_at(reader, line_of(reader, why), "%s", why);
}

/* "altix-bx2" of "/usr/share/…/altix-bx2.machine". */
static const char *name_of(struct arena *arena, const char *path)
{
	const char *name = base_name(path);

	return arena_strndup(arena, name,
			     strlen(name) -
				     (has_suffix(name, MODEL_SUFFIX) ? strlen(MODEL_SUFFIX) : 0));
}

static struct reader *reader_new(struct arena *arena, const char *path)
{
	struct reader *reader = arena_alloc(arena, sizeof(*reader));
	struct model_file *file = arena_alloc(arena, sizeof(*file));

	if (!reader || !file)
		return NULL;
	reader->arena = arena;
	reader->file = file;
	file->path = arena_strdup(arena, path);
	file->title = file->model.source = "";
	file->model.path = file->path;
	file->model.name = file->path ? name_of(arena, path) : NULL;
	return file->model.name ? reader : NULL;
}

static const struct model_file *parse(struct reader *reader, const char *text, size_t length)
{
	const char *end = text + length;

	if (!reader)
		return NULL;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		reader->rest = (struct line){ text, newline ? newline : end };
		reader->line++;
		text = reader->rest.end + (newline != NULL);
		take_line(reader);
	}
	finish(reader);
	return reader->file;
}

const struct model_file *model_parse(struct arena *arena, const char *path, const char *text,
				     size_t length)
{
	return parse(reader_new(arena, path), text, length);
}

static const struct model_file *read_with(struct reader *reader, const char *path)
{
	size_t length = 0;
	const char *text;

	if (!reader)
		return NULL;
	text = whole_file_read(reader->arena, path, FILE_MAX, &length);
	if (text)
		return parse(reader, text, length);
	mistake_at(reader, 0, "cannot be read: %s", strerror(errno));
	return reader->file;
}

const struct model_file *model_read(struct arena *arena, const char *path)
{
	return read_with(reader_new(arena, path), path);
}

const struct model_file *model_read_as_guest(struct arena *arena, const char *path)
{
	struct reader *reader = reader_new(arena, path);

	if (reader)
		reader->as_guest = true;
	return read_with(reader, path);
}

const char *model_mistake_line(struct arena *arena, const struct model_file *file,
			       const struct model_mistake *mistake)
{
	const char *line = mistake->line ? arena_printf(arena, "%s:%d: %s", file->path,
							mistake->line, mistake->text)
					 : arena_printf(arena, "%s: %s", file->path, mistake->text);

	return line ? line : mistake->text;
}

bool model_tell_mistakes(struct arena *arena, const struct model_file *file)
{
	for (size_t i = 0; i < file->nr_mistakes; i++)
		log_warning("%s", model_mistake_line(arena, file, &file->mistakes[i]));
	return file->nr_mistakes > 0;
}

const char *model_source_of(const struct model_file *file, const char *key)
{
	for (size_t i = 0; i < file->nr_notes; i++)
		if (!strcmp(file->notes[i].key, key))
			return *file->notes[i].source ? file->notes[i].source : NULL;
	return NULL;
}
