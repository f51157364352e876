/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From files to a set of properties: reading folders and files, messages, makers for the grammar.
 */
#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/suffix.h"
#include "analysis/base/whole_file.h"
#include "analysis/properties/asl.h"
#include "analysis/properties/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *loader_alloc(struct loader *loader, size_t bytes)
{
	void *block = arena_alloc(loader->arena, bytes);

	if (!block)
		longjmp(loader->trouble, 1);
	return block;
}

static void message_add(struct property_set *set, const char *file, int line, int column,
			const char *text)
{
	struct property_message message = { file, line, column, text ? text : "out of memory" };

	if (ARENA_GROW(set->arena, set->messages, set->nr_messages, set->room_messages))
		set->messages[set->nr_messages++] = message;
}

void loader_error(struct loader *loader, int line, int column, const char *format, ...)
{
	va_list args;

	if (loader->nr_errors++ >= ASL_ERRORS_MAX)
		return;
	va_start(args, format);
	message_add(loader->set, loader->file, line, column,
		    arena_vprintf(loader->arena, format, args));
	va_end(args);
}

const char *loader_suggestion(struct loader *loader, const char *wanted, const char *const *names,
			      size_t nr)
{
	const char *nearest = log_nearest(wanted, names, nr);
	const char *text = nearest ? arena_printf(loader->arena, "; did you mean '%s'?", nearest)
				   : NULL;

	return text ? text : "";
}

struct expr *expr_new(struct loader *loader, enum expr_op op, int line, int column, size_t nr_args)
{
	struct expr *expr = loader_alloc(loader, sizeof(*expr) + nr_args * sizeof(expr->args[0]));

	expr->op = op;
	expr->line = line;
	expr->column = column;
	expr->nr_args = nr_args;
	expr->depth = 1;
	return expr;
}

struct expr *expr_operator(struct loader *loader, enum expr_op op, int line, int column,
			   struct expr *a, struct expr *b)
{
	struct expr *expr = expr_new(loader, op, line, column, b ? 2 : 1);

	expr->args[0] = a;
	if (b)
		expr->args[1] = b;
	expr->depth = 1 + (b && b->depth > a->depth ? b->depth : a->depth);
	return expr;
}

struct expr *expr_number(struct loader *loader, int line, int column, double number,
			 const char *unit)
{
	struct expr *expr = expr_new(loader, EXPR_NUMBER, line, column, 0);
	const char *nearest;
	double scale = 1;

	if (unit && !unit_find(unit, &expr->type.unit, &scale)) {
		nearest = unit_nearest(unit);
		loader_error(loader, line, column, "unknown unit '%s'%s%s%s", unit,
			     nearest ? "; did you mean '" : "", nearest ? nearest : "",
			     nearest ? "'?" : "");
	}
	expr->number = number * scale;
	return expr;
}

void property_begin(struct loader *loader, struct asl_name name)
{
	struct property *property = loader_alloc(loader, sizeof(*property));

	for (size_t i = 0; i < loader->nr; i++) {
		if (strcmp(loader->properties[i]->name.text, name.text) == 0)
			loader_error(loader, name.line, name.column,
				     "second property '%s' in one file; the first is in line %d",
				     name.text, loader->properties[i]->name.line);
	}
	property->name = name;
	property->file = loader->file;
	property->source = loader->text;
	property->source_length = loader->length;
	loader->property = property;
	if (!ARENA_GROW(loader->arena, loader->properties, loader->nr, loader->room))
		longjmp(loader->trouble, 1);
	loader->properties[loader->nr++] = property;
}

void property_bind(struct loader *loader, struct asl_name name, struct expr *value)
{
	struct property *property = loader->property;

	for (size_t i = 0; i < property->nr_bindings; i++) {
		if (strcmp(property->bindings[i].name.text, name.text) == 0)
			return loader_error(loader, name.line, name.column, "second '%s' in LET",
					    name.text);
	}
	if (property->nr_bindings == MS_EVIDENCE_MAX)
		return loader_error(loader, name.line, name.column, "more than %d names in LET",
				    MS_EVIDENCE_MAX);
	property->bindings[property->nr_bindings].name = name;
	property->bindings[property->nr_bindings++].value = value;
}

void formula_add(struct loader *loader, struct asl_name name, const char *unit, struct expr *body,
		 const char *meaning)
{
	struct formula *formula = loader_alloc(loader, sizeof(*formula));
	double scale;

	formula->name = name;
	formula->meaning = meaning;
	formula->unit_name = unit;
	formula->body = body;
	formula->file = loader->file;
	if (!unit_find(unit, &formula->unit, &scale))
		loader_error(loader, name.line, name.column, "unknown unit '%s' of metric '%s'",
			     unit, name.text);
	if (!ARENA_GROW(loader->arena, loader->formulas, loader->nr_formulas,
			loader->room_formulas))
		longjmp(loader->trouble, 1);
	loader->formulas[loader->nr_formulas++] = formula;
}

static bool add_property(struct property_set *set, struct property *property)
{
	for (size_t i = 0; i < set->nr; i++) {
		if (strcmp(set->properties[i]->name.text, property->name.text) == 0) {
			set->properties[i] = property;
			return true;
		}
	}
	if (!ARENA_GROW(set->arena, set->properties, set->nr, set->room))
		return false;
	set->properties[set->nr++] = property;
	return true;
}

static bool add_formula(struct property_set *set, struct formula *formula)
{
	if (!ARENA_GROW(set->arena, set->formulas, set->nr_formulas, set->room_formulas))
		return false;
	set->formulas[set->nr_formulas++] = formula;
	return true;
}

static bool add_event_table(struct property_set *set, const struct event_table *table)
{
	if (!ARENA_GROW(set->arena, set->event_tables, set->nr_event_tables,
			set->room_event_tables))
		return false;
	set->event_tables[set->nr_event_tables++] = table;
	return true;
}

/* All of the file or, if it has an error, nothing. */
static void keep(struct loader *loader)
{
	bool kept = true;

	if (loader->nr_errors)
		return;
	for (size_t i = 0; i < loader->nr_formulas; i++)
		kept &= add_formula(loader->set, loader->formulas[i]);
	for (size_t i = 0; i < loader->nr; i++)
		kept &= add_property(loader->set, loader->properties[i]);
	for (size_t i = 0; i < loader->nr_tables; i++)
		kept &= add_event_table(loader->set, &loader->tables[i]->table);
	if (!kept)
		loader_error(loader, 1, 1, "out of memory");
}

void property_set_parse(struct property_set *set, const char *file, const char *text, size_t length)
{
	struct loader *loader = arena_alloc(set->arena, sizeof(*loader));
	const char *name = arena_strdup(set->arena, file);

	if (!loader || !name)
		return message_add(set, "", 0, 0, NULL);
	loader->set = set;
	loader->arena = set->arena;
	loader->file = name;
	loader->text = text;
	loader->length = length;
	if (setjmp(loader->trouble)) {
		if (!loader->nr_errors)
			loader_error(loader, 1, 1, "out of memory");
		return;
	}
	asl_parse_text(loader, text, length);
	if (!loader->nr_errors)
		check_file(loader);
	keep(loader);
}

static const char *unreadable(struct arena *arena, int error)
{
	if (error == EISDIR || error == EINVAL)
		return "not a file";
	return error == EFBIG ? "larger than 1 MiB: not a property file"
			      : arena_printf(arena, "cannot read: %s", strerror(error));
}

/* `path` is of the arena. */
static void load_file(struct property_set *set, const char *path)
{
	size_t length;
	const char *text = whole_file_read(set->arena, path, ASL_FILE_MAX, &length);

	if (text)
		property_set_parse(set, path, text, length);
	else
		message_add(set, path, 0, 0, unreadable(set->arena, errno));
}

/* What getdents64 yields; opendir would call malloc. */
struct directory_entry {
	uint64_t inode;
	int64_t offset;
	unsigned short bytes;
	unsigned char type;
	char name[];
};

struct file_names {
	const char **items;
	size_t nr, room;
};

static void insert_sorted(struct property_set *set, struct file_names *names, const char *path)
{
	size_t at;

	if (!path || !ARENA_GROW(set->arena, names->items, names->nr, names->room))
		return message_add(set, "", 0, 0, NULL);
	for (at = names->nr++; at > 0 && strcmp(names->items[at - 1], path) > 0; at--)
		names->items[at] = names->items[at - 1];
	names->items[at] = path;
}

static void list_directory(struct property_set *set, const char *directory, int fd,
			   const char *ending, struct file_names *names)
{
	_Alignas(struct directory_entry) char buffer[4096];
	long bytes;

	while ((bytes = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < bytes;) {
			const struct directory_entry *entry = (const void *)(buffer + at);

			if (entry->name[0] != '.' && has_suffix(entry->name, ending))
				insert_sorted(
					set, names,
					arena_printf(set->arena, "%s/%s", directory, entry->name));
			at += entry->bytes;
		}
	}
	if (bytes < 0)
		message_add(set, directory, 0, 0,
			    arena_printf(set->arena, "cannot list: %s", strerror(errno)));
}

/* False: there is no such folder. */
static bool load_directory(struct property_set *set, const char *directory, const char *ending)
{
	int fd = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct file_names names = { 0 };

	if (fd < 0)
		return false;
	list_directory(set, directory, fd, ending, &names);
	close(fd);
	for (size_t i = 0; i < names.nr; i++)
		load_file(set, names.items[i]);
	return true;
}

/* Derived metrics come before properties, which use them. */
static bool load_folder(struct property_set *set, const char *directory)
{
	const char *metrics = directory ? arena_printf(set->arena, "%s/metrics", directory) : NULL;

	load_directory(set, metrics, ".metrics");
	load_directory(set, metrics, ".events");
	load_directory(set, directory, ".metrics");
	load_directory(set, directory, ".events");
	return load_directory(set, directory, ".asl");
}

static void load_extra(struct property_set *set, const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ":");
		const char *path = arena_strndup(set->arena, list, length);

		if (path && *path && !load_folder(set, path))
			load_file(set, path);
		list += length + (list[length] == ':');
	}
}

struct property_set *property_set_new(struct arena *arena)
{
	struct property_set *set = arena_alloc(arena, sizeof(*set));

	if (set)
		set->arena = arena;
	return set;
}

struct property_set *property_set_load(struct arena *arena, const char *directory,
				       const char *extra)
{
	struct property_set *set = property_set_new(arena);

	if (!set)
		return NULL;
	if (directory && !load_folder(set, directory))
		message_add(set, arena_strdup(arena, directory), 0, 0,
			    arena_printf(arena, "cannot open folder: %s", strerror(errno)));
	load_extra(set, extra);
	link_set(set);
	return set;
}
