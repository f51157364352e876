/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_RANKING_H
#define MEMSEARCH_NUMA_RANKING_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/numa/sites.h"
#include "analysis/record/run.h"

/*
 * Data structures by the lines that they get from the memory of other nodes of the modelled
 * machine: from which nodes' threads to which memory, who touched them first, how they are used,
 * and what to change. Not here: how that is printed (print.h).
 */
struct arena;
struct arrays_view;
struct numa_measured;
struct numa_writes;
struct page_uses;
struct touch_group;
struct touched_pages;

/* How an array is used by the nodes. */
/* clang-format off */
#define NUMA_PATTERN_LIST(X) \
	X(ONE_NODE, "one_node", "used from one node") \
	X(PRIVATE_BLOCKS, "private_blocks", "private blocks: each node uses a part of its own") \
	X(BLOCK_CYCLIC, "block_cyclic", "block-cyclic: nodes use many small parts in turns") \
	X(ONE_WRITER, "one_writer", "one thread writes what other nodes read") \
	X(READ_ONLY_SHARED, "read_only_shared", "read-only, shared by nodes") \
	X(IRREGULAR, "irregular", "irregular: nodes read and write the same pages") \
	X(FEW_LINES, "unknown", "not known: fewer than 64 of its lines come from memory")
/* clang-format on */

#define NUMA_LINES_LEAST 64 /* a page has as many: of fewer lines no pattern is judged */

enum numa_pattern {
#define X(id, name, words) NUMA_##id,
	NUMA_PATTERN_LIST(X)
#undef X
		NUMA_PATTERNS
};
const char *numa_pattern_name(enum numa_pattern pattern); /* for programs */
const char *numa_pattern_words(enum numa_pattern pattern);

struct numa_array {
	uint32_t array; /* number in the run */
	/* from memory, in the simulated execution: all, and those of other nodes */
	uint64_t lines, remote;
	/* lines by [node of the thread * nodes + node of the page] */
	const uint64_t *matrix;
	/*
	 * parts of all cycles that accesses wait, if none overlapped: its own, and those for other
	 * nodes' memory; NAN: not known
	 */
	double stalls, remote_stalls;
	/* remote part of its accesses to memory by address samples of this machine; NAN: none */
	double sampled;
	enum numa_pattern pattern;
	size_t first_page, nr_pages;     /* its rows of the page_uses */
	const struct touch_group *touch; /* most of its first touches; NULL: not known */
	struct numa_sites sites;         /* its pages by the line of their first touch */
	/* "init.c:12": of these, and of the construct that uses it most; NULL: not known */
	const char *touched, *used;
	const char *advice;
};

struct numa_ranking {
	const struct run *run;
	const struct page_uses *uses;
	const struct arrays_view *view;
	const struct touched_pages *touched;
	uint64_t lines, remote; /* of all memory */
	/* where the kernel had the pages; NULL: no record of that */
	const struct numa_measured *measured;
	/* pages that the phase wrote; NULL: not requested */
	const struct numa_writes *writes;
	size_t nr;
	struct numa_array *arrays; /* most remote lines first */
};

/* NULL: no memory. In the arena; points to run and uses, which are sorted. */
const struct numa_ranking *numa_ranking(struct arena *arena, const struct run *run,
					const struct page_uses *uses);

#endif
