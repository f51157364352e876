/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycles ONE.so OTHER.so CYCLES PAIRS: two copies of the same kernels in turn, before and after a jump to its clone was put into each
 * kernel of the other, run through and taken out again so many times. Lines "KERNEL BEFORE AFTER": how many times the one's
 * processor time the other took, as copies at two places differ by some per cent. One of bench/paired.c's pairs each.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/clones/kernels.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/record.h"
#include "ompt_tool/clones/switching.h"

enum { RUNS = 400, BEST_OF = 7, BUFFER = 256 << 10, BEGIN = 16, KERNELS = 16, PAIRS = 101 };

static unsigned long flushed;

static void look_away(void *ctx, const uint64_t *words, size_t nr)
{
	(void)ctx, (void)words;
	flushed += nr;
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double best_ns(void (*run)(void))
{
	double best = 1e30;

	for (int i = 0; i < BEST_OF; i++) {
		double start = now_ns(), took;

		for (int j = 0; j < RUNS; j++)
			run();
		took = (now_ns() - start) / RUNS;
		best = took < best ? took : best;
	}
	return best;
}

static const struct kernel *open_kernels(const char *name)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "cycles: %s\n", dlerror());
		exit(1);
	}
	((void (*)(void))dlsym(library, "prepare"))();
	return dlsym(library, "kernels");
}

/* In turn, each first every second time. */
static void compare(const struct kernel *one, const struct kernel *other, unsigned int nr, double *ratios_out)
{
	for (unsigned int i = 0; i < nr; i++) {
		double b = i % 2 ? best_ns(other->run) : 0, a = best_ns(one->run);

		b = b > 0 ? b : best_ns(other->run);
		ratios_out[i] = b / a;
	}
}

static void cycle(const struct kernel *kernel, unsigned int nr)
{
	struct clone_options options = { .probes = CLONE_ACCESSES, .depth = 3 };
	const struct clone *clone = clone_make((uintptr_t)kernel->run, &options);
	unsigned char begin[BEGIN];
	unsigned long before = flushed;
	const char *why = "it cannot be cloned";

	memcpy(begin, (const void *)kernel->run, BEGIN);
	for (unsigned int i = 0; i < nr && clone; i++) {
		if (!switching_entry(clone->start, clone->code, true, NULL, NULL, &why))
			break;
		kernel->run();
		if (!switching_entry(clone->start, clone->code, false, NULL, NULL, &why))
			break;
		why = NULL;
	}
	record_flush();
	if (why || memcmp(begin, (const void *)kernel->run, BEGIN) || flushed == before) {
		fprintf(stderr, "cycles: %s: %s\n", kernel->name, why ? why : "not as it was, or nothing recorded");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static double before[KERNELS][PAIRS], after[KERNELS][PAIRS];
	const struct kernel *one, *other;
	unsigned int nr = argc == 5 ? (unsigned int)strtoul(argv[4], NULL, 10) : 0;

	if (!nr || nr > PAIRS || clone_unsupported() || !record_thread_begin(BUFFER, look_away, NULL))
		return 1;
	one = open_kernels(argv[1]);
	other = open_kernels(argv[2]);
	for (unsigned int k = 0; k < KERNELS && one[k].name; k++)
		compare(&one[k], &other[k], nr, before[k]);
	for (unsigned int k = 0; k < KERNELS && one[k].name; k++)
		cycle(&other[k], (unsigned int)strtoul(argv[3], NULL, 10));
	for (unsigned int k = 0; k < KERNELS && one[k].name; k++) {
		compare(&one[k], &other[k], nr, after[k]);
		for (unsigned int i = 0; i < nr; i++)
			printf("%s %.4f %.4f\n", one[k].name, before[k][i], after[k][i]);
	}
	record_thread_end();
	return 0;
}
