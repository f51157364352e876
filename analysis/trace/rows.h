/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_ROWS_H
#define MEMSEARCH_TRACE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/stretches.h"

/*
 * The rows that record_stretch and record_site find, as clones are made or read back. They are in blocks that never move, so that any
 * thread reads them without a lock. One thread at a time writes.
 */

/* Number of the new stretch, from 1; 0: no memory. Its sites are those added just before. */
uint32_t rows_stretch(const struct record_stretch *stretch);
/* Number of the new site; UINT32_MAX: no memory. */
uint32_t rows_site(const struct record_site *site);
/* Number of the new counted loop; UINT32_MAX: no memory. */
uint32_t rows_counted(const struct record_counted *counted);
/* For more kinds of rows. Room for the one that `rows->nr` will count next, NULL: no memory; it is complete: its number. */
void *rows_room(struct record_rows *rows, size_t row_bytes);
uint32_t rows_publish(struct record_rows *rows);

#endif
