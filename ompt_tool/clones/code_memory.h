/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CODE_MEMORY_H
#define MEMSEARCH_CLONES_CODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory for machine code near the copied code, so that both reach the same data by 32-bit
 * displacements. It is mapped twice, writable and executable, so that no mapping is both. Never
 * freed, because a thread may be in it. A forked child runs the existing code, but writes none.
 *
 * One thread at a time.
 */
struct text {
	unsigned char *write; /* address for writing … */
	uintptr_t run;        /* … and for execution */
	size_t room, used;    /* bytes */
	struct text *next;
};

/*
 * Memory within 1 GiB of `address`, if necessary nearly 2, with at least `bytes` free; NULL: none
 * (*why_out), or none in reach.
 */
struct text *text_near(uintptr_t address, size_t bytes, const char **why_out);

/* Addresses of the next code, for execution and writing; aligned to 64 bytes, a cache line. */
static inline uintptr_t text_next(const struct text *text)
{
	return (text->run + text->used + 63) & ~(uintptr_t)63;
}
static inline unsigned char *text_writable(const struct text *text, uintptr_t run)
{
	return text->write + (run - text->run);
}
/* Allocates up to `end`. */
static inline void text_take(struct text *text, uintptr_t end)
{
	text->used = end - text->run;
}

#endif
