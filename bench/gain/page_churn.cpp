// SPDX-License-Identifier: Apache-2.0
// problem  large buffers are allocated and freed in each step: the kernel clears each page again
// remedy   allocate them once
// arrays   -
// kinds    PageFaults FaultsInRegion AllocationChurn
#include <cstdio>
#include <cstdlib>

static double smooth(const double *in, double *work, long nr)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (long i = 1; i < nr - 1; i++) {                     // hot
		work[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
		sum += work[i];                                 // hot
	}
	return sum;
}

int main()
{
	long nr = 5000000;
	double *in = static_cast<double *>(std::malloc(nr * sizeof(double))), sum = 0;
#ifdef MENDED
	double *work = static_cast<double *>(std::malloc(nr * sizeof(double)));
#endif

	for (long i = 0; i < nr; i++)
		in[i] = i % 10;
	for (int step = 0; step < 80; step++) {
#ifdef MENDED
		sum += smooth(in, work, nr);
#else
		double *work = static_cast<double *>(std::malloc(nr * sizeof(double)));

		sum += smooth(in, work, nr);
		std::free(work);
#endif
	}
	std::printf("%.6g\n", sum);
	std::free(in);
	return 0;
}
