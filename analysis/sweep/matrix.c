/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the configurations of a sweep and orders its runs. */
#include "analysis/sweep/matrix.h"

#include "analysis/base/arena.h"

/* Configurations of one binary and argument set. */
static double group_size(const struct sweep_plan *plan)
{
	double size = (double)plan->nr_threads;

	for (size_t i = 0; i < plan->nr_variables; i++)
		size *= (double)plan->variables[i].values.nr;
	return size;
}

size_t matrix_groups(const struct sweep_plan *plan)
{
	return plan->nr_arguments * plan->binaries.nr;
}

double matrix_size(const struct sweep_plan *plan)
{
	return group_size(plan) * (double)plan->nr_arguments * (double)plan->binaries.nr;
}

size_t matrix_group(const struct sweep_plan *plan, size_t configuration)
{
	return configuration / (size_t)group_size(plan);
}

static size_t configurations_of_run(const struct sweep_plan *plan)
{
	return plan->online ? plan->nr_threads : 1;
}

struct matrix_range matrix_measured(const struct sweep_plan *plan, size_t configuration)
{
	size_t nr = configurations_of_run(plan), first = configuration - configuration % nr;

	return (struct matrix_range){ first, first + nr };
}

struct matrix_configuration matrix_configuration(struct arena *arena, const struct sweep_plan *plan,
						 size_t number)
{
	const char **values = arena_alloc(arena, (plan->nr_variables + 1) * sizeof(*values));
	struct matrix_configuration configuration = { .number = number, .values = values };
	size_t group = matrix_group(plan, number);

	configuration.threads = plan->threads[number % plan->nr_threads];
	configuration.arguments = &plan->arguments[group % plan->nr_arguments];
	configuration.binary = plan->binaries.items[group / plan->nr_arguments];
	number /= plan->nr_threads;
	for (size_t i = 0; values && i < plan->nr_variables; i++) {
		const struct sweep_list *list = &plan->variables[i].values;

		values[i] = list->items[number % list->nr];
		number /= list->nr;
	}
	return configuration;
}

struct matrix_step *matrix_steps(struct arena *arena, const struct sweep_plan *plan, size_t *nr_out)
{
	size_t in_run = configurations_of_run(plan), runs = (size_t)matrix_size(plan) / in_run;
	size_t in_group = plan->online ? in_run : (size_t)group_size(plan), nr = 0;
	size_t offset = plan->online ? plan_most_threads(plan) : 0;
	struct matrix_step *steps = arena_alloc(arena,
						(runs * (plan->repetitions + 2)) * sizeof(*steps));
	uint32_t position = 0;

	if (!steps)
		return NULL;
	for (size_t first = 0; first < runs * in_run; first += in_group)
		steps[nr++] = (struct matrix_step){ MATRIX_WARM_UP, first + offset, 0, 0 };
	for (uint32_t repetition = 1; repetition <= plan->repetitions; repetition++)
		for (size_t i = 0; i < runs; i++) {
			size_t run = repetition % 2 ? i : runs - 1 - i,
			       number = run * in_run + offset;

			if (repetition == 1)
				steps[nr++] = (struct matrix_step){ MATRIX_UNPROFILED, number,
								    repetition, 0 };
			steps[nr++] = (struct matrix_step){ MATRIX_PROFILED, number, repetition,
							    ++position };
		}
	*nr_out = nr;
	return steps;
}
