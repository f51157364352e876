/* SPDX-License-Identifier: Apache-2.0 */
/* Threads count in a table that a std::mutex protects. */
#include <cstdio>
#include <map>
#include <mutex>

static std::mutex guard;
static std::map<int, long> table;

static void put(int key)
{
	std::lock_guard<std::mutex> lock(guard); /* HERE: guard */

	table[key & 63] += key;
}

int main()
{
	for (int step = 0; step < 200; step++) {
#pragma omp parallel for schedule(static)
		for (int i = 0; i < 10000; i++)
			put(i * 7);
	}
	printf("%ld\n", table[3]);
}
