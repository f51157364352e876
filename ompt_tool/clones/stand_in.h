/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_STAND_IN_H
#define MEMSEARCH_CLONES_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/clones/switching.h"

/*
 * Code that stands between the program and an entry of the runtime, and exchanges the functions among the arguments:
 *
 *     program ─call *slot▶ stand-in n ─▶ stand_in_pass(n, arguments) ─▶ translate(function)
 *                                 └──── jumps on, with all other registers and the stack as they were ─▶ entry
 *
 * Since it jumps, the runtime sees the program's return address, and a variable number of arguments does not
 * matter. There is a fixed number of them in our own text, handed out on demand and never taken back, because the
 * program may hold the address of one in a register; so no executable memory is made.
 */
struct runtime_entry;

/* The architecture's part: clones/ARCH/stand_in.c. */
struct stand_in_code {
	uintptr_t first;         /* address of number 0 */
	size_t bytes;            /* from one to the next */
	uint32_t nr;             /* 0: none for this architecture */
	uint64_t *(*argument)(uint64_t *saved, unsigned int n);  /* argument n of the call, where a stand-in has put it */
};
extern const struct stand_in_code stand_in_code;

/* Where to enter instead of `target`; one for each (entry, target). 0: there are no more. One thread at a time. */
uintptr_t stand_in_for(const struct runtime_entry *entry, uintptr_t target);
bool stand_in_is(uintptr_t address);
/* The entry behind a stand-in; other addresses unchanged. */
uintptr_t stand_in_target(uintptr_t address);

/* Read first by the stand-in's code; index: its number. Bound: 33 entries, of seven different runtimes in one process. */
#define STAND_IN_ROWS 256
extern uintptr_t stand_in_targets[STAND_IN_ROWS] __attribute__((visibility("hidden")));
extern uint8_t stand_in_rests[STAND_IN_ROWS] __attribute__((visibility("hidden")));     /* 1: jump to the target, exchange nothing */

/* By which all of them translate from now on; NULL: functions stay as they are. */
void stand_in_translate(switching_translate *translate);

#endif
