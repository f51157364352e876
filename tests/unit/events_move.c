/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that is in a region's body already goes into its clone at a barrier, and back: a real
 * one, with a fake runtime around.
 */
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/events/event.h"
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/sampling.h"

#define PARALLEL 0x1000u
#define VALUES 50
#define STEPS 3
#define OTHERS (SANITIZED ? 50 : 16) /* accesses of code around the loop */

static struct host_thread master;
static struct host_task master_task, initial;
static struct host_team team;
static const enum ms_metric reads[] = { MS_METRIC_READS };
static double values[VALUES];
static void *wrong_frame;    /* instead of the true one */
static bool without_address; /* the runtime does not report where it was called */
static void (*at_barrier)(int step), (*in_barrier)(int step);
static struct thread *self;

static struct region *region(void)
{
	return region_table_at(events.regions, fake_region(MS_PARALLEL_REGION, PARALLEL, 0));
}

static double recorded(void)
{
	fake_fold();
	return fake_stat(region()->id, 0, MS_METRIC_READS).sum;
}

/*
 * What a runtime's barrier does: its frame pointer tells where the return address is. By way of
 * memory, so that the function is not found to use its return address: clones are not left before
 * calls of a runtime.
 */
NOT_INSTRUMENTED static void barrier(int step)
{
	volatile size_t some = 1;
	/* with it the compiler needs a frame pointer */
	volatile char *frame = __builtin_alloca(some);
	uint64_t *volatile behind;
	uint64_t code;

	frame[0] = 0;
	__asm__ volatile("lea 16(%%rbp), %0" : "=r"(behind));
	code = without_address ? 0 : behind[-1];

	if (at_barrier)
		at_barrier(step);
	host_frame(wrong_frame ? wrong_frame : (void *)(behind - 2));
	host_sync(ompt_sync_region_barrier_implementation, ompt_scope_begin, code);
	if (in_barrier)
		in_barrier(step);
	host_sync(ompt_sync_region_barrier_implementation, ompt_scope_end, code);
	host_frame(NULL);
	__asm__ volatile("" : : : "memory"); /* no tail call */
}

NOT_INSTRUMENTED static void body(volatile double *at)
{
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < VALUES; i++)
			at[i] = at[i] + 1;
		barrier(step);
		__asm__ volatile("" : : : "memory");
	}
	for (int i = 0; i < VALUES; i++)
		at[i] = at[i] + 1;
	barrier(STEPS);
	__asm__ volatile("" : : : "memory");
}

NOT_INSTRUMENTED static void body_that_calls(volatile double *at)
{
	body(at);
	__asm__ volatile("" : : : "memory");
}

static void choose(bool on)
{
	__atomic_store_n(&region()->recorded, on ? events.choices + 1 : 0, __ATOMIC_RELAXED);
	__atomic_store_n(&events.choices, events.choices + 1, __ATOMIC_RELEASE);
}

static uint32_t depth = 1; /* of callees with clones */

static void start(uintptr_t of_region)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES, .depth = depth };

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	fake_online.metrics = reads;
	fake_online.nr_metrics = 1;
	/* and it stands still: a region is handed over in parts after each PART_NS */
	fake_time(1);
	CHECK(host_start(core_start));
	host_thread_begin(&master, ompt_thread_initial);
	self = master.data.ptr;
	host_initial_task(&initial);
	CHECK(clone_make(of_region, &options) != NULL);
	CHECK(clone_make((uintptr_t)body, &options) != NULL);
	host_parallel_begin(&team, 1, PARALLEL);
	region_note_body(region(), of_region);
	host_implicit_begin(&team, &master_task, 0);
}

static void run(void (*function)(volatile double *at))
{
	function(values);
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
	for (int i = 0; i < VALUES; i++)
		CHECK_NEAR(values[i], STEPS + 1, 0);
}

/* A boundary inside of the region, where a part begins. */
static void part(bool keep)
{
	events_part(keep, 1);
	fake_fold();
}

static void on_at_first(int step)
{
	if (step == 0) {
		choose(true);
		part(false);
	} else if (step == 1) {
		part(true);
	}
}

TEST(events_move__into_the_clone_while_the_body_runs)
{
	start((uintptr_t)body);
	at_barrier = on_at_first;
	run(body);
	/* steps 2 and the last, and what `barrier` does */
	CHECK_NEAR(recorded(), 2 * VALUES, OTHERS);
	CHECK_INT(region()->unrecorded, 0);
}

TEST(events_move__where_the_runtime_tells_its_frame_only)
{
	start((uintptr_t)body);
	without_address = true;
	at_barrier = on_at_first;
	run(body);
	CHECK_NEAR(recorded(), 2 * VALUES, OTHERS);
	CHECK_INT(region()->unrecorded, 0);
}

static double of_parts[STEPS + 1];

static void on_and_off(int step)
{
	if (step == 1)
		CHECK_INT(self->frames[0].in_clone, 1);
	events_part(true, 1);
	fake_fold();
	of_parts[step] = fake_stat(region()->id, 0, MS_METRIC_READS).sum;
	if (step == 0 || step == 2)
		choose(step == 0);
}

TEST(events_move__and_back)
{
	start((uintptr_t)body);
	at_barrier = on_and_off;
	run(body);
	CHECK_NEAR(of_parts[0], 0, 0);
	CHECK_INT(region()->unrecorded, 3); /* the parts before, after, and the rest */
	CHECK(of_parts[1] >= VALUES && of_parts[1] < VALUES + OTHERS);
	CHECK(of_parts[2] >= VALUES && of_parts[2] < VALUES + OTHERS);
	CHECK_NEAR(of_parts[3], 0, 0);
	CHECK_INT(self->frames[0].in_clone, 0);
}

static void pause_after_first(int step)
{
	CHECK_INT(self->frames[0].in_clone, step == 0 || step == 1);
	if (step == 1)
		clone_pause();
}

static void check_pause(bool address)
{
	start((uintptr_t)body);
	without_address = !address;
	at_barrier = on_at_first;
	in_barrier = pause_after_first;
	run(body);
	CHECK_INT(region()->unrecorded, 1);
}

/* As where another thread installs a handler in the meantime: nothing was chosen. */
TEST(events_move__back_where_clones_are_paused_while_it_waits)
{
	check_pause(true);
}
TEST(events_move__back_in_a_pause_where_the_runtime_tells_its_frame_only)
{
	check_pause(false);
}

static void on_at_once(int step)
{
	if (step == 0)
		choose(true);
}

TEST(events_move__stays_where_the_return_address_is_another)
{
	uintptr_t elsewhere[2] = { 0, 0x1234 };

	start((uintptr_t)body);
	wrong_frame = elsewhere;
	at_barrier = on_at_once;
	run(body);
	CHECK_INT(elsewhere[1], 0x1234);
	CHECK_INT(self->frames[0].in_clone, 0);
	CHECK_THAT(host_asked_for_frame(), >, 1); /* it tries again */
	CHECK_NEAR(recorded(), 0, 0);
	CHECK_INT(fake_stat(region()->id, 0, MS_METRIC_READS).count, 0);
	CHECK_INT(region()->unrecorded, 1);
}

static void check_frame_elsewhere(uintptr_t address)
{
	uintptr_t elsewhere[2] = { 0, address };

	start((uintptr_t)body);
	wrong_frame = elsewhere;
	without_address = true;
	at_barrier = on_at_once;
	run(body);
	CHECK_THAT(elsewhere[1], ==, address);
	CHECK_INT(self->frames[0].in_clone, 0);
	CHECK_THAT(host_asked_for_frame(), >, 1);
	CHECK_INT(region()->unrecorded, 1);
}

TEST(events_move__stays_where_a_frame_alone_leads_nowhere)
{
	check_frame_elsewhere(0x1234);
}

TEST(events_move__stays_where_a_frame_alone_leads_to_the_begin)
{
	check_frame_elsewhere((uintptr_t)body);
}

/* The barrier is in a function that the body calls: both move, and both come back. */
TEST(events_move__with_what_the_body_calls)
{
	start((uintptr_t)body_that_calls);
	at_barrier = on_at_first;
	run(body_that_calls);
	CHECK_NEAR(recorded(), 2 * VALUES, OTHERS);
	CHECK_INT(region()->unrecorded, 0);
	CHECK_INT(host_asked_for_frame(), 1); /* not again: it has moved */
}

TEST(events_move__back_with_what_the_body_calls)
{
	start((uintptr_t)body_that_calls);
	at_barrier = on_and_off;
	run(body_that_calls);
	CHECK(of_parts[1] >= VALUES && of_parts[1] < VALUES + OTHERS);
	CHECK_NEAR(of_parts[3], 0, 0);
	CHECK_INT(self->frames[0].in_clone, 0);
}

NOT_INSTRUMENTED static void aside(volatile double *at)
{
	body(at);
	__asm__ volatile("" : : : "memory");
}

NOT_INSTRUMENTED static void body_that_calls_others(volatile double *at)
{
	aside(at);
	__asm__ volatile("" : : : "memory");
}

/* A function in between has no clone: all stay where they are. */
TEST(events_move__not_past_a_function_without_a_clone)
{
	depth = 0;
	start((uintptr_t)body_that_calls_others);
	at_barrier = on_at_once;
	run(body_that_calls_others);
	CHECK_INT(fake_stat(region()->id, 0, MS_METRIC_READS).count, 0);
	CHECK_THAT(host_asked_for_frame(), >, 1); /* again at each event */
	CHECK_INT(region()->unrecorded, 1);
}

TEST(events_move__nobody_looks_where_nothing_was_chosen)
{
	start((uintptr_t)body);
	run(body);
	CHECK_INT(host_asked_for_frame(), 0);
	CHECK_INT(self->choice, 0);
}

TEST(events_move__looks_once_where_another_region_was_chosen)
{
	start((uintptr_t)body);
	__atomic_store_n(&events.choices, 5, __ATOMIC_RELEASE);
	run(body);
	CHECK_INT(host_asked_for_frame(), 0);
	CHECK_INT(self->choice, 5);
}
