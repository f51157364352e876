/* SPDX-License-Identifier: Apache-2.0 */
/* Names and declarations of data structures. */
#include "analysis/report/array_names.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/source_words.h"

const char *array_file_line(struct arena *arena, const char *file, int line)
{
	if (!file || !*file)
		return NULL;
	return line > 0 ? arena_printf(arena, "%s:%d", file, line) : file;
}

const char *arrays_name(struct arena *arena, const struct run *run, const struct run_array *array)
{
	const char *name;

	if (!array)
		return "a data structure without a name";
	name = array->name && *array->name
		       ? array->name
		       : array_file_line(arena, array->site_source.file, array->site_source.line);
	if (!name && array->site.module < run->nr_modules)
		name = source_place(arena, &array->site_source);
	if (!name && array->kind && !strcmp(array->kind, "heap"))
		name = "(allocated before memsearch came)";
	return name ? name : "(no name)";
}

/* "grow (0x1ba9)" of "grow (0x1ba9 of a.out)"; NULL: it is no such place. */
static const char *short_place(struct arena *arena, const char *name)
{
	const char *address = strstr(name, " (0x"),
		   *module = address ? strstr(address, " of ") : NULL;

	return module ? arena_printf(arena, "%.*s)", (int)(module - name), name) : NULL;
}

const char *arrays_short_name(struct arena *arena, const char *name)
{
	size_t length = strlen(name), at = length - (ARRAYS_SHORT_NAME - 2);
	const char *place = length > ARRAYS_SHORT_NAME ? short_place(arena, name) : NULL;

	if (length <= ARRAYS_SHORT_NAME || place)
		return place ? place : name;
	while (at < length && !strchr("%.-", name[at]))
		at++;
	return at < length ? arena_printf(arena, "..%s", name + at) : name;
}

const char *arrays_ranges(struct arena *arena, const struct run *run, uint32_t array)
{
	const char *list = NULL;

	for (size_t i = 0; i < run->nr_arrays; i++)
		if (run->arrays[i].whole &&
		    (array == RUN_ARRAY_NONE || run->arrays[i].whole == array + 1))
			list = list ? arena_printf(arena, "%s, %s", list, run->arrays[i].name)
				    : run->arrays[i].name;
	return list;
}

const char *arrays_declared(struct arena *arena, const struct run_array *array)
{
	const char *declared = array_file_line(arena, array->file, array->line);

	return declared ? declared : arrays_allocated(arena, array);
}

const char *arrays_allocated(struct arena *arena, const struct run_array *array)
{
	const struct source *site = &array->site_source;
	const char *places = array_file_line(arena, site->file, site->line);

	for (size_t i = 0; places && i < array->nr_further; i++) {
		const struct source *further = &array->further[i].source;
		const char *place = array_file_line(arena, further->file, further->line);

		places = place ? arena_printf(arena, "%s, %s", places, place) : places;
	}
	return places;
}
