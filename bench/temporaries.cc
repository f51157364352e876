// SPDX-License-Identifier: Apache-2.0
// A solver that makes its temporaries anew in each step: 270 allocations, some 10,000 page faults a
// step, as glibc gives memory back at the end
// of a step. Prints a checksum and the seconds of its steps.     temporaries STEPS
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <vector>

static double kernel(std::vector<double> &to, const std::vector<double> &from, double factor)
{
	double sum = 0;
	long n = (long)to.size();

#pragma omp parallel for reduction(+ : sum)
	for (long i = 0; i < n; i++) {
		to[i] = from[i] * factor + (double)i;
		sum += to[i];
	}
	return sum;
}

static double step(const std::vector<double> &state, int number)
{
	double sum = 0;

	for (int outer = 0; outer < 9; outer++) {
		std::vector<std::vector<double>> fields;

		for (int field = 0; field < 29; field++) {
			fields.emplace_back(std::vector<double>(19000 + 64 * (size_t)field));
			sum += kernel(fields.back(), state, 1.0 / (number + field + 1));
		}
		fields.clear();
		malloc_trim(0);
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	std::vector<double> state(32000, 1.0);
	double sum = 0;
	auto begin = std::chrono::steady_clock::now();

	for (int i = 0; i < steps; i++)
		sum += step(state, i);
	printf("%.17g\n", sum);
	fprintf(stderr, "%.3f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}
