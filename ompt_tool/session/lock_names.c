/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the program's locks in the source. */
#include "ompt_tool/session/lock_names.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/declared.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/data_symbols.h"
#include "analysis/record/run.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/regions/region_table.h"

/*
 * gcc, gfortran: ".gomp_critical_user_NAME"; clang, flang: the same followed by ".var"; clang for
 * some targets without the dot. NAME "": the unnamed critical constructs'.
 */
#define CRITICAL "gomp_critical_user_"
#define CRITICAL_END ".var"

static const char *critical_name(struct arena *arena, const char *symbol)
{
	const char *name = strstr(symbol, CRITICAL), *end;

	if (!name || name - symbol > 1)
		return NULL;
	name += sizeof(CRITICAL) - 1;
	end = strstr(name, CRITICAL_END);
	return arena_strndup(arena, name, end ? (size_t)(end - name) : strlen(name));
}

/* "locks[3]", "locks(4)"; for a structure or several dimensions only the variable. */
static const char *element_name(struct arena *arena, const struct array *array, uint64_t offset)
{
	uint64_t index;

	if (!array->name || !*array->name)
		return NULL;
	if (array->nr_dimensions != 1 || !array->element_bytes)
		return arena_strdup(arena, array->name);
	index = offset / array->element_bytes;
	if (!array->column_major)
		return arena_printf(arena, "%s[%llu]", array->name, (unsigned long long)index);
	return arena_printf(arena, "%s(%lld)", array->name,
			    (long long)array->lower[0] + (long long)index);
}

static const char *variable_name(struct arena *arena, const struct inventory *inventory,
				 uint64_t address)
{
	uint64_t offset;
	const struct declared *variable = inventory_variable(inventory, address, &offset);

	return variable && !variable->pointer && !variable->descriptor
		       ? element_name(arena, &variable->array, offset)
		       : NULL;
}

static const char *heap_name(struct arena *arena, uint64_t address)
{
	struct array_place place;
	const struct array *array = array_at(address, 0, UINT64_MAX, &place) && !place.doubtful
					    ? array_get(place.array)
					    : NULL;

	return array && array->kind == ARRAY_HEAP ? element_name(arena, array, place.offset) : NULL;
}

static bool is_nameless(const struct run_region *region, uint32_t module)
{
	return region->kind == MS_MUTEX && !region->name && region->construct.module == module;
}

/* Names locks in one file for which no variable was found. */
static void name_criticals(struct run *run, struct arena *arena, uint32_t module)
{
	struct arena *scratch = arena_new();
	struct data_symbols symbols;
	struct binary binary;

	if (!scratch || binary_open(&binary, scratch, run->modules[module].path,
				    run->modules[module].build_id) != MS_OK) {
		arena_free(scratch);
		return;
	}
	symbols = data_symbols_read(scratch, &binary);
	for (size_t i = 0; i < run->nr_regions; i++) {
		struct run_region *region = &run->regions[i];
		const struct data_symbol *symbol =
			is_nameless(region, module)
				? data_symbols_at(&symbols, region->construct.offset, false)
				: NULL;

		if (symbol)
			region->name = critical_name(arena, symbol->name);
	}
	binary_close(&binary);
	arena_free(scratch);
}

static bool has_nameless(const struct run *run, uint32_t module)
{
	for (size_t i = 0; i < run->nr_regions; i++)
		if (is_nameless(&run->regions[i], module))
			return true;
	return false;
}

void lock_names_fill(struct run *run, struct arena *arena, const struct inventory *inventory,
		     struct region_table *table)
{
	for (size_t i = 0; i < run->nr_regions; i++) {
		struct run_region *region = &run->regions[i];
		uint64_t address = region->kind == MS_MUTEX
					   ? region_table_at(table, region->id)->construct
					   : 0;

		if (region->kind == MS_MUTEX && !address)
			region->name = "";
		else if (address)
			region->name = variable_name(arena, inventory, address);
		if (address && !region->name)
			region->name = heap_name(arena, address);
	}
	for (uint32_t module = 0; module < run->nr_modules; module++)
		if (has_nameless(run, module))
			name_criticals(run, arena, module);
}
