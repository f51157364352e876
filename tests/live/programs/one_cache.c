/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cache with LRU replacement, fed with lines of valgrind's lackey (" L address,bytes"): an independent witness of simulated misses.
 *     one_cache BYTES WAYS LINE < trace
 * Prints the accesses and misses behind a line "count", misses by lines being one for each access.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long *held;              /* by set and way, the last used first */
static unsigned long sets, ways, line;

static int misses(unsigned long number)
{
	unsigned long *set = held + number % sets * ways, way = 0;
	int missed;

	while (way + 1 < ways && set[way] != number)
		way++;
	missed = set[way] != number;
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = number;
	return missed;
}

int main(int argc, char **argv)
{
	unsigned long address, bytes, nr = 0, missed = 0;
	char text[128], kind;
	int counts = 0;

	if (argc < 4)
		return 2;
	ways = strtoul(argv[2], NULL, 10);
	line = strtoul(argv[3], NULL, 10);
	sets = strtoul(argv[1], NULL, 10) / line / ways;
	held = calloc(sets * ways, sizeof(*held));
	while (fgets(text, sizeof(text), stdin)) {
		int any = 0;

		if (!strcmp(text, "count\n"))
			counts = 1;
		if (sscanf(text, " %c %lx,%lu", &kind, &address, &bytes) != 3)
			continue;
		for (unsigned long number = address / line; number <= (address + bytes - 1) / line; number++)
			any |= misses(number);
		nr += (unsigned long)counts;
		missed += (unsigned long)(counts && any);
	}
	printf("%lu %lu\n", nr, missed);
}
