/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which code do 32 functions share that all get slower with the load? Each looks its process up by find, which is inlined:
 * a profile by machine function shows 32 of them that grow alike, and none that stands out. By line it is the loop in find,
 * five instructions in 32 places, as in the paper's case of process creation. `memsearch diff --by line` has that
 * line as one: from load 16 to 256 its accesses grow 17 times, those of the functions' own lines not at all.
 *
 * LOADS 16 256
 * CULPRIT find ids
 * METRIC accesses
 * GROWS 14..20
 * OTHERS 1.1
 * BY ratio
 * SAMPLE clang-19 O3
 */
#include "toy.h"

#define LARGEST 1024
#define CALLS 32
#define ROUNDS 16                            /* of each call in a step */
#define WORDS 64

static int ids[LARGEST];
static uint64_t contents[CALLS][WORDS], results[CALLS];

__attribute__((always_inline)) static inline int find(int id)
{
	int at = 0;

	while (ids[at] != id)                /* HERE: culprit */
		at++;
	return at;
}

/* Looks up one of the last four processes, and adds up the words of its own. */
#define CALL(number) \
	__attribute__((noinline)) static uint64_t call_##number(int load) \
	{ \
		uint64_t sum = number + (uint64_t)find(load - 1 - number % 4); \
		for (int i = 0; i < WORDS; i++) \
			sum += contents[number][i] >> (sum & 1); \
		return sum; \
	}
#define CASE(number) case number: return call_##number(load);
#define EACH(of) of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) of(10) of(11) of(12) of(13) of(14) of(15) \
	of(16) of(17) of(18) of(19) of(20) of(21) of(22) of(23) of(24) of(25) of(26) of(27) of(28) of(29) of(30) of(31)

EACH(CALL)

static uint64_t call(int number, int load)
{
	switch (number) {
	EACH(CASE)
	}
	return 0;
}

__attribute__((noinline)) static void call_all(int load)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < CALLS; i++)
		for (int round = 0; round < ROUNDS; round++)
			results[i] += call(i, load);
}

int main(int argc, char **argv)
{
	int load = toy_argument(argc, argv, 1, 16, 4, LARGEST);
	int steps = toy_argument(argc, argv, 2, 8000, 1, INT32_MAX);
	uint64_t sum = 0;

	for (int i = 0; i < LARGEST; i++)
		ids[i] = i;
	for (int i = 0; i < CALLS; i++)
		for (int j = 0; j < WORDS; j++)
			contents[i][j] = toy_word(i * WORDS + j);
	for (int step = 0; step < steps; step++)
		call_all(load);
	for (int i = 0; i < CALLS; i++)
		sum += results[i];
	workload_checksum(sum);
	return 0;
}
