// SPDX-License-Identifier: Apache-2.0
// problem  the threads' accumulators are structs of 24 bytes side by side: false sharing
// remedy   align each struct to a cache line
// arrays   stats
// kinds    false_sharing
#include <cstdio>
#include <omp.h>
#include <vector>

#ifdef MENDED
struct alignas(64) statistics {
#else
struct statistics {
#endif
	double sum, squares;
	long nr;
};

static statistics stats[64];

static void add(statistics *to, double value)
{
	volatile statistics *s = to;

	s->sum = s->sum + value;
	s->squares = s->squares + value * value;
	s->nr = s->nr + 1;
}

int main()
{
	long nr = 2000000;
	std::vector<double> values(nr);
	double sum = 0;

	for (long i = 0; i < nr; i++)
		values[i] = i % 10;
	for (int step = 0; step < 100; step++) {
#pragma omp parallel for
		for (long i = 0; i < nr; i++)                           // hot
			add(&stats[omp_get_thread_num()], values[i]);   // hot
	}
	for (auto &s : stats)
		sum += s.sum + s.squares + s.nr;
	std::printf("%.6g\n", sum);
	return 0;
}
