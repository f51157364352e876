/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_LOOP_CLOCK_H
#define MEMSEARCH_ACCESSES_LOOP_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Times of natural loops and called functions on one thread, from the entries and exits that its
 * clones record with times (CLONE_TIMES). Not here: what a time belongs to (loop_times.h).
 *
 *     entry f ─ entry L ─ exit L ─ exit f        event: header, ticks, stack pointer
 *               ╰─ span of L ─╯
 *     ╰────────── span of f ────────╯
 *
 * A span is a whole execution: an entry and its exit. Entries without exit are lost: the loop was left
 * by an exception, by longjmp, or into an original. The next entry shows that: a live entry has a
 * larger stack pointer, or is a loop around the new one.
 *
 * Zero-initialised, but for what is set at the begin. One thread at a time. No malloc, callbacks
 * allowed, no floating-point arithmetic.
 */
#define LOOP_CLOCK_DEPTH 64 /* of loops and functions nested in each other; deeper ones are lost */

struct loop_span {
	uint32_t loop;      /* the joined number, see loop_regions.h */
	uint32_t construct; /* in which it was entered */
	/* without what reading the clock took; of the loop itself, without loops and functions inside */
	uint64_t ticks, own_ticks;
	uint64_t probe_ticks; /* what reading the clock took in it */
	bool outermost;       /* the same loop is not around it, by recursion */
};

struct loop_open {
	uint32_t number, construct;
	uint64_t begun, stack, inner_ticks;
	uint64_t paused, events; /* of the clock, at the begin */
};

struct loop_clock {
	/* set at the begin */
	void (*closed)(void *ctx, const struct loop_span *span);
	void (*lost)(void *ctx, uint32_t construct); /* an entry in it has no exit */
	void *ctx;
	uint64_t event_ticks; /* what one event takes */

	uint64_t events, paused, last_ticks;
	uint32_t nr;
	struct loop_open open[LOOP_CLOCK_DEPTH];
};

/* Words of clones, whole stretches; entries in them are in the construct. */
void loop_clock_words(struct loop_clock *clock, uint32_t construct, const uint64_t *words,
		      size_t nr);
/* Later exits lie after a time that belongs to no loop: that of passing on the words. */
void loop_clock_pause(struct loop_clock *clock, uint64_t ticks);
/* The construct ends: what is open in it is lost. */
void loop_clock_end(struct loop_clock *clock, uint32_t construct);

#endif
