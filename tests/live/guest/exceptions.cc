/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: throws through functions, libraries' functions and out of nested calls in regions, and catches; rethrows; with destructors on the way. */
#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>
#include "guest.h"

static long destroyed;

struct counted {
	~counted() { __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED); }
};

__attribute__((noinline)) static long deep(int n, int which)
{
	counted here;

	if (n == 0 && which % 7 == 0)
		throw std::runtime_error("seven " + std::to_string(which));
	if (n == 0 && which % 11 == 0)
		throw which;
	return n ? deep(n - 1, which) + 1 : which;
}
__attribute__((noinline)) static long between(int which)
try {
	counted here;
	std::vector<int> values = { 3, 1, 2 };

	std::sort(values.begin(), values.end(), [&](int a, int b) { return deep(5, which) >= 0 && a < b; });
	return values[0] + deep(8, which);
} catch (int number) {
	if (number % 2)
		throw;
	throw std::out_of_range("even");
}

int main()
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 200; i++) {
			try {
				sum += between(i);
			} catch (const std::out_of_range &e) {
				sum += std::string(e.what()).size() + std::uncaught_exceptions();
			} catch (const std::exception &e) {
				sum += std::string(e.what()).size() * 1000;
			} catch (...) {
				sum += 1000000 + (std::current_exception() ? 1 : 0);
			}
		}
	}
	return guest_end(sum * 1000 + destroyed % 1000);
}
