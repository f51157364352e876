/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_TABLE_H
#define MEMSEARCH_CODE_TABLE_H

#include "ompt_tool/code/graph.h"

/*
 * Jump tables: how an architecture's compilers write `switch`. Like decode.h, this is what
 * graph.c asks of an architecture's folder, not for others.
 */
struct jump_table {
	uintptr_t address; /* of its first entry */
	/* entries that can be reached; 0: nothing in the code bounds the index */
	uint32_t nr;
	uint8_t entry_bytes; /* 4 or 8 */
	bool is_signed;      /* shorter entries */
	uintptr_t base;      /* added to each entry */
};

/* Room to walk in, by block, zeroed at first; serves any number of searches in one graph. */
struct table_scratch {
	uint32_t *seen, *stack;
	uint32_t search;
};

/*
 * The table behind the indirect jump at the end of `block`, if the code before it determines it, as
 * it does most bounds of the index: compilers leave out comparisons where they know the callers,
 * and computed jumps (GNU C) have none. Uses the graph's blocks and predecessors only, which may
 * still be incomplete.
 */
bool table_find(const struct graph *graph, uint32_t block, struct table_scratch *scratch,
		struct jump_table *out);

#endif
