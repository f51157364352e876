/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of locks, from measurements with known answers. */
#include "analysis/report/lock_facts.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "tests/unit/test.h"

enum { USER, PARALLEL, LARGE, SMALL, UPDATE, SEVERAL, ALONE, INNER, AGAIN, REGIONS };

static struct run_region regions[REGIONS];
static struct run_measurement rows[64];
static struct run run;

static void region(uint32_t id, enum ms_region_kind kind, uint32_t parent, uint32_t mutex, int line)
{
	regions[id] = (struct run_region){
		.id = id,
		.parent = parent,
		.kind = kind,
		.mutex = mutex,
		.resolved = true,
		.construct = { 0, (uint64_t)line },
		.source = { .function = "step",
			    .file = "solver.c",
			    .line = line,
			    .module = "solver" },
	};
}

/* Over 10 executions of the phase, of 1 us each. */
static void measured(uint32_t of, uint32_t thread, uint32_t metric, uint64_t count, double sum)
{
	rows[run.nr_measurements++] = (struct run_measurement){
		.row = { .region = of,
			 .thread = thread,
			 .metric = metric,
			 .stat = { .count = count, .sum = sum } },
		.phases = 10,
		.observed_ns = 10000,
	};
}

static void lock(uint32_t of, uint32_t thread, double held, double waited, uint64_t handovers)
{
	measured(of, thread, MS_METRIC_LOCK_HELD, 100, held);
	measured(of, thread, MS_METRIC_LOCK_WAIT, 100, waited);
	measured(of, thread, MS_METRIC_LOCK_ACQUISITIONS, 100, 100);
	if (!handovers)
		return;
	/* each sampled one stands for four */
	measured(of, thread, MS_METRIC_LOCK_HANDOVERS, handovers / 4, (double)handovers);
	measured(of, thread, MS_METRIC_LOCK_HANDOVER_TIME, handovers / 4, 20.0 * (double)handovers);
}

/*
 * Two threads. The critical `update` is entered at two lines and a twin of one of them, and held
 * for a quarter of the time of each thread, which wait for it half a thread's time together, and as
 * long at a barrier inside. Another lock is one thread's alone.
 */
static void start(void)
{
	run = (struct run){
		.threads = 2,
		.regions = regions,
		.nr_regions = REGIONS,
		.measurements = rows,
		.phase = { .method = PHASE_SEQUENCE, .executions = 10, .wall_ns = 10000 }
	};
	region(USER, MS_USER_REGION, MS_REGION_NONE, 0, 0);
	region(PARALLEL, MS_PARALLEL_REGION, USER, 0, 200);
	region(LARGE, MS_CRITICAL_REGION, PARALLEL, UPDATE, 211);
	region(SMALL, MS_CRITICAL_REGION, PARALLEL, UPDATE, 214);
	region(UPDATE, MS_MUTEX, USER, 0, 0);
	region(SEVERAL, MS_LOCK_REGION, PARALLEL, 0, 220);
	region(ALONE, MS_MUTEX, USER, 0, 0);
	region(INNER, MS_BARRIER_REGION, PARALLEL, 0, 230);
	region(AGAIN, MS_CRITICAL_REGION, INNER, UPDATE, 211);
	regions[UPDATE].name = "update";
	for (uint32_t thread = 0; thread < 2; thread++) {
		measured(PARALLEL, thread, MS_METRIC_TIME, 10, 10000);
		measured(PARALLEL, thread, MS_METRIC_BARRIER_WAIT, 10, 3000);
		measured(INNER, thread, MS_METRIC_BARRIER_WAIT, 10, 2500);
		measured(LARGE, thread, MS_METRIC_LOCK_HELD, 50, 1000);
		measured(SMALL, thread, MS_METRIC_LOCK_HELD, 50, 250);
	}
	lock(UPDATE, 0, 1200, 2000, 40);
	lock(UPDATE, 1, 1300, 3000, 60);
}

TEST(lock_facts__of_a_lock)
{
	struct arena *arena = arena_new();
	const struct lock_facts *locks;

	start();
	CHECK_INT(lock_facts_of(arena, &run, &locks), 1);
	CHECK_INT(locks[0].region, UPDATE);
	CHECK_THAT(locks[0].place, ==, &regions[LARGE]);
	CHECK_INT(locks[0].places, 2);
	CHECK_INT(locks[0].threads, 2);
	CHECK_NEAR(locks[0].acquisitions, 20, 1e-9);
	CHECK_NEAR(locks[0].hold_ns, 12.5, 1e-9);
	CHECK_NEAR(locks[0].use, 0.25, 1e-9);
	CHECK_NEAR(locks[0].waiting, 0.5, 1e-9);
	CHECK_NEAR(locks[0].handovers, 10, 1e-9);
	CHECK_NEAR(locks[0].handover_ns, 20, 1e-9);
	/* 2 threads less 0.5 at the barrier and 0.5 at the lock, by a quarter and a fifth */
	CHECK_NEAR(locks[0].saturation, 1 / 0.45, 1e-9);
	CHECK_THAT(lock_facts_at(locks, 1, &run, SMALL), ==, &locks[0]);
	CHECK(!lock_facts_at(locks, 1, &run, SEVERAL) && !lock_facts_at(locks, 1, &run, PARALLEL));
}

TEST(lock_facts__in_words)
{
	struct arena *arena = arena_new();
	const struct lock_facts *locks;

	start();
	lock_facts_of(arena, &run, &locks);
	CHECK_STR(
		lock_facts_sentence(arena, &run, &locks[0], false),
		"critical `update` (solver.c:211) is held 12.5 ns each time, 25 % of the time, and saturates at"
		" 2.2 threads; 10 times a step it goes to another thread, which takes 20 ns.");
	regions[UPDATE].name = "";
	CHECK_STR(lock_facts_name(arena, &run, &locks[0]), "the unnamed critical (solver.c:211)");
	regions[UPDATE].name = NULL;
	CHECK_STR(
		lock_facts_sentence(arena, &run, &locks[0], true),
		"is held 12.5 ns each time, 25 % of the time, and saturates at 2.2 threads; 10 times a step it goes"
		" to another thread, which takes 20 ns.");
	CHECK_STR(lock_facts_name(arena, &run, &locks[0]), "lock taken in step (solver.c:211)");
	CHECK(!lock_facts_sentence(arena, &run, NULL, true));
}

/* It is free for three quarters of 1 us: ten times 75 ns, although samples say 3 us. */
TEST(lock_facts__handovers_take_no_more_than_there_is)
{
	struct arena *arena = arena_new();
	const struct lock_facts *locks;

	start();
	for (size_t i = 0; i < run.nr_measurements; i++)
		if (rows[i].row.metric == MS_METRIC_LOCK_HANDOVER_TIME)
			rows[i].row.stat.sum *= 150;
	CHECK_INT(lock_facts_of(arena, &run, &locks), 1);
	CHECK_NEAR(locks[0].handover_ns, 75, 1e-9);
	CHECK_NEAR(locks[0].saturation, 1, 1e-9);
	CHECK_HAS(lock_facts_sentence(arena, &run, &locks[0], true), "which takes 75 ns at most.");
}

/* Nothing tells whether further threads would take it. */
TEST(lock_facts__one_thread_alone)
{
	struct arena *arena = arena_new();
	const struct lock_facts *locks;

	start();
	lock(ALONE, 1, 8000, 0, 0);
	CHECK_INT(lock_facts_of(arena, &run, &locks), 2);
	CHECK_INT(locks[0].region, ALONE);
	CHECK_NEAR(locks[0].use, 0.8, 1e-9);
	CHECK_NEAR(locks[0].handovers, 0, 0);
	CHECK(isnan(locks[0].saturation) && isnan(locks[0].handover_ns));
	CHECK_STR(lock_facts_sentence(arena, &run, &locks[0], true),
		  "is held 80 ns each time, 80 % of the time; one thread alone takes it.");
	run.threads = 1; /* of a run with one thread it can be told */
	lock_facts_of(arena, &run, &locks);
	CHECK_NEAR(locks[0].saturation, 1.875, 1e-9);
}

TEST(lock_facts__not_measured)
{
	struct arena *arena = arena_new();
	const struct lock_facts *locks;

	start();
	for (size_t i = 0; i < run.nr_measurements; i++)
		if (rows[i].row.metric == MS_METRIC_TIME)
			rows[i].phases = 0;
	CHECK_INT(lock_facts_of(arena, &run, &locks), 1);
	CHECK(isnan(locks[0].saturation));
	for (size_t i = 0; i < run.nr_measurements; i++)
		rows[i].observed_ns = 0;
	CHECK_INT(lock_facts_of(arena, &run, &locks), 0);
}
