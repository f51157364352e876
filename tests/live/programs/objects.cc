// SPDX-License-Identifier: Apache-2.0
// Objects that are local in main, of one class: their data are allocated at the same place.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Grid {
	int n;
	std::vector<double> values;
	explicit Grid(int nr) : n(nr), values(static_cast<std::size_t>(nr) * nr, 1.0) {}
};

class Table {
public:
	explicit Table(int nr) : data_(new double[nr]), nr_(nr) { for (int i = 0; i < nr; i++) data_[i] = i; }
	~Table() { delete[] data_; }
	double at(int i) const { return data_[i % nr_]; }

private:
	double *data_;
	int nr_;
};

// Reads left by columns, and writes right by rows.
__attribute__((noinline)) static void transpose(const Grid &left, Grid &right, const Table &table)
{
#pragma omp parallel for
	for (int i = 0; i < left.n; i++)
		for (int j = 0; j < left.n; j++)
			right.values[i * right.n + j] = left.values[j * left.n + i] * table.at(j);
}

int main(int argc, char **argv)
{
	Grid left(400), right(400);
	Table table(1000);

	for (int step = 0; step < (argc > 1 ? std::atoi(argv[1]) : 20); step++)
		transpose(left, right, table);
	std::printf("%g\n", right.values[77]);
	return 0;
}
