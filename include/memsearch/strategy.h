/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_STRATEGY_H
#define MEMSEARCH_STRATEGY_H

#include "memsearch/host.h"

/*
 * A search strategy (Gerndt & Kereku): two functions, the initial candidates and the refinement of
 * proven ones. A strategy is a shared object in lib/memsearch/strategies/ that exports one constant
 * named ms_strategy. All functions are called on one thread at a time.
 *
 * To add one: 1. analysis/search/strategies/NAME.c with `const struct ms_strategy ms_strategy`; 2.
 * nothing else, the Makefile and the loader find it.
 */
#define MS_STRATEGY_ABI 2u
#define MS_STRATEGY_SYMBOL "ms_strategy"

struct ms_strategy {
	uint32_t abi;        /* MS_STRATEGY_ABI */
	uint32_t size;       /* name for --strategy; same as the file's */
	const char *name;    /* as typed after --strategy; the file's name */
	const char *summary; /* one line */
	/* a paragraph for `memsearch list strategies`, without line ends */
	const char *describe;

	/* Returns the state of one search, which is passed to all other calls; NULL is allowed. */
	void *(*init)(const struct ms_host *host);
	/* Writes at most `room` candidates to `out`, returns how many there are. */
	size_t (*initial)(void *state, const struct ms_host *host, struct ms_candidate *out,
			  size_t room);
	/*
	 * `proven`: nodes proven true by the last step; empty if it proved none. Returns the next
	 * candidates. If it returns 0 for an empty `proven`, the search ends until a node is tested
	 * again or a new region is executed.
	 */
	size_t (*refine)(void *state, const struct ms_host *host, const uint32_t *proven,
			 size_t nr_proven, struct ms_candidate *out, size_t room);
	void (*fini)(void *state);
};

#endif
