/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 5000 instructions that each take a page fault: more places than a thread's table of hot lines holds. A thousand at once, of which
 * each is looked at.
 */
#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096
#define ONE *(volatile char *)(next += PAGE) = 1;
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED
#define REGION _Pragma("omp parallel num_threads(1)") { THOUSAND }

int main(void)
{
	char *next;
	char *pages = mmap(NULL, 5001 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, 5001 * PAGE, MADV_NOHUGEPAGE);
	next = pages;
	REGION REGION REGION REGION REGION
	printf("%d\n", pages[5000 * PAGE]);
	return 0;
}
