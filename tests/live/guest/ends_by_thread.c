/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: its initial thread ends by pthread_exit, and another one does the rest and exits. */
#include <pthread.h>
#include "guest.h"

static void *rest(void *initial)
{
	pthread_join(*(pthread_t *)initial, NULL);
	for (int step = 0; step < 20; step++)
		guest_step();
	exit(guest_end(1));
}

int main(void)
{
	static pthread_t initial, other;

	initial = pthread_self();
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	pthread_create(&other, NULL, rest, &initial);
	pthread_exit(NULL);
}
