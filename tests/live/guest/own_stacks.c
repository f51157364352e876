/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: threads on stacks that the program gives them (pthread_attr_setstack), each with regions. */
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include "guest.h"

#define SIZE (1 << 20)
static long sum;

static void *thread(void *stack)
{
	char here;

	for (int i = 0; i < 3; i++) {
		long part = 0;
#pragma omp parallel for reduction(+ : part)
		for (int k = 0; k < 1000; k++)
			part += k % 13;
		__atomic_fetch_add(&sum, part + (&here > (char *)stack && &here < (char *)stack + SIZE), __ATOMIC_SEQ_CST);
	}
	return NULL;
}

int main(void)
{
	char *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, SIZE);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 5 == 0) {
			pthread_t one;

			pthread_create(&one, &attributes, thread, stack);
			pthread_join(one, NULL);
		}
	}
	return guest_end(sum);
}
