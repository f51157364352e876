/* SPDX-License-Identifier: Apache-2.0 */
/* Where small blocks lie that are allocated before the first region: bytes behind the heap's begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long heap_begin(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned long begin = 0;

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[heap]"))
			sscanf(line, "%lx", &begin);
	if (maps)
		fclose(maps);
	return begin;
}

int main(void)
{
	struct {
		double sum;
		long hits;
	} *counts = malloc(2 * sizeof(*counts));
	double *row = calloc(3, sizeof(*row)), sum = 0;
	char *name = strdup("a name");

	printf("%lx %lx %lx\n", (unsigned long)counts - heap_begin(),
	       (unsigned long)row - heap_begin(), (unsigned long)name - heap_begin());
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 1000; i++)
		sum += i;
	printf("%g\n", sum);
	free(counts);
	free(row);
	free(name);
	return 0;
}
