/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PAGE_SOURCE_LINES_H
#define MEMSEARCH_PAGE_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/record/run.h"

/* Time, bytes and misses by source line, and the text around these lines. */
struct access_groups;
struct arena;
struct json;

struct page_lines_options {
	size_t lines, source_lines; /* at most: lines with numbers, lines of text */
	bool brief;                 /* no text is read */
};

/* "lines", "times", "sources" into the open object. */
void page_lines(struct json *json, struct arena *arena, const struct run *run,
		const struct access_groups *groups, const struct page_lines_options *options);

#endif
