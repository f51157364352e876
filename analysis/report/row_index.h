/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ROW_INDEX_H
#define MEMSEARCH_REPORT_ROW_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Rows of a run's table by a number in each, such as their region: those of number k are
 * rows[first[k]] to rows[first[k + 1] - 1], in the order of the table. Rows with a number out of
 * range are left out.
 */
struct arena;

struct row_index {
	const uint32_t *rows, *first;
};

/* `at`: of the uint32_t in a row of `size` bytes. False: no memory. */
bool row_index_init(struct row_index *index, struct arena *arena, const void *table, size_t nr,
		    size_t size, size_t at, size_t numbers);

#endif
