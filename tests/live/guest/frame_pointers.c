/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: walks along its own frame pointers in a parallel loop, as sampling profilers and garbage collectors do. */
/* Flags: -fno-omit-frame-pointer -rdynamic -ldl */
/* Does: left the clone */
#define _GNU_SOURCE
#include "guest.h"

#include <dlfcn.h>

struct frame { struct frame *outer; void *return_address; };

__attribute__((noinline)) static long walk(int deep)
{
	struct frame *frame = __builtin_frame_address(0);
	long found = 0;

	for (int i = 0; i < deep; i++, frame = frame->outer) {
		Dl_info info;

		found = found * 7 + (dladdr(frame->return_address, &info) ? (char *)frame->return_address - (char *)info.dli_fbase : -1);
	}
	return found;
}

__attribute__((noinline)) long second(int i)
{
	long found = walk(2);

	__asm__ volatile("" : "+r"(found));
	return found + i;
}
__attribute__((noinline)) long first(int i)
{
	long found = second(i);

	__asm__ volatile("" : "+r"(found));
	return found + 1;
}

int main(void)
{
	long found = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : found)
		for (int i = 0; i < GUEST_ELEMENTS; i += 100)
			found += first(i);
		found += first(step);
	}
	return guest_end(found);
}
