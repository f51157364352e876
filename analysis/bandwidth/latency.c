/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how long a load waits for memory. */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "analysis/base/system_text.h"
#include "analysis/base/thread_clock.h"
#include "analysis/bandwidth/bandwidth.h"
#include "analysis/bandwidth/sizes.h"

#define LINE_BYTES 64
#define LINE_WORDS (LINE_BYTES / sizeof(uint64_t))
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
		uint64_t begin_ns = thread_clock_ns();
		double took;

		for (int k = 0; k < LOADS; k++)
			at = lines[at * LINE_WORDS];
		__asm__ volatile("" : : "r"(at));
		took = (double)(thread_clock_ns() - begin_ns) * 1e-9 / LOADS;
		least = took < least ? took : least;
	}
	return least;
}

static bool has_huge_pages(void)
{
	char text[128];

	system_text_read("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text));
	return strstr(text, "[always]") || strstr(text, "[madvise]");
}

void bandwidth_latency(const struct bandwidth_sizes *sizes, struct bandwidth *out)
{
	uint64_t nr = 1, wanted = CACHES_TIMES * sizes->cache, bytes;
	void *lines;

	while (nr * LINE_BYTES < wanted)
		nr *= 2;
	bytes = nr * LINE_BYTES;
	if (nr > 1u << LARGEST_BITS || bytes > sizes->memory || !has_huge_pages())
		return;
	lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (lines == MAP_FAILED)
		return;
	madvise(lines, bytes, MADV_HUGEPAGE);
	link_lines(lines, nr);
	out->latency = chase(lines);
	munmap(lines, bytes);
}
