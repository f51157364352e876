/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: allocates and frees in destructors of thread-local objects and of pthread keys, as threads end. */
#include <pthread.h>
#include <cstdlib>
#include <string>
#include "guest.h"

static long ended;
static pthread_key_t key;

struct local {
	std::string text;
	char *block = static_cast<char *>(std::malloc(3000));

	~local()
	{
		text.append(5000, 'y');
		std::free(block);
		block = static_cast<char *>(std::malloc(70000));
		block[69999] = 1;
		__atomic_fetch_add(&ended, text.size(), __ATOMIC_SEQ_CST);
		std::free(block);
	}
};
static thread_local local mine;

static void key_ends(void *round)
{
	__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
	std::free(std::calloc(100, 100));
	if (static_cast<char *>(round) - static_cast<char *>(nullptr) < 3)
		pthread_setspecific(key, static_cast<char *>(round) + 1);
}

static void *thread(void *unused)
{
	mine.text = "x";
	pthread_setspecific(key, static_cast<char *>(nullptr) + 1);
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		std::free(std::malloc(i));
	return unused;
}

int main()
{
	pthread_key_create(&key, key_ends);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 10 == 0) {
			pthread_t one;

			pthread_create(&one, nullptr, thread, nullptr);
			pthread_join(one, nullptr);
		}
	}
	return guest_end(ended);
}
