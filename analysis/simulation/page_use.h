/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_PAGE_USE_H
#define MEMSEARCH_SIMULATION_PAGE_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages of the modelled machine: which node each is on, and which nodes' threads get how many lines of it from memory, by accesses and by prefetches. */
struct arena;
struct machine_model;
struct simulation;

struct page_use {
	uint64_t address;                /* of the program; the first byte of the page that is in a block */
	uint32_t array, home;            /* number of the run's array, or RUN_ARRAY_NONE; the node it is on */
	uint64_t *lines;                 /* by node */
};

struct page_uses {                       /* zeros: none */
	uint32_t nodes;
	uint64_t page_bytes;
	size_t nr, room;
	struct page_use *rows;           /* by array, then by address, after page_uses_sort */
	const struct machine_model *model;       /* of the nodes; the caller's of simulate */
};

/* What was simulated since the last clear; in the arena. False: no memory. */
bool page_uses_add(struct page_uses *uses, struct arena *arena, struct simulation *simulation, uint32_t nodes, uint64_t page_bytes);
/* By array, then by address; rows of one page become one. */
void page_uses_sort(struct page_uses *uses);
/* The node whose threads get most lines; the lower one of two that get as many. */
uint32_t page_use_most(const struct page_uses *uses, const struct page_use *use);

#endif
