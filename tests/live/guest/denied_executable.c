/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: forbids itself to make memory executable that was not (PR_SET_MDWE), where the kernel can. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/prctl.h>
#include "long_steps.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65                   /* Linux 6.3 */
#endif

int main(void)
{
	steps(300);
	prctl(PR_SET_MDWE, 1, 0, 0, 0);
	steps(3000);
	printf("%.12e\n", sum());
	return 3;
}
