/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_REGION_USE_H
#define MEMSEARCH_REPORT_REGION_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/report/misses.h"

/*
 * What each region moves between the caches of the modelled machine and memory, in which time on
 * this one, what part that is of what memory delivers, and what hardware counted of the same. For
 * `memsearch arrays --by region`.
 */
struct arena;
struct json;
struct table;
struct text;

struct region_use {
	uint32_t region;      /* a construct, with what is inside of it */
	uint32_t threads;     /* that access anything there */
	struct misses misses; /* of all threads, in one execution of the phase */
	/*
	 * bytes from and to memory, what prefetchers bring included; NAN: the length of its lines
	 * is not known
	 */
	double read, written;
	/*
	 * ns, of the thread that spends most there in one execution of the phase, as it runs here;
	 * NAN: not measured
	 */
	double time;
	/* read by time, bytes/s; NAN: one of them is not known */
	double rate;
	/* bytes/s that so many threads can read, by the calibration; NAN: not known … */
	double attainable;
	const char *why; /* … for this reason; NULL: it is known */
	double recorded; /* part of its time in recorded code; NAN: not known */
};

/*
 * Those with simulated accesses, that with the most waiting first; without constructs that are one
 * inner construct and nothing else.
 */
size_t region_uses(struct arena *arena, const struct run *run, const struct region_use **out);

/*
 * What hardware counted in a region and what was simulated there, by all threads in one execution
 * of the phase.
 */
struct counted_pair {
	uint32_t region, metric; /* the hardware's metric */
	double counted, simulated;
};
size_t counted_pairs(struct arena *arena, const struct run *run, const struct counted_pair **out);

/*
 * A table of at most `most` rows (0: all), and what was counted against what was simulated. Returns
 * how many rows were left out.
 */
size_t regions_text(struct text *out, const struct run *run, double waited, size_t most);
/* "by_region": [...] into the object of a run. */
void regions_json(struct json *json, struct arena *arena, const struct run *run);
void regions_csv_columns(struct table *table, struct arena *arena);
void regions_csv(struct table *table, struct arena *arena, const struct run *run, size_t number);

#endif
