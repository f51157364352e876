/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_WINDOW_H
#define MEMSEARCH_CLONES_X86_64_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/code/instruction.h"
#include "analysis/trace/stretches.h"

/*
 * A window is the part of a block for which the cursor is advanced once: words are stored relative
 * to the cursor while their registers hold the values, headers and the new cursor last. A register
 * that is dead at a point may be changed there. If none is dead, one is pushed below the red zone
 * for the duration of a few instructions of the probe (scope.h). `state`: register that holds the
 * cursor, or CODE_NO_REGISTER.
 */
struct counting;
struct emission;

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

void window_open(struct emission *e, uint8_t state);
void window_event(struct emission *e, enum record_event event, uint32_t subject);
/* The same of the function, where its entries and exits are recorded. */
void window_function(struct emission *e, enum record_event event);
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

#endif
