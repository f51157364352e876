/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded accesses and simulated misses by thread. */
#include "analysis/report/thread_use.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/array_names.h"
#include "analysis/report/array_use.h"
#include "analysis/report/arrays.h"
#include "analysis/report/emitter.h"
#include "analysis/report/json.h"
#include "analysis/report/misses.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define NOTABLE 0.01  /* of what a thread moves, or waits for */
#define ARRAYS_MOST 4 /* named for a thread */
#define NR(array) (sizeof(array) / sizeof(*(array)))

/* What one thread does to one array in one execution of the phase. */
struct cell {
	uint32_t array;
	double reads, writes, bytes;
	struct misses misses;
};

struct user {
	uint32_t thread;
	double reads, writes, bytes; /* of all arrays */
	struct misses misses;        /* of all its accesses */
	/* that with the most waiting first, then that with the most bytes */
	struct cell *cells;
	size_t nr;
};

struct users {
	struct user *items;
	size_t nr;
};

struct entry {
	uint32_t thread;
	struct cell cell;
};

static int entry_order(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->cell.array > b->cell.array) - (a->cell.array < b->cell.array);
}

static int heavier_cell(const void *left, const void *right)
{
	const struct cell *a = left, *b = right;
	int order = (a->misses.cycles < b->misses.cycles) - (a->misses.cycles > b->misses.cycles);

	order = order ? order : (a->bytes < b->bytes) - (a->bytes > b->bytes);
	return order ? order : (a->array > b->array) - (a->array < b->array);
}

/* ------------------------------------------------------------------ gathering */

/* From the uses of arrays and from their misses, by thread and array; a pair may be there twice. */
static size_t entries_of(struct arena *arena, const struct arrays_view *view, struct entry **out)
{
	struct misses_rows rows = misses_rows(arena, view->run, MISSES_BY_THREAD_AND_ARRAY);
	size_t most = rows.nr + 1, nr = 0;

	for (size_t i = 0; i < view->nr_arrays; i++)
		most += view->uses[i].nr_threads;
	*out = arena_alloc(arena, most * sizeof(**out));
	if (!*out)
		return 0;
	for (uint32_t i = 0; i < view->nr_arrays; i++) {
		for (size_t k = 0; k < view->uses[i].nr_threads; k++) {
			const struct array_thread *use = &view->uses[i].threads[k];

			(*out)[nr++] = (struct entry){ use->thread,
						       { .array = i,
							 .reads = use->reads,
							 .writes = use->writes,
							 .bytes = use->bytes } };
		}
	}
	for (size_t i = 0; i < rows.nr; i++)
		if (misses_accesses(&rows.items[i].of) > 0)
			(*out)[nr++] = (struct entry){ rows.items[i].thread,
						       { .array = rows.items[i].array,
							 .misses = rows.items[i].of } };
	sort(*out, nr, sizeof(**out), entry_order);
	return nr;
}

static void add_cell(struct user *user, const struct cell *cell)
{
	struct cell *last = user->nr ? &user->cells[user->nr - 1] : NULL;

	user->reads += cell->reads;
	user->writes += cell->writes;
	user->bytes += cell->bytes;
	if (!last || last->array != cell->array) {
		user->cells[user->nr++] = *cell;
		return;
	}
	if (misses_accesses(&cell->misses) > 0)
		last->misses = cell->misses;
	last->reads += cell->reads;
	last->writes += cell->writes;
	last->bytes += cell->bytes;
}

static struct user *user_of(struct users *users, uint32_t thread)
{
	for (size_t i = 0; i < users->nr; i++)
		if (users->items[i].thread == thread)
			return &users->items[i];
	return NULL;
}

static struct users users_of(struct arena *arena, const struct arrays_view *view)
{
	struct misses_rows all = misses_rows(arena, view->run, MISSES_BY_THREAD);
	struct entry *entries;
	size_t nr = entries_of(arena, view, &entries);
	struct cell *cells = arena_alloc(arena, (nr + 1) * sizeof(*cells));
	struct users users = { arena_alloc(arena, (nr + 1) * sizeof(*users.items)), 0 };

	for (size_t i = 0; cells && users.items && i < nr; i++) {
		if (!i || entries[i].thread != entries[i - 1].thread)
			users.items[users.nr++] = (struct user){ .thread = entries[i].thread,
								 .cells = &cells[i] };
		add_cell(&users.items[users.nr - 1], &entries[i].cell);
	}
	for (size_t i = 0; i < users.nr; i++)
		sort(users.items[i].cells, users.items[i].nr, sizeof(*users.items[i].cells),
		     heavier_cell);
	for (size_t i = 0; i < all.nr; i++) {
		struct user *user = user_of(&users, all.items[i].thread);

		if (user)
			user->misses = all.items[i].of;
	}
	return users;
}

/* ------------------------------------------------------------------ text */

static const char *name_of(struct arena *arena, const struct arrays_view *view,
			   const struct cell *cell)
{
	return arrays_name(arena, view->run, &view->run->arrays[cell->array]);
}

/*
 * "unew 40 %, p 30 %": of what the thread waits for or, where nothing is simulated, of what it
 * moves.
 */
static const char *shares_of(struct arena *arena, const struct arrays_view *view,
			     const struct user *user)
{
	bool waits = user->misses.cycles > 0;
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < user->nr && i < ARRAYS_MOST; i++) {
		double share = waits ? user->cells[i].misses.cycles / user->misses.cycles
			       : user->bytes > 0 ? user->cells[i].bytes / user->bytes
						 : 0;

		if (share < NOTABLE)
			continue;
		text_printf(&text, "%s%s ", text.length ? ", " : "",
			    name_of(arena, view, &user->cells[i]));
		units_share(&text, share);
	}
	return text.length ? text.bytes : NULL;
}

/* A thread, or one array of it. */
struct use_row {
	struct arena *arena;
	const struct arrays_view *view;
	const struct user *user;
	const struct cell *cell; /* NULL: all that the thread accesses */
	size_t run_number;
};

static double reads_of(const struct use_row *row)
{
	return row->cell ? row->cell->reads : row->user->reads;
}
static double writes_of(const struct use_row *row)
{
	return row->cell ? row->cell->writes : row->user->writes;
}
static double bytes_of(const struct use_row *row)
{
	return row->cell ? row->cell->bytes : row->user->bytes;
}

/* clang-format off */
#define THREAD_FIELDS(X) \
	X(NUMBER, NULL, "run", NULL, NULL, row->run_number) \
	X(NUMBER, "thread", "thread", "thread", "exact", row->user->thread)
/* clang-format on */
EMIT_LIST(thread_fields, struct use_row, THREAD_FIELDS)

/* clang-format off */
#define USE_FIELDS(X) \
	X(STRING, NULL, "array", NULL, NULL, row->cell ? name_of(row->arena, row->view, row->cell) : NULL) \
	X(NUMBER, "reads", "reads", "reads", "1", reads_of(row)) \
	X(NUMBER, "writes", "writes", "writes", "1", writes_of(row)) \
	X(NUMBER, "bytes", "bytes", "moved", "bytes", bytes_of(row))
/* clang-format on */
EMIT_LIST(use_fields, struct use_row, USE_FIELDS)

#define ID_FIELDS(X) X(NUMBER, NULL, "array_id", NULL, NULL, row->cell ? row->cell->array : NAN)
EMIT_LIST(id_fields, struct use_row, ID_FIELDS)

#define SHARE_FIELDS(X) \
	X(STRING, NULL, NULL, "arrays", NULL, shares_of(row->arena, row->view, row->user))
#define WAIT_FIELDS(X) \
	X(STRING, NULL, NULL, "waits for", NULL, shares_of(row->arena, row->view, row->user))
EMIT_LIST(share_fields, struct use_row, SHARE_FIELDS)
EMIT_LIST(wait_fields, struct use_row, WAIT_FIELDS)

size_t threads_text(struct text *out, const struct arrays_view *view, size_t most)
{
	const struct emit_list *shares = view->waited > 0 ? &wait_fields : &share_fields;
	const struct emit_list *const lists[] = { &thread_fields, &use_fields, shares, NULL };
	struct users users = users_of(out->arena, view);
	size_t shown = most && most < users.nr ? most : users.nr;
	struct table table;

	emit_columns(&table, out->arena, EMIT_TEXT, lists);
	for (size_t i = 0; i < shown; i++) {
		const struct use_row row = { out->arena, view, &users.items[i], NULL, 0 };

		emit_row(&table, EMIT_TEXT, lists, &row);
		table_note(&table, "misses",
			   misses_words(out->arena, &users.items[i].misses, view->waited));
	}
	if (table.nr)
		table_print(out, &table, "text");
	return users.nr - shown;
}

/* ------------------------------------------------------------------ JSON */

static void json_cell(struct json *json, const struct use_row *row)
{
	json_open(json, NULL, '{');
	json_unsigned(json, "array_id", row->cell->array);
	json_string(json, "array", name_of(row->arena, row->view, row->cell));
	emit_members(json, &use_fields, row);
	misses_json(json, &row->cell->misses);
	json_close(json);
}

void threads_json(struct json *json, struct arena *arena, const struct arrays_view *view)
{
	struct users users = users_of(arena, view);

	json_open(json, "by_thread", '[');
	for (size_t i = 0; i < users.nr; i++) {
		struct use_row row = { arena, view, &users.items[i], NULL, 0 };

		json_open(json, NULL, '{');
		emit_members(json, &thread_fields, &row);
		emit_members(json, &use_fields, &row);
		misses_json(json, &row.user->misses);
		json_open(json, "arrays", '[');
		for (size_t k = 0; k < row.user->nr; k++) {
			row.cell = &row.user->cells[k];
			json_cell(json, &row);
		}
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

/* ------------------------------------------------------------------ CSV */

void threads_csv_columns(struct table *table, struct arena *arena)
{
	static const struct emit_list *const lists[] = { &thread_fields, &use_fields,
							 &misses_fields, &id_fields, NULL };

	emit_columns(table, arena, EMIT_CSV, lists);
}

static void csv_row(struct table *table, const struct use_row *row)
{
	emit_cells(table, EMIT_CSV, &thread_fields, row);
	emit_cells(table, EMIT_CSV, &use_fields, row);
	emit_cells(table, EMIT_CSV, &misses_fields,
		   row->cell ? &row->cell->misses : &row->user->misses);
	emit_cells(table, EMIT_CSV, &id_fields, row);
}

void threads_csv(struct table *table, struct arena *arena, const struct arrays_view *view,
		 size_t number)
{
	struct users users = users_of(arena, view);

	for (size_t i = 0; i < users.nr; i++) {
		struct use_row row = { arena, view, &users.items[i], NULL, number };

		csv_row(table, &row);
		for (size_t k = 0; k < row.user->nr; k++) {
			row.cell = &row.user->cells[k];
			csv_row(table, &row);
		}
	}
}
