// SPDX-License-Identifier: Apache-2.0
// Memory as programs ask for it: through functions that hand it on, in classes, in containers, by locals only.
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 100000 };

template <typename T> inline T *allocate(size_t n)
{
	return static_cast<T *>(malloc(n * sizeof(T)));
}

static inline double *checked(size_t n)
{
	double *memory = (double *)calloc(n, sizeof(double));

	if (!memory)
		exit(3);
	return memory;
}

struct field {
	std::vector<double> pressure;
	double *velocity;
	explicit field(size_t n) : velocity(nullptr) { pressure.resize(n); }
};

int main()
{
	double *heat = allocate<double>(N), *cold = checked(N);
	double *twice = new double[2 * N], *thrice = new double[3 * N];
	struct field *field = new struct field(N);
	std::vector<double> flux(N);
	void *raw;
	double sum = 0;

	field->velocity = allocate<double>(N);
	if (posix_memalign(&raw, 64, N * sizeof(double)))
		return 3;
	for (int step = 0; step < 50; step++)
		#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < N; i++) {
			heat[i] = i + step;
			cold[i] += heat[i];
			field->velocity[i] = cold[i];
			field->pressure[i] = field->velocity[i] / 2;
			flux[i] = field->pressure[i];
			((double *)raw)[i] = flux[i];
			twice[i] = thrice[i] = ((double *)raw)[i];
			sum += twice[i];
		}
	printf("%.0f\n", sum);
}
