/* SPDX-License-Identifier: Apache-2.0 */
/* Known blocks in C++: new, and containers whose memory the standard library's templates ask for. Prints a number. */
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

double *table;
namespace grid { double *cells; }

int main()
{
	double sum = 0;

	table = new double[20000]();                     // HERE: table
	grid::cells = new double[30000]();               // HERE: cells
	std::vector<double> sized(40000, 1.0);           // HERE: sized
	std::vector<int> growing;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 20000; i++)
		sum += table[i] + grid::cells[i] + sized[i];
	for (int i = 0; i < 20000; i++)
		growing.push_back(i);                    // HERE: growing
	std::unique_ptr<char[]> text(new char[50000]()); // HERE: text
	try {
		std::vector<double> absurd;
		absurd.resize(absurd.max_size());
	} catch (const std::exception &) {
		sum += 1;
	}
	std::printf("%.0f\n", sum + growing.back() + text[7]);
	delete[] grid::cells;
	return 0;
}
