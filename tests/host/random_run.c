/* SPDX-License-Identifier: Apache-2.0 */
/* Runs from a seed, for the tests of whatever keeps runs. */
#include "tests/host/random_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/fields.h"
#include "analysis/record/run.h"
#include "analysis/record/run_check.h"
#include "memsearch/host.h"

uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x9e3779b97f4a7c15u >> 11;
}

static const char *random_text(struct arena *arena, uint64_t *state)
{
	static const char *const words[] = { "",
					     "calc1",
					     "calc2",
					     "swim.c",
					     "ns",
					     "naïve — größer",
					     "'; DROP TABLE runs; --",
					     "a\nb\t\x7f" };
	uint64_t kind = random_next(state) % 12;
	char *text;
	size_t length;

	if (kind == 0)
		return NULL;
	if (kind < 10)
		return arena_strdup(arena, words[random_next(state) % 8]);
	length = random_next(state) % 300;
	text = arena_alloc(arena, length + 1);
	for (size_t i = 0; i < length; i++)
		text[i] = (char)('!' + random_next(state) % 90);
	return text;
}

static double random_double(uint64_t *state)
{
	static const double special[] = { 0, 1, -1, INFINITY, -INFINITY, NAN, 1e300, 5e-324, 0.1 };

	switch (random_next(state) % 4) {
	case 0: return special[random_next(state) % 9];
	case 1: return (double)(random_next(state) % 10000000000u);
	case 2: return (double)random_next(state) / 1e17;
	default: return ldexp((double)random_next(state), (int)(random_next(state) % 200) - 100);
	}
}

static uint64_t random_number(uint64_t *state)
{
	uint64_t kind = random_next(state) % 8;

	return kind == 0   ? 0
	       : kind == 1 ? UINT64_MAX - random_next(state) % 2
			   : random_next(state) >> random_next(state) % 52;
}

/*
 * What cannot be in a run becomes something that can. Test data was written before there were
 * rules.
 */
static double possible_double(const struct field *field, double value)
{
	if (field->rule == RULE_UNKNOWN)
		return value;
	if (!isfinite(value))
		return 0;
	return field->rule == RULE_SIZE ? fabs(value) : value;
}

static void random_row(struct arena *arena, uint64_t *state, const struct fields *fields,
		       char *row);

/* the row is of a table that came after the recordings in tests/data */
static bool of_today;

static void random_array(struct arena *arena, uint64_t *state, const struct field *field, char *row)
{
	size_t *count = (size_t *)(row + field->count_offset), bytes = field->of->bytes;
	char *items;

	*(char **)(row + field->offset) = NULL;
	if (*count && random_next(state) % 3 == 0)
		/* the second of two arrays that share a count may be missing */
		return;
	if (!*count)
		*count = random_next(state) % 5;
	items = *count ? arena_alloc(arena, *count * bytes) : NULL;
	*(char **)(row + field->offset) = items;
	for (size_t i = 0; i < *count; i++)
		random_row(arena, state, field->of, items + i * bytes);
}

/*
 * How many values each list of names had when the recordings in tests/data were made, by the list's
 * number; what was added since is left out, so that a seed stays the same run.
 */
static uint32_t names_then(const struct field_names *names)
{
	static const uint32_t then[] = { 0, 18, 24, 10, 5, 6, 4 };

	return !of_today && names->id < sizeof(then) / sizeof(*then) && then[names->id] < names->nr
		       ? then[names->id]
		       : names->nr;
}

static void random_field(struct arena *arena, uint64_t *state, const struct field *field, char *row)
{
	void *at = row + field->offset;

	switch (field->type) {
	case FIELD_STRING: *(const char **)at = random_text(arena, state); break;
	case FIELD_BOOL: *(bool *)at = random_next(state) & 1; break;
	case FIELD_INT: *(int *)at = (int)random_number(state) & INT32_MAX; break;
	case FIELD_U32: *(uint32_t *)at = (uint32_t)random_number(state); break;
	case FIELD_U64: *(uint64_t *)at = random_number(state); break;
	case FIELD_DOUBLE: *(double *)at = possible_double(field, random_double(state)); break;
	case FIELD_ENUM:
		*(uint32_t *)at = (uint32_t)(random_next(state) % names_then(field->names));
		break;
	case FIELD_STRUCT: random_row(arena, state, field->of, at); break;
	case FIELD_ARRAY: random_array(arena, state, field, row); break;
	}
}

/*
 * Schema version of the recordings: fields that came later are random, too, but leave the others as
 * they were.
 */
#define VERSION_THEN 2

static void random_row(struct arena *arena, uint64_t *state, const struct fields *fields, char *row)
{
	uint64_t later = *state;

	for (size_t i = 0; i < fields->nr; i++)
		if (fields->list[i].type == FIELD_ARRAY)
			*(size_t *)(row + fields->list[i].count_offset) = 0;
	for (size_t i = 0; i < fields->nr; i++)
		random_field(arena, fields->list[i].since > VERSION_THEN ? &later : state,
			     &fields->list[i], row);
}

static void sound_address(const struct run *run, struct code_address *address)
{
	address->module = run->nr_modules && address->module % 3
				  ? address->module % (uint32_t)run->nr_modules
				  : UINT32_MAX;
}

static void sound_region(const struct run *run, uint32_t i)
{
	struct run_region *region = &run->regions[i];

	region->id = i;
	region->parent = i ? region->parent % i : MS_REGION_NONE;
	region->mutex %= (uint32_t)run->nr_regions;
	sound_address(run, &region->construct);
	sound_address(run, &region->inside);
	sound_address(run, &region->next);
	for (size_t k = 0; region->path_addresses && k < region->nr_path; k++)
		sound_address(run, &region->path_addresses[k]);
	if (region->kind == MS_DATA_STRUCTURE && run_region_array(region) >= run->nr_arrays)
		region->construct.offset = run->nr_arrays
						   ? region->construct.offset % run->nr_arrays + 1
						   : 0;
}

static void sound_placement(struct run *run, struct run_placement *placement)
{
	uint64_t address = 0;

	run->placing.page_bytes |= 1;
	run->placing.page_bytes &= 0x3fffffff;
	placement->array %= (uint32_t)run->nr_arrays;
	placement->every += !placement->every;
	for (size_t i = 0; i < placement->nr_stretches; i++) {
		struct run_stretch *stretch = &placement->stretches[i];

		if (stretch->node < RUN_NODE_UNMAPPED)
			stretch->node %= RUN_NODES_MOST;
		stretch->pages = stretch->pages % 1000 + 1;
		stretch->address = address + stretch->address % 1000;
		address = stretch->address + stretch->pages * run->placing.page_bytes;
	}
}

static void sound_trial(const struct run *run, struct run_trial *trial)
{
	for (size_t i = 0; trial->arrays && i < trial->nr_arrays; i++)
		trial->arrays[i] %= (uint32_t)run->nr_arrays;
}

/* Makes the indices what run.h says of them. There is a region at least. */
static void sound(struct run *run)
{
	uint32_t regions = (uint32_t)run->nr_regions;
	struct run_fault fault;
	size_t removed;

	for (uint32_t i = 0; i < regions; i++)
		sound_region(run, i);
	for (size_t i = 0; i < run->nr_measurements; i++)
		run->measurements[i].row.region %= regions;
	for (size_t i = 0; i < run->nr_missing; i++)
		run->missing[i].region = run->missing[i].region % 4
						 ? run->missing[i].region % regions
						 : MS_REGION_NONE;
	for (size_t i = 0; i < run->nr_hotspots; i++) {
		run->hotspots[i].region %= regions;
		sound_address(run, &run->hotspots[i].address);
		sound_address(run, &run->hotspots[i].leaf);
	}
	for (uint32_t i = 0; i < run->nr_arrays; i++) {
		run->arrays[i].id = i;
		sound_address(run, &run->arrays[i].site);
		for (size_t k = 0; run->arrays[i].path && k < run->arrays[i].nr_path; k++)
			sound_address(run, &run->arrays[i].path[k]);
		for (size_t k = 0; run->arrays[i].further && k < run->arrays[i].nr_further; k++)
			sound_address(run, &run->arrays[i].further[k].address);
	}
	for (size_t i = 0; i < run->nr_dropped; i++)
		sound_address(run, &run->dropped[i].code);
	if (!run->nr_arrays)
		run->nr_touches = 0;
	for (size_t i = 0; i < run->nr_touches; i++) {
		run->touches[i].array %= (uint32_t)run->nr_arrays;
		run->touches[i].region = run->touches[i].region % 4
						 ? run->touches[i].region % regions
						 : MS_REGION_NONE;
		sound_address(run, &run->touches[i].address);
		sound_address(run, &run->touches[i].leaf);
	}
	for (size_t i = 0; i < run->nr_accesses; i++) {
		bool none = run->accesses[i].array % 4 == 0 || !run->nr_arrays;

		run->accesses[i].array = none ? RUN_ARRAY_NONE
					      : run->accesses[i].array % (uint32_t)run->nr_arrays;
		run->accesses[i].region %= regions;
		run->accesses[i].loop %= regions;
		sound_address(run, &run->accesses[i].address);
	}
	if (!run->nr_arrays)
		run->nr_sharings = 0;
	for (size_t i = 0; i < run->nr_sharings; i++) {
		run->sharings[i].array %= (uint32_t)run->nr_arrays;
		run->sharings[i].region %= regions;
	}
	if (!run->nr_arrays)
		run->nr_placements = run->nr_trials = run->nr_writes = 0;
	for (size_t i = 0; i < run->nr_trials; i++)
		sound_trial(run, &run->trials[i]);
	for (size_t i = 0; i < run->nr_writes; i++)
		run->writes[i].array %= (uint32_t)run->nr_arrays;
	for (uint32_t i = 0; i < run->nr_placements; i++)
		sound_placement(run, &run->placements[i]);
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		run->nodes[i].id = i;
		run->nodes[i].parent = i && run->nodes[i].parent % 4 ? run->nodes[i].parent % i
								     : MS_NODE_NONE;
		run->nodes[i].region %= regions;
	}
	run->phase.region = run->phase.region % 2 ? run->phase.region % regions : MS_REGION_NONE;
	for (size_t i = 0; i < run->nr_phases; i++)
		run->phases[i].region = run->phase.region;
	run->complete = true;
	if (!run_check(run, &removed, &fault) || removed)
		abort();
}

static void add_rows(struct arena *arena, uint64_t *state, const struct run_table *table,
		     struct run *run, size_t nr)
{
	struct run_table_view view = run_table_of(table, run);

	of_today = table->since > VERSION_THEN;
	for (; nr; nr--) {
		if (!arena_grow(arena, view.items, table->fields->bytes, *view.nr, view.room))
			return;
		random_row(arena, state, table->fields,
			   (char *)*view.items + *view.nr * table->fields->bytes);
		*view.nr += 1;
	}
}

void random_run(struct arena *arena, uint64_t seed, size_t rows, struct run *run)
{
	uint64_t state = seed * 2 + 1;

	memset(run, 0, sizeof(*run));
	random_row(arena, &state, &run_fields, (char *)run);
	for (size_t i = 0; i < nr_run_tables; i++)
		add_rows(arena, &state, &run_tables[i], run, random_next(&state) % (rows + 1));
	if (!run->nr_regions)
		add_rows(arena, &state, &run_tables[1], run, 1);
	sound(run);
}

void random_change(struct arena *arena, uint64_t seed, struct run *run)
{
	uint64_t state = seed * 2 + 1;

	for (size_t i = 0; i < nr_run_tables; i++) {
		struct run_table_view view = run_table_of(&run_tables[i], run);
		size_t bytes = run_tables[i].fields->bytes;

		of_today = run_tables[i].since > VERSION_THEN;
		for (size_t k = 0; k < *view.nr; k++)
			if (random_next(&state) % 8 == 0)
				random_row(arena, &state, run_tables[i].fields,
					   (char *)*view.items + k * bytes);
		add_rows(arena, &state, &run_tables[i], run, random_next(&state) % 4);
	}
	run->threads++;
	sound(run);
}

static char where[200];

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_row(const struct fields *fields, const char *a, const char *b);

static bool same_array(const struct field *field, const char *a, const char *b)
{
	size_t nr = *(const size_t *)(a + field->count_offset),
	       other = *(const size_t *)(b + field->count_offset);
	const char *items_a = *(const char *const *)(a + field->offset),
		   *items_b = *(const char *const *)(b + field->offset);

	if (nr != other || (nr && !items_a != !items_b))
		return false;
	for (size_t i = 0; items_a && i < nr; i++)
		if (!same_row(field->of, items_a + i * field->of->bytes,
			      items_b + i * field->of->bytes))
			return false;
	return true;
}

static bool same_field(const struct field *field, const char *a, const char *b)
{
	const void *at_a = a + field->offset, *at_b = b + field->offset;
	double x, y;

	switch (field->type) {
	case FIELD_STRING: return same_text(*(const char *const *)at_a, *(const char *const *)at_b);
	case FIELD_BOOL: return *(const bool *)at_a == *(const bool *)at_b;
	case FIELD_U64: return *(const uint64_t *)at_a == *(const uint64_t *)at_b;
	case FIELD_DOUBLE:
		x = *(const double *)at_a;
		y = *(const double *)at_b;
		return x == y || (isnan(x) && isnan(y));
	case FIELD_STRUCT: return same_row(field->of, at_a, at_b);
	case FIELD_ARRAY: return same_array(field, a, b);
	default: return *(const uint32_t *)at_a == *(const uint32_t *)at_b;
	}
}

static bool same_row(const struct fields *fields, const char *a, const char *b)
{
	for (size_t i = 0; i < fields->nr; i++)
		if (!same_field(&fields->list[i], a, b)) {
			snprintf(where, sizeof(where), "%s", fields->list[i].name);
			return false;
		}
	return true;
}

const char *run_difference(const struct run *a, const struct run *b)
{
	char field[sizeof(where)];

	if (!same_row(&run_fields, (const char *)a, (const char *)b))
		return where;
	for (size_t i = 0; i < nr_run_tables; i++) {
		struct run_table_view view_a = run_table_of(&run_tables[i], a),
				      view_b = run_table_of(&run_tables[i], b);
		size_t bytes = run_tables[i].fields->bytes;

		if (*view_a.nr != *view_b.nr) {
			snprintf(where, sizeof(where), "nr_%s: %zu, %zu", run_tables[i].name,
				 *view_a.nr, *view_b.nr);
			return where;
		}
		for (size_t k = 0; k < *view_a.nr; k++)
			if (!same_row(run_tables[i].fields, (char *)*view_a.items + k * bytes,
				      (char *)*view_b.items + k * bytes)) {
				snprintf(field, sizeof(field), "%s", where);
				snprintf(where, sizeof(where), "%s[%zu].%.100s", run_tables[i].name,
					 k, field);
				return where;
			}
	}
	return NULL;
}
