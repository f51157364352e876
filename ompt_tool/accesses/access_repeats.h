/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_ACCESS_REPEATS_H
#define MEMSEARCH_ACCESSES_ACCESS_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds repetitions in a record (clones/word_buffer.h). In a loop over arrays the same stretches repeat,
 * and each of their words has a constant stride, so that all repetitions can be counted at once.
 *
 *                  at ─┐                 period = 4 words
 *     A 92 B 72   A 100 B 80   A 108 B 88   A 116 B 96   A 0 …          times = 3
 *
 * A loop of a single stretch is found from its first iteration on, others from the second.
 *
 * The only state is where each stretch was seen last; no malloc, callbacks allowed.
 */
/*
 * entries of the table below, a power of two; stretches with equal remainders share an entry, and
 * some of their loops are not found
 */
#define REPEATS_SEEN 256

struct repeats {
	uint32_t seen[REPEATS_SEEN]; /* position of the header, by the stretch's number */
	/*
	 * by the same index: offset in the stretch of the word whose stride changed last time,
	 * which mostly is the one that changes next time; 0: none
	 */
	uint16_t bent[REPEATS_SEEN];
	size_t broken; /* position up to which a loop was searched without success */
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
 * Call after repeats_find returned false for a stretch of `period` words (header included). Returns
 * the position after it, and after directly following equal stretches for which repeats_find would
 * also return false.
 */
size_t repeats_skip(struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		    size_t period);

#endif
