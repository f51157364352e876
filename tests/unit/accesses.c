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
