/* SPDX-License-Identifier: Apache-2.0 */
/* Rank tests of two groups, and of pairs. */
#include "analysis/differential/statistics.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/differential/statistics_private.h"

struct ranked {
	double value;
	uint32_t first; /* 1: of the first group */
	uint32_t rank;  /* twice the midrank, from 2 */
};

struct ranks {
	struct ranked *items;
	size_t nr;
	double twice_sum; /* of the first group */
	double ties;      /* sum of t^3 - t over groups of t equal values */
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	return (left->value > right->value) - (left->value < right->value);
}

static void insertion_sort(struct ranked *items, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		struct ranked item = items[i];
		size_t at = i;

		for (; at && items[at - 1].value > item.value; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static void rank(struct ranks *ranks)
{
	if (ranks->nr <= EXACT_VALUES)
		insertion_sort(ranks->items, ranks->nr);
	else
		sort(ranks->items, ranks->nr, sizeof(*ranks->items), by_value);
	ranks->twice_sum = ranks->ties = 0;
	for (size_t begin = 0, end; begin < ranks->nr; begin = end) {
		double tied;

		for (end = begin + 1;
		     end < ranks->nr && ranks->items[end].value == ranks->items[begin].value; end++)
			;
		tied = (double)(end - begin);
		ranks->ties += tied * tied * tied - tied;
		for (size_t i = begin; i < end; i++) {
			ranks->items[i].rank = (uint32_t)(begin + end + 1);
			ranks->twice_sum += ranks->items[i].first * ranks->items[i].rank;
		}
	}
}

double statistics_choose(size_t n, size_t k)
{
	double product = 1;

	if (k > n - k)
		k = n - k;
	for (size_t i = 1; i <= k && isfinite(product); i++)
		product = product * (double)(n - k + i) / (double)i;
	return round(product);
}

bool statistics_exact(size_t na, size_t nb)
{
	return na + nb <= EXACT_VALUES && statistics_choose(na + nb, na) <= UINT32_MAX;
}

/*
 * Adds the groupings with rank i. Sums that no smaller ranks have are skipped, and those from which
 * `most` is exceeded, as all further ranks are no smaller.
 */
static void add_rank(const uint32_t *ranks, const size_t *below, size_t i, size_t k, size_t most,
		     size_t least, uint32_t *cells)
{
	size_t width = most + 1;

	for (size_t size = i + 1 < k ? i + 1 : k; size >= least; size--) {
		uint32_t *with = cells + size * width + ranks[i];
		const uint32_t *without = cells + (size - 1) * width;
		size_t end = below[i] - below[i + 1 - size], needed = ranks[i] * (k - size + 1);

		if (needed > most)
			continue;
		if (end > most - needed)
			end = most - needed;
		for (size_t sum = below[size - 1]; sum <= end; sum++)
			with[sum] += without[sum];
	}
}

const uint32_t *statistics_groupings(const uint32_t *ranks, size_t nr, size_t k, size_t most,
				     uint32_t cells[EXACT_CELLS])
{
	size_t below[EXACT_VALUES + 1]; /* sums of the smallest ranks */

	below[0] = 0;
	for (size_t i = 0; i < nr; i++)
		below[i + 1] = below[i] + ranks[i];
	memset(cells, 0, (k + 1) * (most + 1) * sizeof(*cells));
	cells[0] = 1;
	for (size_t i = 0; i < nr; i++)
		add_rank(ranks, below, i, k, most, i + k + 1 > nr ? i + k + 1 - nr : 1, cells);
	return cells + k * (most + 1);
}

/*
 * The same for few values, several times faster: the counts of all sizes are the digits of one
 * number, to the base 2^PACKED_BITS. Larger sizes than k overflow at the top, where no digit is
 * read.
 */
#define PACKED_BITS 10
#define PACKED_VALUES 11 /* 11 over 5 is 462, less than 2^PACKED_BITS */
#define PACKED_SIZE 5    /* its digit ends at bit 60 */

static double packed_tail(const uint32_t *ranks, size_t nr, size_t k, size_t most)
{
	uint64_t ways[2 * PACKED_VALUES * PACKED_SIZE] = { 1 }, tail = 0;
	size_t largest = 0; /* sum so far, at most `most` */

	for (size_t i = 0; i < nr; i++) {
		largest = largest + ranks[i] < most ? largest + ranks[i] : most;
		for (size_t sum = largest + 1; sum-- > ranks[i];)
			ways[sum] += ways[sum - ranks[i]] << PACKED_BITS;
	}
	for (size_t sum = 0; sum <= most; sum++)
		tail += ways[sum] >> PACKED_BITS * k & ((1 << PACKED_BITS) - 1);
	return (double)tail;
}

static double groupings_tail(const uint32_t *ranks, size_t nr, size_t k, size_t most)
{
	uint32_t cells[EXACT_CELLS];
	const uint32_t *row = statistics_groupings(ranks, nr, k, most, cells);
	double tail = 0;

	for (size_t sum = 0; sum <= most; sum++)
		tail += row[sum];
	return tail;
}

/*
 * Groupings of k values with a sum of ranks of at most `twice_sum` / 2; at least for the upper
 * tail, for which the ranks' order is turned round.
 */
static double exact_tail(const struct ranks *ranks, size_t k, double twice_sum, bool upper)
{
	uint32_t shifted[EXACT_VALUES], odd = 0;
	uint32_t base = upper ? ranks->items[ranks->nr - 1].rank : ranks->items[0].rank;
	size_t most = (size_t)fabs(twice_sum - (double)k * base);

	for (size_t i = 0; i < ranks->nr; i++) {
		shifted[i] = upper ? base - ranks->items[ranks->nr - 1 - i].rank
				   : ranks->items[i].rank - base;
		odd |= shifted[i] & 1;
	}
	if (!odd) {
		most /= 2;
		for (size_t i = 0; i < ranks->nr; i++)
			shifted[i] /= 2;
	}
	return (ranks->nr <= PACKED_VALUES && k <= PACKED_SIZE ? packed_tail : groupings_tail)(
		shifted, ranks->nr, k, most);
}

double statistics_normal_p(double deviation, double variance)
{
	double beyond = fabs(deviation) - 0.5;

	return beyond > 0 ? erfc(beyond / sqrt(2 * variance)) : 1;
}

double statistics_rank_variance(double na, double nb, double ties)
{
	double n = na + nb;

	return na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
}

/* `ranks` are those of both groups; na and nb may be exchanged without changing p. */
static double rank_p(struct ranks *ranks, size_t na, size_t nb)
{
	double deviation = ranks->twice_sum - (double)na * (double)(ranks->nr + 1);
	double all = statistics_choose(ranks->nr, na), p;

	if (deviation == 0)
		return 1;
	if (ranks->nr <= EXACT_VALUES && all <= UINT32_MAX) {
		bool first = na <= nb;
		double sum = first ? ranks->twice_sum
				   : (double)ranks->nr * (double)(ranks->nr + 1) - ranks->twice_sum;

		p = 2 * exact_tail(ranks, first ? na : nb, sum, (deviation > 0) == first) / all;
		return p < 1 ? p : 1;
	}
	p = statistics_normal_p(deviation / 2,
				statistics_rank_variance((double)na, (double)nb, ranks->ties));
	return fmax(p, 2 / all);
}

/* False: no memory. */
static bool ranks_init(struct ranks *ranks, struct ranked few[EXACT_VALUES], size_t room,
		       struct arena **arena_out)
{
	*ranks = (struct ranks){ .items = few };
	*arena_out = NULL;
	if (room <= EXACT_VALUES)
		return true;
	*arena_out = arena_new();
	ranks->items = *arena_out ? arena_alloc(*arena_out, room * sizeof(*ranks->items)) : NULL;
	return ranks->items;
}

/* False: one is missing. */
static bool add_values(struct ranks *ranks, const double *values, size_t nr, uint32_t first)
{
	for (size_t i = 0; i < nr; i++) {
		if (isnan(values[i]))
			return false;
		ranks->items[ranks->nr++] = (struct ranked){ .value = values[i], .first = first };
	}
	return true;
}

double statistics_rank_test(const double *a, size_t na, const double *b, size_t nb)
{
	struct ranked few[EXACT_VALUES];
	struct ranks ranks;
	struct arena *arena;
	double p = 1;

	if (!na || !nb)
		return 1;
	if (ranks_init(&ranks, few, na + nb, &arena) && add_values(&ranks, a, na, 1) &&
	    add_values(&ranks, b, nb, 0)) {
		rank(&ranks);
		p = rank_p(&ranks, na, nb);
	}
	arena_free(arena);
	return p;
}

/*
 * Beyond exact groups the least p is that of groups apart from each other, each of equal values,
 * whose ties make the variance least.
 */
double statistics_least_p(size_t na, size_t nb)
{
	double p = na && nb ? 2 / statistics_choose(na + nb, na) : 1, normal, a = (double)na,
	       b = (double)nb;

	if (!na || !nb || statistics_exact(na, nb))
		return p < 1 ? p : 1;
	normal = statistics_normal_p(a * b / 2,
				     statistics_rank_variance(a, b, a * a * a - a + b * b * b - b));
	return fmax(normal, p);
}
