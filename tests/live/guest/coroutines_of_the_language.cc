/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: C++20 coroutines, begun in one region and gone on with in another, by other threads. */
/* Flags: -std=c++20 */
#include <coroutine>
#include <vector>
#include "guest.h"

struct generator {
	struct promise_type {
		long value = 0;
		generator get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(long v) { value = v; return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
static generator counts(long by)
{
	for (long i = by;; i += by)
		co_yield i * (i % 3);
}

int main()
{
	std::vector<generator> all;
	long sum = 0;

	for (int i = 0; i < 64; i++)
		all.push_back(counts(i));
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
		for (int i = 0; i < 64; i++) {
			all[i].handle.resume();
			sum += all[i].handle.promise().value;
		}
	}
	return guest_end(sum);
}
