/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SWEEP_OUTPUTS_H
#define MEMSEARCH_SWEEP_OUTPUTS_H

#include <stddef.h>

/*
 * Whether a program that runs with varied numbers of threads prints what it prints alone. Compared
 * by lines, and by words between blanks: words that differ between two runs alone (times, dates)
 * are not compared; numbers may differ by OUTPUTS_ROUNDING of their value, as sums are added up in
 * another order.
 */
struct arena;

#define OUTPUTS_ROUNDING 1e-9

struct output {
	const char *bytes; /* no string: it may have zeros */
	size_t nr;
};

struct outputs_difference {
	/* in words, in the arena; NULL: none that counts */
	const char *wrong;
	size_t unsteady; /* words that were not compared, or whole lines */
	/* greatest one of numbers, of their value; 0: they are the same */
	double rounding;
};

struct outputs_difference outputs_compare(struct arena *arena, const struct output alone[2],
					  const struct output *varied);

#endif
