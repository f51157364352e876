/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_INSTRUCTION_ROWS_H
#define MEMSEARCH_COUNTING_INSTRUCTION_ROWS_H

#include "analysis/counting/access_rows.h"
#include "analysis/record/run.h"
#include "analysis/trace/stretches.h"

/*
 * From the threads' tables to a run's rows (struct run_access): one for what an instruction does to
 * an array in a region, over all threads. One use:
 *
 *     rows = instruction_rows_new(scratch, run, &world)
 *     for each thread: instruction_rows_begin(rows); access_table_each(table, instruction_rows_add, rows)
 *     instruction_rows_put(rows, arena)
 *
 * Both the tool, at the end of a run, and the counting of traces use it. One thread.
 */
struct arena;
struct instruction_rows;

/* What a number or an address of the tables is in the run. */
struct instruction_world {
	/* joined loop of a site's loop number; 0: none */
	uint32_t (*joined)(void *ctx, uint32_t number);
	/* region of the innermost natural loop around a joined loop in a region */
	uint32_t (*loop)(void *ctx, uint32_t region, uint32_t joined);
	struct code_address (*code)(void *ctx, uint64_t address);
	uint32_t (*site)(void *ctx, uint32_t site); /* number in the run's traces */
	void *ctx;
	/* the joined loop is a called function; NULL: none is */
	bool (*is_function)(void *ctx, uint32_t joined);
};

/* `run` has its regions; it and `world` outlive the rows, which are in `scratch`. NULL: no memory. */
struct instruction_rows *instruction_rows_new(struct arena *scratch, struct run *run,
					      const struct instruction_world *world);
/* The rows that follow are of another thread. */
void instruction_rows_begin(struct instruction_rows *rows);
/* For access_table_each: `ctx` is the struct instruction_rows. Rows of unknown regions are skipped. */
void instruction_rows_add(void *ctx, const struct access_row *row, uint32_t executions);
/* Appends to run->accesses, in `arena`. False: no memory. */
bool instruction_rows_put(struct instruction_rows *rows, struct arena *arena);

#endif
