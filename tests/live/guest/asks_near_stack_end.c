/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a thread asks who called where 5 KiB of its stack are left. */
/* Flags: -fno-omit-frame-pointer -fwrapv */
/* Does: left the clone */
#define _GNU_SOURCE
#include "guest.h"

#include <pthread.h>

#define LEFT 5120

extern char __executable_start[];
static __thread size_t room = 1;          /* workers of the thread's team have stacks of their own */

__attribute__((noinline)) static long who(void)
{
	return (char *)__builtin_return_address(0) - __executable_start;
}
__attribute__((noinline)) static long ask(const long *p, int i)
{
	return (p[i & 7] + who() * 3) * 31 + p[(i + 1) & 7];
}
__attribute__((noinline)) static long ask_at_end(const long *p, int i)
{
	volatile char used[room];

	used[0] = 0;
	return ask(p, i) + p[0] + used[0];
}

static void *run(void *argument)
{
	long *sum = argument, p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, all = 0;
	pthread_attr_t attributes;
	size_t bytes;
	void *low;

	if (pthread_getattr_np(pthread_self(), &attributes) || pthread_attr_getstack(&attributes, &low, &bytes))
		return NULL;
	pthread_attr_destroy(&attributes);
	room = (size_t)((char *)p - (char *)low) - LEFT;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : all)
		for (int i = 0; i < GUEST_ELEMENTS; i += 10)
			all += ask_at_end(p, i);
	}
	*sum = all;
	return NULL;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	long sum = 0;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, 64 << 10) || pthread_create(&thread, &attributes, run, &sum))
		return 3;
	pthread_join(thread, NULL);
	return guest_end(sum);
}
