/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_WORKLOADS_WORKLOAD_H
#define MEMSEARCH_TESTS_WORKLOADS_WORKLOAD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Programs with one planted problem each, or none, and the findings they must yield.
 *
 * To add one: 1. tests/workloads/NAME.c (.cpp, .f90) that takes a scale (1: about one
 * second on two threads, steps of some ms) and prints "checksum N"; 2. what is
 * expected, in its first comment, a line each:
 *
 *   EXPECT PROPERTY at|in|hot|anywhere PLACE severity LOW..HIGH
 *   ALLOW  PROPERTY                       may be found or not; all else must not be found
 *   LOCK   NAME at PLACE FIELD RANGE ...  what the report's `locks` say: RANGE is LOW..HIGH or null
 *   NONE                                  nothing is expected (for the reader)
 *   PHASE  METHOD                         how the phase was found
 *   RUN    NAME=VALUE ...                 environment of the run
 *   ONLY   COMPILER ...                   clang gcc gfortran flang
 *   STATUS N                              the program's exit status, if not 0
 *   PRINTS TEXT                           what it prints, if that is the same everywhere; without, it is run as it is to know
 *   SAMPLED                               the live test builds and runs a fourth of these programs, bench/accuracy.sh all
 *
 * PROPERTY and METHOD are extended regular expressions for the whole name. PLACE is, after
 * `at`, the name in a comment "HERE: name" on the line that the region must have (several:
 * a,b); after `in` a function; after `hot` a HERE name again, the line of the hottest
 * samples. Lines that the report calls approximate only need the right file.
 * tests/live/workloads.sh builds, runs and checks.
 */

/*
 * Integers only: sums do not depend on order, compiler or number of threads. About 1.7 ns a round: the
 * empty assembly keeps gcc from doing eight calls at once in vectors, which is done before memsearch has seen much.
 */
static inline uint64_t workload_churn(uint64_t value, long rounds)
{
	for (long i = 0; i < rounds; i++) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		value ^= value >> 29;
		__asm__("" : "+r"(value));
	}
	return value;
}

static inline int workload_steps(int argc, char **argv, int steps)
{
	double scale = argc > 1 ? strtod(argv[1], NULL) : 1;

	return (int)(steps * scale) > 0 ? (int)(steps * scale) : 1;
}

static inline void workload_checksum(uint64_t sum)
{
	printf("checksum %llu\n", (unsigned long long)sum);
}

#endif
