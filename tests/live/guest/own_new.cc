/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: replaces operator new and delete, all forms, and counts them. */
#include <cstdlib>
#include <map>
#include <new>
#include <vector>
#include "guest.h"

static long given, taken;

static void *give(std::size_t size, std::size_t align)
{
	void *block = nullptr;

	__atomic_fetch_add(&given, 1, __ATOMIC_RELAXED);
	if (posix_memalign(&block, align < 16 ? 16 : align, size))
		throw std::bad_alloc();
	return block;
}
static void take(void *block)
{
	__atomic_fetch_add(&taken, block != nullptr, __ATOMIC_RELAXED);
	std::free(block);
}
void *operator new(std::size_t size) { return give(size, 16); }
void *operator new[](std::size_t size) { return give(size, 16); }
void operator delete(void *block) noexcept { take(block); }
void operator delete[](void *block) noexcept { take(block); }
void operator delete(void *block, std::size_t) noexcept { take(block); }
void operator delete[](void *block, std::size_t) noexcept { take(block); }

int main()
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 40; i++) {
			std::map<int, std::vector<int>> map;

			for (int k = 0; k < 20; k++)
				map[k * i % 7].push_back(k);
			sum += map[0].size();
		}
	}
	return guest_end(sum * 1000 + given - taken);
}
