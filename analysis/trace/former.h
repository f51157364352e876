/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_FORMER_H
#define MEMSEARCH_TRACE_FORMER_H

#include <stdint.h>
#include <string.h>

#include "analysis/trace/stretches.h"

/*
 * The words of stretches as they were last, from which the next ones are differences: in the order in which stretches come, so that who writes and
 * who reads have the same. What finds no room begins anew.
 */
#define FORMER_WORDS (1u << 15)
#define FORMER_STRETCHES (1u << 12)      /* a power of two; stretches beyond take the place of others */

struct former {
	uint32_t nr;                     /* words in use */
	struct { uint64_t stretch; uint32_t at, nr; } index[FORMER_STRETCHES];
	uint64_t words[FORMER_WORDS];
	uint8_t wide[FORMER_WORDS];      /* by word: its last difference took more than one byte */
};

static inline void former_begin(struct former *former)
{
	former->nr = 0;
	memset(former->index, 0, sizeof(former->index));
}

/* Its words, header and all; `nr` is at most FORMER_WORDS. Zeroed at first. */
static inline uint64_t *former_of(struct former *former, uint64_t stretch, uint32_t nr)
{
	uint32_t slot = (uint32_t)stretch % FORMER_STRETCHES;

	if (former->index[slot].stretch == stretch && former->index[slot].nr == nr)
		return former->words + former->index[slot].at;
	if (FORMER_WORDS - former->nr < nr)
		former_begin(former);
	former->index[slot].stretch = stretch;
	former->index[slot].at = former->nr;
	former->index[slot].nr = nr;
	memset(former->words + former->nr, 0, nr * sizeof(*former->words));
	memset(former->wide + former->nr, 0, nr);
	former->nr += nr;
	return former->words + former->index[slot].at;
}

#define LONE_ADDRESSES 1024              /* sites; a power of two: those beyond share one */

/* Words of a stretch of that site alone, with which its single accesses are played; as the site says they are. */
static inline uint32_t lone_stretch_words(const struct record_site *site)
{
	return 1 + (site->base_word > site->index_word ? site->base_word : site->index_word);
}

/* Words of a stream, at most, that are one row of single accesses. */
static inline uint64_t lone_words(const struct record_site *site, uint64_t times)
{
	return times > 1 ? 2 + 2 * (uint64_t)lone_stretch_words(site) : 1 + lone_stretch_words(site);
}

#endif
