/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_PAGES_H
#define MEMSEARCH_BASE_PAGES_H

#include <stddef.h>

/*
 * Takes some pages of a growing table of `bytes` bytes before the row of `row` bytes at `at` is written, when it is the first in
 * them, so that the page faults of that are none that the program's own counts have: those on behalf of a system call are no events
 * of perf. Rows come in order. Without effect before Linux 5.14. Any thread, callbacks allowed; errno is kept.
 */
void pages_ahead(void *table, size_t bytes, size_t at, size_t row);

/* Takes code, or data that is only read, of a file: the faults of running it for the first time are then none of the program's either. */
void pages_read_ahead(const void *start, size_t bytes);

#endif
