/* SPDX-License-Identifier: Apache-2.0 */
/* Runs with wrong contents, made field by field. */
#include "tests/host/mutate_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/fields.h"
#include "analysis/record/run.h"
#include "analysis/record/run_check.h"

#define CHANGES_MOST 6
#define ROWS_MOST 3000

struct mutation {
	struct arena *arena;
	struct run *run;
	uint64_t (*next)(uint64_t below);
};

static const char *any_text(struct mutation *mutation)
{
	static const char *const texts[] = {
		NULL,
		"",
		"\033[2J\033]0;x\007",
		"a\nb",
		"\"",
		"%s%n%d",
		"\xff\xfe\x80",
		"\xc2\x9b",
		"/dev/zero",
		"fifo",
		"/",
		"..",
		"/proc/self/mem",
		"libomp.so.5",
		"stack",
		"heap",
		"recording",
		"near ",
		":",
		"swim.c:117",
		"x",
		"LoadImbalance",
		"-1",
		"1e999",
		"=cmd|'/c'!A1",
	};
	uint64_t which = mutation->next(sizeof(texts) / sizeof(texts[0]) + 2);
	size_t length;
	char *text;

	if (which < sizeof(texts) / sizeof(texts[0]))
		return texts[which];
	length = mutation->next(6000);
	text = arena_alloc(mutation->arena, length + 1);
	memset(text, (int)(1 + mutation->next(255)), length);
	for (size_t i = 0; i < length; i += 1 + mutation->next(40))
		text[i] = ' ';
	text[length] = 0;
	return text;
}

static uint64_t any_number(struct mutation *mutation, uint64_t was)
{
	switch (mutation->next(8)) {
	case 0: return 0;
	case 1: return UINT32_MAX - mutation->next(2);
	case 2: return UINT64_MAX - mutation->next(2);
	case 3: return was + 1;
	case 4: return was - 1;
	case 5: return 1ull << mutation->next(64);
	default: return mutation->next(40);
	}
}

static double any_double(struct mutation *mutation, double was)
{
	static const double doubles[] = { 0,        -1,        1,       0.5,      NAN,
					  INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 5e-324,
					  1e19,     -1e19,     1e300,   1e-300 };
	uint64_t which = mutation->next(sizeof(doubles) / sizeof(doubles[0]) + 3);

	return which < sizeof(doubles) / sizeof(doubles[0]) ? doubles[which]
	       : which & 1                                  ? was * 1e6
							    : -was;
}

static void mutate_row(struct mutation *mutation, const struct fields *fields, char *row);

/* Lists that share their length with this one and would be too short now. */
static void drop_others(const struct fields *fields, const struct field *field, char *row)
{
	for (size_t i = 0; i < fields->nr; i++)
		if (fields->list[i].type == FIELD_ARRAY &&
		    fields->list[i].count_offset == field->count_offset &&
		    &fields->list[i] != field)
			*(char **)(row + fields->list[i].offset) = NULL;
}

static void mutate_array(struct mutation *mutation, const struct fields *fields,
			 const struct field *field, char *row)
{
	size_t *count = (size_t *)(row + field->count_offset), nr = *count;
	char **items = (char **)(row + field->offset), *copy;

	if (nr && *items && mutation->next(3)) {
		copy = arena_alloc(mutation->arena, nr * field->of->bytes);
		memcpy(copy, *items, nr * field->of->bytes);
		*items = copy;
		mutate_row(mutation, field->of, copy + mutation->next(nr) * field->of->bytes);
		return;
	}
	if (mutation->next(3) == 0) {
		*items = NULL; /* another list of the same length may stay */
		return;
	}
	if (mutation->next(2) && nr) {
		*count = mutation->next(nr);
		return;
	}
	drop_others(fields, field, row);
	*count = nr + 1 + mutation->next(50);
	copy = arena_alloc(mutation->arena, *count * field->of->bytes);
	if (nr && *items)
		memcpy(copy, *items, nr * field->of->bytes);
	*items = copy;
}

static void mutate_field(struct mutation *mutation, const struct fields *fields,
			 const struct field *field, char *row)
{
	void *at = row + field->offset;

	switch (field->type) {
	case FIELD_STRING: *(const char **)at = any_text(mutation); break;
	case FIELD_BOOL: *(bool *)at = !*(bool *)at; break;
	case FIELD_INT: *(int *)at = (int)any_number(mutation, (uint64_t)*(int *)at); break;
	case FIELD_U32: *(uint32_t *)at = (uint32_t)any_number(mutation, *(uint32_t *)at); break;
	case FIELD_U64: *(uint64_t *)at = any_number(mutation, *(uint64_t *)at); break;
	case FIELD_DOUBLE: *(double *)at = any_double(mutation, *(double *)at); break;
	case FIELD_ENUM: *(uint32_t *)at = (uint32_t)mutation->next(field->names->nr + 1); break;
	case FIELD_STRUCT: mutate_row(mutation, field->of, at); break;
	case FIELD_ARRAY: mutate_array(mutation, fields, field, row); break;
	}
}

static void mutate_row(struct mutation *mutation, const struct fields *fields, char *row)
{
	mutate_field(mutation, fields, &fields->list[mutation->next(fields->nr)], row);
}

/* A row more, a row less, one in the place of another: rows that name their own number keep it. */
static void mutate_rows(struct mutation *mutation, const struct run_table *table)
{
	struct run_table_view view = run_table_of(table, mutation->run);
	size_t bytes = table->fields->bytes, nr = *view.nr, more;
	char *rows;

	if (mutation->next(4) == 0) {
		*view.nr = mutation->next(nr + 1);
		return;
	}
	more = mutation->next(3) ? 1 : mutation->next(ROWS_MOST);
	if (!nr || nr + more > ROWS_MOST)
		return;
	rows = arena_alloc(mutation->arena, (nr + more) * bytes);
	memcpy(rows, *view.items, nr * bytes);
	for (size_t i = nr; i < nr + more; i++) {
		memcpy(rows + i * bytes, rows + mutation->next(i) * bytes, bytes);
		for (size_t k = 0; k < table->fields->nr; k++) {
			const struct field *field = &table->fields->list[k];

			if (field->rule == RULE_OWN)
				*(uint32_t *)(rows + i * bytes + field->offset) = (uint32_t)i;
			if ((field->rule == RULE_EARLIER || field->rule == RULE_EARLIER_OR_NONE) &&
			    mutation->next(4))
				*(uint32_t *)(rows + i * bytes + field->offset) =
					(uint32_t)(mutation->next(2) ? i - 1 : mutation->next(i));
		}
	}
	*view.items = rows;
	*view.nr = *view.room = nr + more;
}

static void change(struct mutation *mutation)
{
	const struct run_table *table = &run_tables[mutation->next(nr_run_tables)];
	struct run_table_view view = run_table_of(table, mutation->run);
	size_t bytes = table->fields->bytes;
	char *rows;

	if (mutation->next(8) == 0) {
		mutate_row(mutation, &run_fields, (char *)mutation->run);
		return;
	}
	if (mutation->next(6) == 0 || !*view.nr) {
		mutate_rows(mutation, table);
		return;
	}
	/* what is taken back must not have been changed */
	rows = arena_alloc(mutation->arena, *view.nr * bytes);
	memcpy(rows, *view.items, *view.nr * bytes);
	*view.items = rows;
	*view.room = *view.nr;
	mutate_row(mutation, table->fields, rows + mutation->next(*view.nr) * bytes);
}

void mutate_run(struct arena *arena, struct run *run, uint64_t (*next)(uint64_t below), bool sound)
{
	struct mutation mutation = { arena, run, next };

	for (uint64_t changes = 1 + next(CHANGES_MOST); changes; changes--) {
		struct run before = *run;
		struct run_fault fault;
		size_t removed;

		change(&mutation);
		if (sound && !run_check(run, &removed, &fault))
			*run = before;
	}
}
