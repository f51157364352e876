/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_COUNT_GRAPH_H
#define MEMSEARCH_SEARCH_COUNT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The function count graph of Deep Start (Roth & Miller, EuroPar 2002): places of the code (regions
 * or functions, by number) with the number of stack samples that contain them, the calls that were
 * observed, and the choice of deep starters. It does not know where stacks come from
 * (deep_starters.h counts regions). Samples direct a search, they prove nothing.
 *
 *     samples A>B>C>D, A>E>C>D, A>F>D, A>F>G        A4 B1 E1 F2 C2 D3 G1
 *
 *  - Recursion: a place counts once per sample, however often it is on the stack.
 *  - Count tree: each place has its samples in total, by NUMA node and by thread.
 *  - Depth: the largest number of different places that were seen above its outermost occurrence in
 *    one stack. It needs no acyclic graph: every stack is finite.
 *
 * Linked into strategies, which run in the user's program: all memory is that of its owner. One
 * thread at a time.
 */
#define COUNT_GRAPH_NONE UINT32_MAX
#define COUNT_GRAPH_ANY UINT32_MAX /* every NUMA node, every thread */

struct count_graph;

/* Zeroed memory, owned by who gives it; NULL: none. It has to outlive the graph. */
struct count_memory {
	void *(*allocate)(void *ctx, size_t bytes);
	void *ctx;
};

struct count_graph *count_graph_new(const struct count_memory *memory); /* NULL: no memory */
/* Forgets all samples and keeps the memory. */
void count_graph_clear(struct count_graph *graph);

/*
 * Adds `samples` samples of one thread with this stack, outermost place first. A mean over
 * executions need not be whole. False: no memory, or no stack; the sample may count in part.
 */
bool count_graph_add(struct count_graph *graph, const uint32_t *stack, size_t depth,
		     uint32_t thread, double samples);
/* The thread runs on this NUMA node; unknown by default. False: no memory. */
bool count_graph_bind(struct count_graph *graph, uint32_t thread, uint32_t node);

/* Samples of these threads only. */
struct count_focus {
	uint32_t node, thread; /* or COUNT_GRAPH_ANY */
};
double count_graph_total(const struct count_graph *graph, struct count_focus focus);
/* 0: the place is in no sample */
double count_graph_count(const struct count_graph *graph, uint32_t place, struct count_focus focus);
/* 0: outermost, or in no sample */
uint32_t count_graph_depth(const struct count_graph *graph, uint32_t place);

struct count_choice {
	struct count_focus focus;
	/* part of the samples of `focus`, 0 to 1 */
	double threshold;
	/* only places that were called from this one, directly or not; COUNT_GRAPH_NONE: all */
	uint32_t below;
	/* which places may be chosen; those between them connect them all the same. NULL: all */
	bool (*is_eligible)(void *ctx, uint32_t place);
	void *ctx;
};
/*
 * Deep starters: the places at or above the threshold form subgraphs, connected by calls in either
 * direction. Of each the deepest place; among equally deep ones that with most samples, then the
 * smallest number. Writes at most `room`, returns how many there are; 0 without samples.
 */
size_t count_graph_choose(struct count_graph *graph, const struct count_choice *choice,
			  uint32_t *out, size_t room);
/*
 * Connecting places: those between `from` and `to` on a shortest path of calls, in this order; of
 * several shortest paths the one whose places have most samples, chosen from `to` upwards. Writes
 * at most `room`, returns how many there are; 0: none are needed, or there is no path.
 */
size_t count_graph_path(struct count_graph *graph, uint32_t from, uint32_t to, uint32_t *out,
			size_t room);

#endif
