/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_WARNINGS_H
#define MEMSEARCH_DIFFERENTIAL_WARNINGS_H

#include <stddef.h>

#include "analysis/differential/match.h"

/*
 * What differs between the sides besides the load, and would be taken for an effect of it: the
 * paper's cautions (another algorithm with one thread, perturbation, caches that a data set stops
 * fitting), and those of computers today (runtime, binding, oversubscription, another computer).
 *
 * To add one: a function in warnings.c and its row in `checks`.
 */
struct arena;

struct warnings {
	const char **items;
	size_t nr, room;
};

/* In the arena. */
struct warnings warnings_of(struct arena *arena, const struct match *match);

#endif
