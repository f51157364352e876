/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_DECODING_H
#define MEMSEARCH_ACCESSES_DECODING_H

#include <stdbool.h>

#include "analysis/counting/access_table.h"
#include "analysis/trace/stream.h"
#include "ompt_tool/accesses/access_repeats.h"

/*
 * From the words of a thread's buffer (clones/record.h) to what is kept or counted of them: whole
 * stretches, and loops whose words go on by constant amounts as one entry each, counted loops
 * (RECORD_COUNTED) among them.
 *
 *     words ──▶ │ stretches … │ again: times, words, amounts │ stretches … │ ──▶ trace, table
 *
 * One thread at a time; zeros at first. No malloc, callbacks allowed.
 */
struct decoding {
	struct access_table *table;  /* where they are counted … */
	bool passing;                /* … but for these */
	struct trace_stream *stream; /* where they are kept; NULL: nowhere */
	size_t done;                 /* of the words under way, those that went there */
	uint64_t before;             /* array_time() when the last words were decoded */
	struct repeats repeats;
};

/* Whole stretches, but for what a signal handler put between them. */
void decode(struct decoding *decoding, const uint64_t *words, size_t nr);

/* The arrays and loops of this process. */
extern const struct access_world decoding_world;

#endif
