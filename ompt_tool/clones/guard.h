/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_GUARD_H
#define MEMSEARCH_CLONES_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/clones/switching.h"

/*
 * Trampolines from clones to an original that must not see clones' addresses (outside.h):
 *
 *     clone ─call─▶ guard n ─▶ guard_pass(n, registers): return addresses on the stack become the
 *     originals', callbacks become clones
 *                      └─── jumps on, with all registers, vector state, flags and the rest of the
 *                      stack as they were ─▶ original
 *
 * All registers are preserved, because with -fipa-ra gcc may pass and keep values in any register.
 * Guards are in the core's text, allocated on demand and never freed. A guard uses some 3.5 KiB of
 * the program's stack.
 */
struct runtime_entry;

/* The architecture's part: clones/ARCH/guard.c. */
struct guard_code {
	uintptr_t first;                                        /* address of number 0 */
	size_t bytes;                                           /* from one to the next */
	uint32_t nr;                                            /* 0: none for this architecture */
	uint64_t *(*argument)(uint64_t *saved, unsigned int n); /* argument n < 6 of the call */
	uintptr_t *(*return_address)(uint64_t *saved);
};
extern const struct guard_code guard_code;

/*
 * The guard that clones with these probes call instead of `target`; one per triple. 0: all are
 * used. One thread at a time.
 */
uintptr_t guard_for(const struct runtime_entry *entry, uintptr_t target, uint32_t probes);
bool guard_is(uintptr_t address);

#endif
