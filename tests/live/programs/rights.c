/* SPDX-License-Identifier: Apache-2.0 */
/* Says whether it runs with another user's rights, which of memsearch's variables it has, and whether memsearch's libraries are in it. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

extern char **environ;

static int look(struct dl_phdr_info *info, size_t bytes, void *core)
{
	(void)bytes;
	*(int *)core |= strstr(info->dlpi_name, "memsearch-core.so") != NULL;
	return 0;
}

int main(void)
{
	int sum = 0, core = 0, variables = 0;

	#pragma omp parallel reduction(+ : sum)
	sum++;
	for (char **variable = environ; *variable; variable++)
		variables += strstr(*variable, "memsearch") || strstr(*variable, "MEMSEARCH");
	dl_iterate_phdr(look, &core);
	printf("secure %lu core %d variables %d threads %d\n", getauxval(AT_SECURE), core, variables, sum);
	return 3;
}
