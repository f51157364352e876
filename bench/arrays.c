/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times the table of arrays: nanoseconds per lookup, and per add and remove of a block, with a
 * number of blocks live. Usage: arrays BLOCKS BYTES ROUNDS; prints a line "LOOKUP ADD_REMOVE LARGE"
 * a round, LARGE: per add and remove of 64 MiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ompt_tool/arrays/array.h"

#define LOW 0x7f0000000000ull
#define LARGE 0x600000000000ull
#define LOOKUPS 2000000
#define CHANGES 500000
#define LARGE_CHANGES 200

static uint64_t state = 88172645463325252ull; /* xorshift64 */

static uint64_t pick(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint64_t nr_blocks, block_bytes, failed;

static double time_lookups(void)
{
	double begin = now_ns();
	struct array_place place;

	for (int i = 0; i < LOOKUPS; i++)
		failed += !array_at(LOW + pick(nr_blocks) * (block_bytes + 16) + block_bytes / 2,
				    array_time(), UINT64_MAX, &place);
	return (now_ns() - begin) / LOOKUPS;
}

static double time_changes(uint32_t array)
{
	double begin = now_ns();
	uint64_t bytes;

	for (int i = 0; i < CHANGES; i++) {
		uintptr_t start = LOW + pick(nr_blocks) * (block_bytes + 16);

		failed += !array_block_remove(start, &bytes) ||
			  !array_block_add(array, start, block_bytes);
	}
	return (now_ns() - begin) / CHANGES;
}

static double time_large(uint32_t array)
{
	double begin = now_ns();
	uint64_t bytes;

	for (int i = 0; i < LARGE_CHANGES; i++)
		failed += !array_block_add(array, LARGE + 16, 64 << 20) ||
			  !array_block_remove(LARGE + 16, &bytes);
	return (now_ns() - begin) / LARGE_CHANGES;
}

int main(int argc, char **argv)
{
	uint32_t array = array_of_site(1);
	int rounds;

	if (argc < 4)
		return 2;
	nr_blocks = strtoull(argv[1], NULL, 0);
	block_bytes = strtoull(argv[2], NULL, 0);
	rounds = (int)strtol(argv[3], NULL, 0);
	for (uint64_t i = 0; i < nr_blocks; i++)
		failed += !array_block_add(array, LOW + i * (block_bytes + 16), block_bytes);
	for (int i = 0; i < rounds; i++) {
		double lookup = time_lookups(), changes = time_changes(array);

		printf("%.1f %.1f %.0f\n", lookup, changes, time_large(array));
	}
	if (failed)
		fprintf(stderr, "%llu operations failed\n", (unsigned long long)failed);
	return failed != 0;
}
