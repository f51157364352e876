/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor accesses: what a clone records is counted for the region, as long as it is allowed to cost what it does. */
#define _GNU_SOURCE
#include "ompt_tool/sensors/accesses.h"

#include "analysis/base/arena.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/regions/region_table.h"
#include "tests/unit/sampling.h"

enum { VALUES = 1000, ROUNDS = 100 };    /* more words than a buffer holds */

static volatile double values[VALUES];

NOT_INSTRUMENTED static void walk(void)
{
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < VALUES; i++)
			values[i] = values[i] + 1;
}

static void (*clone_of_walk(void))(void)
{
	struct clone_options options = { .probes = CLONE_ACCESSES, .runtime_calls_it = true };
	const struct clone *clone = clone_make((uintptr_t)walk, &options);

	CHECK(clone);
	return (void (*)(void))clone->code;
}

static struct thread *begin_recording(struct arena *arena)
{
	struct thread *self = arena_alloc(arena, sizeof(*self));
	struct region_table *regions = arena_alloc(arena, region_table_bytes());

	CHECK(self && regions);
	region_table_init(regions);
	accesses_configure(regions);
	self->summary = summary_new();
	CHECK(self->summary && sensor_accesses.thread_begin(self));
	return self;
}

/* Values read in one execution of region 3. */
static double record(struct thread *self, void (*code)(void))
{
	uint64_t before = self->cost_ns;
	double reads;

	enter(&sensor_accesses, self, 3);
	code();
	leave(&sensor_accesses, self);
	reads = folded(self, 3, MS_METRIC_READS).sum;
	CHECK(self->cost_ns > before);
	return reads;
}

TEST(accesses__what_is_not_allowed_is_not_counted)
{
	struct arena *arena = arena_new();
	struct thread *self;
	void (*code)(void);

	need_sensor(&sensor_accesses);
	self = begin_recording(arena);
	code = clone_of_walk();
	CHECK(record(self, code) >= VALUES * ROUNDS);
	CHECK(!accesses_used_up());
	accesses_allow(1);
	CHECK_INT(record(self, code), 0);
	CHECK(accesses_used_up());
	CHECK_INT(record(self, code), 0);        /* and for good */
	accesses_allow(1e12);
	CHECK(!accesses_used_up());
	CHECK(record(self, code) >= VALUES * ROUNDS);
	accesses_allow(-1);                      /* overdrawn already */
	CHECK_INT(record(self, code), 0);
	sensor_accesses.thread_end(self);
	arena_free(arena);
}

struct told { uint64_t values; uint32_t executions; };

static void add_row(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct told *told = ctx;

	told->values += row->counts.reads + row->counts.writes;
	told->executions = executions;
}

static struct told rows_of(const struct thread *self)
{
	struct told told = { 0 };

	accesses_each(self, add_row, &told);
	return told;
}

/* Words that were recorded while nothing was allowed are missing in the execution, whatever was allowed before and after. */
TEST(accesses__an_execution_with_a_gap_is_left_out)
{
	struct arena *arena = arena_new();
	struct thread *self;
	struct told whole;
	void (*code)(void);

	need_sensor(&sensor_accesses);
	self = begin_recording(arena);
	code = clone_of_walk();
	CHECK(record(self, code) >= VALUES * ROUNDS);
	whole = rows_of(self);
	CHECK(whole.values >= 2 * VALUES * ROUNDS);
	CHECK_INT(whole.executions, 1);
	enter(&sensor_accesses, self, 3);
	code();
	accesses_allow(0);
	code();
	accesses_allow(1e12);
	code();
	leave(&sensor_accesses, self);
	CHECK_INT(folded(self, 3, MS_METRIC_READS).count, 0);
	CHECK_INT(rows_of(self).values, whole.values);
	CHECK_INT(rows_of(self).executions, 1);
	CHECK(record(self, code) >= VALUES * ROUNDS);
	CHECK(rows_of(self).values >= 2 * whole.values && rows_of(self).executions == 2);
	sensor_accesses.thread_end(self);
	arena_free(arena);
}
