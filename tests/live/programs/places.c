/* SPDX-License-Identifier: Apache-2.0 */
/* 5000 instructions that each take a page fault: more places than a thread's table of hot lines holds. */
#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096
#define ONE *(volatile char *)(next += PAGE) = 1;
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

int main(void)
{
	char *pages = mmap(NULL, 5001 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, 5001 * PAGE, MADV_NOHUGEPAGE);
#pragma omp parallel num_threads(1)
	{
		char *next = pages;

		THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND
	}
	printf("%d\n", pages[5000 * PAGE]);
	return 0;
}
