/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CALLER_USE_H
#define MEMSEARCH_CLONES_CALLER_USE_H

/*
 * Whether a function's code uses return addresses for more than to return: __builtin_return_address, functions that save a context,
 * walks along frame pointers, -finstrument-functions. Such a function must not be called from a clone with the
 * clone's return address. Found by the function's own instructions and its call frame information; what it calls is not looked into.
 * Not found: reads through addresses that come from memory, and, without call frame information, anything.
 */
struct cfi;
struct code;

enum caller_use {
	CALLER_USE_NONE,
	CALLER_USE_OWN,                  /* reads or changes its own return address */
	CALLER_USE_FRAMES,               /* reads its caller's frame pointer, so perhaps all return addresses on the stack */
};

static inline enum caller_use caller_use_greater(enum caller_use a, enum caller_use b) { return a > b ? a : b; }

/* The architecture's part: clones/ARCH/caller_use.c. `cfi` NULL: there is none. Any thread. */
enum caller_use caller_use_find(const struct code *code, const struct cfi *cfi);

#endif
