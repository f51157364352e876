/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Denies itself system calls by seccomp after some steps: all whose number leaves a remainder when divided, but for those that it
 * needs itself. Arguments: steps before, divisor, remainder, errno.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "../guest/filter.h"
#include "../guest/long_steps.h"

enum { LAST_CALL = 470 };
/* Of OpenMP's runtimes and of the program's end. */
static const int needed[] = { SYS_write, SYS_futex, SYS_sched_yield, SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit, SYS_exit_group };

static int is_needed(int call)
{
	for (unsigned int i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (needed[i] == call)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int before, divisor, remainder, error, calls[GUEST_FILTER_CALLS], nr = 0;

	if (argc != 5)
		return 1;
	before = atoi(argv[1]);
	divisor = atoi(argv[2]);
	remainder = atoi(argv[3]);
	error = atoi(argv[4]);
	for (int call = remainder; call < LAST_CALL && nr < GUEST_FILTER_CALLS; call += divisor)
		if (!is_needed(call))
			calls[nr++] = call;
	puts("begins");                          /* stdio has its buffer */
	steps(before);
	if (guest_filter_by_seccomp(calls, nr, SECCOMP_RET_ERRNO | (unsigned int)error, SECCOMP_RET_ALLOW))
		return 77;
	steps(2500);
	printf("%.12e\n", sum());
	return 3;
}
