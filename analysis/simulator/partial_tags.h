/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PARTIAL_TAGS_H
#define MEMSEARCH_SIMULATOR_PARTIAL_TAGS_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "analysis/base/hash.h"

/*
 * A byte of each line of a set, contiguous: one vector comparison selects the few ways that may
 * hold a line.
 */
#define PARTIAL_TAGS 16 /* compared at once: this number must be readable */

static inline uint8_t partial_tag_of(uint64_t line)
{
	return (uint8_t)(hash_word(line) >> 56);
}

/* Which of PARTIAL_TAGS tags equal this one, as bits. */
static inline uint32_t partial_tags_equal(const uint8_t *partial_tags, uint8_t partial_tag)
{
#ifdef __SSE2__
	__m128i all = _mm_loadu_si128((const __m128i *)(const void *)partial_tags);

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)partial_tag)));
#else
	uint32_t alike = 0;

	for (uint32_t i = 0; i < PARTIAL_TAGS; i++)
		alike |= (uint32_t)(partial_tags[i] == partial_tag) << i;
	return alike;
#endif
}

#endif
