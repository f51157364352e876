/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded accesses and simulated misses by thread. */
#include "analysis/report/thread_use.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/array_use.h"
#include "analysis/report/arrays.h"
#include "analysis/report/json.h"
#include "analysis/report/misses.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define NOTABLE 0.01                     /* of what a thread moves, or waits for */
#define ARRAYS_MOST 4                    /* named for a thread */
#define NR(array) (sizeof(array) / sizeof(*(array)))

/* What one thread does to one array in one execution of the phase. */
struct cell {
	uint32_t array;
	double reads, writes, bytes;
	struct misses misses;
};

struct user {
	uint32_t thread;
	double reads, writes, bytes;         /* of all arrays */
	struct misses misses;                /* of all its accesses */
	struct cell *cells;                  /* that with the most waiting first, then that with the most bytes */
	size_t nr;
};

struct users { struct user *items; size_t nr; };

struct entry { uint32_t thread; struct cell cell; };

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

			(*out)[nr++] = (struct entry){ use->thread, { .array = i, .reads = use->reads, .writes = use->writes, .bytes = use->bytes } };
		}
	}
	for (size_t i = 0; i < rows.nr; i++)
		if (misses_accesses(&rows.items[i].of) > 0)
			(*out)[nr++] = (struct entry){ rows.items[i].thread, { .array = rows.items[i].array, .misses = rows.items[i].of } };
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
			users.items[users.nr++] = (struct user){ .thread = entries[i].thread, .cells = &cells[i] };
		add_cell(&users.items[users.nr - 1], &entries[i].cell);
	}
	for (size_t i = 0; i < users.nr; i++)
		sort(users.items[i].cells, users.items[i].nr, sizeof(*users.items[i].cells), heavier_cell);
	for (size_t i = 0; i < all.nr; i++) {
		struct user *user = user_of(&users, all.items[i].thread);

		if (user)
			user->misses = all.items[i].of;
	}
	return users;
}

/* ------------------------------------------------------------------ text */

static const char *name_of(struct arena *arena, const struct arrays_view *view, const struct cell *cell)
{
	return arrays_name(arena, view->run, &view->run->arrays[cell->array]);
}

/* "unew 40 %, p 30 %": of what the thread waits for or, where nothing is simulated, of what it moves. */
static const char *shares_of(struct arena *arena, const struct arrays_view *view, const struct user *user)
{
	bool waits = user->misses.cycles > 0;
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < user->nr && i < ARRAYS_MOST; i++) {
		double share = waits ? user->cells[i].misses.cycles / user->misses.cycles : user->bytes > 0 ? user->cells[i].bytes / user->bytes : 0;

		if (share < NOTABLE)
			continue;
		text_printf(&text, "%s%s ", text.length ? ", " : "", name_of(arena, view, &user->cells[i]));
		units_share(&text, share);
	}
	return text.length ? text.bytes : NULL;
}

static void row(struct table *table, struct arena *arena, const struct arrays_view *view, const struct user *user)
{
	table_number(table, user->thread);
	table_number(table, user->reads);
	table_number(table, user->writes);
	table_number(table, user->bytes);
	table_string(table, shares_of(arena, view, user));
	table_note(table, "misses", misses_words(arena, &user->misses, view->waited));
}

size_t threads_text(struct text *out, const struct arrays_view *view, size_t most)
{
	static const struct table_column columns[] = {
		{ "thread", "exact" }, { "reads", "1" }, { "writes", "1" }, { "moved", "bytes" }, { "arrays", NULL },
	};
	static const char *const waiting[] = { "thread", "reads", "writes", "moved", "waits for" };
	struct users users = users_of(out->arena, view);
	size_t shown = most && most < users.nr ? most : users.nr;
	struct table table;

	table_init(&table, out->arena, "threads", columns, NR(columns));
	table.headings = view->waited > 0 ? waiting : NULL;
	for (size_t i = 0; i < shown; i++)
		row(&table, out->arena, view, &users.items[i]);
	if (table.nr)
		table_print(out, &table, "text");
	return users.nr - shown;
}

/* ------------------------------------------------------------------ JSON */

static void json_cell(struct json *json, struct arena *arena, const struct arrays_view *view, const struct cell *cell)
{
	json_open(json, NULL, '{');
	json_string(json, "array", name_of(arena, view, cell));
	json_number(json, "reads", cell->reads);
	json_number(json, "writes", cell->writes);
	json_number(json, "bytes", cell->bytes);
	misses_json(json, &cell->misses);
	json_close(json);
}

void threads_json(struct json *json, struct arena *arena, const struct arrays_view *view)
{
	struct users users = users_of(arena, view);

	json_open(json, "by_thread", '[');
	for (size_t i = 0; i < users.nr; i++) {
		const struct user *user = &users.items[i];

		json_open(json, NULL, '{');
		json_unsigned(json, "thread", user->thread);
		json_number(json, "reads", user->reads);
		json_number(json, "writes", user->writes);
		json_number(json, "bytes", user->bytes);
		misses_json(json, &user->misses);
		json_open(json, "arrays", '[');
		for (size_t k = 0; k < user->nr; k++)
			json_cell(json, arena, view, &user->cells[k]);
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

/* ------------------------------------------------------------------ CSV */

void threads_csv_columns(struct table *table, struct arena *arena)
{
	static const struct table_column own[] = {
		{ "run", "1" }, { "thread", "1" }, { "array", NULL }, { "reads", "1" }, { "writes", "1" }, { "bytes", "bytes" },
	};
	size_t nr = NR(own);
	const struct table_column *columns = misses_columns(arena, own, &nr);

	table_init(table, arena, "threads", columns, nr);
}

static void csv_row(struct table *table, size_t number, uint32_t thread, const char *array, const struct cell *cell)
{
	table_number(table, (double)number);
	table_number(table, thread);
	table_string(table, array);
	table_number(table, cell->reads);
	table_number(table, cell->writes);
	table_number(table, cell->bytes);
	misses_cells(table, &cell->misses);
}

void threads_csv(struct table *table, struct arena *arena, const struct arrays_view *view, size_t number)
{
	struct users users = users_of(arena, view);

	for (size_t i = 0; i < users.nr; i++) {
		const struct user *user = &users.items[i];
		const struct cell all = { .reads = user->reads, .writes = user->writes, .bytes = user->bytes, .misses = user->misses };

		csv_row(table, number, user->thread, NULL, &all);
		for (size_t k = 0; k < user->nr; k++)
			csv_row(table, number, user->thread, name_of(arena, view, &user->cells[k]), &user->cells[k]);
	}
}
