/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight threads that allocate, grow, hand over and free blocks small and large, before main, after it, and in
 * children that are forked meanwhile. Each block is filled and looked at. Prints how many were wrong.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARED 64
static char *shared[SHARED];             /* blocks that any thread may take and free */
static int wrong;
static char *of_constructor;

__attribute__((constructor)) static void early(void)
{
	of_constructor = calloc(3, 5000);
	of_constructor[14999] = 5;
}

static char *fill(char *block, size_t bytes)
{
	if (block) {
		memcpy(block, &bytes, sizeof(bytes));
		block[bytes - 1] = (char)bytes;
	}
	return block;
}

static void look_at(char *block)
{
	size_t bytes;

	memcpy(&bytes, block, sizeof(bytes));
	if (block[bytes - 1] != (char)bytes)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void map_some(uint32_t bytes)
{
	char *pages = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pages[bytes % 65536] = 1;
	munmap(pages + 16384, 16384);
	munmap(pages + 32768, 32768);
	pages = mremap(pages, 16384, 131072, MREMAP_MAYMOVE);
	if (pages[bytes % 16384] != (bytes % 65536 < 16384))
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	munmap(pages, 131072);
}

static void in_child(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		char *block = fill(malloc(300000), 300000);

		look_at(block);
		free(realloc(block, 600000));
		if (wrong)
			_exit(1);
		execl("/bin/true", "true", (char *)NULL);
		_exit(2);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void *work(void *seed)
{
	uint32_t state = (uint32_t)(uintptr_t)seed;

	for (int i = 0; i < 20000; i++) {
		size_t bytes;
		char *block, *other;

		state = state * 1664525u + 1013904223u;
		bytes = 16 + (state >> 8) % (i % 4 ? 300 : 40000);
		block = fill(i % 3 ? malloc(bytes) : calloc(1, bytes), bytes);
		look_at(block);
		block = fill(realloc(block, 2 * bytes), 2 * bytes);
		other = __atomic_exchange_n(&shared[state >> 26], block, __ATOMIC_ACQ_REL);
		if (other)
			look_at(other);
		free(other);
		if (i % 500 == 0)
			map_some(state >> 8);
		if (i % 5000 == 4999)
			in_child();
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[8];
	int sum = 0;

	for (uintptr_t i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SHARED; i++)
		free(shared[i]);
	printf("%d wrong, %d\n", wrong, sum + of_constructor[14999]);
	free(of_constructor);
	return wrong != 0;
}
