/* SPDX-License-Identifier: Apache-2.0 */
/* run KERNEL TIMES: a kernel of kernels.c so often, for valgrind to run. */
#include <stdlib.h>
#include <string.h>

#include "bench/clones/kernels.h"

int main(int argc, char **argv)
{
	const struct kernel *kernel = kernels;

	while (argc == 3 && kernel->name && strcmp(kernel->name, argv[1]))
		kernel++;
	if (argc != 3 || !kernel->name)
		return 2;
	prepare();
	for (long times = strtol(argv[2], NULL, 10); times > 0; times--)
		kernel->run();
	return 0;
}
