/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_EMISSION_H
#define MEMSEARCH_CLONES_X86_64_EMISSION_H

#include "ompt_tool/clones/buffer.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/copy.h"
#include "ompt_tool/clones/copy_plan.h"
#include "ompt_tool/clones/word_buffer.h"
#include "ompt_tool/clones/x86_64/encode.h"
#include "ompt_tool/clones/x86_64/window.h"

/*
 * State of a function's copy while it is written. The layout is the original's; rarely executed
 * code follows:
 *
 *     entry │ block │ (edge) │ block …        │ slow paths of checks, edges of branches, exits
 *           └ check, events, probe, instruction, probe, instruction …
 */

enum behind_kind { BEHIND_CHECK, BEHIND_EDGE, BEHIND_EXIT, BEHIND_MISS, BEHIND_MISSED_CALL };

/* a piece of code to be written after the body */
struct behind {
	uint8_t kind; /* enum behind_kind */
	/* displacement that leads to it; NULL: an entry of a jump table does */
	unsigned char *field;
	uintptr_t field_run;
	uintptr_t back;      /* CHECK, MISS: where it continues */
	uint8_t cursor;      /* CHECK: register with the cursor */
	uint32_t from, to;   /* EDGE: blocks; EXIT: from */
	uint8_t state;       /* EDGE, EXIT: register with the cursor where it begins */
	uint32_t table_slot; /* EDGE of an indirect jump: entry of emission->slots */
	uint32_t instruction;
	uintptr_t target; /* EXIT */
};

/* an entry in the table of one indirect jump */
struct jump_slot {
	uintptr_t original;
	uint32_t to;
	uintptr_t copy;
};
/* unknown_from: loop; for jumps to unknown targets */
struct jump_table {
	uint32_t first_slot, nr_slots, bits;
	uint32_t unknown_from;
};
struct table_field {
	unsigned char *field;
	uintptr_t field_run;
	uint32_t table;
};
struct block_field {
	unsigned char *field;
	uintptr_t field_run;
	uint32_t block;
};

struct emission {
	struct arena *arena;
	const struct copy_request *request;
	const struct plan *plan;
	struct text *text;
	struct encoder out;
	struct copy *copy;
	const char *why; /* refused */
	/* original address of the refused instruction, or of the one being written */
	uintptr_t at;
	uint32_t block;    /* the block being written */
	uintptr_t *labels; /* by block: its address; 0: not written yet, or not at all */
	/* by block: number of its first site; the last entry is the total */
	uint32_t *first_sites;
	struct window window;
	uint32_t unchecked;    /* words since the last check in this block */
	uint32_t last_stretch; /* with accesses: its number */
	struct behind *behind;
	struct block_field *fields;
	struct jump_slot *slots;
	struct jump_table *tables;
	struct table_field *table_fields;
	size_t nr_table_fields, room_table_fields;
	size_t nr_behind, room_behind, nr_fields, room_fields, nr_slots, room_slots, nr_tables,
		room_tables;
	size_t room_after_calls, room_exits, room_within;
};

/* Points, refusals, growing lists. */
struct point emission_point(const struct emission *e, uint32_t instruction);
struct point emission_point_of_block(const struct emission *e, uint32_t block);
void emission_refuse(struct emission *e, const char *why, uintptr_t at);
struct operand emission_cursor(void); /* of the thread: fs:[…] */
struct behind *emission_behind(struct emission *e, uint8_t kind, uint32_t instruction);
void emission_exit(struct emission *e, uint32_t block, uint8_t kind, unsigned char *field,
		   uintptr_t target);
void emission_block_field(struct emission *e, unsigned char *field, uint32_t block);
static inline uintptr_t emission_field_run(const struct emission *e, const unsigned char *field)
{
	return e->text->run + (uintptr_t)(field - e->text->write);
}

/* buffer_check.c */
void check_buffer(struct emission *e, struct point point, uint8_t state, uint32_t instruction);
void check_buffer_behind(struct emission *e, const struct behind *behind);

/* Copies an instruction unchanged, with its RIP-relative operand adjusted to the same address. */
void copy_instruction(struct emission *e, uint32_t instruction);

#endif
