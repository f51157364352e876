/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_FLOW_H
#define MEMSEARCH_CLONES_X86_64_FLOW_H

#include "ompt_tool/clones/x86_64/emission.h"

/*
 * Control flow of a copy: the last instruction of a block (flow.c, indirect.c), the edges to other
 * blocks (edge.c), and loops whose iterations are counted (counted_loops.c).
 */

/*
 * a counted loop, and the registers that determine its iterations; index CODE_NO_REGISTER: `base`
 * is a single one
 */
struct counting {
	struct record_counted row;
	uint8_t base, index;
};

/*
 * edge.c: loop events and moves of the cursor on the edge from one block (GRAPH_NONE: the entry) to
 * another
 */
bool edge_needed(const struct emission *e, uint32_t from, uint32_t to, uint8_t state);
void edge_write(struct emission *e, uint32_t from, uint32_t to, uint8_t state);
/*
 * Adds headers of the events of leaving loops to the open window. `to` GRAPH_NONE: the function is
 * left.
 */
void edge_events(struct emission *e, uint32_t from, uint32_t to);
void edge_lend(struct emission *e, uint8_t to);
void edge_store(struct emission *e, uint8_t from);

bool flow_holds(const struct emission *e, uint32_t block);
void flow_end(struct emission *e, uint32_t block);
void flow_to(struct emission *e, uint32_t from, uint32_t to, uint8_t state);
/* writes a conditional branch; returns its displacement */
unsigned char *flow_condition(struct emission *e, const struct code_instruction *in);
void flow_exit_behind(struct emission *e, const struct behind *behind);
void indirect_jump(struct emission *e, uint32_t block);
void indirect_call(struct emission *e, uint32_t block);
void indirect_missed_call_behind(struct emission *e, const struct behind *behind);
void indirect_miss_behind(struct emission *e, const struct behind *behind);
void indirect_tables(struct emission *e);

/*
 * counted_loops.c: counting_find while the window with all of a block's accesses is open; false: not a
 * counted loop. counting_branch after it is closed.
 */
bool counting_find(const struct emission *e, struct counting *out);
void counting_branch(struct emission *e, struct counting *counting);

#endif
