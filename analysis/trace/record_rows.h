/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_RECORD_ROWS_H
#define MEMSEARCH_TRACE_RECORD_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/stretch_rows.h"

/*
 * Adds the rows that record_stretch and record_site return: of new clones, or read from a record.
 * Rows never move, so any thread reads them without a lock. One writer at a time.
 */

/* Number of the new stretch, from 1; 0: no memory. Its sites are the ones added last. */
uint32_t record_rows_add_stretch(const struct record_stretch *stretch);
/* Number of the new site; UINT32_MAX: no memory. */
uint32_t record_rows_add_site(const struct record_site *site);
/* Number of the new counted loop; UINT32_MAX: no memory. */
uint32_t record_rows_add_counted(const struct record_counted *counted);
/*
 * For other kinds of rows: space for the next row, NULL: no memory; publishes it when complete, and
 * returns its number.
 */
void *record_rows_reserve(struct record_rows *rows, size_t row_bytes);
uint32_t record_rows_publish(struct record_rows *rows);

#endif
