/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_FINDING_H
#define MEMSEARCH_REPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * Titles, places and intervals of a finding, for all formats. Indices that point nowhere (a damaged
 * record) are treated as absent.
 */
struct arena;

/*
 * The property in a short phrase; without one its name taken apart: "LoadImbalance" -> "load
 * imbalance".
 */
const char *finding_title(struct arena *arena, const struct run_node *node);
/* ", during 'interval 3'", "" where it is about the whole run or phase. */
const char *finding_during(struct arena *arena, const struct run *run, const struct run_node *node);
/* The proven nodes this one refines, outermost first. */
size_t finding_chain(struct arena *arena, const struct run *run, const struct run_node *node,
		     const uint32_t **out);
/*
 * Where in the code: the region itself, or the one that uses its data structure; NULL: no such
 * region.
 */
const struct run_region *finding_region(const struct run *run, const struct run_node *node);
/*
 * The construct whose code a loop, function or data structure is part of; any other region is that
 * itself. NULL: none.
 */
const struct run_region *finding_construct(const struct run *run, const struct run_region *region);
/* The nearest region around that is no called function, itself included; MS_REGION_NONE: none. */
uint32_t finding_outside_functions(const struct run *run, uint32_t region);
/*
 * Number of the data structure that a region directly below a construct is; UINT32_MAX: none. Those
 * below loops and functions are parts of it, and would count twice.
 */
uint32_t finding_array_of_construct(const struct run *run, uint32_t region);
/* The data structure it is about; NULL: none, or it is not known. */
const struct run_array *finding_array(const struct run *run, uint32_t region);
/* Where, for people: "loop in calc2 (swim.c:354)", "serial code between … and … (in main)". */
const char *finding_place(struct arena *arena, const struct run *run, uint32_t region);
/*
 * The functions that lead to a region, outermost first, its own last; "?" for one without a name. A
 * region inside of another has the path of that one. 0: nothing is known.
 */
size_t finding_functions(struct arena *arena, const struct run *run, uint32_t region,
			 const char *const **out);
/* The same as "main -> calc2"; NULL. */
const char *finding_path(struct arena *arena, const struct run *run, uint32_t region);
/* The same without its own function, for a sentence that names it; NULL: nothing is left. */
const char *finding_callers(struct arena *arena, const struct run *run, uint32_t region);
/* "3, 4, 7"; NULL where it is not about single threads. */
const char *finding_threads(struct arena *arena, const struct run_node *node);
/*
 * The NUMA nodes it is about, worst first: "1, 3"; NULL where it is not about single ones, or there
 * is one node.
 */
const char *finding_numa_nodes(struct arena *arena, const struct run *run,
			       const struct run_node *node);
/*
 * NUMA nodes a finding names, else those of the threads it names (places.h), ascending, each once;
 * returns how many. 0: it names neither, the machine has one node, or not every one of them is
 * known. finding_threads_nodes: the threads, with the nodes these are on, "3, 4 (on NUMA node 1)".
 */
size_t finding_nodes(struct arena *arena, const struct run *run, const struct run_node *node,
		     const uint32_t **out);
const char *finding_threads_nodes(struct arena *arena, const struct run *run,
				  const struct run_node *node);
/* Regions around one, outermost first, itself last: the way from the phase down to it. */
size_t finding_regions(struct arena *arena, const struct run *run, uint32_t region,
		       const uint32_t **out);
/*
 * Part of all threads' time in the barriers that close outermost parallel regions; from
 * FINDING_WAITS_LEAST on reports say so.
 */
#define FINDING_WAITS_LEAST 0.2
double finding_closing_waits(const struct run *run);
/* The region's part of all threads' time; NAN where it was not measured. */
double finding_time_share(const struct run *run, uint32_t region);
/* The same of all: [run->nr_regions], in the arena; NULL: no memory. */
const double *finding_time_shares(struct arena *arena, const struct run *run);
/* A called function's part of the clock samples of its construct; NAN: it has none. */
double finding_sample_share(const struct run *run, uint32_t region);
/* What is found of the whole phase, and the node refines for a place in it; NULL: nothing. */
const struct run_node *finding_whole(const struct run *run, const struct run_node *node);
/* Whether the bounds of its severity, low and high, are known. */
bool finding_interval(const struct run_node *node);
/* How the interval of its severity was computed, and from how many experiments, in words. */
const char *finding_uncertainty(struct arena *arena, const struct run_node *node);
/* "after 12 of 396 executions, 4.0 s into 13.8 s": when its state was reached; NULL: not known. */
const char *finding_reached(struct arena *arena, const struct run *run,
			    const struct run_node *node);
/* The evidence called "rate", which --severity rate shows instead of the share of time; NULL. */
const struct ms_reading *finding_rate(const struct run_node *node);

/*
 * The share of the phase's time in which at least one value was read; 1 without a phase, NAN where
 * not known.
 */
double finding_phase_read(const struct run *run);

/* Something that was not measured. `share` of the run, NAN where not known. */
struct unseen {
	const char *what, *why;
	double share;
};
/* Of one run, in the arena, worst first as far as that is known. */
size_t unseen_of(struct arena *arena, const struct run *run, const struct unseen **out);

/*
 * What was dropped, with how often and the function it is about: "3 calls in recorded code to pow
 * (libm.so.6)".
 */
const char *finding_dropped(struct arena *arena, const struct run *run,
			    const struct run_dropped *dropped);

/* False: the record ends before anything of the run, so that its 0 mean nothing. */
bool report_has_begin(const struct run *run);
/* Measuring was limited, and took more than the limit. */
bool report_passed_limit(const struct run *run);
/* The program as it is shown: without its folder in brief output. */
const char *report_program(const struct run *run, bool brief);

#endif
