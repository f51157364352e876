/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page faults that can be foretold: in each of so many steps thread t writes to (t + 1) * 512 pages that
 * nobody has touched. The sum goes to stdout.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGES 512
#define PAGE_BYTES 4096

static long touch(long pages)
{
	char *memory = mmap(NULL, (size_t)pages * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, (size_t)pages * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++)
		sum += memory[i * PAGE_BYTES] = 1;
	munmap(memory, (size_t)pages * PAGE_BYTES);
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1;
	long sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel reduction(+ : sum) num_threads(2) /* HERE: region */
		sum += touch(PAGES * (omp_get_thread_num() + 1));
	}
	printf("%ld\n", sum);
	return 0;
}
