/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CALLER_USE_H
#define MEMSEARCH_CLONES_CALLER_USE_H

/*
 * Whether a function uses return addresses other than to return: __builtin_return_address,
 * functions that save a context, unwinding by frame pointers, -finstrument-functions. Such a
 * function must not see a clone's return address. Analyses the function's own instructions with its
 * call-frame information, not its callees. Limits: reads through pointers from memory are not
 * found; without call-frame information nothing is found.
 */
struct cfi;
struct code;

enum caller_use {
	CALLER_USE_NONE,
	CALLER_USE_OWN, /* reads or changes its own return address */
	/* reads its caller's frame pointer, so perhaps all return addresses on the stack */
	CALLER_USE_FRAMES,
};

static inline enum caller_use caller_use_greater(enum caller_use a, enum caller_use b)
{
	return a > b ? a : b;
}

/* The architecture's part: clones/ARCH/caller_use.c. `cfi` NULL: there is none. Any thread. */
enum caller_use caller_use_find(const struct code *code, const struct cfi *cfi);

#endif
