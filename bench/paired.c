/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paired comparisons: lines "NAME A B [DIVISOR]" on stdin, grouped by NAME. Prints medians, the
 * median of the pairs' ratios B/A and of their differences (B - A) / DIVISOR, each with the 95 %
 * interval of 10,000 bootstrap samples of the pairs (percentile method, Efron and Tibshirani 1993;
 * fixed seed).
 * Usage: paired [--limit-ratio R]      exit 1 if the upper bound of any ratio is above R
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX 1000
#define NAMES_MAX 64
#define SAMPLES 10000

struct series {
	char name[64];
	int nr;
	double a[PAIRS_MAX], b[PAIRS_MAX], ratios[PAIRS_MAX], differences[PAIRS_MAX];
};

struct interval {
	double low, middle, high;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, int nr)
{
	static double sorted[PAIRS_MAX];

	memcpy(sorted, values, (size_t)nr * sizeof(*values));
	qsort(sorted, (size_t)nr, sizeof(*sorted), compare);
	return nr % 2 ? sorted[nr / 2] : (sorted[nr / 2 - 1] + sorted[nr / 2]) / 2;
}

/* Marsaglia's xorshift64. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static struct interval bootstrap(const double *values, int nr)
{
	static double medians[SAMPLES], sample[PAIRS_MAX];
	uint64_t state = 88172645463325252u;

	for (int i = 0; i < SAMPLES; i++) {
		for (int j = 0; j < nr; j++)
			sample[j] = values[draw(&state) % (uint64_t)nr];
		medians[i] = median(sample, nr);
	}
	qsort(medians, SAMPLES, sizeof(medians[0]), compare);
	return (struct interval){ medians[SAMPLES / 40], median(values, nr),
				  medians[SAMPLES - 1 - SAMPLES / 40] };
}

static struct series *find(struct series *series, int *nr, const char *name)
{
	for (int i = 0; i < *nr; i++)
		if (!strcmp(series[i].name, name))
			return &series[i];
	if (*nr == NAMES_MAX)
		return NULL;
	snprintf(series[*nr].name, sizeof(series[*nr].name), "%s", name);
	return &series[(*nr)++];
}

static int read_pairs(struct series *series)
{
	char line[256], name[64];
	int nr = 0;

	while (fgets(line, sizeof(line), stdin)) {
		double a, b, divisor = 1;
		struct series *to;

		if (sscanf(line, "%63s %lf %lf %lf", name, &a, &b, &divisor) < 3 || a <= 0 ||
		    divisor <= 0)
			continue;
		to = find(series, &nr, name);
		if (!to || to->nr == PAIRS_MAX)
			continue;
		to->a[to->nr] = a;
		to->b[to->nr] = b;
		to->ratios[to->nr] = b / a;
		to->differences[to->nr++] = (b - a) / divisor;
	}
	return nr;
}

int main(int argc, char **argv)
{
	static struct series series[NAMES_MAX];
	double limit = argc > 2 && !strcmp(argv[1], "--limit-ratio") ? strtod(argv[2], NULL) : 0;
	int nr = read_pairs(series), above = 0;

	printf("%-20s %5s %12s %12s   %-22s %s\n", "name", "pairs", "A", "B", "B/A [95 %]",
	       "(B-A)/divisor [95 %]");
	for (int i = 0; i < nr; i++) {
		struct interval ratio = bootstrap(series[i].ratios, series[i].nr);
		struct interval difference = bootstrap(series[i].differences, series[i].nr);

		printf("%-20s %5d %12.1f %12.1f   %.3f [%.3f %.3f]    %.1f [%.1f %.1f]\n",
		       series[i].name, series[i].nr, median(series[i].a, series[i].nr),
		       median(series[i].b, series[i].nr), ratio.middle, ratio.low, ratio.high,
		       difference.middle, difference.low, difference.high);
		above |= limit > 0 && ratio.high > limit;
	}
	return above;
}
