/* SPDX-License-Identifier: Apache-2.0 */
/* Series of times of steps: nothing is lost, in bounded memory, in the order of time. */
#include "ompt_tool/phases/step_series.h"

#include "tests/unit/test.h"

static uint64_t executions_of(const struct step_series *series)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < series->nr; i++)
		sum += series->rows[i].executions;
	return sum;
}

TEST(step_series__a_row_for_each_step)
{
	struct step_series series = { .nr = 0 };

	step_series_add(&series, 10, 1, false);
	step_series_add(&series, 60, 3, true);
	step_series_add(&series, 5, 1, false);
	CHECK_INT(series.nr, 3);
	CHECK_NEAR(series.rows[0].wall_ns, 10, 0);
	CHECK_INT(series.rows[1].executions, 3);
	CHECK_INT(series.rows[1].recorded, 3);
	CHECK_NEAR(series.rows[1].min_ns, 20, 0);
	CHECK_NEAR(series.rows[2].max_ns, 5, 0);
	CHECK_INT(series.rows[2].recorded, 0);
}

/* Time n of step n: each row has neighbours, and as many as the others but the last. */
TEST(step_series__neighbours_become_one)
{
	static const uint64_t numbers[] = { STEP_SERIES_ROWS, STEP_SERIES_ROWS + 1,
					    2 * STEP_SERIES_ROWS, 100001 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct step_series series = { .nr = 0 };
		uint64_t first = 1;

		for (uint64_t step = 1; step <= numbers[i]; step++)
			step_series_add(&series, (double)step, 1, step == numbers[i]);
		CHECK_INT(executions_of(&series), numbers[i]);
		CHECK_THAT(series.nr, >, STEP_SERIES_ROWS / 2);
		CHECK_INT(series.rows[series.nr - 1].recorded, 1);
		for (size_t k = 0; k < series.nr; k++) {
			const struct run_step *row = &series.rows[k];
			uint64_t last = first + row->executions - 1;

			CHECK_NEAR(row->min_ns, (double)first, 0);
			CHECK_NEAR(row->max_ns, (double)last, 0);
			CHECK_NEAR(row->wall_ns,
				   (double)(first + last) * (double)row->executions / 2, 1e-6);
			CHECK(k == series.nr - 1 || row->executions == series.rows[0].executions);
			first = last + 1;
		}
	}
}
