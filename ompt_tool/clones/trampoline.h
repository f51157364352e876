/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_TRAMPOLINE_H
#define MEMSEARCH_CLONES_TRAMPOLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/clones/switching.h"

/*
 * Code between the program and an entry of the runtime that replaces functions among the arguments
 * by their clones:
 *
 *     program ─call *slot▶ trampoline n ─▶ trampoline_pass(n, arguments) ─▶ translate(function)
 *                                 └──── jumps on, with all other registers and the stack as they
 *                                 were ─▶ entry
 *
 * Since it jumps, the runtime sees the program's return address, and variable arguments are
 * unchanged. There is a fixed number of trampolines in the core's text, so that no executable
 * memory is needed. They are allocated on demand and never freed, because the program may hold the
 * address of one in a register.
 */
struct runtime_entry;

/* The architecture's part: clones/ARCH/trampoline.c. */
struct trampoline_code {
	uintptr_t first; /* address of number 0 */
	size_t bytes;    /* from one to the next */
	uint32_t nr;     /* 0: none for this architecture */
	/* argument n of the call, as saved by the trampoline */
	uint64_t *(*argument)(uint64_t *saved, unsigned int n);
};
extern const struct trampoline_code trampoline_code;

/*
 * The trampoline to call instead of `target`; one per (entry, target). 0: all are used. One thread
 * at a time.
 */
uintptr_t trampoline_for(const struct runtime_entry *entry, uintptr_t target);
bool trampoline_is(uintptr_t address);
/* The entry behind a trampoline; other addresses unchanged. */
uintptr_t trampoline_target(uintptr_t address);

/*
 * Read by the trampoline's code; index: its number. Bound: 33 entries, of seven different runtimes
 * in one process.
 */
#define TRAMPOLINE_ROWS 256
extern uintptr_t trampoline_targets[TRAMPOLINE_ROWS] __attribute__((visibility("hidden")));
/* 1: jump to the target, arguments unchanged */
extern uint8_t trampoline_rests[TRAMPOLINE_ROWS] __attribute__((visibility("hidden")));

/* Sets the translation of all trampolines; NULL: functions are unchanged. */
void trampoline_translate(switching_translate *translate);

#endif
