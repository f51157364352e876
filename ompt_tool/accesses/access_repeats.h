/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_ACCESS_REPEATS_H
#define MEMSEARCH_ACCESSES_ACCESS_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Loops in a record (clones/record.h): the same stretches repeat, and in a loop over arrays each of
 * their words has a constant stride, so that all repetitions can be counted together.
 *
 *                  at ─┐                 period = 4 words
 *     A 92 B 72   A 100 B 80   A 108 B 88   A 116 B 96   A 0 …          times = 3
 *
 * One of a single stretch is seen from its first time on, others from the second.
 *
 * Nothing is kept of a record but where stretches were met last; no malloc, callbacks allowed.
 */
/* a power of two; stretches beyond share entries, and then some loops are not seen */
#define REPEATS_SEEN 256

struct repeats {
	uint32_t seen[REPEATS_SEEN]; /* position of the header, by the stretch's number */
	/*
	 * by the same: so many words behind the header is what did not go on last time, nor will
	 * next time, mostly; 0: none
	 */
	uint16_t bent[REPEATS_SEEN];
	size_t broken; /* position up to which a loop was tried in vain */
};

struct repetition {
	size_t period, times;
};

/* Before the first header of a buffer. */
void repeats_begin(struct repeats *repeats);
/*
 * Call for each header outside of a repetition returned before, in order. True: from `at` on whole
 * stretches repeat `times` times, with constant strides of their words.
 */
bool repeats_find(struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		  struct repetition *out);
/*
 * After it was false for a stretch of `period` words with its header: behind it and others like it
 * right behind, of which it would be false, too.
 */
size_t repeats_skip(struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		    size_t period);

#endif
