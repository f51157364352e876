/* SPDX-License-Identifier: Apache-2.0 */
/* The oldest line of a set. */
#include "analysis/simulator/lru_way.h"

#include <stddef.h>
#include <string.h>

/*
 * Four lanes with a minimum each, as a chain of comparisons would be the most expensive part of a
 * miss.
 */
#define LANES 4
typedef int32_t lanes __attribute__((vector_size(LANES * sizeof(int32_t))));

static uint32_t least_of(const int32_t *stamps, const int32_t *ways, uint32_t nr)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < nr; i++)
		least = stamps[i] < stamps[least] ||
					(stamps[i] == stamps[least] && ways[i] < ways[least])
				? i
				: least;
	return (uint32_t)ways[least];
}

static uint32_t lru_way_in_lanes(const uint32_t *stamps, uint32_t ways)
{
	lanes least, now, at = { 0, 1, 2, 3 }, least_at = at;
	int32_t in_order[2][LANES];

	memcpy(&least, stamps, sizeof(least));
	for (uint32_t way = LANES; way < ways; way += LANES) {
		lanes less;

		at += LANES;
		memcpy(&now, &stamps[way], sizeof(now));
		less = now < least;
		least = (now & less) | (least & ~less);
		least_at = (at & less) | (least_at & ~less);
	}
	memcpy(in_order[0], &least, sizeof(least));
	memcpy(in_order[1], &least_at, sizeof(least_at));
	return least_of(in_order[0], in_order[1], LANES);
}

/* As most TLBs have. */
static uint32_t lru_way_of_4(const uint32_t *stamps, uint32_t ways)
{
	uint32_t lower = stamps[1] < stamps[0], upper = 2 + (stamps[3] < stamps[2]);

	(void)ways;
	return stamps[upper] < stamps[lower] ? upper : lower;
}

uint32_t lru_way_portable(const uint32_t *stamps, uint32_t ways)
{
	uint32_t oldest = 0;

	if (ways % LANES == 0)
		return lru_way_in_lanes(stamps, ways);
	for (uint32_t way = 1; way < ways; way++)
		oldest = stamps[way] < stamps[oldest] ? way : oldest;
	return oldest;
}

#ifdef __x86_64__
#include <immintrin.h>

#define WIDE 8 /* stamps of an AVX2 register */

static __attribute__((target("avx2"))) __m256i load(const uint32_t *stamps)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)stamps);
}

/* All eight become the least of them. */
static __attribute__((target("avx2"))) __m256i spread_least(__m256i stamps)
{
	stamps = _mm256_min_epu32(stamps, _mm256_permute2x128_si256(stamps, stamps, 1));
	stamps = _mm256_min_epu32(stamps, _mm256_shuffle_epi32(stamps, 0x4e));
	return _mm256_min_epu32(stamps, _mm256_shuffle_epi32(stamps, 0xb1));
}

static __attribute__((target("avx2"))) uint32_t places_of(const uint32_t *stamps, __m256i least)
{
	return (uint32_t)_mm256_movemask_ps(
		_mm256_castsi256_ps(_mm256_cmpeq_epi32(load(stamps), least)));
}

static __attribute__((target("avx2"))) uint32_t lru_way_of_8(const uint32_t *stamps, uint32_t ways)
{
	(void)ways;
	return (uint32_t)__builtin_ctz(places_of(stamps, spread_least(load(stamps))));
}

/* The last eight overlap those before, where the ways are no multiple of eight. */
static __attribute__((target("avx2"))) uint32_t lru_way_of_9_to_16(const uint32_t *stamps,
								   uint32_t ways)
{
	const uint32_t *last = stamps + ways - WIDE;
	__m256i least = spread_least(_mm256_min_epu32(load(stamps), load(last)));

	return (uint32_t)__builtin_ctz(places_of(stamps, least) | places_of(last, least)
									  << (ways - WIDE));
}

static __attribute__((target("avx2"))) uint32_t lru_way_of_17_to_24(const uint32_t *stamps,
								    uint32_t ways)
{
	const uint32_t *last = stamps + ways - WIDE;
	__m256i least = spread_least(
		_mm256_min_epu32(_mm256_min_epu32(load(stamps), load(stamps + WIDE)), load(last)));

	return (uint32_t)__builtin_ctz(places_of(stamps, least) |
				       places_of(stamps + WIDE, least) << WIDE |
				       places_of(last, least) << (ways - WIDE));
}

static lru_way_function *lru_way_by_avx2(uint32_t ways)
{
	if (!__builtin_cpu_supports("avx2"))
		return NULL;
	if (ways == WIDE)
		return lru_way_of_8;
	if (ways < WIDE || ways > 3 * WIDE)
		return NULL;
	return ways <= 2 * WIDE ? lru_way_of_9_to_16 : lru_way_of_17_to_24;
}
#else
static lru_way_function *lru_way_by_avx2(uint32_t ways)
{
	(void)ways;
	return NULL;
}
#endif

lru_way_function *lru_way_select(uint32_t ways)
{
	lru_way_function *by_avx2 = lru_way_by_avx2(ways);

	if (ways == 4)
		return lru_way_of_4;
	return by_avx2 ? by_avx2 : lru_way_portable;
}
