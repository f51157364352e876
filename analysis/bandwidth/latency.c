/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how long a load waits for memory, and for a page table walk. */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "analysis/base/system_text.h"
#include "analysis/bandwidth/bandwidth.h"
#include "analysis/bandwidth/sizes.h"

#define LINE_WORDS 8   /* of a cache line of 64 bytes */
#define CACHES_TIMES 4 /* of the last-level cache, as for the bandwidth */
#define LARGEST_BITS 24
#define LOADS 40000 /* of a repetition */
#define REPETITIONS 5
/*
 * A linear congruential generator of full period (Knuth, TAOCP 2, 3.2.1.2): each line holds the
 * number of the next, which prefetchers cannot guess.
 */
#define FACTOR 1664525u
#define SUMMAND 1013904223u

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void link_lines(uint64_t *lines, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		lines[i * LINE_WORDS] = (i * FACTOR + SUMMAND) & (nr - 1);
}

/* Seconds of a load: the least of the repetitions, which other programs can only slow down. */
static double chase(const uint64_t *lines)
{
	double least = INFINITY;
	uint64_t at = 0;

	for (int i = 0; i < REPETITIONS; i++) {
		double begin = now(), took;

		for (int k = 0; k < LOADS; k++)
			at = lines[at * LINE_WORDS];
		__asm__ volatile("" : : "r"(at));
		took = (now() - begin) / LOADS;
		least = took < least ? took : least;
	}
	return least;
}

/* In huge pages, or in single ones, of which the TLBs have few. NAN: no memory. */
static double load_time(uint64_t nr, bool huge)
{
	uint64_t bytes = nr * LINE_WORDS * sizeof(uint64_t);
	void *lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	double seconds;

	if (lines == MAP_FAILED)
		return NAN;
	madvise(lines, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	link_lines(lines, nr);
	seconds = chase(lines);
	munmap(lines, bytes);
	return seconds;
}

static bool has_huge_pages(void)
{
	char text[128];

	system_text_read("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text));
	return strstr(text, "[always]") || strstr(text, "[madvise]");
}

void bandwidth_latency(const struct bandwidth_sizes *sizes, struct bandwidth *out)
{
	uint64_t nr = 1, bytes = CACHES_TIMES * sizes->cache;
	double huge, single;

	while (nr * LINE_WORDS * sizeof(uint64_t) < bytes)
		nr *= 2;
	if (nr > 1u << LARGEST_BITS || nr * LINE_WORDS * sizeof(uint64_t) > sizes->memory ||
	    !has_huge_pages())
		return;
	/* first single pages: those that the kernel has of a huge one lie side by side */
	single = load_time(nr, false);
	huge = load_time(nr, true);
	if (!isfinite(huge) || !isfinite(single) || !(huge > 0))
		return;
	out->latency = huge;
	out->walk = fmax(0, single - huge);
}
