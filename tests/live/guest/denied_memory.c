/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: forbids itself new mappings, protections and files by seccomp; each fails. */
/* Does: cut off */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "long_steps.h"

static int deny(void)
{
	static const int calls[] = { SYS_mmap, SYS_mprotect, SYS_mremap, SYS_openat, SYS_memfd_create, SYS_perf_event_open };
	enum { NR = sizeof(calls) / sizeof(calls[0]) };
	struct sock_filter rows[NR * 2 + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { NR * 2 + 2, rows };

	for (int i = 0; i < NR; i++) {
		rows[1 + i * 2] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		rows[2 + i * 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM);
	}
	rows[NR * 2 + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

int main(void)
{
	int denied;

	puts("begins");                          /* stdio has its buffer */
	steps(300);
	denied = deny();
	steps(2500);
	printf("%d %.12e\n", denied, sum());
	return 3;
}
