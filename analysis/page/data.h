/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PAGE_DATA_H
#define MEMSEARCH_PAGE_DATA_H

#include <stddef.h>

#include "analysis/record/run.h"

/*
 * What the page draws and memsearch-report-1 does not have: arrays by loops, source lines, threads
 * by regions, first touches, questions of the search. Not a contract: only page.js reads it.
 */
struct arena;
struct json;

/* Rows of each table at most; those that cost most stay. */
struct page_caps {
	size_t arrays, loops, lines, regions, threads, findings, questions, source_lines;
};

/*
 * The run with `caps->findings` proven questions at most; the others are discontinued. The rest of
 * it is shared. NULL: no memory.
 */
const struct run *page_reduced(struct arena *arena, const struct run *run,
			       const struct page_caps *caps);

/* An object, into the open list of `json`. `brief`: without source text. */
void page_data(struct json *json, struct arena *arena, const struct run *run,
	       const struct page_caps *caps, bool brief);

#endif
