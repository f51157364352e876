/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: forks while other threads allocate. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

static atomic_int over;

static void *allocates(void *unused)
{
	while (!over)
		for (size_t size = 1; size < 300000; size *= 3)
			free(malloc(size));
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	long sum = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, allocates, NULL);
	for (int step = 0; step < GUEST_STEPS; step++) {
		int status;

		guest_step();
		if (step % 8)
			continue;
		if (fork() == 0) {
			char *block = malloc(5000);

			memset(block, step, 5000);
			_exit(block[4999] & 63);
		}
		wait(&status);
		sum += status;
	}
	over = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return guest_end(sum);
}
