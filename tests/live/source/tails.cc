// SPDX-License-Identifier: Apache-2.0
// Methods that end with a construct; see tails.c and scopes.cc.
#include <cstdio>
#include <vector>

namespace flow {
template <typename T> struct Grid {
	std::vector<T> cells;
	T *data;

	__attribute__((noinline)) void relax()
	{
#pragma omp parallel /* @PARALLEL:flow::Grid<double>::relax */
		first();
	}
	__attribute__((noinline)) void first() { __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED); }
	__attribute__((noinline)) void chain()
	{
		data = cells.data();
		step();
	}
	static int hits;
	__attribute__((noinline)) static void step()
	{
#pragma omp parallel /* @PARALLEL:flow::Grid<double>::step */
		__atomic_fetch_add(&hits, 2, __ATOMIC_RELAXED);
	}
};
template <typename T> int Grid<T>::hits;
}

int main()
{
	flow::Grid<double> grid;

	grid.cells.resize(300, 1.0);
	for (int round = 0; round < 3; round++) {
		grid.relax();
		grid.step();
		grid.chain();
		[]() __attribute__((noinline)) {
#pragma omp parallel /* @PARALLEL:main::lambda */
			__atomic_fetch_add(&flow::Grid<double>::hits, 3, __ATOMIC_RELAXED);
		}();
	}
	std::fprintf(stderr, "%d\n", grid.hits);
	return 0;
}
