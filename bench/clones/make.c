/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make LIBRARY: clones every function of a library that its unwind information names, each in a batch of its own.
 * make LIBRARY FUNCTION: that one and all it calls, in one batch.
 * One line: functions, refused, KB of code, times the code grew; microseconds of processor time per KB, of all and of the median
 * function of at least 512 bytes; the slowest function.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ompt_tool/clones/clone.h"

struct functions { const char *library; uintptr_t *starts; size_t nr; };

/* .eh_frame_hdr with a sorted table of 32-bit offsets from its begin, as linkers write it: LSB Core 5.0, 10.6.2. */
static int list(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct functions *out = ctx;

	(void)size;
	for (int i = 0; strstr(module->dlpi_name, out->library) && i < module->dlpi_phnum; i++) {
		const int32_t *header = (const int32_t *)(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr);

		if (module->dlpi_phdr[i].p_type != PT_GNU_EH_FRAME)
			continue;
		out->starts = calloc((size_t)header[2], sizeof(out->starts[0]));
		for (int32_t row = 0; out->starts && row < header[2]; row++)
			out->starts[out->nr++] = (uintptr_t)header + (uintptr_t)(intptr_t)header[3 + 2 * row];
	}
	return out->nr > 0;
}

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

enum { SMALL = 512, WARM = 2 };   /* WARM: the first finds the modules of the program, and opens what it needs itself */

struct sum { size_t nr, nr_medians; double us, bytes, grown, slowest_us, slowest_bytes, *medians; };

static void add(struct sum *sum, const struct clone *clone)
{
	sum->nr++;
	sum->bytes += (double)(clone->end - clone->start);
	sum->grown += (double)(clone->code_end - clone->code);
}

static void add_time(struct sum *sum, double us, double bytes)
{
	sum->us += us;
	if (bytes >= SMALL)
		sum->medians[sum->nr_medians++] = us / bytes * 1024;
	if (us > sum->slowest_us)
		sum->slowest_us = us, sum->slowest_bytes = bytes;
}

static void make_each(const struct functions *functions, struct sum *sum)
{
	struct clone_options options = { .probes = CLONE_ACCESSES };

	for (size_t i = 0; i < functions->nr; i++) {
		double before = now_us();
		const struct clone *clone = clone_make(functions->starts[i], &options);
		double took = now_us() - before;

		if (clone)
			add(sum, clone);
		add_time(sum, took, clone ? (double)(clone->end - clone->start) : 0);
	}
}

static void make_batch(const struct functions *functions, uintptr_t first, struct sum *sum)
{
	struct clone_options options = { .probes = CLONE_ACCESSES, .depth = 100 };
	double before = now_us();

	clone_make(first, &options);
	sum->us = now_us() - before;
	for (size_t i = 0; i < functions->nr; i++) {
		const struct clone *clone = clone_of(functions->starts[i]) ? clone_around(clone_of(functions->starts[i])) : NULL;

		if (clone)
			add(sum, clone);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print(const struct sum *sum)
{
	const struct clone_refusal *refusals;

	printf("%zu functions, %zu refused, %.0f KB, times %.1f, %.0f us/KB", sum->nr, clone_refusals(&refusals), sum->bytes / 1024,
	       sum->grown / sum->bytes, sum->us / sum->bytes * 1024);
	qsort(sum->medians, sum->nr_medians, sizeof(sum->medians[0]), compare);
	if (sum->nr_medians)
		printf(", median %.0f, slowest %.0f us for %.1f KB", sum->medians[sum->nr_medians / 2], sum->slowest_us, sum->slowest_bytes / 1024);
	printf("\n");
}

/* The warm-up is done with a variant that nobody asks for later. */
static void warm_up(uintptr_t function)
{
	struct clone_options options = { .probes = CLONE_FUNCTION };

	for (unsigned int i = 0; i < WARM; i++, options.probes |= CLONE_LOOPS)
		clone_make(function, &options);
}

int main(int argc, char **argv)
{
	struct functions functions = { .library = argc > 1 ? argv[1] : "" };
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL, *first = argc == 3 && library ? dlsym(library, argv[2]) : NULL;
	struct sum sum = { 0 };

	if (!library || (argc == 3 && !first) || !dl_iterate_phdr(list, &functions) || clone_unsupported())
		return 1;
	sum.medians = calloc(functions.nr, sizeof(*sum.medians));
	if (!sum.medians)
		return 1;
	warm_up(functions.starts[functions.nr / 2]);
	if (first)
		make_batch(&functions, (uintptr_t)first, &sum);
	else
		make_each(&functions, &sum);
	print(&sum);
	return sum.nr == 0;
}
