/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: may write files of 2 MB only, and writes one of 1 MB. */
/* Does: cut off */
/* Shell: ulimit -f 2000 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "long_steps.h"

int main(void)
{
	FILE *file = tmpfile();

	steps(1500);
	for (int i = 0; file && i < 1 << 20; i++)
		if (putc(i & 0x7f, file) < 0)
			return 1;
	if (!file || fflush(file))
		return 1;
	steps(1500);
	printf("%.12e\n", sum());
	return 6;
}
