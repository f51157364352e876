/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++: a triangular loop in a member function template; an exception is thrown and caught in every step.
 *
 * EXPECT ImbalanceIn.*|SlowThreads at loop severity 0.2..0.45
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 6594224676268050207
 */
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "workload.h"

template <typename Value> class Grid {
public:
	explicit Grid(std::size_t rows) : rows_(rows) {}

	void calc()
	{
		const long nr = static_cast<long>(rows_.size());

#pragma omp parallel for schedule(static)       /* HERE: loop */
		for (long i = 0; i < nr; i++)
			rows_[static_cast<std::size_t>(i)] = workload_churn(row(i) + static_cast<Value>(i), 40 * i);
	}

	Value row(long i) const { return rows_.at(static_cast<std::size_t>(i)); }

private:
	std::vector<Value> rows_;
};

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250), caught = 0;
	Grid<std::uint64_t> grid(400);

	for (int step = 0; step < steps; step++) {
		grid.calc();
		try {
			grid.row(400);
		} catch (const std::out_of_range &) {
			caught++;
		}
	}
	workload_checksum(grid.row(1) + grid.row(399) + static_cast<std::uint64_t>(caught));
	return 0;
}
