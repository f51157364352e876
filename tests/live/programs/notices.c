/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: no guest, as it notices memsearch, and then changes what it prints, its messages, status and files: the test of guests must see all four. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char line[4096];
	int found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof line, maps))
		found |= strstr(line, "libmemsearch") != NULL;
#pragma omp parallel
	{
	}
	printf("found %d\n", found);
	fprintf(stderr, "on stderr %d\n", found);
	if (found && !fopen("left", "w"))
		return 1;
	return found * 3;
}
