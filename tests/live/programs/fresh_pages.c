/* SPDX-License-Identifier: Apache-2.0 */
/* A known answer for page faults: in each of 300 steps thread t touches 100 * (t + 1) fresh pages. */
#define _GNU_SOURCE
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) static void step(size_t page)
{
#pragma omp parallel
	{
		size_t pages = 100 * ((size_t)omp_get_thread_num() + 1);
		char *fresh = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(fresh, pages * page, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < pages; i++)
			((volatile char *)fresh)[i * page] = 1;
		munmap(fresh, pages * page);
	}
}

int main(void)
{
	for (volatile int i = 0; i < 300; i++)
		step((size_t)sysconf(_SC_PAGESIZE));
	return 0;
}
