/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_PICK_H
#define MEMSEARCH_TESTS_UNIT_PICK_H

#include <stdint.h>

/*
 * Marsaglia's xorshift64: the same numbers in every run of a test, which is a process of its own. A
 * test may seed it with any but 0.
 */
static uint64_t pick_state = 88172645463325252ull;

/* 0 … below - 1; 0 where that is none. */
static inline uint64_t pick(uint64_t below)
{
	pick_state ^= pick_state << 13;
	pick_state ^= pick_state >> 7;
	pick_state ^= pick_state << 17;
	return below ? pick_state % below : 0;
}

#endif
