/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_JUMP_TABLE_H
#define MEMSEARCH_CODE_JUMP_TABLE_H

#include "analysis/code/control_flow.h"

/*
 * Jump tables: how an architecture's compilers implement `switch`. Like decode.h, an interface of
 * an architecture's folder, for control_flow.c only.
 */
struct jump_table {
	uintptr_t address; /* of its first entry */
	/* number of reachable entries; 0: the code does not bound the index */
	uint32_t nr;
	uint8_t entry_bytes; /* 4 or 8 */
	bool is_signed;      /* entries shorter than 8 bytes are signed */
	uintptr_t base;      /* added to each entry */
};

/* Working memory by block, initially zeroed; reusable for any number of searches in one graph. */
struct table_scratch {
	uint32_t *seen, *stack;
	uint32_t search;
};

/*
 * The table of the indirect jump at the end of `block`, if the code before it determines it. Most
 * bounds of the index are found; compilers omit comparisons if they know the callers, and computed
 * jumps (GNU C) have none. Uses only the graph's blocks and predecessors, which may be incomplete.
 */
bool table_find(const struct graph *graph, uint32_t block, struct table_scratch *scratch,
		struct jump_table *out);

#endif
