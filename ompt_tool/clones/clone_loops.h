/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CLONE_LOOPS_H
#define MEMSEARCH_CLONES_CLONE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* Natural loops of cloned functions, by number. Rows are constant but for what is atomic. */

/*
 * A block of a natural loop that is in no inner loop. `end_at`: its last instruction, if that is a
 * back edge or an exit; else 0.
 */
struct clone_loop_block {
	uintptr_t start, end, end_at;
};

/*
 * Numbers from 1, outer loops before those inside. A function that code calls has a row, too, around
 * its loops: its header is its begin, its block all of it.
 */
struct clone_loop {
	uintptr_t header, function;
	uint32_t parent, depth; /* parent 0: none */
	bool is_function;
	uint32_t nr_blocks;
	const struct clone_loop_block *blocks;
	/*
	 * Compilers create several loops of one source loop: vectorised, remainder, unswitched.
	 * `joined`: the first of these; `joined_parent`: the first of those around them (0: none).
	 * Set from debug information. Atomic; 0: not set yet.
	 */
	uint32_t joined, joined_parent;
};
const struct clone_loop *clone_loop(uint32_t number);
/*
 * `joined` is at most `number`, `joined_parent` below `joined`. One thread at a time, once for each
 * loop.
 */
void clone_loop_join(uint32_t number, uint32_t joined, uint32_t joined_parent);
uint32_t clone_nr_loops(void); /* highest number so far */

#endif
