/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked into a core of its own: at the end of the program appends to the file $DUMP what is known of
 * its heap, one array a line: "array NAME SITE CALLER BLOCKS LIVE BYTES", and first a line
 * "status PRELOADED PATCHED FOUND SMALL WHY".
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/declared.h"
#include "analysis/debuginfo/source.h"
#include "analysis/elf/binary.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/heap.h"

static struct arena *arena;
static struct sources *sources;
static struct module *modules;
static size_t nr_modules;

/* "inlined:12<caller:34<": innermost first. */
static const char *place_of(uint64_t address)
{
	struct source frames[8];
	size_t nr = sources_instruction(sources, modules, nr_modules, modules_find(modules, nr_modules, address), true, frames, 8);
	const char *text = "";

	for (size_t i = 0; i < nr && text; i++)
		text = arena_printf(arena, "%s%s:%d<", text, *frames[i].function ? frames[i].function : "?", frames[i].line);
	for (char *at = (char *)text; at && *at; at++)
		if (*at == ' ')
			*at = '_';
	return text;
}

static const char *or_none(const char *text)
{
	return text && *text ? text : "-";
}

static void print_array(FILE *out, const struct array *array)
{
	struct heap_origin origin = { 0 };

	heap_origin(array->id, &origin);
	fprintf(out, "array %s %s %s %llu %llu %llu\n", or_none(array->name), or_none(origin.site ? place_of(origin.site) : ""),
		or_none(origin.callers[0] ? place_of(origin.callers[0]) : ""), (unsigned long long)array->blocks,
		(unsigned long long)array->live_blocks, (unsigned long long)array->bytes);
}

static void print_all(FILE *out)
{
	struct heap_status status;

	heap_status(&status);
	fprintf(out, "status %d %d %llu %llu %s\n", status.preloaded, status.patched, (unsigned long long)status.found,
		(unsigned long long)status.small_bytes, or_none(status.why));
	array_settle();
	for (uint32_t i = 0; i < array_count(); i++)
		if (array_get(i)->kind == ARRAY_HEAP)
			print_array(out, array_get(i));
}

/* As at a phase boundary: the program's own file is enough. */
static void name_all(void)
{
	struct binary binary;
	struct declared_list declared;

	if (binary_open(&binary, arena, modules[0].path, "") != MS_OK)
		return;
	declared = declared_read(arena, &binary);
	heap_name_blocks(&declared, modules[0].bias);
	binary_close(&binary);
}

__attribute__((destructor)) static void dump(void)
{
	const char *path = getenv("DUMP");
	FILE *out = path ? fopen(path, "a") : NULL;

	arena = arena_new();
	sources = arena ? sources_new(arena) : NULL;
	if (!out || !sources || modules_of_process(arena, &modules, &nr_modules) != MS_OK)
		return;
	name_all();
	print_all(out);
	fclose(out);
}
