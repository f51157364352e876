/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions did, from the threads' tables into the run. */
#include "analysis/base/arena.h"
#include "analysis/counting/count_private.h"
#include "analysis/counting/instruction_rows.h"

struct adding {
	const struct counting *counting;
	struct instruction_rows *rows;
};

static uint32_t joined(void *ctx, uint32_t number)
{
	const struct counting *counting = ctx;

	return code_loop_joined(&counting->loops, number);
}

static uint32_t loop(void *ctx, uint32_t region, uint32_t joined)
{
	return count_loop_around(ctx, region, joined);
}

static bool is_function(void *ctx, uint32_t joined)
{
	const struct counting *counting = ctx;

	return code_loop_is_function(&counting->loops, joined);
}

static struct code_address code(void *ctx, uint64_t address)
{
	const struct counting *counting = ctx;

	return count_rows_code(counting->run, address);
}

static uint32_t site(void *ctx, uint32_t number)
{
	const struct counting *counting = ctx;
	uint32_t of_run = 0;

	trace_reader_site(counting->reader, number, &of_run);
	return of_run;
}

/* Arrays that came after the recording have no row in the run. */
static void add(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct adding *adding = ctx;
	struct access_row of_run = *row;

	if (row->region >= adding->counting->nr_regions)
		return;
	if (row->array >= adding->counting->run->nr_arrays)
		of_run.array = RUN_ARRAY_NONE;
	instruction_rows_add(adding->rows, &of_run, executions);
}

void count_instructions_put(struct counting *counting)
{
	const struct instruction_world world = { joined, loop, code, site, counting, is_function };
	struct adding adding = { counting,
				 instruction_rows_new(counting->scratch, counting->run, &world) };

	for (uint32_t i = 0; adding.rows && i < counting->streams->threads; i++) {
		instruction_rows_begin(adding.rows);
		access_table_each(counting->threads[i].table, add, &adding);
	}
	if (!adding.rows || !instruction_rows_put(adding.rows, counting->arena))
		counting->rows.failed = true;
}
