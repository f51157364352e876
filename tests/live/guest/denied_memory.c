/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: forbids itself new mappings, protections and files by seccomp; each fails. */
/* Does: cut off */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include "filter.h"
#include "long_steps.h"

static const int calls[] = { SYS_mmap, SYS_mprotect, SYS_mremap, SYS_openat, SYS_memfd_create, SYS_perf_event_open };

int main(void)
{
	int denied;

	puts("begins");                          /* stdio has its buffer */
	steps(300);
	denied = GUEST_FILTER(seccomp, calls, SECCOMP_RET_ERRNO | ENOMEM, SECCOMP_RET_ALLOW);
	steps(2500);
	printf("%d %.12e\n", denied, sum());
	return 3;
}
