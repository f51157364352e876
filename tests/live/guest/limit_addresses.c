/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has 100 MB of addresses, and takes 16 MB of them late. */
/* Does: went away */
/* Threads: 2 */
/* Shell: ulimit -v 100000 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "long_steps.h"

int main(void)
{
	char *late;

	steps(2000);
	late = malloc(16 << 20);
	if (!late)
		return 1;
	memset(late, 7, 16 << 20);
	steps(1000);
	printf("%d %.12e\n", late[12345678], sum());
	return 3;
}
