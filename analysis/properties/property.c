/* SPDX-License-Identifier: Apache-2.0 */
/* What a loaded property says of itself. */
#include "analysis/base/arena.h"
#include "analysis/properties/asl.h"

#include <string.h>

const char *property_message_line(struct arena *arena, const struct property_message *message)
{
	const char *text = message->line
				   ? arena_printf(arena, "%s:%d:%d: %s", message->file,
						  message->line, message->column, message->text)
				   : arena_printf(arena, "%s: %s", message->file, message->text);

	return text ? text : message->text;
}

static size_t indices_get(const struct indices *list, const uint32_t **out)
{
	*out = list->items;
	return list->nr;
}

uint32_t property_index(const struct property_set *set, const struct property *property)
{
	(void)set;
	return property->index;
}

const char *property_name(const struct property *property)
{
	return property->name.text;
}

const char *property_title(const struct property *property)
{
	return property->title;
}

const char *property_explanation(const struct property *property)
{
	return property->explanation;
}

const char *property_advice(const struct property *property)
{
	return property->advice;
}

const char *property_file(const struct property *property, int *line_out)
{
	if (line_out)
		*line_out = property->name.line;
	return property->file;
}

/* -- its formulas, as they are written */

#define TAB "    "

struct lines {
	const struct property *property;
	char *out;
	size_t nr; /* bytes in `out` */
	int done;  /* the last line of which something is in `out` */
};

/* Line `number`, without its end; NULL: there is none. */
static const char *source_line(const struct property *property, int number, size_t *length_out)
{
	const char *at = property->source, *end = at + property->source_length, *newline;

	for (int i = 1; i < number && at; i++) {
		newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : NULL;
	}
	newline = at ? memchr(at, '\n', (size_t)(end - at)) : NULL;
	*length_out = at ? (size_t)((newline ? newline : end) - at) : 0;
	return at;
}

static size_t blanks(const char *line, size_t length)
{
	size_t nr = 0;

	while (nr < length && (line[nr] == ' ' || line[nr] == '\t'))
		nr++;
	return nr;
}

static bool is_comment(const struct property *property, int number)
{
	size_t length, indent;
	const char *line = source_line(property, number, &length);

	indent = line ? blanks(line, length) : 0;
	return line && indent + 1 < length && line[indent] == '/' && line[indent + 1] == '/';
}

/*
 * Columns [first, last) of a line; tabs become blanks, and so the text does not depend on where it
 * is printed.
 */
static void add_line(struct lines *lines, const char *line, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++) {
		if (line[i] == '\t') {
			memcpy(lines->out + lines->nr, TAB, strlen(TAB));
			lines->nr += strlen(TAB);
		} else {
			lines->out[lines->nr++] = line[i];
		}
	}
	lines->out[lines->nr++] = '\n';
}

static void add_clause(struct lines *lines, const struct asl_span *span)
{
	const struct property *property = lines->property;
	size_t length, start, indent;
	const char *line = source_line(property, span->first_line, &length);
	int first = span->first_line;

	while (first - 1 > lines->done && is_comment(property, first - 1))
		first--;
	lines->done = span->last_line;
	indent = line ? blanks(line, length) : 0;
	for (int number = first; number <= span->last_line; number++) {
		line = source_line(property, number, &length);
		if (!line)
			return;
		start = blanks(line, length);
		start = number == span->first_line ? (size_t)span->first_column - 1
			: start < indent           ? start
						   : indent;
		if (number == span->last_line && (size_t)span->last_column - 1 < length)
			length = (size_t)span->last_column - 1;
		if (start < length)
			add_line(lines, line, start, length);
	}
}

const char *property_formulas(struct arena *arena, const struct property *property)
{
	struct lines lines = { .property = property };
	size_t bytes = 1;

	for (size_t i = 0; i < property->nr_clauses; i++)
		bytes += (size_t)(property->clauses[i].last_line -
				  property->clauses[i].first_line) +
			 1;
	lines.out = arena_alloc(arena, bytes + strlen(TAB) * property->source_length);
	for (size_t i = 0; lines.out && i < property->nr_clauses; i++)
		add_clause(&lines, &property->clauses[i]);
	if (lines.nr)
		lines.out[lines.nr - 1] = '\0';
	return lines.nr ? lines.out : NULL;
}

bool property_applies(const struct property *property, enum ms_region_kind kind)
{
	return kind < MS_REGION_KINDS && (property->kinds >> kind & 1);
}

size_t property_aliases(const struct property *property, const char *const **out)
{
	*out = property->aliases;
	return property->nr_aliases;
}

size_t property_parents(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->links[LINK_REFINES], out);
}

size_t property_children(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->children, out);
}

size_t property_preconditions(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->links[LINK_REQUIRES], out);
}

size_t property_anticonditions(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->links[LINK_EXCLUDES], out);
}

size_t property_metrics(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->metrics, out);
}

size_t property_phase_metrics(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->phase_metrics, out);
}

size_t property_parent_metrics(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->parent_metrics, out);
}

size_t property_construct_metrics(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->construct_metrics, out);
}

size_t property_metric_instead(const struct property *property, uint32_t metric,
			       const uint32_t **out)
{
	const struct indices *instead = metric < MS_METRICS ? property->instead_of[metric] : NULL;

	*out = NULL;
	return instead ? indices_get(instead, out) : 0;
}

bool property_needs_subregions(const struct property *property)
{
	return property->needs_subregions;
}

uint32_t property_metric_kinds(const struct property *property, uint32_t metric)
{
	return metric < MS_METRICS ? property->metric_kinds[metric] : KINDS_NONE;
}

static void add_kinds(uint32_t *kinds, const struct indices *metrics, uint32_t of)
{
	for (size_t i = 0; i < metrics->nr; i++)
		kinds[metrics->items[i]] |= of;
}

void property_set_metric_kinds(const struct property_set *set, uint32_t kinds[MS_METRICS])
{
	memset(kinds, 0, MS_METRICS * sizeof(*kinds));
	for (size_t i = 0; i < set->nr; i++) {
		const struct property *property = set->properties[i];

		for (uint32_t metric = 0; metric < MS_METRICS; metric++)
			kinds[metric] |= property->metric_kinds[metric];
		add_kinds(kinds, &property->metrics, property->kinds);
		add_kinds(kinds, &property->parent_metrics, KINDS_ALL);
		add_kinds(kinds, &property->construct_metrics, KINDS_ALL);
	}
}

const char *property_hint(const struct property *property)
{
	return property->hint;
}

uint32_t property_views(const struct property *property)
{
	return property->views;
}

bool property_by_thread(const struct property *property)
{
	return property->by_thread || property->by_node;
}
