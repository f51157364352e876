/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensor accesses: what a clone records is counted for the region, as long as it is allowed to cost
 * what it does.
 */
#define _GNU_SOURCE
#include "ompt_tool/accesses/accesses.h"

#include <pthread.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/regions/region_table.h"
#include "tests/unit/sampling.h"

enum { VALUES = 1000, ROUNDS = 100 }; /* more words than a buffer holds */

static volatile double values[VALUES];

NOT_INSTRUMENTED static void walk(void)
{
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < VALUES; i++)
			/* no counted loop, of which little is recorded */
			values[i * 7 % VALUES] = values[i * 7 % VALUES] + 1;
}

NOT_INSTRUMENTED static void add_to_a_value(void)
{
	values[0] = values[0] + 1;
}

typedef void code(void);

static code *make_clone(code *function)
{
	struct clone_options options = { .probes = CLONE_ACCESSES, .runtime_calls_it = true };
	const struct clone *clone = clone_make((uintptr_t)function, &options);

	CHECK(clone);
	return (code *)clone->code;
}

static struct thread *begin_thread_of(struct arena *arena)
{
	struct thread *self = arena_alloc(arena, sizeof(*self));

	CHECK(self);
	self->summary = summary_new();
	CHECK(self->summary && sensor_accesses.thread_begin(self));
	return self;
}

static struct thread *begin_recording(struct arena *arena)
{
	struct region_table *regions = arena_alloc(arena, region_table_bytes());

	CHECK(regions);
	region_table_init(regions);
	accesses_configure(regions);
	return begin_thread_of(arena);
}

/* Values read in one execution of region 3. */
static double record(struct thread *self, code *walk_clone)
{
	uint64_t before = self->cost_ns;
	double reads;

	enter(&sensor_accesses, self, 3);
	walk_clone();
	leave(&sensor_accesses, self);
	reads = folded(self, 3, MS_METRIC_READS).sum;
	CHECK_THAT(self->cost_ns, >, before);
	return reads;
}

TEST(accesses__what_is_not_allowed_or_passed_over_is_not_counted)
{
	struct arena *arena = arena_new();
	struct thread *self;
	code *walk_clone;

	need_sensor(&sensor_accesses);
	self = begin_recording(arena);
	walk_clone = make_clone(walk);
	CHECK_THAT(record(self, walk_clone), >=, VALUES * ROUNDS);
	CHECK(!accesses_used_up() && accesses_left_ns(self) == UINT64_MAX);
	accesses_pass_over(true, false);
	CHECK_INT(record(self, walk_clone), 0);
	accesses_pass_over(false, false);
	CHECK_THAT(record(self, walk_clone), >=, VALUES * ROUNDS);
	accesses_allow(1);
	CHECK_INT(record(self, walk_clone), 0);
	CHECK(accesses_used_up());
	CHECK_INT(record(self, walk_clone), 0); /* and for good */
	accesses_allow(1e12);
	CHECK(!accesses_used_up());
	CHECK_THAT(accesses_left_ns(self), ==, 1000000000000);
	CHECK_THAT(record(self, walk_clone), >=, VALUES * ROUNDS);
	CHECK(accesses_left_ns(self) > 0 && accesses_left_ns(self) < 1000000000000);
	accesses_allow(1e15);
	accesses_charge(self, 300000000000000); /* simulated at the boundary */
	CHECK_THAT(accesses_left_ns(self), ==, 700000000000000);
	accesses_charge(self, 700000000000001);
	CHECK(accesses_used_up());
	accesses_allow(-1); /* overdrawn already */
	CHECK_INT(accesses_left_ns(self), 0);
	CHECK_INT(record(self, walk_clone), 0);
	sensor_accesses.thread_end(self);
	arena_free(arena);
}

/*
 * Bursts go into the trace alone; here is none, so that the thread leaves its clone at once, and
 * comes back to it afterwards.
 */
/*
 * A region around the boundary: a thread's part that begins in an execution to be discarded is of the
 * next one, but for the initial thread, which begins its part at the boundary.
 */
TEST(accesses__parts_of_the_next_execution_are_counted)
{
	static const struct {
		bool initial, inside, before, counted;
	} rows[] = { { false, true, false, true },
		     { true, true, false, false },
		     { false, false, false, false },
		     { false, true, true, false } };

	need_sensor(&sensor_accesses);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct thread *self = begin_recording(arena);
		code *walk_clone = make_clone(walk);
		struct parallel parallel = { .threads = 2 };

		self->index = !rows[i].initial;
		self->frames[0].type = FRAME_PARALLEL;
		self->frames[0].parallel = &parallel;
		if (!rows[i].before)
			accesses_pass_over(true, rows[i].inside);
		enter(&sensor_accesses, self, 3);
		if (rows[i].before)
			accesses_pass_over(true, rows[i].inside);
		walk_clone();
		accesses_pass_over(false, rows[i].inside);
		leave(&sensor_accesses, self);
		CHECK_INT(folded(self, 3, MS_METRIC_READS).sum >= VALUES * ROUNDS, rows[i].counted);
		sensor_accesses.thread_end(self);
		arena_free(arena);
	}
}

TEST(accesses__bursts_are_not_counted)
{
	struct arena *arena = arena_new();
	struct thread *self;
	code *walk_clone;
	bool left;

	need_sensor(&sensor_accesses);
	self = begin_recording(arena);
	walk_clone = make_clone(walk);
	accesses_trace_alone(true);
	accesses_burst_begins(1e9, 0);
	CHECK_INT(record(self, walk_clone), 0);
	CHECK(!accesses_used_up());
	CHECK(accesses_burst_ends(&left) == 0 && !left);
	accesses_trace_alone(false);
	CHECK_THAT(record(self, walk_clone), >=, VALUES * ROUNDS);
	sensor_accesses.thread_end(self);
	arena_free(arena);
}

struct told {
	uint64_t values;
	uint32_t executions;
};

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

/*
 * Words that were recorded while nothing was allowed are missing in the execution, whatever was
 * allowed before and after.
 */
TEST(accesses__an_execution_with_a_gap_is_left_out)
{
	struct arena *arena = arena_new();
	struct thread *self;
	struct told whole;
	code *walk_clone;

	need_sensor(&sensor_accesses);
	self = begin_recording(arena);
	walk_clone = make_clone(walk);
	CHECK_THAT(record(self, walk_clone), >=, VALUES * ROUNDS);
	whole = rows_of(self);
	CHECK_THAT(whole.values, >=, 2 * VALUES * ROUNDS);
	CHECK_INT(whole.executions, 1);
	enter(&sensor_accesses, self, 3);
	walk_clone();
	accesses_allow(0);
	walk_clone();
	accesses_allow(1e12);
	walk_clone();
	leave(&sensor_accesses, self);
	CHECK_INT(folded(self, 3, MS_METRIC_READS).count, 0);
	CHECK_INT(rows_of(self).values, whole.values);
	CHECK_INT(rows_of(self).executions, 1);
	CHECK_THAT(record(self, walk_clone), >=, VALUES * ROUNDS);
	CHECK(rows_of(self).values >= 2 * whole.values && rows_of(self).executions == 2);
	sensor_accesses.thread_end(self);
	arena_free(arena);
}

/*
 * An execution that takes many times the usual one is not one of those that the values are about:
 * the thread leaves its clones, and nothing of it counts.
 */
TEST(accesses__what_takes_far_longer_than_usual_is_left)
{
	struct arena *arena = arena_new();
	struct thread *self;
	code *walk_clone;

	need_sensor(&sensor_accesses);
	self = begin_recording(arena);
	walk_clone = make_clone(walk);
	accesses_pace(1e6, 1e6);
	accesses_allow(2e8);
	CHECK_THAT(record(self, walk_clone), >=, VALUES * ROUNDS);
	CHECK(!accesses_used_up());
	enter(&sensor_accesses, self, 3);
	walk_clone();
	usleep(300000);
	walk_clone();
	leave(&sensor_accesses, self);
	CHECK(accesses_used_up());
	CHECK_INT(folded(self, 3, MS_METRIC_READS).count, 0);
	accesses_pace(1e6, 1e9); /* as long as that is no wonder */
	accesses_allow(2e8);
	CHECK_THAT(record(self, walk_clone), >=, VALUES * ROUNDS);
	accesses_pace(0, 0);
	accesses_allow(1e15);
	sensor_accesses.thread_end(self);
	arena_free(arena);
}

/* What is done for a construct counts in full, as what is done with its words does. */
TEST(accesses__constructs_are_timed)
{
	struct arena *arena = arena_new();
	struct thread *self;
	uint64_t before;

	need_sensor(&sensor_accesses);
	self = begin_recording(arena);
	record(self, make_clone(walk));
	CHECK(self->timed_ns > 0 && self->timed_ns <= self->cost_ns);
	before = self->timed_ns;
	enter(&sensor_accesses, self, 3);
	CHECK_THAT(self->timed_ns, >, before);
	before = self->timed_ns;
	leave(&sensor_accesses, self);
	CHECK_THAT(self->timed_ns, >, before);
	accesses_allow(0);
	enter(&sensor_accesses, self, 3);
	leave(&sensor_accesses, self);
	CHECK(accesses_used_up());
	sensor_accesses.thread_end(self);
	arena_free(arena);
}

/* ------------------------------------------------------------------ several threads */

enum { EXPERIMENTS = 3000 };

static bool done;
static uint32_t recorded; /* executions */

static void *record_on(void *ctx)
{
	struct arena *arena = arena_new();
	struct thread *self = begin_thread_of(arena);

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		enter(&sensor_accesses, self, 3);
		((code *)ctx)();
		leave(&sensor_accesses, self);
		__atomic_fetch_add(&recorded, 1, __ATOMIC_RELEASE);
	}
	sensor_accesses.thread_end(self);
	arena_free(arena);
	return NULL;
}

static void pass_some(void)
{
	uint32_t begin = __atomic_load_n(&recorded, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&recorded, __ATOMIC_ACQUIRE) - begin < 2)
		;
}

/*
 * A thread that still compares what it spent with the allowance before does not use up the next
 * one.
 */
TEST(accesses__who_is_late_uses_up_nothing)
{
	struct arena *arena = arena_new();
	pthread_t thread;

	need_sensor(&sensor_accesses);
	begin_recording(arena);
	CHECK(!pthread_create(&thread, NULL, record_on, (void *)make_clone(add_to_a_value)));
	for (int i = 0; i < EXPERIMENTS; i++) {
		accesses_allow(-1);
		pass_some();
		CHECK(accesses_used_up());
		accesses_allow(1e15);
		CHECK(!accesses_used_up());
		pass_some();
		CHECK(!accesses_used_up());
	}
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	CHECK(!pthread_join(thread, NULL));
	arena_free(arena);
}
