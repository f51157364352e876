/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record KERNELS.so ROUNDS OUTLINED: each kernel in turn as compiled and as clone, in alternating rounds; medians. One line a kernel:
 * name, accesses, native ns an access, ns more in the clone, bytes recorded an access; and how many times the native time recording
 * takes besides when what is recorded is counted by array, too, as in a run.
 * OUTLINED 1: cloned as bodies of parallel regions are, which the runtime calls; 0: as functions of the program, whose
 * callers may rely on registers that they do not use.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "bench/clones/load.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/word_buffer.h"
#include "tests/unit/decoded.h"

enum { BUFFER = 256 << 10, MOST = 101 };

struct total { size_t accesses, words; };

static void count_stretch(void *ctx, const struct record_stretch *row, const uint64_t *stretch)
{
	struct total *total = ctx;

	for (uint32_t i = 0; i < row->nr_sites; i++) {
		struct record_access accesses[64];

		total->accesses += record_expand(record_site(row->first_site + i), stretch, accesses, 64);
	}
}

static void count(void *ctx, const uint64_t *words, size_t nr)
{
	struct total *total = ctx;

	total->words += nr;
	record_each(words, nr, count_stretch, total);
}

static void look_away(void *ctx, const uint64_t *words, size_t nr)
{
	(void)ctx, (void)words, (void)nr;
}

static void take(void *ctx, const uint64_t *words, size_t nr)
{
	decoded(ctx, words, nr);
}

static double run_ns(void (*run)(void), unsigned int times)
{
	double start = load_now_ns();

	for (unsigned int i = 0; i < times; i++)
		run();
	return (load_now_ns() - start) / times;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, unsigned int nr)
{
	qsort(values, nr, sizeof(values[0]), compare);
	return values[nr / 2];
}

static double run_counted_ns(void (*run)(void), struct access_table *table)
{
	double ns;

	record_thread_begin(BUFFER, take, table);
	table->world = &decoding_world;
	access_table_enter(table, 1);
	ns = run_ns(run, 2000);
	access_table_end(table, 1, 1);
	record_thread_begin(BUFFER, look_away, NULL);
	return ns;
}

static void measure(const struct kernel *kernel, unsigned int rounds, bool outlined, struct access_table *table)
{
	struct clone_options options = { .probes = CLONE_ACCESSES, .depth = 3, .runtime_calls_it = outlined };
	const struct clone *clone = clone_make((uintptr_t)kernel->run, &options);
	double native[MOST], cloned[MOST], counted[MOST], once;
	struct total total = { 0, 0 };

	if (!clone || !record_thread_begin(BUFFER, count, &total))
		exit(1);
	((void (*)(void))clone->code)();
	record_thread_begin(BUFFER, look_away, NULL);
	for (unsigned int i = 0; i < rounds; i++) {
		native[i] = run_ns(kernel->run, 2000);
		cloned[i] = run_ns((void (*)(void))clone->code, 2000);
		counted[i] = run_counted_ns((void (*)(void))clone->code, table);
	}
	once = median(native, rounds);
	printf("%s %zu %.3f %.3f %.1f %.2f\n", kernel->name, total.accesses, once / (double)total.accesses,
	       (median(cloned, rounds) - once) / (double)total.accesses, 8.0 * (double)total.words / (double)total.accesses,
	       (median(counted, rounds) - once) / once);
}

int main(int argc, char **argv)
{
	const struct kernel *kernel = argc == 4 ? load_kernels(argv[1]) : NULL;
	unsigned int rounds = argc == 4 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	struct access_table *table = calloc(1, sizeof(*table));

	if (!table || !kernel || !rounds || rounds > MOST || clone_unsupported()) {
		fprintf(stderr, "record: %s\n", argc == 4 && !kernel ? dlerror() : clone_unsupported() ? clone_unsupported() : "usage");
		return 1;
	}
	for (; kernel->name; kernel++)
		measure(kernel, rounds, argv[3][0] == '1', table);
	record_thread_end();
	return 0;
}
