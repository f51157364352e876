/* SPDX-License-Identifier: Apache-2.0 */
/*
 * touch_pages STEPS PAGES [close]: in every step thread t touches PAGES * (t + 1) fresh pages in one region and none in
 * another. With `close`, all descriptors are closed in step 20.
 */
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void touch(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if ((void *)memory == MAP_FAILED)
		exit(1);
	madvise((void *)memory, pages * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * page] = 1;
	munmap((void *)memory, pages * page);
}

int main(int argc, char **argv)
{
	int steps = argc > 2 ? atoi(argv[1]) : 0;
	size_t pages = argc > 2 ? (size_t)atoi(argv[2]) : 0;

	for (int step = 0; step < steps; step++) {
		#pragma omp parallel             /* HERE: touches */
		touch(pages * ((size_t)omp_get_thread_num() + 1));
		#pragma omp parallel             /* HERE: computes */
		{
			volatile double x = 1;

			for (int i = 0; i < 100000; i++)
				x *= 1.000001;
		}
		for (int fd = 3; argc > 3 && step == 20 && fd < 1024; fd++)
			close(fd);
	}
	return 0;
}
