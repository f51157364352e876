/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has 80 MB of data memory, and takes 24 MB of it late. */
/* Does: went away */
/* Threads: 2 */
/* Shell: ulimit -d 80000 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "long_steps.h"

int main(void)
{
	char *late;

	steps(2000);
	late = malloc(24 << 20);
	if (!late)
		return 1;
	memset(late, 3, 24 << 20);
	steps(1000);
	printf("%d %.12e\n", late[1234567], sum());
	return 3;
}
