/* SPDX-License-Identifier: Apache-2.0 */
/* Natural loops as regions: below which construct, and which of them are none. */
#include "ompt_tool/accesses/loop_regions.h"

#include <sys/mman.h>

#include "analysis/trace/record_rows.h"
#include "ompt_tool/clones/clone_loops.h"
#include "ompt_tool/clones/loop_rows.h"
#include "ompt_tool/regions/region_table.h"
#include "tests/unit/test.h"

#define BODY 0x10000 /* a function; its calls are in the loops' blocks */

/* Each loop's own code is 0x100 bytes; its number is the position. */
static uint32_t loop_at(uintptr_t function, uintptr_t header, uint32_t parent)
{
	static struct clone_loop_block blocks[64]; /* rows keep them */
	static size_t nr;
	struct clone_loop_block *block = &blocks[nr++];
	uint32_t number;

	CHECK_THAT(nr, <=, 64);
	*block = (struct clone_loop_block){ header, header + 0x100, 0 };
	number = record_rows_add_loop(&(struct clone_loop){ .header = header,
							    .function = function,
							    .is_function = header == function,
							    .parent = parent,
							    .nr_blocks = 1,
							    .blocks = block });
	clone_loop_join(number, number, parent);
	return number;
}

static struct region_table *table_new(void)
{
	struct region_table *table = mmap(NULL, region_table_bytes(), PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	CHECK(table != MAP_FAILED);
	region_table_init(table);
	return table;
}

static uint32_t region(struct region_table *table, enum ms_region_kind kind, uint64_t construct,
		       uint32_t parent)
{
	return region_table_get(table, kind, construct, parent, &(bool){ false });
}

TEST(loop_regions__nest_as_loops_do)
{
	struct region_table *table = table_new();
	uint32_t outer = loop_at(BODY, BODY + 0x100, 0), inner = loop_at(BODY, BODY + 0x200, outer);
	uint32_t construct = region(table, MS_PARALLEL_REGION, 0x999, 0),
		 below = loop_region(table, construct, inner);

	CHECK_INT(region_table_at(table, below)->kind, MS_LOOP_REGION);
	CHECK_INT(region_table_at(table, below)->construct, BODY + 0x200);
	CHECK_INT(region_table_at(table, below)->parent, loop_region(table, construct, outer));
	CHECK_INT(region_table_at(table, loop_region(table, construct, outer))->parent, construct);
	CHECK_INT(loop_region(table, construct, inner), below);
	CHECK_INT(loop_region_around(table, construct, inner), below);
	CHECK_INT(loop_region_around(table, construct, 0), construct);
	CHECK_INT(loop_region(table, construct, 0), MS_REGION_NONE);
	CHECK_INT(region_table_count(table), 4);
}

/* The time loop of an SPMD program is around its work-shared loops. */
TEST(loop_regions__loops_around_the_construct_are_none_of_it)
{
	struct region_table *table = table_new();
	uint32_t time_loop = loop_at(BODY, BODY + 0x100, 0),
		 shared = loop_at(BODY, BODY + 0x200, time_loop);
	uint32_t callee = loop_at(BODY + 0x1000, BODY + 0x1100, 0);
	uint32_t team = region(table, MS_PARALLEL_REGION, 0x999, 0);
	uint32_t construct = region(table, MS_DO_REGION, BODY + 0x180, team);

	CHECK(loop_is_around(table, construct, time_loop));
	CHECK(!loop_is_around(table, construct, shared));
	CHECK(!loop_is_around(table, construct, callee));
	CHECK(!loop_is_around(table, team, time_loop));
	CHECK_INT(loop_region(table, construct, time_loop), MS_REGION_NONE);
	CHECK_INT(loop_region_around(table, construct, time_loop), construct);
	CHECK_INT(region_table_at(table, loop_region(table, construct, shared))->parent, construct);
	CHECK_INT(region_table_at(table, loop_region(table, construct, callee))->parent, construct);
	CHECK_INT(region_table_at(table, loop_region(table, team, time_loop))->parent, team);
}

/* A call at a block's end returns behind the block. */
TEST(loop_regions__the_call_is_before_its_return_address)
{
	struct region_table *table = table_new();
	uint32_t one = loop_at(BODY, BODY + 0x100, 0), next = loop_at(BODY, BODY + 0x200, 0);
	uint32_t construct = region(table, MS_DO_REGION, BODY + 0x200, 0);

	CHECK(loop_is_around(table, construct, one));
	CHECK(!loop_is_around(table, construct, next));
}

/*
 * main's time loop is around the serial code between its parallel regions, which are in functions
 * it calls.
 */
TEST(loop_regions__serial_code_between_calls)
{
	struct region_table *table = table_new();
	uint32_t time_loop = loop_at(BODY, BODY + 0x100, 0),
		 inner = loop_at(BODY, BODY + 0x200, time_loop);
	uint32_t next = region(table, MS_PARALLEL_REGION, 0x999, 0),
		 serial = region(table, MS_SERIAL_REGION, 0x777, next);

	CHECK(!loop_is_around(table, serial, time_loop));
	region_table_at(table, serial)->inside = 0x999;
	region_table_at(table, next)->path[0] = BODY + 0x150;
	region_table_at(table, next)->nr_path = 1;
	CHECK(loop_is_around(table, serial, time_loop));
	CHECK(!loop_is_around(table, serial, inner));
}

TEST(loop_regions__a_constructs_own_loop_is_no_region)
{
	struct region_table *table = table_new();
	uint32_t own = loop_at(BODY, BODY + 0x100, 0), inner = loop_at(BODY, BODY + 0x200, own),
		 callee = loop_at(BODY + 0x1000, BODY + 0x1100, 0);
	uint32_t team = region(table, MS_PARALLEL_REGION, 0x999, 0),
		 construct = region(table, MS_DO_REGION, BODY + 0x80, team);

	CHECK(!loop_may_be_own(table, construct, own));
	region_note_body(region_table_at(table, team), BODY);
	CHECK(loop_may_be_own(table, construct, own));
	CHECK(loop_may_be_own(table, team, own));
	CHECK(!loop_may_be_own(table, construct, callee));
	CHECK(!loop_may_be_own(table, region(table, MS_SINGLE_REGION, BODY + 0x80, team), own));
	region_table_at(table, construct)->own_loop = own;
	CHECK_INT(loop_region(table, construct, own), MS_REGION_NONE);
	CHECK_INT(region_table_at(table, loop_region(table, construct, inner))->parent, construct);
}

/* It is around its loops, whatever calls it, and below each construct that does. */
TEST(loop_regions__called_functions)
{
	struct region_table *table = table_new();
	uint32_t function = loop_at(BODY, BODY, 0), loop = loop_at(BODY, BODY + 0x200, function);
	uint32_t team = region(table, MS_PARALLEL_REGION, 0x999, 0),
		 construct = region(table, MS_DO_REGION, 0x888, team),
		 below = loop_region(table, construct, function),
		 other = loop_region(table, team, function);

	CHECK(loop_is_function(function));
	CHECK(!loop_is_function(loop));
	CHECK_INT(region_table_at(table, below)->kind, MS_SUB_REGION);
	CHECK_INT(region_table_at(table, below)->construct, BODY);
	CHECK_INT(region_table_at(table, below)->parent, construct);
	CHECK_INT(region_table_at(table, other)->parent, team);
	CHECK_INT(region_table_at(table, loop_region(table, construct, loop))->parent, below);
	CHECK_INT(region_table_at(table, loop_region(table, construct, loop))->kind,
		  MS_LOOP_REGION);
}

/* An orphaned construct: the function that contains it is not called in it. */
TEST(loop_regions__the_function_around_a_construct_is_none_of_it)
{
	struct region_table *table = table_new();
	uint32_t function = loop_at(BODY, BODY, 0), loop = loop_at(BODY, BODY + 0x200, function);
	uint32_t team = region(table, MS_PARALLEL_REGION, 0x999, 0),
		 construct = region(table, MS_DO_REGION, BODY + 0x80, team);

	CHECK_INT(loop_region(table, construct, function), MS_REGION_NONE);
	CHECK_INT(loop_region_around(table, construct, function), construct);
	CHECK_INT(region_table_at(table, loop_region(table, construct, loop))->parent, construct);
	CHECK(loop_function_is_called(table, team, BODY, BODY + 0x100));
	CHECK(!loop_function_is_called(table, construct, BODY, BODY + 0x100));
	region_note_body(region_table_at(table, team), BODY);
	CHECK(!loop_function_is_called(table, team, BODY, BODY + 0x100));
}

/* The runtime calls the function of a task, which is noted for the task's region. */
TEST(loop_regions__the_function_of_a_task_is_none_of_it)
{
	struct region_table *table = table_new();
	uint32_t team = region(table, MS_PARALLEL_REGION, 0x999, 0),
		 task = region(table, MS_TASK_REGION, 0x888, team),
		 inside = region(table, MS_SINGLE_REGION, 0x777, task);

	region_note_body(region_table_at(table, task), BODY);
	CHECK(!loop_function_is_called(table, task, BODY, BODY + 0x100));
	CHECK(!loop_function_is_called(table, inside, BODY, BODY + 0x100));
	CHECK(loop_function_is_called(table, task, BODY + 0x1000, BODY + 0x1100));
	CHECK(loop_function_is_called(table, team, BODY, BODY + 0x100));
}

/* Of a serial stretch the functions that it leaves or returns into are no part of. */
TEST(loop_regions__functions_around_serial_code)
{
	struct region_table *table = table_new();
	uint32_t next = region(table, MS_PARALLEL_REGION, BODY + 0x1080, 0),
		 serial = region(table, MS_SERIAL_REGION, 0x777, next);

	region_table_at(table, serial)->inside = BODY + 0x1080;
	region_table_at(table, next)->path[0] = BODY + 0x50;
	region_table_at(table, next)->nr_path = 1;
	CHECK(!loop_function_is_called(table, serial, BODY, BODY + 0x100));
	CHECK(!loop_function_is_called(table, serial, BODY + 0x1000, BODY + 0x1100));
	CHECK(loop_function_is_called(table, serial, BODY + 0x2000, BODY + 0x2100));
}

TEST(loop_regions__a_full_table_leaves_them_out)
{
	struct region_table *table = table_new();
	uint32_t loop = loop_at(BODY, BODY + 0x100, 0),
		 construct = region(table, MS_PARALLEL_REGION, 0x999, 0);

	for (uint64_t code = 1; region(table, MS_DO_REGION, code, construct) != MS_REGION_NONE;)
		code++;
	CHECK_INT(loop_region(table, construct, loop), MS_REGION_NONE);
	CHECK_INT(loop_region_around(table, construct, loop), construct);
	CHECK_THAT(region_table_dropped(table), >=, 2);
}
