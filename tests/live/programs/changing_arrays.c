/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of all kinds of memory that a step uses, some of which change from step to step. argv[1]: steps; argv[2]: letters of what
 * changes: f(ree and allocate), r(emap), d(iscard), h(uge pages are split).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N (1 << 17)
#define BYTES (N * sizeof(double))
#define HUGE_BYTES (2 << 20)

static double kept[N] __attribute__((aligned(4096)));
static double *mapped, *shared, *of_file, *segment, *large, *reserved;
static char *room;

static double *map(int flags, int file)
{
	void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, file, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static double *map_file(int file, int flags)
{
	return file >= 0 && !ftruncate(file, BYTES) ? map(flags, file) : NULL;
}

static void allocate(void)
{
	char *memory = mmap(NULL, 2 * HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int file = open("changing_arrays.data", O_RDWR | O_CREAT | O_TRUNC, 0600), memory_file = shm_open("/changing_arrays", O_RDWR | O_CREAT, 0600);

	large = (double *)(memory + HUGE_BYTES - (size_t)memory % HUGE_BYTES);
	madvise(large, HUGE_BYTES, MADV_HUGEPAGE);
	room = mmap(NULL, 2 * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mapped = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	shared = map(MAP_SHARED | MAP_ANONYMOUS, -1);
	of_file = map_file(file, MAP_SHARED);
	segment = map_file(memory_file, MAP_SHARED);
	reserved = mmap(NULL, HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (reserved == MAP_FAILED)
		reserved = calloc(N, sizeof(double));
	if (memory == MAP_FAILED || room == MAP_FAILED || !mapped || !shared || !of_file || !segment || !reserved)
		exit(4);
	shm_unlink("/changing_arrays");
	unlink("changing_arrays.data");
}

/* Between the halves of a reservation, so that nothing else is there. */
static void remap(int step)
{
	char *from = (char *)mapped, *to = room + (step % 2 ? BYTES : 0);

	mapped = mremap(mapped, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (mapped == MAP_FAILED ||
	    mmap(from, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		exit(6);
}

static void change(const char *what, int step)
{
	if (strchr(what, 'f') && step % 50 == 49) {
		munmap(mapped, BYTES);
		mapped = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
		if (!mapped)
			exit(5);
	}
	if (strchr(what, 'r'))
		remap(step);
	if (strchr(what, 'd'))
		madvise(mapped, BYTES / 2, MADV_DONTNEED);
	if (strchr(what, 'h'))
		mprotect((char *)large + 4096, 4096, step % 2 ? PROT_READ | PROT_WRITE : PROT_READ | PROT_WRITE | PROT_EXEC);
}

static double step(void)
{
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int i = 0; i < N; i++) {
		mapped[i] += 1;
		shared[i] = 0.5 * shared[i] + mapped[i];
		of_file[i] = 0.5 * of_file[i] + shared[i];
		segment[i] = 0.5 * segment[i] + of_file[i];
		large[i] = 0.5 * large[i] + segment[i];
		reserved[i] = 0.5 * reserved[i] + large[i];
		kept[i] = 0.5 * kept[i] + reserved[i];
		sum += kept[i];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	double sum = 0;

	allocate();
	for (int i = 0; i < steps; i++) {
		change(argc > 2 ? argv[2] : "", i);
		sum += step();
	}
	printf("%.9e\n", sum);
	return 3;
}
