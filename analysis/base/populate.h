/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_POPULATE_H
#define MEMSEARCH_BASE_POPULATE_H

#include <stddef.h>

/*
 * Populates the next pages of a growing table of `bytes` bytes before the row of `row` bytes at
 * `at` is written, if it is the first in them. So the table causes no page faults in the program's
 * own counts: faults inside a system call are no perf events. Rows come in order. No effect before
 * Linux 5.14. Any thread, callbacks allowed; errno is kept.
 */
void pages_ahead(void *table, size_t bytes, size_t at, size_t row);

/* The same for code or read-only data of a file, which then cause no faults at first use. */
void pages_read_ahead(const void *start, size_t bytes);

#endif
