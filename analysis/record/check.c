/* SPDX-License-Identifier: Apache-2.0 */
/* Validates a run that came from a file: one walk over all fields, by the rules in their tables. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/record/fields.h"
#include "analysis/record/run.h"
#include "analysis/record/run_check.h"

#define NO_NUMBER SIZE_MAX
/* a thread nests THREAD_FRAMES at most (ompt_tool/process/thread.h), and teams nest some levels */
#define REGION_DEPTH_MAX 1000
#define NODE_DEPTH_MAX 200 /* refinements of refinements; searches reach some 20 */

/* Where the walk is: "regions[3]" › "construct" › "module". */
struct spot {
	const struct spot *up;
	const char *name;
	size_t number; /* of a row or item; NO_NUMBER: none */
};

struct check {
	const struct run *run;
	struct run_fault *fault;
};

/* Appends to a text of `length` bytes, as far as there is room; returns its new length. */
static size_t spot_print(const struct spot *spot, char *text, size_t length, size_t room)
{
	if (spot->up)
		length = spot_print(spot->up, text, length, room);
	if (length < room)
		length += (size_t)snprintf(text + length, room - length,
					   spot->number == NO_NUMBER ? "%s%s" : "%s%s[%zu]",
					   spot->up ? "." : "", spot->name, spot->number);
	return length;
}

__attribute__((format(printf, 3, 4))) static bool
fault(const struct check *check, const struct spot *spot, const char *format, ...)
{
	va_list args;

	spot_print(spot, check->fault->where, 0, sizeof(check->fault->where));
	va_start(args, format);
	vsnprintf(check->fault->why, sizeof(check->fault->why), format, args);
	va_end(args);
	return false;
}

/* An index into the table whose length lies at `rows` of the run. */
static bool index_check(const struct check *check, const struct spot *spot,
			const struct field *field, uint32_t *index)
{
	size_t nr = *(const size_t *)((const char *)check->run + field->rows);

	if (*index < nr || (*index == UINT32_MAX && field->rule == RULE_ROW_OR_NONE))
		return true;
	if (!*index && field->rule == RULE_ROW_OR_NONE) {
		*index = UINT32_MAX; /* never set, and the table is empty */
		return true;
	}
	return fault(check, spot, "is %" PRIu32 ", but there are %zu rows", *index, nr);
}

/* `number`: of the row of its table. */
static bool u32_check(const struct check *check, const struct spot *spot, const struct field *field,
		      size_t number, uint32_t *value)
{
	switch (field->rule) {
	case RULE_OWN:
		return *value == number ||
		       fault(check, spot, "is %" PRIu32 ", not the number of its row", *value);
	case RULE_EARLIER:
		return (number ? *value < number : *value == UINT32_MAX) ||
		       fault(check, spot, "is %" PRIu32 ", not an earlier row", *value);
	case RULE_EARLIER_OR_NONE:
		return *value < number || *value == UINT32_MAX ||
		       fault(check, spot, "is %" PRIu32 ", not an earlier row", *value);
	case RULE_ROW:
	case RULE_ROW_OR_NONE: return index_check(check, spot, field, value);
	default: return true;
	}
}

static bool double_check(const struct check *check, const struct spot *spot,
			 const struct field *field, double value)
{
	if (field->rule == RULE_UNKNOWN)
		return true;
	if (!isfinite(value))
		return fault(check, spot, "is not a finite number");
	return field->rule != RULE_SIZE || value >= 0 ||
	       fault(check, spot, "is %g, below 0", value);
}

static bool fields_check(const struct check *check, const struct spot *up,
			 const struct fields *fields, size_t number, char *row);

static bool array_check(const struct check *check, const struct spot *up, const struct field *field,
			size_t number, char *row)
{
	size_t nr = *(const size_t *)(row + field->count_offset);
	char *items = *(char *const *)(row + field->offset);

	for (size_t i = 0; items && i < nr; i++) {
		struct spot spot = { up, field->name, i };

		if (!fields_check(check, &spot, field->of, number, items + i * field->of->bytes))
			return false;
	}
	return true;
}

/* Nothing was filled in: its first string is missing. */
static bool is_absent(const struct fields *fields, const char *row)
{
	for (size_t i = 0; i < fields->nr; i++)
		if (fields->list[i].type == FIELD_STRING)
			return !*(const char *const *)(row + fields->list[i].offset);
	return false;
}

static bool struct_check(const struct check *check, const struct spot *spot,
			 const struct field *field, size_t number, char *at)
{
	if (field->rule != RULE_OPTIONAL || !is_absent(field->of, at))
		return fields_check(check, spot, field->of, number, at);
	memset(at, 0, field->of->bytes);
	return true;
}

static bool field_check(const struct check *check, const struct spot *up, const struct field *field,
			size_t number, char *row)
{
	struct spot spot = { up, field->name, NO_NUMBER };
	char *at = row + field->offset;

	switch (field->type) {
	case FIELD_STRING:
		if (!*(const char **)at && field->rule != RULE_OPTIONAL)
			*(const char **)at = "";
		return true;
	case FIELD_INT:
		return *(const int *)at >= 0 ||
		       fault(check, &spot, "is %d, below 0", *(const int *)at);
	case FIELD_U32: return u32_check(check, &spot, field, number, (uint32_t *)at);
	case FIELD_DOUBLE: return double_check(check, &spot, field, *(const double *)at);
	case FIELD_STRUCT: return struct_check(check, &spot, field, number, at);
	case FIELD_ARRAY: return array_check(check, up, field, number, row);
	case FIELD_BOOL:
	case FIELD_U64:
	case FIELD_ENUM: /* readers make names of no list the list's fallback */ return true;
	}
	return true;
}

/* Whether the value is valid, as in nearly all fields of millions of rows. */
static bool is_fine(const struct check *check, const struct field *field, size_t number,
		    const char *at)
{
	switch (field->type) {
	case FIELD_STRING: return *(const char *const *)at;
	case FIELD_U32:
		if (field->rule == RULE_ROW || field->rule == RULE_ROW_OR_NONE)
			return *(const uint32_t *)at <
			       *(const size_t *)((const char *)check->run + field->rows);
		return field->rule == RULE_PLAIN ||
		       (field->rule == RULE_OWN && *(const uint32_t *)at == number);
	case FIELD_DOUBLE:
		return isfinite(*(const double *)at) &&
		       (field->rule != RULE_SIZE || *(const double *)at >= 0);
	case FIELD_BOOL:
	case FIELD_U64:
	case FIELD_ENUM: return true;
	default: return false;
	}
}

static bool fields_check(const struct check *check, const struct spot *up,
			 const struct fields *fields, size_t number, char *row)
{
	for (size_t i = 0; i < fields->nr; i++)
		if (!is_fine(check, &fields->list[i], number, row + fields->list[i].offset) &&
		    !field_check(check, up, &fields->list[i], number, row))
			return false;
	return true;
}

/* Names of a later version that cannot stand for anything here. */
static bool is_strict(const struct field *field)
{
	return field->type == FIELD_ENUM && field->names->fallback == UINT32_MAX;
}

/* Whether a row has such a name, in one of these fields. */
static bool means_nothing(const struct fields *fields, size_t first, size_t end, const char *row)
{
	for (size_t i = first; i < end; i++)
		if (is_strict(&fields->list[i]) &&
		    *(const uint32_t *)(row + fields->list[i].offset) >= fields->list[i].names->nr)
			return true;
	return false;
}

/*
 * Checks all rows but those, which are removed: no other row names rows of such a table by number.
 * One pass, as there may be millions.
 */
static bool table_check(const struct check *check, const struct run_table *table,
			const struct run_table_view *view, size_t *removed)
{
	const struct fields *fields = table->fields;
	size_t kept = 0, strict = 0, end = fields->nr;
	char *row = *view->items;

	while (strict < fields->nr && !is_strict(&fields->list[strict]))
		strict++;
	while (end > strict && !is_strict(&fields->list[end - 1]))
		end--;
	for (size_t i = 0; i < *view->nr; i++) {
		struct spot spot = { NULL, table->name, kept };
		const char *from = (char *)*view->items + i * fields->bytes;

		if (means_nothing(fields, strict, end, from))
			continue;
		if (kept != i)
			memcpy(row, from, fields->bytes);
		if (!fields_check(check, &spot, fields, kept++, row))
			return false;
		row += fields->bytes;
	}
	*removed += *view->nr - kept;
	*view->nr = kept;
	return true;
}

/*
 * The head is written before the regions, and these before the arrays: of a record that was cut,
 * the later ones may be missing.
 */
static void mend_cut(struct run *run)
{
	if (run->phase.region >= run->nr_regions)
		run->phase.region = UINT32_MAX;
	for (size_t i = 0; i < run->nr_regions; i++)
		if (run_region_array(&run->regions[i]) >= run->nr_arrays &&
		    run->regions[i].kind == MS_DATA_STRUCTURE)
			run->regions[i].construct.offset = 0;
}

/* Parents come earlier, so that this ends. Reports walk from a row to the root again and again. */
static bool nesting_check(const struct check *check, const char *table, size_t nr, size_t most,
			  uint32_t (*parent)(const struct run *run, size_t i))
{
	for (size_t i = 0; i < nr; i++) {
		size_t depth = 0;

		for (uint32_t up = parent(check->run, i); up < nr; up = parent(check->run, up))
			if (++depth > most)
				return fault(check, &(struct spot){ NULL, table, i },
					     "is nested more than %zu deep", most);
	}
	return true;
}

static uint32_t region_parent(const struct run *run, size_t i)
{
	return run->regions[i].parent;
}

static uint32_t node_parent(const struct run *run, size_t i)
{
	return run->nodes[i].parent;
}

/* What the tables cannot say: a region of an array names it by its address. */
static bool arrays_check(const struct check *check)
{
	const struct run *run = check->run;

	for (size_t i = 0; i < run->nr_regions; i++) {
		uint32_t array = run_region_array(&run->regions[i]);

		if (array != UINT32_MAX && array >= run->nr_arrays)
			return fault(check, &(struct spot){ NULL, "regions", i },
				     "is of array %" PRIu32 ", but there are %zu", array,
				     run->nr_arrays);
	}
	return true;
}

static bool is_node(uint32_t node)
{
	return node < RUN_NODES_MOST || node >= RUN_NODE_UNMAPPED;
}

/* Stretches of pages: ascending, apart from each other, inside of the address space. */
static bool stretches_check(const struct check *check, const struct spot *up,
			    const struct run_placement *placement)
{
	uint64_t page_bytes = check->run->placing.page_bytes, end = 0;

	for (size_t i = 0; placement->stretches && i < placement->nr_stretches; i++) {
		const struct run_stretch *stretch = &placement->stretches[i];
		struct spot spot = { up, "stretches", i };

		if (!is_node(stretch->node))
			return fault(check, &spot,
				     "is on node %" PRIu32 ", which Linux cannot have",
				     stretch->node);
		if (!stretch->pages || stretch->address < end ||
		    stretch->pages > (UINT64_MAX - stretch->address) / page_bytes)
			return fault(check, &spot, "is empty, or not behind the one before");
		end = stretch->address + stretch->pages * page_bytes;
	}
	return true;
}

static bool placements_check(const struct check *check)
{
	const struct run *run = check->run;

	for (size_t i = 0; i < run->nr_placements; i++) {
		const struct run_placement *placement = &run->placements[i];
		struct spot spot = { NULL, "placements", i };

		if (!run->placing.page_bytes || !placement->every)
			return fault(check, &spot, "has no page size, or no sampling");
		if (!stretches_check(check, &spot, placement))
			return false;
	}
	return true;
}

bool run_check(struct run *run, size_t *removed_out, struct run_fault *fault_out)
{
	struct check check = { run, fault_out };
	struct spot head = { NULL, "run", NO_NUMBER };

	*removed_out = 0;
	if (!run->complete)
		mend_cut(run);
	for (size_t i = 0; i < nr_run_tables; i++) {
		struct run_table_view view = run_table_of(&run_tables[i], run);

		if (!table_check(&check, &run_tables[i], &view, removed_out))
			return false;
	}
	return fields_check(&check, &head, &run_fields, 0, (char *)run) && arrays_check(&check) &&
	       placements_check(&check) &&
	       nesting_check(&check, "regions", run->nr_regions, REGION_DEPTH_MAX, region_parent) &&
	       nesting_check(&check, "nodes", run->nr_nodes, NODE_DEPTH_MAX, node_parent);
}
