/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memsearch properties`: the properties there are, one in full, or the mistakes in a file of them.
 */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/installation.h"
#include "analysis/properties/event_tables.h"
#include "analysis/properties/property.h"
#include "analysis/report/json.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"

#define WIDTH 100 /* columns of text, as everywhere */
#define FIELD_WIDTH 18

struct properties_values {
	const char *format, *properties, *check;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct properties_values),
	{ .name = "properties",
	  .type = COMMAND_STRING,
	  .metavariable = "FILES",
	  .offset = offsetof(struct properties_values, properties),
	  .help = "more property files or folders, separated by colons" },
	{ .name = "check",
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct properties_values, check),
	  .help = "check a property file, or those of a folder, and print their errors; nothing is run" },
	{ 0 }
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

/* Names of a list of properties, separated by commas; NULL: none. */
static const char *join_names(struct arena *arena, const struct property_set *set,
			      const uint32_t *list, size_t nr)
{
	const char *text = NULL;

	for (size_t i = 0; i < nr; i++) {
		const char *name = property_name(set->properties[list[i]]);

		text = text ? arena_printf(arena, "%s, %s", text, name) : name;
	}
	return text;
}

static const char *join_metrics(struct arena *arena, const uint32_t *list, size_t nr)
{
	const char *text = NULL;

	for (size_t i = 0; i < nr; i++) {
		const char *name = ms_metric_info(list[i])->name;

		text = text ? arena_printf(arena, "%s, %s", text, name) : name;
	}
	return text;
}

static const char *join_kinds(struct arena *arena, const struct property *property)
{
	const char *text = NULL;

	for (unsigned int kind = 0; kind < MS_REGION_KINDS; kind++) {
		if (!property_applies(property, (enum ms_region_kind)kind))
			continue;
		text = text ? arena_printf(arena, "%s, %s", text, ms_region_kind_name(kind))
			    : ms_region_kind_name(kind);
	}
	return text;
}

static const char *join_views(struct arena *arena, const struct property *property)
{
	static const char *const names[] = {
#define X(id, name, text) name,
		PROPERTY_VIEW_LIST(X)
#undef X
	};
	const char *text = NULL;

	for (unsigned int view = 0; view < PROPERTY_VIEWS; view++)
		if (property_views(property) & 1u << view)
			text = text ? arena_printf(arena, "%s, %s", text, names[view])
				    : names[view];
	return text;
}

static const char *join_aliases(struct arena *arena, const struct property *property)
{
	const char *const *aliases, *text = NULL;
	size_t nr = property_aliases(property, &aliases);

	for (size_t i = 0; i < nr; i++)
		text = text ? arena_printf(arena, "%s, %s", text, aliases[i]) : aliases[i];
	return text;
}

static const char *place(struct arena *arena, const struct property *property)
{
	int line;
	const char *file = property_file(property, &line);

	return arena_printf(arena, "%s:%d", file, line);
}

static void warn_of_messages(struct arena *arena, const struct property_set *set)
{
	for (size_t i = 0; i < set->nr_messages; i++)
		log_warning("%s", property_message_line(arena, &set->messages[i]));
}

/* -- all of them */

#define DEPTH_MAX 8 /* levels of refinement that are indented */

/*
 * A property and, indented, those that refine it; one that refines several stands below the first.
 */
static void add_tree(struct table *table, const struct property_set *set, uint32_t index, int depth)
{
	const struct property *property = set->properties[index];
	const uint32_t *children, *parents;
	size_t nr = property_children(property, &children);

	table_string(table,
		     arena_printf(table->arena, "%*s%s", 2 * depth, "", property_name(property)));
	table_string(table, property_title(property));
	for (size_t i = 0; i < nr && depth < DEPTH_MAX; i++) {
		property_parents(set->properties[children[i]], &parents);
		if (parents[0] == index)
			add_tree(table, set, children[i], depth + 1);
	}
}

static void tabulate_tree(struct table *table, struct arena *arena, const struct property_set *set)
{
	static const struct table_column columns[] = { { "property", NULL }, { "title", NULL } };
	const uint32_t *parents;

	table_init(table, arena, "properties", columns, NR(columns));
	for (uint32_t i = 0; i < set->nr; i++) {
		if (!property_parents(set->properties[i], &parents))
			add_tree(table, set, i, 0);
	}
}

static void tabulate_all(struct table *table, struct arena *arena, const struct property_set *set)
{
	static const struct table_column columns[] = { { "property", NULL },
						       { "refines", NULL },
						       { "title", NULL } };

	table_init(table, arena, "properties", columns, NR(columns));
	for (size_t i = 0; i < set->nr; i++) {
		const uint32_t *parents;
		size_t nr = property_parents(set->properties[i], &parents);

		table_string(table, property_name(set->properties[i]));
		table_string(table, join_names(arena, set, parents, nr));
		table_string(table, property_title(set->properties[i]));
	}
}

static int list_all(struct arena *arena, const struct property_set *set, const char *format)
{
	struct table table;
	struct text out;
	int code;

	if (!strcmp(format, "text"))
		tabulate_tree(&table, arena, set);
	else
		tabulate_all(&table, arena, set);
	table.schema = "memsearch-properties-1";
	warn_of_messages(arena, set);
	text_init(&out, arena);
	table_print(&out, &table, format);
	code = command_print(&out);
	return code == COMMAND_OK && set->nr_messages ? COMMAND_BAD_DATA : code;
}

/* -- one of them */

struct field {
	const char *name, *value; /* value NULL: does not apply */
};

#define FIELDS 18

static const char *links(struct arena *arena, const struct property_set *set,
			 const struct property *property,
			 size_t (*get)(const struct property *property, const uint32_t **out))
{
	const uint32_t *list;
	size_t nr = get(property, &list);

	return join_names(arena, set, list, nr);
}

static const char *metrics(struct arena *arena, const struct property *property,
			   size_t (*get)(const struct property *property, const uint32_t **out))
{
	const uint32_t *list;
	size_t nr = get(property, &list);

	return join_metrics(arena, list, nr);
}

/* From the question asked first to this one, through the property it refines first. */
static const char *hierarchy(struct arena *arena, const struct property_set *set,
			     const struct property *property)
{
	const char *text = property_name(property);
	const uint32_t *parents;

	while (text && property_parents(property, &parents)) {
		property = set->properties[parents[0]];
		text = arena_printf(arena, "%s > %s", property_name(property), text);
	}
	return text;
}

static void fields_of(struct arena *arena, const struct property_set *set,
		      const struct property *property, struct field fields[FIELDS])
{
	const struct field all[FIELDS] = {
		{ "property", property_name(property) },
		{ "title", property_title(property) },
		{ "aliases", join_aliases(arena, property) },
		{ "kinds", join_kinds(arena, property) },
		{ "hierarchy", hierarchy(arena, set, property) },
		{ "refines", links(arena, set, property, property_parents) },
		{ "refined_by", links(arena, set, property, property_children) },
		{ "requires", links(arena, set, property, property_preconditions) },
		{ "excludes", links(arena, set, property, property_anticonditions) },
		{ "metrics", metrics(arena, property, property_metrics) },
		{ "phase_metrics", metrics(arena, property, property_phase_metrics) },
		{ "parent_metrics", metrics(arena, property, property_parent_metrics) },
		{ "construct_metrics", metrics(arena, property, property_construct_metrics) },
		{ "views", join_views(arena, property) },
		{ "formulas", property_formulas(arena, property) },
		{ "explanation", property_explanation(property) },
		{ "advice", property_advice(property) },
		{ "file", place(arena, property) },
	};

	memcpy(fields, all, sizeof(all));
}

/* Lines stay as they are written: their indentation says what belongs together. */
static void print_lines(struct text *out, const char *lines)
{
	while (*lines) {
		size_t nr = strcspn(lines, "\n");

		text_add_plain(out, arena_strndup(out->arena, lines, nr));
		lines += nr + (lines[nr] == '\n');
		if (*lines)
			text_printf(out, "\n%*s", FIELD_WIDTH, "");
	}
}

static void print_text(struct text *out, const struct field *fields)
{
	for (size_t i = 0; i < FIELDS; i++) {
		if (!fields[i].value)
			continue;
		text_printf(out, "%-*s", FIELD_WIDTH, fields[i].name);
		if (!strcmp(fields[i].name, "formulas"))
			print_lines(out, fields[i].value);
		else
			text_wrap_lines(out, fields[i].value, FIELD_WIDTH, WIDTH);
		text_add(out, "\n");
	}
}

static void print_json(struct text *out, const struct field *fields)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-property-1");
	for (size_t i = 0; i < FIELDS; i++)
		json_string(&json, fields[i].name, fields[i].value);
	json_close(&json);
}

static void print_csv(struct text *out, struct arena *arena, const struct field *fields)
{
	static const struct table_column columns[] = { { "field", NULL }, { "value", NULL } };
	struct table table;

	table_init(&table, arena, "property", columns, NR(columns));
	for (size_t i = 0; i < FIELDS; i++) {
		table_string(&table, fields[i].name);
		table_string(&table, fields[i].value);
	}
	table_print(out, &table, "csv");
}

static int unknown_property(const struct command *self, struct arena *arena,
			    const struct property_set *set, const char *name)
{
	const char **names = arena_alloc(arena, set->nr * sizeof(*names));

	for (size_t i = 0; names && i < set->nr; i++)
		names[i] = property_name(set->properties[i]);
	return command_unknown(self, "property", name, names, names ? set->nr : 0);
}

static int show_one(const struct command *self, struct arena *arena, const struct property_set *set,
		    const char *name, const char *format)
{
	const struct property *property = property_set_find(set, name);
	struct field fields[FIELDS];
	struct text out;

	warn_of_messages(arena, set);
	if (!property)
		return unknown_property(self, arena, set, name);
	text_init(&out, arena);
	fields_of(arena, set, property, fields);
	if (!strcmp(format, "json"))
		print_json(&out, fields);
	else if (!strcmp(format, "csv"))
		print_csv(&out, arena, fields);
	else
		print_text(&out, fields);
	return command_print(&out);
}

/* -- the mistakes in a file */

/* Of the file itself or of one in the folder of that name. */
static bool is_of(const char *file, const char *checked)
{
	size_t length = strlen(checked);

	return !strncmp(file, checked, length) &&
	       (!file[length] || file[length] == '/' || checked[length - 1] == '/');
}

static size_t count_properties(const struct property_set *set, const char *checked)
{
	size_t nr = 0;

	for (size_t i = 0; i < set->nr; i++)
		nr += is_of(property_file(set->properties[i], NULL), checked);
	return nr;
}

static size_t count_event_tables(const struct property_set *set, const char *checked)
{
	const struct event_table *const *tables;
	size_t all = property_set_event_tables(set, &tables), nr = 0;

	for (size_t i = 0; i < all; i++)
		nr += is_of(tables[i]->file, checked);
	return nr;
}

/*
 * "x.asl: 2 properties, 1 event table, no mistakes"; of what it has none of nothing is said, but
 * for properties alone.
 */
static void print_counts(struct text *out, const struct property_set *set, const char *checked)
{
	size_t properties = count_properties(set, checked),
	       tables = count_event_tables(set, checked);

	text_add_plain(out, checked);
	text_add(out, ": ");
	if (properties || !tables)
		text_printf(out, "%zu propert%s, ", properties, properties == 1 ? "y" : "ies");
	if (tables)
		text_printf(out, "%zu event table%s, ", tables, tables == 1 ? "" : "s");
	text_add(out, "no mistakes\n");
}

static size_t tabulate_mistakes(const struct property_set *set, const char *checked,
				struct table *table)
{
	size_t nr = 0;

	for (size_t i = 0; i < set->nr_messages; i++) {
		const struct property_message *message = &set->messages[i];

		if (!is_of(message->file, checked))
			continue;
		nr++;
		table_string(table, message->file);
		table_number(table, message->line);
		table_number(table, message->column);
		table_string(table, message->text);
	}
	return nr;
}

/* As compilers print them, so that editors jump to the place. */
static void print_mistakes(struct text *out, const struct property_set *set, const char *checked)
{
	for (size_t i = 0; i < set->nr_messages; i++) {
		if (!is_of(set->messages[i].file, checked))
			continue;
		text_add_plain(out, property_message_line(out->arena, &set->messages[i]));
		text_add(out, "\n");
	}
}

static int check_file(struct arena *arena, const struct property_set *set, const char *checked,
		      const char *format)
{
	static const struct table_column columns[] = {
		{ "file", NULL }, { "line", "1" }, { "column", "1" }, { "message", NULL }
	};
	struct table table;
	struct text out;
	size_t mistakes;
	int code;

	text_init(&out, arena);
	table_init(&table, arena, "mistakes", columns, NR(columns));
	table.schema = "memsearch-mistakes-1";
	mistakes = tabulate_mistakes(set, checked, &table);
	if (strcmp(format, "text") != 0)
		table_print(&out, &table, format);
	else
		print_mistakes(&out, set, checked);
	if (!strcmp(format, "text") && !mistakes)
		print_counts(&out, set, checked);
	code = command_print(&out);
	return code == COMMAND_OK && mistakes ? COMMAND_BAD_DATA : code;
}

static int run_properties_in(const struct command *self, struct arena *arena,
			     const struct properties_values *values, const char *name)
{
	const char *folder = installation_path(arena, INSTALLATION_PROPERTIES);
	const char *format = values->format ? values->format : "text", *extra = values->properties;
	const struct property_set *set;

	if (values->check)
		extra = extra ? arena_printf(arena, "%s:%s", extra, values->check) : values->check;
	set = folder ? property_set_load(arena, folder, extra) : NULL;
	if (!set)
		return COMMAND_BAD_DATA;
	if (values->check)
		return check_file(arena, set, values->check, format);
	return name ? show_one(self, arena, set, name, format) : list_all(arena, set, format);
}

static int run_properties(const struct command *self, int argc, char **argv)
{
	struct properties_values values = { 0 };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	struct arena *arena;

	if (code != COMMAND_GO_ON)
		return code;
	if (nr > 1 || (nr && values.check))
		return command_usage(self, "'%s' is too much", argv[nr - 1]);
	if (values.check && (!*values.check || strchr(values.check, ':')))
		return command_usage(
			self, "--check takes one file or folder without a colon in its name");
	arena = arena_new();
	if (!arena)
		return COMMAND_BAD_DATA;
	code = run_properties_in(self, arena, &values, nr ? argv[0] : NULL);
	arena_free(arena);
	return code;
}

const struct command cmd_properties = {
	.name = "properties",
	.operands = "[NAME]",
	.summary = "list the properties that are searched for, or explain one",
	.details =
		"Without NAME all are listed, with what they refine. With --check FILE nothing is listed: FILE is read "
		"together with the shipped properties, and each mistake is printed as file:line:column with the nearest known name.",
	.operand_words = "",
	.options = options,
	.run = run_properties,
};
