/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_TEXT_H
#define MEMSEARCH_CLONES_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory for machine code, near the code it copies, so that both reach the same data by 32-bit
 * displacements. It is mapped twice, once to be written and once to be run, so that no page is ever both; what was
 * handed out is never given back, because a thread may be in it. A child of fork runs what is there, but writes nothing.
 *
 * One thread at a time.
 */
struct text {
	unsigned char *write;            /* where code is written … */
	uintptr_t run;                   /* … and where it runs */
	size_t room, used;               /* bytes */
	struct text *next;
};

/* Memory within 1 GiB of `address`, if need be nearly 2, with at least `bytes` free; NULL: there is none (*why_out), for good or only so near. */
struct text *text_near(uintptr_t address, size_t bytes, const char **why_out);

/* Where the next code will run, and be written; aligned to 64 bytes, a cache line. */
static inline uintptr_t text_next(const struct text *text) { return (text->run + text->used + 63) & ~(uintptr_t)63; }
static inline unsigned char *text_writable(const struct text *text, uintptr_t run) { return text->write + (run - text->run); }
/* All up to `end` is taken. */
static inline void text_take(struct text *text, uintptr_t end) { text->used = end - text->run; }

#endif
