/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_PREVIOUS_WORDS_H
#define MEMSEARCH_TRACE_PREVIOUS_WORDS_H

#include <stdint.h>
#include <string.h>

#include "analysis/trace/stretches.h"

/*
 * The last words of each stretch, relative to which the next ones are encoded. Writer and reader
 * update them in the order of stretches, so both have the same state. When the table is full it is
 * cleared.
 */
#define PREVIOUS_WORDS (1u << 15)
#define PREVIOUS_STRETCHES (1u << 12) /* a power of two; further stretches replace others */

struct previous_words {
	uint32_t nr; /* words in use */
	struct {
		uint64_t stretch;
		uint32_t at, nr;
	} index[PREVIOUS_STRETCHES];
	uint64_t words[PREVIOUS_WORDS];
	uint8_t wide[PREVIOUS_WORDS]; /* by word: its last difference had more than one byte */
};

static inline void previous_words_begin(struct previous_words *previous)
{
	previous->nr = 0;
	memset(previous->index, 0, sizeof(previous->index));
}

/* The stretch's words with the header; `nr` is at most PREVIOUS_WORDS. Initially zero. */
static inline uint64_t *previous_words_of(struct previous_words *previous, uint64_t stretch,
					  uint32_t nr)
{
	uint32_t slot = (uint32_t)stretch % PREVIOUS_STRETCHES;

	if (previous->index[slot].stretch == stretch && previous->index[slot].nr == nr)
		return previous->words + previous->index[slot].at;
	if (PREVIOUS_WORDS - previous->nr < nr)
		previous_words_begin(previous);
	previous->index[slot].stretch = stretch;
	previous->index[slot].at = previous->nr;
	previous->index[slot].nr = nr;
	memset(previous->words + previous->nr, 0, nr * sizeof(*previous->words));
	memset(previous->wide + previous->nr, 0, nr);
	previous->nr += nr;
	return previous->words + previous->index[slot].at;
}

#define SINGLE_ADDRESSES 1024 /* sites; a power of two: further sites share an entry */

/* Words of a stretch with that site only, as which its single accesses are replayed. */
static inline uint32_t single_stretch_words(const struct record_site *site)
{
	return 1 + (site->base_word > site->index_word ? site->base_word : site->index_word);
}

/* Upper bound of a stream's words for one row of single accesses. */
static inline uint64_t single_words(const struct record_site *site, uint64_t times)
{
	return times > 1 ? 2 + 2 * (uint64_t)single_stretch_words(site)
			 : 1 + single_stretch_words(site);
}

#endif
