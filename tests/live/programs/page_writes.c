/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that a step writes in different ways: blocks in one block a thread, cyclic in chunks of a
 * page, by_one by the initial thread, filled by read(2), never not at all. Meanwhile memory is
 * mapped, moved and unmapped, and children are forked, which write to their copies. argv[1]: steps.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define N (1 << 17) /* 1 MiB each */
#define CHUNK 512   /* doubles in a page */
#define ALIGNED __attribute__((aligned(4096)))

static double blocks[N] ALIGNED, cyclic[N] ALIGNED, by_one[N] ALIGNED, never[N] ALIGNED;
static double filled[N] ALIGNED;

static double step(int number)
{
	double sum = 0;

#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		blocks[i] = never[i] * 0.5 + number;
#pragma omp parallel for schedule(static, CHUNK)
	for (int i = 0; i < N; i++)
		cyclic[i] = blocks[i] + 1;
	for (int i = 0; i < N; i++)
		by_one[i] = cyclic[i] - number;
#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += by_one[i] + filled[i] + never[i];
	return sum;
}

static void fail(const char *what)
{
	perror(what);
	exit(4);
}

/* The contents must be as without a tool. */
static void change_memory(int zeros)
{
	size_t bytes = 64 * 4096;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *larger;

	if (memory == MAP_FAILED)
		fail("mmap");
	memset(memory, 3, bytes);
	larger = mremap(memory, bytes, 2 * bytes, MREMAP_MAYMOVE);
	if (larger == MAP_FAILED || larger[bytes - 1] != 3 || larger[2 * bytes - 1])
		fail("mremap");
	if (madvise(larger, bytes, MADV_DONTNEED) || larger[5])
		fail("madvise");
	munmap(larger, 2 * bytes);
	if (read(zeros, filled, sizeof(filled)) != sizeof(filled))
		fail("read");
}

static void fork_child(void)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (!child) {
		memset(blocks, 0, sizeof(blocks));
		_exit(blocks[N - 1] != 0);
	}
	if (waitpid(child, &status, 0) != child || status)
		fail("child");
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 300, zeros = open("/dev/zero", O_RDONLY);
	double sum = 0;

	for (int i = 0; i < N; i++)
		blocks[i] = cyclic[i] = by_one[i] = never[i] = filled[i] = i % 7;
	for (int i = 0; i < steps; i++) {
		change_memory(zeros);
		if (i < 40)
			fork_child();
		sum += step(i);
	}
	printf("%.9e\n", sum);
	return 3;
}
