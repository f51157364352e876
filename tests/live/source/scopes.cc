// SPDX-License-Identifier: Apache-2.0
// Constructs in C++ scopes: namespaces, templates, lambdas; see constructs.c.
#include <cstdio>
#include <vector>

static int hits;

namespace flow {
namespace {
inline void count(int by)
{
#pragma omp critical(counting) /* @CRITICAL:flow::(anonymous_namespace)::count */
	hits += by;
}

void hidden(double *values, int n)
{
#pragma omp parallel /* @PARALLEL:flow::(anonymous_namespace)::hidden */
	{
#pragma omp for schedule(dynamic, 8) /* @DO:flow::(anonymous_namespace)::hidden */
		for (int i = 0; i < n; i++)
			values[i] += 1;
		count(1);
	}
}
}

template <typename T> struct Grid {
	std::vector<T> cells;
	void relax(T factor);
};

template <typename T> void Grid<T>::relax(T factor)
{
#pragma omp parallel /* @PARALLEL:flow::Grid<double>::relax */
	{
#pragma omp for schedule(dynamic, 8) /* @DO?:flow::Grid<double>::relax */
		for (std::size_t i = 0; i < cells.size(); i++)
			cells[i] *= factor;
#pragma omp critical /* @CRITICAL:flow::Grid<double>::relax */
		hits++;
#pragma omp barrier /* @BARRIER:flow::Grid<double>::relax */
		hits |= 2;
	}
}
}

template <typename F> void apply(F &&work)
{
	work(3);
}

int main()
{
	flow::Grid<double> grid;

	grid.cells.resize(300, 1.0);
	flow::hidden(grid.cells.data(), 300);
	grid.relax(0.5);
	apply([&](int times) {
#pragma omp parallel /* @PARALLEL:main::lambda */
		{
#pragma omp for schedule(dynamic, 8) /* @DO:main::lambda */
			for (int i = 0; i < 300; i++)
				grid.cells[i] += times;
			hits |= 4;
		}
	});
	std::fprintf(stderr, "%g %d\n", grid.cells[7], hits);
	return 0;
}
