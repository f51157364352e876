/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ACCESSES_H
#define MEMSEARCH_REPORT_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/* What recorded code does to the data structures of a run, in words. For `memsearch arrays`. */
struct arena;
struct json;
struct text;

/* Accesses to one array from one source line of one region; all numbers are of one execution of the region. */
struct access_group {
	uint32_t array, region;              /* array RUN_ARRAY_NONE: in none of the arrays */
	const struct source *source;
	double reads, writes;                /* values */
	double bytes;
	double stride;                       /* of most of its instructions' values; 0: none */
	double with_stride;                  /* part of the values that keep to it */
	double least, most;                  /* values of the thread with the fewest and the most, summed over instructions */
	uint32_t threads;
};

/* By array, the one with the most values first, and in it the line with the most first; in the arena. Returns how many. */
size_t access_groups(struct arena *arena, const struct run *run, const struct access_group **out);

/* A table, and a sentence on what it rests on; nothing where nothing was recorded. `most` lines of an array; 0: all. */
void accesses_text(struct text *out, const struct run *run, size_t most);
/* "accesses": [...] and "sharing": [...] into the object of a run. */
void accesses_json(struct json *json, struct arena *arena, const struct run *run);

#endif
