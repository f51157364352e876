// SPDX-License-Identifier: Apache-2.0
// problem  a small vector is allocated in each iteration of the hot loop
// remedy   one vector for each thread, outside of the loop
// arrays   scratch
// kinds    AllocationsInRegion AllocationChurn
#include <cstdio>
#include <vector>

int main()
{
	const long nr = 400000;
	double sum = 0;

	for (int step = 0; step < 400; step++) {
#pragma omp parallel reduction(+ : sum)
		{
#ifdef MENDED
			std::vector<double> scratch(24);
#endif
#pragma omp for
			for (long i = 0; i < nr; i++) {                         // hot
#ifndef MENDED
				std::vector<double> scratch(24);
#endif
				for (int k = 0; k < 24; k++)
					scratch[k] = i + k;
				sum += scratch[i % 24];                         // hot
			}
		}
	}
	std::printf("%.6g\n", sum);
	return 0;
}
