/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_TOYS_TOY_H
#define MEMSEARCH_TESTS_TOYS_TOY_H

#include "workload.h"

/*
 * Programs for differential profiles, after P. E. McKenney, "Differential Profiling", MASCOTS 1995: in each of them one
 * part, the culprit, gets worse with the load than the rest. The load is the first argument or the number of threads.
 *
 * To add one: 1. tests/toys/NAME.c: some 0.5 s a run, steps of 0.1 ms and more, "checksum N" for any number of threads;
 * the last argument is the number of steps; the line of the culprit has the comment "HERE: culprit". 2. In its first comment the
 * question it asks, how the culprit shows, and a line each:
 *
 *   LOADS   A B             first argument of the two runs; without: none
 *   THREADS N [M]           threads of both runs, or of each (default: 2)
 *   CULPRIT FUNCTION ARRAY
 *   METRIC  accesses|cycles of all threads in one execution of the phase; cycles that accesses wait on the machine altix-bx2
 *   GROWS   LOW..HIGH       the culprit's metric in the second run over that in the first
 *   OTHERS  HIGH            the same of any other function and array, at most
 *   BY      ratio|difference    combining function of the paper that puts the culprit first
 *   SHARE   HIGH            the culprit's part of all in either run, at most
 *   LOCK    FUNCTION        has the critical construct, at "HERE: lock", that threads wait longer for in the second run
 *   MENDED  OPTION          of the compiler: then the culprit's metric grows by less than LOW
 *   SAMPLE  COMPILER LEVEL  of these four, with which `make test` builds it
 *
 * tests/live/toys.sh builds, runs and checks.
 */

/* Argument `number`, or `otherwise` where there is none. Ends the program where it is not `least` to `most`, least > 0. */
static inline int toy_argument(int argc, char **argv, int number, int otherwise, int least, int most)
{
	long value = number < argc ? strtol(argv[number], NULL, 10) : otherwise;

	if (value >= least && value <= most)
		return (int)value;
	fprintf(stderr, "%s: argument %d must be %d to %d\n", argv[0], number, least, most);
	exit(2);
}

/* The same in every run, in no order. */
static inline uint32_t toy_word(int i)
{
	return (uint32_t)(workload_churn((uint64_t)i, 2) >> 16);
}

#endif
