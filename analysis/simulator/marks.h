/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_MARKS_H
#define MEMSEARCH_SIMULATOR_MARKS_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "analysis/base/hash.h"

/* A byte of each line of a set, contiguous: one vector comparison selects the few ways that may hold a line. */
#define MARKS 16                         /* compared at once: this number must be readable */

static inline uint8_t mark_of(uint64_t line)
{
	return (uint8_t)(hash_word(line) >> 56);
}

/* Which of MARKS marks are this one, as bits. */
static inline uint32_t marks_alike(const uint8_t *marks, uint8_t mark)
{
#ifdef __SSE2__
	__m128i all = _mm_loadu_si128((const __m128i *)(const void *)marks);

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)mark)));
#else
	uint32_t alike = 0;

	for (uint32_t i = 0; i < MARKS; i++)
		alike |= (uint32_t)(marks[i] == mark) << i;
	return alike;
#endif
}

#endif
