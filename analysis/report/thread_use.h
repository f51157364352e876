/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_THREAD_USE_H
#define MEMSEARCH_REPORT_THREAD_USE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What each thread does to the data structures in recorded code, and what that misses. For
 * `memsearch arrays --by thread`.
 */
struct arena;
struct arrays_view;
struct json;
struct table;
struct text;

/*
 * A table in one execution of the phase, at most `most` rows (0: all). Returns how many were left
 * out.
 */
size_t threads_text(struct text *out, const struct arrays_view *view, size_t most);
/* "by_thread": [...] into the object of a run. */
void threads_json(struct json *json, struct arena *arena, const struct arrays_view *view);
/* One row for each thread and array, and one of array NULL for all that the thread accesses. */
void threads_csv_columns(struct table *table, struct arena *arena);
void threads_csv(struct table *table, struct arena *arena, const struct arrays_view *view,
		 size_t number);

#endif
