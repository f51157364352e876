/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has 2 GB of addresses, and takes 1 GB of them late. */
/* Threads: 2 */
/* Shell: ulimit -v 2000000 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "long_steps.h"

int main(void)
{
	int pieces = 0;

	steps(2000);
	for (char *piece; pieces < 64 && (piece = malloc(16 << 20)); pieces++)
		piece[pieces] = 1;
	steps(1000);
	printf("%d %.12e\n", pieces, sum());
	return 3;
}
