/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long machine code takes to be read: microseconds per KB for instructions, graph with loops
 * and jump tables, and
 * liveness, over all functions of a library, and milliseconds for one function of 100 KB.     code
 *                                                                                             LIBRARY
 *                                                                                             SYMBOL
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/arena.h"
#include "analysis/code/liveness.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/running_code.h"

enum { LARGE_BYTES = 100 << 10, REPEATS = 9 };

struct times {
	double read, graph, liveness;
};

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static struct times take(uintptr_t start, uintptr_t end, const unsigned char *bytes)
{
	struct arena *arena = arena_new();
	const char *why = NULL;
	double begin = cpu_us(), read, graph;
	const struct code *code = code_read(arena, start, end, bytes, &why);
	const struct graph *of_code;
	struct times times;

	if (!code) {
		fprintf(stderr, "%s\n", why);
		exit(77);
	}
	read = cpu_us();
	of_code = graph_new(arena, code, NULL, 0);
	graph = cpu_us();
	if (!of_code || !liveness_new(arena, of_code, LIVENESS_LOCAL))
		exit(1);
	times = (struct times){ read - begin, graph - read, cpu_us() - graph };
	arena_free(arena);
	return times;
}

static size_t read_library(uintptr_t start, uintptr_t end, struct times *sum, size_t *bytes_out)
{
	struct code_bounds bounds;
	size_t nr = 0;

	*bytes_out = 0;
	for (uintptr_t at = start; at < end; nr++) {
		struct times times;

		while (at < end && code_bounds_find(at, &bounds) != CODE_BOUNDS_FOUND)
			at++;
		if (at >= end)
			break;
		times = take(bounds.start, bounds.end, NULL);
		sum->read += times.read;
		sum->graph += times.graph;
		sum->liveness += times.liveness;
		*bytes_out += bounds.end - bounds.start;
		at = bounds.end;
	}
	return nr;
}

/*
 * The library's code as if it were one function, which it is not: jumps from function to function
 * add edges.
 */
static double large_function(uintptr_t start)
{
	double best = 1e30;

	for (int i = 0; i < REPEATS; i++) {
		struct times times = take(start, start + LARGE_BYTES, NULL);
		double total = times.read + times.graph + times.liveness;

		best = total < best ? total : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	void *handle = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL,
	     *inside = handle ? dlsym(handle, argv[2]) : NULL;
	struct times sum = { 0 };
	uintptr_t start, end;
	size_t bytes, nr;

	if (!inside || !code_segment_around((uintptr_t)inside, &start, &end))
		return 77;
	nr = read_library(start, end, &sum, &bytes);
	printf("%s functions %zu %zu KB\n", argv[1], nr, bytes >> 10);
	printf("%s instructions %.1f us/KB\n", argv[1], sum.read / ((double)bytes / 1024));
	printf("%s graph %.1f us/KB\n", argv[1], sum.graph / ((double)bytes / 1024));
	printf("%s liveness %.1f us/KB\n", argv[1], sum.liveness / ((double)bytes / 1024));
	if (end - start > 2 * LARGE_BYTES)
		printf("%s large_function %.2f ms/100KB\n", argv[1],
		       large_function(start + LARGE_BYTES / 2) / 1000);
	return 0;
}
