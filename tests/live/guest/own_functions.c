/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has functions of its own with names of libc's, as programs with wrappers of system calls do, and counts how often they are called. */
/* Not: swapped */
/* Flags: -rdynamic -fno-builtin */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

static long opened, read_often, written, sorted, masked, mapped;

int open(const char *path, int flags, ...)
{
	opened++;
	return (int)syscall(SYS_open, path, flags, 0600);
}

ssize_t read(int descriptor, void *to, size_t bytes)
{
	read_often++;
	return syscall(SYS_read, descriptor, to, bytes);
}

ssize_t pwrite(int descriptor, const void *from, size_t bytes, off_t at)
{
	written++;
	return syscall(SYS_pwrite64, descriptor, from, bytes, at);
}

int madvise(void *start, size_t bytes, int advice)
{
	mapped++;
	return (int)syscall(SYS_madvise, start, bytes, advice);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	masked++;
	return (int)syscall(SYS_rt_sigprocmask, how, set, before, 8);
}

void qsort(void *first, size_t nr, size_t bytes, int (*compare)(const void *, const void *))
{
	char *all = first;

	sorted++;
	for (size_t i = 1; i < nr; i++)
		for (size_t k = i; k > 0 && compare(all + (k - 1) * bytes, all + k * bytes) > 0; k--)
			for (size_t at = 0; at < bytes; at++) {
				char other = all[k * bytes + at];

				all[k * bytes + at] = all[(k - 1) * bytes + at];
				all[(k - 1) * bytes + at] = other;
			}
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		int numbers[20];

		guest_step();
		for (int i = 0; i < 20; i++)
			numbers[i] = (i * 7 + step) % 20;
		qsort(numbers, 20, sizeof(*numbers), compare);
		sum += numbers[3];
	}
	printf("%ld %ld %ld %ld %ld %ld\n", opened, read_often, written,
	       sorted, masked, mapped);
	return guest_end(sum);
}
