// SPDX-License-Identifier: Apache-2.0
// Memory as programs ask for it: through functions that hand it on, in classes, in containers, by locals only.
#include <cstdio>
#include <cstdlib>
#include <memory>
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

template <typename T> class buffer {
	T *data;
	size_t nr;

public:
	explicit buffer(size_t n) : nr(n) { data = new T[n]; }
	buffer(size_t n, T value) : buffer(n)
	{
		for (size_t i = 0; i < n; i++)
			data[i] = value;
	}
	T &operator[](size_t i) { return data[i]; }
};

struct field {
	std::vector<double> pressure;
	double *velocity;
	explicit field(size_t n) : velocity(nullptr) { pressure.resize(n); }
};

struct mesh {
	buffer<double> edges;
	double *nodes;
	explicit mesh(size_t n) : edges(n) { make(n); }
	__attribute__((noinline)) void make(size_t n) { this->nodes = (double *)calloc(n, sizeof(double)); }
};

__attribute__((noinline)) static void compute()
{
	double *heat = allocate<double>(N), *cold = checked(N);
	double *twice = new double[2 * N], *thrice = new double[3 * N];
	struct field *field = new struct field(N);
	std::vector<double> flux(N);
	buffer<double> first(N), second(N);
	buffer<double> ones(N, 1);
	mesh mesh(N);
	std::unique_ptr<buffer<double>> owned(new buffer<double>(N));
	auto made = std::make_unique<buffer<double>>(N);
	void *raw;
	double sum = 0;

	field->velocity = allocate<double>(N);
	if (posix_memalign(&raw, 64, N * sizeof(double)))
		return;
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
			first[i] = second[i] = ones[i] + twice[i];
			mesh.edges[i] = mesh.nodes[i] = first[i];
			(*owned)[i] = (*made)[i] = mesh.edges[i];
			sum += twice[i] + (*made)[i];
		}
	printf("%.0f\n", sum);
}

int main()
{
	compute();
}
