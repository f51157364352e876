/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_MISSES_H
#define MEMSEARCH_REPORT_MISSES_H

#include <stddef.h>

#include "analysis/record/run.h"

/*
 * What accesses miss on the modelled machine, in one execution of the phase: by data structure,
 * region and thread from the run's measurements, by source line from its accesses.
 */
struct arena;
struct emit_list;
struct json;

/* As struct run_misses (record/run_accesses.h), summed over several instructions. */
struct misses {
	double reads, writes; /* both 0: none was simulated */
	double missed[3];     /* by level; NAN: there is no such level */
	double cold, capacity, conflict, true_sharing, false_sharing;
	double local, remote, transfers, prefetched, prefetches, write_backs;
	double page_walks, fetched, used, cycles;
	/*
	 * lines of local and remote that instructions met along a constant stride within a page;
	 * NAN: not known
	 */
	double streamed;
};

static inline double misses_accesses(const struct misses *misses)
{
	return misses->reads + misses->writes;
}

/*
 * By data structure, all threads and regions together: [run->nr_arrays], in the arena; NULL: no
 * memory.
 */
struct misses *misses_by_array(struct arena *arena, const struct run *run);

/*
 * Values that are kept apart, without `streamed`; the rest is added up. A loop is part of its
 * construct, and a construct of those around it.
 */
enum misses_by {
	/* all that a thread accesses, also what is in no data structure */
	MISSES_BY_THREAD,
	MISSES_BY_THREAD_AND_ARRAY,
	/* each with what is inside of it; loops are left out */
	MISSES_BY_CONSTRUCT,
	MISSES_BY_CONSTRUCT_AND_THREAD
};

struct misses_row {
	uint32_t thread, array, region; /* UINT32_MAX where they are added up */
	struct misses of;
};

struct misses_rows {
	struct misses_row *items; /* by region, then by thread, then by array */
	size_t nr;
};

struct misses_rows misses_rows(struct arena *arena, const struct run *run, enum misses_by by);

/* Executions of the phase that were simulated. */
double misses_executions(const struct run *run);
/*
 * Half of the 95 % interval of the phase's lines from memory, as a part of these; NAN: none came
 * from there. 0: all lines were simulated.
 */
double misses_error(const struct run *run);
/* That only a sample of the lines was recorded, and the error of counts. */
const char *misses_sampled(struct arena *arena, const struct run *run);
/* 0 where sites have counts of their own, else NAN: what `streamed` begins with. */
double misses_no_streams(const struct run *run);
/*
 * Adds to `streamed`. Such lines a prefetcher can bring in time, whether the modelled machine has
 * one or not.
 */
void misses_add_streams(struct misses *to, const struct run_access *access, double executions);
/* Adds what one instruction missed in one of these, `streamed` too. */
void misses_add_access(const struct run *run, struct misses *to, const struct run_access *access,
		       double executions);

/*
 * "6.3 % of accesses in L1, 0.1 % in L2, 0 % in L3; 90 % cold; 25 % of the bytes fetched used; 12 %
 * of all waiting"; `waited`: the cycles of all. NULL: none was simulated.
 */
const char *misses_words(struct arena *arena, const struct misses *misses, double waited);
/* "simulated": {…} into an object; null where none was simulated. */
void misses_json(struct json *json, const struct misses *misses);
/* Of a struct misses: members of that object, and columns "simulated_…" of CSV. */
extern const struct emit_list misses_fields;

#endif
