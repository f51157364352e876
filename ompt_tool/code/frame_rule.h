/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_FRAME_RULE_H
#define MEMSEARCH_CODE_FRAME_RULE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where a frame's canonical frame address (CFA) is at each instruction of a function, by its call
 * frame information (DWARF 5, 6.4). The return address is in the word below the CFA (psABI x86-64
 * 1.0, table 3.36). Registers are numbered as in code.h. Any thread.
 */
struct cfi;

struct frame_rule {
	/*
	 * the CFA is this register + offset; CODE_NO_REGISTER: computed by an expression, or
	 * unknown
	 */
	uint8_t base;
	int64_t offset;
	/* there is no return address: a process or thread begins here */
	bool outermost;
	bool pointer_saved; /* the caller's frame pointer (rbp) is in memory, at … */
	/* … the CFA + pointer_at; unknown if `base` is CODE_NO_REGISTER */
	int64_t pointer_at;
};

enum { FRAME_RULES_REMEMBERED = 8 }; /* nested DW_CFA_remember_state; compilers use one */

struct frame_rules {
	const struct cfi *cfi;
	const unsigned char *next, *end; /* instructions that are not executed yet */
	uint64_t location;               /* offset in the function from which `now` holds … */
	uint64_t until;                  /* … to here at least */
	struct frame_rule now, initial, remembered[FRAME_RULES_REMEMBERED];
	unsigned int nr_remembered;
	/* an instruction was not understood: no rule holds from there on */
	bool unknown;
};

/* At the function's first instruction; `cfi` outlives the rules. */
void frame_rules_begin(struct frame_rules *rules, const struct cfi *cfi);
/* The rule at an offset in the function; offsets ascend from call to call. */
struct frame_rule frame_rules_at(struct frame_rules *rules, uint64_t offset);

#endif
