/* SPDX-License-Identifier: Apache-2.0 */
/* A program at a fixed address that also has pointers to the functions: their address is then that of the program's own linkage table. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

void *(*get)(size_t);
void *(*get_zeroed)(size_t, size_t);
void (*give)(void *);
void *(*grow)(void *, size_t);
int (*unmap)(void *, size_t);
void *(*map)(void *, size_t, int, int, int, off_t);

static void set_pointers(void)
{
	get = malloc;
	get_zeroed = calloc;
	give = free;
	grow = realloc;
	unmap = munmap;
	map = mmap;
}

int main(void)
{
	double *early, *late, sum = 0;
	void *pages;

	set_pointers();
	early = get(80000);                             /* HERE: early */
	pages = map(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 10000; i++)
		early[i] = i;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10000; i++)
		sum += early[i];
	late = get_zeroed(20000, sizeof(*late));        /* HERE: late */
	late = grow(late, 400000);
	sum += late[7] + unmap(pages, 65536);
	give(malloc(100));
	give(early);
	printf("%.0f\n", sum);
	return late == NULL;
}
