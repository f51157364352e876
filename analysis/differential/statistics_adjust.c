/* SPDX-License-Identifier: Apache-2.0 */
/* False discovery rates of many tests, and of trees of tests. */
#include "analysis/differential/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/base/arena.h"

struct tested {
	double p;
	size_t at; /* in the caller's array */
};

struct family {
	struct tested *items;
	size_t nr;
};

static int by_p(const void *a, const void *b)
{
	const struct tested *left = a, *right = b;

	return (left->p > right->p) - (left->p < right->p);
}

static void family_add(struct family *family, const double *p, double *adjusted_out, size_t at)
{
	if (isnan(p[at]))
		adjusted_out[at] = NAN;
	else
		family->items[family->nr++] = (struct tested){ p[at], at };
}

/*
 * From the largest p down: p times the number of tests over its rank, never more than of a larger
 * one.
 */
static void family_adjust(struct family *family, double *adjusted_out)
{
	double adjusted = 1;

	if (family->nr > 1)
		qsort(family->items, family->nr, sizeof(*family->items), by_p);
	for (size_t i = family->nr; i-- > 0;) {
		adjusted = fmin(adjusted,
				family->items[i].p * (double)family->nr / (double)(i + 1));
		adjusted_out[family->items[i].at] = adjusted;
	}
	family->nr = 0;
}

static void show_nothing(double *adjusted_out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		adjusted_out[i] = 1;
}

void statistics_adjust(const double *p, double *adjusted_out, size_t n)
{
	struct arena *arena = arena_new();
	struct family family = { .items = arena ? arena_alloc(arena, n * sizeof(*family.items))
						: NULL };

	if (!family.items) {
		show_nothing(adjusted_out, n);
	} else {
		for (size_t i = 0; i < n; i++)
			family_add(&family, p, adjusted_out, i);
		family_adjust(&family, adjusted_out);
	}
	arena_free(arena);
}

/*
 * Place 0 holds the roots, place i + 1 the children of hypothesis i: members[begin[place]] to
 * before members[begin[place + 1]].
 */
struct families {
	size_t *begin, *members;
};

static bool families_init(struct families *families, struct arena *arena, const size_t *parent,
			  size_t n)
{
	size_t *begin = families->begin = arena_alloc(arena, (n + 3) * sizeof(*begin));

	families->members = arena_alloc(arena, (n + 1) * sizeof(*families->members));
	if (!begin || !families->members)
		return false;
	/*
	 * Counted two places on, summed up, and moved by one as members are entered. SIZE_MAX + 1
	 * is 0.
	 */
	for (size_t i = 0; i < n; i++)
		if (parent[i] + 1 <= i)
			begin[parent[i] + 3]++;
	for (size_t place = 2; place < n + 3; place++)
		begin[place] += begin[place - 1];
	for (size_t i = 0; i < n; i++)
		if (parent[i] + 1 <= i)
			families->members[begin[parent[i] + 2]++] = i;
	return true;
}

void statistics_hierarchy(const double *p, const size_t *parent, double *adjusted_out, size_t n,
			  double level)
{
	struct arena *arena = arena_new();
	struct families families;
	struct family family = {
		.items = arena ? arena_alloc(arena, (n + 1) * sizeof(*family.items)) : NULL
	};

	show_nothing(adjusted_out, n);
	if (!family.items || !families_init(&families, arena, parent, n))
		goto out;
	/* A parent's place comes before those of its children, so its adjusted p is known. */
	for (size_t place = 0; place <= n; place++) {
		if (place && !(adjusted_out[place - 1] <= level))
			continue;
		for (size_t i = families.begin[place]; i < families.begin[place + 1]; i++)
			family_add(&family, p, adjusted_out, families.members[i]);
		family_adjust(&family, adjusted_out);
	}
out:
	arena_free(arena);
}
