/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_GUEST_FILTER_H
#define MEMSEARCH_GUEST_FILTER_H

/* Seccomp filters that give one answer for the listed system calls and another for all others (SECCOMP_RET_…). */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GUEST_FILTER_CALLS = 64 };
struct guest_filter { struct sock_filter rows[2 * GUEST_FILTER_CALLS + 2]; struct sock_fprog program; };

static inline void guest_filter_fill(struct guest_filter *filter, const int *calls, int nr, unsigned int listed, unsigned int others)
{
	struct sock_filter *row = filter->rows;

	*row++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < nr; i++) {
		*row++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		*row++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
	}
	*row++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others);
	filter->program = (struct sock_fprog){ (unsigned short)(row - filter->rows), filter->rows };
}

/* On the calling thread. 0: done. */
static inline int guest_filter_by_prctl(const int *calls, int nr, unsigned int listed, unsigned int others)
{
	struct guest_filter filter;

	guest_filter_fill(&filter, calls, nr, listed, others);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter.program);
}

/* On all threads. 0: done. */
static inline int guest_filter_by_seccomp(const int *calls, int nr, unsigned int listed, unsigned int others)
{
	struct guest_filter filter;

	guest_filter_fill(&filter, calls, nr, listed, others);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter.program);
}

#define GUEST_FILTER(how, calls, listed, others) guest_filter_by_##how(calls, (int)(sizeof(calls) / sizeof((calls)[0])), listed, others)

#endif
