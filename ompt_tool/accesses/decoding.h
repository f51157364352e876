/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_DECODING_H
#define MEMSEARCH_ACCESSES_DECODING_H

#include <stdbool.h>

#include "analysis/counting/access_table.h"
#include "analysis/trace/stream.h"
#include "ompt_tool/accesses/access_repeats.h"
#include "ompt_tool/accesses/page_counts.h"

/*
 * Decodes the words of a thread's buffer (clones/word_buffer.h) and passes them to the trace, to the
 * table of counts and, for trials, to the counts of pages: single stretches as they are, and loops
 * whose words have constant strides as one entry each, including counted loops (RECORD_COUNTED).
 *
 *     words ──▶ │ stretches … │ again: times, words, amounts │ stretches … │ ──▶ trace, table, pages
 *
 * One thread at a time; zero-initialised. No malloc, callbacks allowed.
 */
struct decoding {
	struct access_table *table;  /* destination of counts … */
	bool passing;                /* … not counted while true */
	struct trace_stream *stream; /* destination of the trace; NULL: none */
	struct page_counter *pages;  /* NULL: pages are not counted */
	size_t done;                 /* number of words of the current buffer already passed on */
	uint64_t before;             /* array_time() when the last words were decoded */
	struct repeats repeats;
};

/* `words` are whole stretches, except where a signal handler wrote between them. */
void decode(struct decoding *decoding, const uint64_t *words, size_t nr);

/* Arrays and loops of this process. */
extern const struct access_world decoding_world;

#endif
