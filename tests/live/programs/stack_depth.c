/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How deep the stacks of threads get that use OpenMP and allocate: of one that the program makes, by what it does, and of the
 * runtime's worker. Stacks are painted before each, and looked at behind.
 *     stack_depth STEPS KIB       prints rows "WHAT BYTES" on stderr, a checksum on stdout
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N 4000
#define PAINT 0x5a5a5a5a5a5a5a5aull
#define NEAR 256                         /* bytes below the painter's frame that are in use */

static double a[N], b[N];
static volatile int scattered[N];
static volatile double total;
static int steps;

/* The last 32 KiB at most. */
struct painted { uint64_t *low, *high; };
#define PAINTED (32 << 10)

static uintptr_t lowest(void)
{
	pthread_attr_t attributes;
	void *low;
	size_t bytes;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &bytes);
	pthread_attr_destroy(&attributes);
	return (uintptr_t)low;
}

/* From the thread's lowest address, or so far below, to the current frame. */
__attribute__((noinline)) static struct painted paint(uintptr_t low)
{
	uintptr_t high = ((uintptr_t)__builtin_frame_address(0) - NEAR) & ~(uintptr_t)7;
	struct painted painted = { (uint64_t *)(high - low > PAINTED ? high - PAINTED : low), (uint64_t *)high };

	for (uint64_t *at = painted.low; at < painted.high; at++)
		*(volatile uint64_t *)at = PAINT;
	return painted;
}

static size_t depth(const struct painted *painted)
{
	const uint64_t *at = painted->low;

	while (at < painted->high && *(const volatile uint64_t *)at == PAINT)
		at++;
	return (size_t)(painted->high - at) * sizeof(*at);
}

__attribute__((noinline)) static void fill_block(double *block, int nr)
{
	for (int i = 0; i < nr; i++)
		block[i] = i;
}

/* Large enough to be told of, by each of malloc's family. */
__attribute__((noinline)) static void allocate(int step)
{
	double *block = malloc(8192), *other = calloc(1000, 8), *aligned = NULL;
	char *mapped = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	block = realloc(block, 16384 + 4096 * (size_t)(step % 3));
	if (posix_memalign((void **)&aligned, 64, 8192))
		exit(3);
	fill_block(block, 1000);
	total = total + block[step % 1000] + other[1];
	mapped[5] = 1;
	mapped = mremap(mapped, 65536, 131072, MREMAP_MAYMOVE);
	munmap(mapped, 131072);
	free(block);
	free(other);
	free(aligned);
}

__attribute__((noinline)) static void loops(int step)
{
	(void)step;
#pragma omp parallel for
	for (int i = 1; i < N - 1; i++)
		a[i] = b[i - 1] + b[i + 1] + 1;
#pragma omp parallel
	{
#pragma omp for schedule(dynamic, 500) nowait
		for (int i = 0; i < N; i++)
			b[i] = a[i] * 0.25;
#pragma omp barrier
#pragma omp single
		a[0] += 1;
#pragma omp masked
		a[1] += 1;
#pragma omp sections
		{
#pragma omp section
			a[2] += 1;
#pragma omp section
			a[3] += 1;
		}
	}
}

__attribute__((noinline)) static void others(int step)
{
	double sum = 0;

	(void)step;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += a[i];
#pragma omp parallel
	{
#pragma omp critical
		a[4] += 1;
#pragma omp single
		for (int t = 0; t < 4; t++) {
#pragma omp task firstprivate(t)
			for (int i = 1000 * t; i < 1000 * t + 1000; i++)
				b[i] += 1;
		}
#pragma omp taskwait
#pragma omp single
#pragma omp taskloop num_tasks(3)
		for (int i = 0; i < N; i++)
			b[i] *= 0.5;
	}
	total = total + sum;
}

/* More words than a recording thread's buffer holds, none of which are in a row. */
__attribute__((noinline)) static void scatter(int step)
{
#pragma omp parallel for
	for (int i = 0; i < 40 * N; i++) {
		unsigned int at = ((unsigned int)i * 2654435761u + (unsigned int)step) % N;

		scattered[at] += 1;              /* by several threads at once: the result does not matter */
	}
}

__attribute__((noinline)) static void serial(int step)
{
	(void)step;
	for (int i = 1; i < N; i++)
		a[i] = a[i] * 0.5 + a[i - 1] * 0.1;
}

static struct family {
	const char *name;
	void (*run)(int step);
	size_t deepest;
} families[] = { { "loops", loops, 0 }, { "others", others, 0 }, { "scatter", scatter, 0 }, { "serial", serial, 0 }, { "allocations", allocate, 0 } };

__attribute__((noinline)) static size_t depth_of(void (*run)(int step), int step, uintptr_t low)
{
	struct painted painted = paint(low);

	run(step);
	return depth(&painted);
}

static void *root(void *argument)
{
	uintptr_t low = lowest();
	struct painted worker = { NULL, NULL };

	fprintf(stderr, "begin %zu\n", depth_of(loops, 0, low));
	for (int step = 0; step < steps; step++) {
		for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
			size_t now = depth_of(families[i].run, step, low);

			if (step)        /* at first functions are looked up */
				families[i].deepest = now > families[i].deepest ? now : families[i].deepest;
		}
#pragma omp parallel
		if (omp_get_thread_num() == 1) {
			if (!step)
				worker = paint(lowest());
			allocate(step);
		}
	}
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		fprintf(stderr, "%s %zu\n", families[i].name, families[i].deepest);
#pragma omp parallel
	if (omp_get_thread_num() == 1)
		fprintf(stderr, "worker %zu\n", depth(&worker));
	return argument;
}

int main(int nr, char **arguments)
{
	pthread_attr_t attributes;
	pthread_t thread;
	double sum = 0;

	if (nr < 3)
		return 2;
	steps = atoi(arguments[1]);
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, (size_t)atoi(arguments[2]) * 1024) || pthread_create(&thread, &attributes, root, NULL))
		return 3;
	pthread_join(thread, NULL);
	for (int i = 0; i < N; i++)
		sum += a[i] + b[i];
	printf("%.10e\n", sum);
	return 0;
}
