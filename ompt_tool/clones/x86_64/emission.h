/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_EMISSION_H
#define MEMSEARCH_CLONES_X86_64_EMISSION_H

#include "ompt_tool/clones/buffer.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/copy.h"
#include "ompt_tool/clones/copy_plan.h"
#include "ompt_tool/clones/word_buffer.h"
#include "ompt_tool/clones/x86_64/encode.h"

/*
 * State of a function's copy while it is written. The layout is the original's; rarely executed
 * code follows:
 *
 *     entry │ block │ (edge) │ block …        │ slow paths of checks, edges of branches, exits
 *           └ check, events, probe, instruction, probe, instruction …
 *
 * A window is the part of a block for which the cursor is advanced once: words are stored relative
 * to the cursor while their registers hold the values, headers and the new cursor last. A register
 * that is dead at a point may be changed there. If none is dead, one is pushed below the red zone
 * for the duration of a few instructions of the probe.
 */
enum { WINDOW_WORDS = 900, WINDOW_ACCESSES = 200, WINDOW_HEADERS = 64, WINDOW_SUMS = 16 };

/* registers and flags that may be changed without saving them */
struct point {
	uint16_t dead;
	bool flags_dead;
};

/* an access of the window */
struct pending {
	uint32_t instruction;
	struct code_access access; /* with an absolute displacement instead of RIP */
	struct record_site site;
	bool captured;     /* its words are stored */
	bool left_to_come; /* all words but left_word are stored */
};

/* displacement: the stored word minus the present sum */
struct sum {
	uint8_t base, index, scale, segment;
	bool address_32;
	uint16_t word;
	int64_t displacement;
};

struct window {
	uint32_t words; /* of it, so far */
	struct {
		uint32_t word, stretch;
	} headers[WINDOW_HEADERS];
	uint32_t nr_headers;
	/* room for WINDOW_ACCESSES; in the order of instructions */
	struct pending *accesses;
	uint32_t nr_accesses;
	uint32_t passed;   /* number of those before the last instruction */
	uint32_t complete; /* this number of accesses, from the first on, have all their words */
	uint32_t header;   /* word of the stretch that has the accesses */
	uint16_t raw[16];  /* word that holds this register's present value; 0: none */
	/*
	 * increase of the register since it was stored (steps), or its decrease at the time of
	 * storing (the stack pointer in a scope)
	 */
	int64_t raw_shift[16];
	/* words with sums of present register values; word 0: none */
	struct sum sums[WINDOW_SUMS];
	uint32_t nr_sums;   /* stored so far: the oldest are replaced */
	uint8_t cursor;     /* register with the cursor; CODE_NO_REGISTER: none */
	bool cursor_pinned; /* … for the whole loop */
	bool hold;          /* more words follow after all accesses are captured */
};

/* one probe: registers it may use until its end */
struct scope {
	uint8_t cursor, scratch; /* CODE_NO_REGISTER: none */
	uint8_t pushed[2];
	unsigned int nr_pushed;
	int32_t shift; /* bytes by which the stack pointer is lowered */
};

/*
 * a counted loop, and the registers that determine its iterations; index CODE_NO_REGISTER: `base`
 * is a single one
 */
struct counting {
	struct record_counted row;
	uint8_t base, index;
};

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

/* emission.c: points, refusals, growing lists */
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

/* window.c. `state`: register that holds the cursor, or CODE_NO_REGISTER. */
void window_open(struct emission *e, uint8_t state);
void window_event(struct emission *e, enum record_event event, uint32_t subject);
/*
 * Announces the accesses of instructions [first, end), as many as a window holds; returns the end
 * of those announced.
 */
uint32_t window_accesses(struct emission *e, uint32_t first, uint32_t end);
/* Writes the probe before an instruction; advances the cursor as soon as the window is complete. */
void window_probe(struct emission *e, uint32_t instruction);
/*
 * After an instruction: invalidates words of registers it wrote; stores the registers left by
 * repeated instructions.
 */
void window_passed(struct emission *e, uint32_t instruction);
/* Events with words of their own: registers as they are at the point. */
void window_range(struct emission *e, struct point point, bool copies);
void window_left(struct emission *e, struct point point, uintptr_t target);
void window_counted(struct emission *e, struct point point, const struct counting *counting,
		    uint32_t number);
void window_close(struct emission *e, struct point point);

/* scope.c */
struct scope scope_begin(struct emission *e, struct point point, bool needs_scratch,
			 uint16_t avoid);
void scope_end(struct emission *e, const struct scope *scope);

/* buffer_check.c */
void check_buffer(struct emission *e, struct point point, uint8_t state, uint32_t instruction);
void check_buffer_behind(struct emission *e, const struct behind *behind);

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

/* flow.c, indirect.c: the last instruction of a block */
bool flow_holds(const struct emission *e, uint32_t block);
void flow_end(struct emission *e, uint32_t block);
void flow_to(struct emission *e, uint32_t from, uint32_t to, uint8_t state);
/* writes a conditional branch; returns its displacement */
unsigned char *flow_condition(struct emission *e, const struct code_instruction *in);
void flow_exit_behind(struct emission *e, const struct behind *behind);
void indirect_jump(struct emission *e, uint32_t block);
void indirect_call(struct emission *e, uint32_t block);
void indirect_miss_behind(struct emission *e, const struct behind *behind);
void indirect_missed_call_behind(struct emission *e, const struct behind *behind);
void indirect_tables(struct emission *e);

/*
 * counted_loops.c: counting_find while the window with all of a block's accesses is open; false: not a
 * counted loop. counting_branch after it is closed.
 */
bool counting_find(const struct emission *e, struct counting *out);
void counting_branch(struct emission *e, struct counting *counting);

/* Copies an instruction unchanged, with its RIP-relative operand adjusted to the same address. */
void copy_instruction(struct emission *e, uint32_t instruction);

#endif
