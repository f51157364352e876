/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses the possible results of a seccomp filter by its instructions. */
#define _GNU_SOURCE
#include "ompt_tool/loader/confinement.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ROWS 64 /* instructions read at once */

/*
 * Copies bytes of this process that may be unmapped: 0, or EFAULT if the last of them cannot be
 * read.
 */
static bool copy(void *to, const void *from, size_t bytes)
{
	struct iovec here = { to, bytes }, there = { (void *)from, bytes };
	ssize_t nr = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	errno = nr >= 0 ? EFAULT : errno;
	return nr == (ssize_t)bytes;
}

/*
 * The upper half of a filter's return value is the action (seccomp(2)). A return value that is
 * computed can be any action.
 */
static bool is_deadly(const struct sock_filter *row)
{
	uint32_t action = row->k & SECCOMP_RET_ACTION_FULL;

	if (BPF_CLASS(row->code) != BPF_RET)
		return false;
	return BPF_RVAL(row->code) != BPF_K ||
	       (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_ERRNO &&
		action != SECCOMP_RET_LOG);
}

/* The kernel rejects a filter that it cannot read. */
static bool has_deadly(unsigned long address)
{
	struct sock_fprog program;
	struct sock_filter rows[ROWS];

	if (!copy(&program, (const void *)address, sizeof(program)))
		return errno != EFAULT;
	for (size_t first = 0; first < program.len; first += ROWS) {
		size_t nr = program.len - first < ROWS ? program.len - first : ROWS;

		if (!copy(rows, program.filter + first, nr * sizeof(*rows)))
			return errno != EFAULT;
		for (size_t i = 0; i < nr; i++)
			if (is_deadly(&rows[i]))
				return true;
	}
	return false;
}

static bool judge(bool strict, bool filtering, unsigned long filter)
{
	int error = errno;
	bool deadly = strict || (filtering && has_deadly(filter));

	errno = error;
	return deadly;
}

bool confinement_by_prctl(unsigned long option, unsigned long mode, unsigned long filter)
{
	return option == PR_SET_SECCOMP &&
	       judge(mode == SECCOMP_MODE_STRICT, mode == SECCOMP_MODE_FILTER, filter);
}

bool confinement_by_syscall(long number, unsigned long first, unsigned long second,
			    unsigned long third)
{
	if (number == SYS_prctl)
		return confinement_by_prctl(first, second, third);
	return number == SYS_seccomp &&
	       judge(first == SECCOMP_SET_MODE_STRICT, first == SECCOMP_SET_MODE_FILTER, third);
}
