/* SPDX-License-Identifier: Apache-2.0 */
/* How long locks are held, and how they go from thread to thread, through the fake host. */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#include <pthread.h>

#include "ompt_tool/events/lock_events.h"
#include "ompt_tool/events/mutexes.h"

#define PARALLEL 0x1000u
#define PLACE 0x1300u
#define OTHER_PLACE 0x1400u
#define LOCK 0x601000u
#define OTHER_LOCK 0x602000u

static struct host_thread master, worker;
static struct host_task master_task, worker_task, initial;
static struct host_team team;

static void begin(void)
{
	fake_time(1000);
	CHECK(host_start(core_start));
	host_thread_begin(&master, ompt_thread_initial);
	host_initial_task(&initial);
	host_thread_begin(&worker, ompt_thread_worker);
	host_on(&master);
	host_parallel_begin(&team, 2, PARALLEL);
	host_implicit_begin(&team, &master_task, 0);
	host_on(&worker);
	host_implicit_begin(&team, &worker_task, 1);
	host_on(&master);
}

static void start(void)
{
	host_tells_releases();
	begin();
}

static uint32_t place(enum ms_region_kind kind, uint64_t code)
{
	return fake_region(kind, code, fake_region(MS_PARALLEL_REGION, PARALLEL, 0));
}

static struct ms_stat of_lock(uint64_t lock, uint32_t thread, enum ms_metric metric)
{
	return fake_stat(fake_region(MS_MUTEX, lock, MS_REGION_USER), thread, metric);
}

static double held_at(enum ms_region_kind kind, uint64_t code)
{
	return fake_stat(place(kind, code), 0, MS_METRIC_LOCK_HELD).sum;
}

static void acquire(ompt_mutex_t kind, uint64_t lock, uint64_t code, uint64_t wait_ns)
{
	host_acquire_lock(kind, lock, code);
	fake_pass(wait_ns);
	host_acquired_lock(kind, lock, code);
}

static void release(ompt_mutex_t kind, uint64_t lock)
{
	host_releasing(kind, lock);
	fake_pass(1); /* the lock is free, nobody's time */
	host_released(kind, lock);
}

static void use(ompt_mutex_t kind, uint64_t lock, uint64_t code, uint64_t wait_ns, uint64_t held_ns)
{
	acquire(kind, lock, code, wait_ns);
	fake_pass(held_ns);
	release(kind, lock);
}

TEST(events_locks__held_from_acquired_to_release)
{
	uint32_t at;

	start();
	use(ompt_mutex_critical, LOCK, PLACE, 3, 10);
	use(ompt_mutex_critical, LOCK, PLACE, 4, 30);
	host_on(&worker);
	use(ompt_mutex_critical, LOCK, PLACE, 0, 5);
	fake_fold();
	at = place(MS_CRITICAL_REGION, PLACE);
	CHECK_NEAR(fake_stat(at, 0, MS_METRIC_LOCK_WAIT).sum, 7, 0);
	CHECK_NEAR(fake_stat(at, 0, MS_METRIC_LOCK_HELD).sum, 40, 0);
	CHECK_NEAR(fake_stat(at, 0, MS_METRIC_LOCK_HELD).max, 30, 0);
	CHECK_NEAR(fake_stat(at, 0, MS_METRIC_LOCK_ACQUISITIONS).sum, 2, 0);
	CHECK_NEAR(fake_stat(at, 1, MS_METRIC_LOCK_HELD).sum, 5, 0);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HELD).sum, 40, 0);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_WAIT).sum, 7, 0);
	CHECK_NEAR(of_lock(LOCK, 1, MS_METRIC_LOCK_ACQUISITIONS).sum, 1, 0);
}

/* Several places of one lock, and several locks at one place. */
TEST(events_locks__a_lock_is_more_than_its_place)
{
	start();
	use(ompt_mutex_critical, LOCK, PLACE, 0, 10);
	CHECK_INT(region_table_at(segment_regions(core_segment()), place(MS_CRITICAL_REGION, PLACE))
			  ->mutex,
		  fake_region(MS_MUTEX, LOCK, 0));
	use(ompt_mutex_critical, LOCK, OTHER_PLACE, 0, 20);
	use(ompt_mutex_critical, OTHER_LOCK, OTHER_PLACE, 0, 40);
	fake_fold();
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HELD).sum, 30, 0);
	CHECK_NEAR(of_lock(OTHER_LOCK, 0, MS_METRIC_LOCK_HELD).sum, 40, 0);
	CHECK_NEAR(fake_stat(place(MS_CRITICAL_REGION, OTHER_PLACE), 0, MS_METRIC_LOCK_HELD).sum,
		   60, 0);
	CHECK_INT(region_table_at(segment_regions(core_segment()), place(MS_CRITICAL_REGION, PLACE))
			  ->mutex,
		  fake_region(MS_MUTEX, LOCK, 0));
	CHECK_INT(region_table_at(segment_regions(core_segment()),
				  place(MS_CRITICAL_REGION, OTHER_PLACE))
			  ->mutex,
		  MS_REGION_NONE);
}

/* From the second lock on, a place has values for each. */
TEST(events_locks__locks_of_one_place)
{
	uint32_t at, first, second;

	start();
	use(ompt_mutex_lock, LOCK, PLACE, 0, 1000);
	use(ompt_mutex_lock, OTHER_LOCK, PLACE, 3, 40);
	use(ompt_mutex_lock, LOCK, PLACE, 2, 10);
	use(ompt_mutex_lock, LOCK, OTHER_PLACE, 0, 100);
	fake_fold();
	at = place(MS_LOCK_REGION, PLACE);
	first = fake_region(MS_MUTEX, LOCK, at);
	second = fake_region(MS_MUTEX, OTHER_LOCK, at);
	CHECK_NEAR(fake_stat(first, 0, MS_METRIC_LOCK_HELD).sum, 10, 0);
	CHECK_NEAR(fake_stat(first, 0, MS_METRIC_LOCK_WAIT).sum, 2, 0);
	CHECK_NEAR(fake_stat(second, 0, MS_METRIC_LOCK_HELD).sum, 40, 0);
	CHECK_NEAR(fake_stat(second, 0, MS_METRIC_LOCK_WAIT).sum, 3, 0);
	CHECK_NEAR(fake_stat(second, 0, MS_METRIC_LOCK_ACQUISITIONS).sum, 1, 0);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HELD).sum, 1110, 0);
	CHECK_INT(region_table_at(segment_regions(core_segment()), first)->mutex,
		  fake_region(MS_MUTEX, LOCK, 0));
	CHECK_INT(region_table_find(segment_regions(core_segment()), MS_MUTEX, LOCK,
				    place(MS_LOCK_REGION, OTHER_PLACE)),
		  MS_REGION_NONE);
}

enum { THREADS = 4 };
static uint32_t arrived, refused; /* atomic */

/* All threads use each lock at the same moment. */
static void *use_all(void *regions)
{
	for (uint32_t i = 0; i < MUTEXES_USES_MAX; i++) {
		__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
		while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < THREADS * (i + 1))
			sched_yield();
		if (mutexes_use(regions, LOCK + 64 * i, 1, 1) == MS_REGION_NONE)
			__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* A lock that several threads meet first counts once. */
TEST(events_locks__uses_up_to_the_bound)
{
	pthread_t threads[THREADS];

	start();
	for (int i = 0; i < THREADS; i++)
		CHECK_INT(
			pthread_create(&threads[i], NULL, use_all, segment_regions(core_segment())),
			0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(refused, 0);
	CHECK_INT(mutexes_use(segment_regions(core_segment()), OTHER_LOCK + 1, 1, 1),
		  MS_REGION_NONE);
}

/* The lock of the unnamed critical constructs has no variable with libgomp. */
TEST(events_locks__unnamed_critical)
{
	start();
	use(ompt_mutex_critical, 0, PLACE, 0, 10);
	fake_fold();
	CHECK_NEAR(of_lock(0, 0, MS_METRIC_LOCK_HELD).sum, 10, 0);
}

/* From the release by another thread, or the later begin of the wait. */
TEST(events_locks__hand_over)
{
	start();
	acquire(ompt_mutex_lock, LOCK, PLACE, 0);
	fake_pass(50);
	host_on(&worker);
	host_acquire_lock(ompt_mutex_lock, LOCK, PLACE);
	fake_pass(50);
	host_on(&master);
	host_releasing(ompt_mutex_lock, LOCK);
	fake_pass(7);
	host_on(&worker);
	host_acquired_lock(ompt_mutex_lock, LOCK, PLACE); /* the lock was free for 7 ns */
	host_on(&master);
	host_released(ompt_mutex_lock, LOCK);
	host_on(&worker);
	release(ompt_mutex_lock, LOCK);
	use(ompt_mutex_lock, LOCK, PLACE, 2, 1); /* no other thread before */
	fake_pass(1000);
	host_on(&master);
	/* it was free, all of the wait is the hand-over */
	use(ompt_mutex_lock, LOCK, PLACE, 3, 1);
	fake_fold();
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HELD).sum, 101, 0);
	CHECK_NEAR(of_lock(LOCK, 1, MS_METRIC_LOCK_HANDOVERS).sum, 1, 0);
	CHECK_NEAR(of_lock(LOCK, 1, MS_METRIC_LOCK_HANDOVER_TIME).sum, 7, 0);
	CHECK_NEAR(of_lock(LOCK, 1, MS_METRIC_LOCK_ACQUISITIONS).sum, 2, 0);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HANDOVERS).sum, 1, 0);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HANDOVER_TIME).sum, 3, 0);
}

TEST(events_locks__more_locks_than_rows)
{
	start();
	for (uint64_t i = 0; i < 2 * MUTEXES_MAX; i++) {
		use(ompt_mutex_lock, LOCK + 64 * i, PLACE, 0, 1);
		fake_pass(10000); /* not frequent: each is measured */
	}
	fake_fold();
	CHECK_NEAR(held_at(MS_LOCK_REGION, PLACE), 2 * MUTEXES_MAX, 0);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HELD).sum, 1, 0);
	CHECK_THAT(fake_dropped(), >=, MUTEXES_MAX);
}

/*
 * A lock that is acquired each 100 ns: bursts of 256 are measured, and stand for the rest by number
 * and by time.
 */
TEST(events_locks__frequent_ones_are_sampled)
{
	uint32_t region;

	start();
	for (int i = 0; i < 100000; i++) {
		use(ompt_mutex_lock, LOCK, PLACE, 20, 30);
		fake_pass(49);
	}
	fake_fold();
	region = place(MS_LOCK_REGION, PLACE);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_LOCK_WAIT).sum, 100000 * 20, 100000);
	CHECK_NEAR(held_at(MS_LOCK_REGION, PLACE), 100000 * 30, 150000);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_ACQUISITIONS).sum, 100000, 5000);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_LOCK_WAIT).min, 20, 0); /* the first burst */
}

/* Of a test lock only what was acquired counts, however often that failed before. */
TEST(events_locks__failed_tests_are_no_acquisitions)
{
	start();
	for (int i = 0; i < 1000; i++) {
		for (int failed = 0; failed < 50; failed++)
			host_acquire_lock(ompt_mutex_test_lock, LOCK, PLACE);
		use(ompt_mutex_test_lock, LOCK, PLACE, 0, 30);
		fake_pass(10000);
		use(ompt_mutex_lock, OTHER_LOCK, OTHER_PLACE, 20, 30);
		fake_pass(10000);
	}
	fake_fold();
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_ACQUISITIONS).sum, 1000, 0);
	CHECK_INT(fake_stat(place(MS_LOCK_REGION, PLACE), 0, MS_METRIC_LOCK_WAIT).count, 1000);
	CHECK_NEAR(of_lock(OTHER_LOCK, 0, MS_METRIC_LOCK_ACQUISITIONS).sum, 1000, 0);
}

/* Inside of a critical construct that is measured each one is, and their ends are not confused. */
TEST(events_locks__frequent_nested_criticals)
{
	start();
	for (int i = 0; i < 20000; i++) {
		acquire(ompt_mutex_critical, 0, PLACE, 10);
		use(ompt_mutex_critical, LOCK, OTHER_PLACE, 5, 7);
		fake_pass(20);
		release(ompt_mutex_critical, 0);
		fake_pass(30);
	}
	fake_fold();
	CHECK_NEAR(held_at(MS_CRITICAL_REGION, PLACE) / 20000, 5 + 7 + 1 + 20, 3);
	CHECK_NEAR(held_at(MS_CRITICAL_REGION, OTHER_PLACE) / 20000, 7, 1);
}

TEST(events_locks__nest_lock_is_held_once)
{
	start();
	acquire(ompt_mutex_nest_lock, LOCK, PLACE, 0);
	fake_pass(10);
	acquire(ompt_mutex_nest_lock, LOCK, OTHER_PLACE, 0);
	host_acquire_lock(ompt_mutex_test_nest_lock, LOCK, OTHER_PLACE);
	fake_pass(20);
	release(ompt_mutex_nest_lock, LOCK);
	release(ompt_mutex_nest_lock, LOCK);
	fake_pass(30);
	release(ompt_mutex_nest_lock, LOCK);
	fake_fold();
	CHECK_NEAR(held_at(MS_LOCK_REGION, PLACE), 62, 0);
	CHECK_NEAR(fake_stat(place(MS_LOCK_REGION, PLACE), 0, MS_METRIC_LOCK_ACQUISITIONS).sum, 1,
		   0);
	CHECK_INT(place(MS_LOCK_REGION, OTHER_PLACE), MS_REGION_NONE);
}

/* Of a library's locks: a failed attempt, and one that is free while its thread waits for a condition. */
TEST(events_locks__a_forgotten_lock_is_not_held)
{
	uint32_t at;

	start();
	events_acquire(ompt_mutex_lock, LOCK, (const void *)PLACE);
	fake_pass(50); /* in vain */
	events_acquire(ompt_mutex_lock, LOCK, (const void *)PLACE);
	fake_pass(3);
	events_acquired(ompt_mutex_lock, LOCK, (const void *)PLACE);
	fake_pass(5);
	events_forget_lock(OTHER_LOCK);
	events_forget_lock(LOCK);
	fake_pass(100);
	events_releasing(ompt_mutex_lock, LOCK);
	events_released(ompt_mutex_lock);
	use(ompt_mutex_lock, LOCK, PLACE, 4, 10);
	fake_fold();
	at = place(MS_LOCK_REGION, PLACE);
	CHECK_NEAR(fake_stat(at, 0, MS_METRIC_LOCK_WAIT).sum, 7, 0);
	CHECK_NEAR(fake_stat(at, 0, MS_METRIC_LOCK_HELD).sum, 10, 0);
	CHECK_NEAR(fake_stat(at, 0, MS_METRIC_LOCK_ACQUISITIONS).sum, 1, 0);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HELD).sum, 10, 0);
}

TEST(events_locks__test_locks_do_not_wait)
{
	start();
	host_acquire_lock(ompt_mutex_test_lock, LOCK, PLACE); /* not got */
	fake_pass(100);
	acquire(ompt_mutex_test_lock, LOCK, PLACE, 5);
	fake_pass(10);
	release(ompt_mutex_lock, LOCK);
	fake_fold();
	CHECK_NEAR(fake_stat(place(MS_LOCK_REGION, PLACE), 0, MS_METRIC_LOCK_HELD).sum, 10, 0);
	CHECK_NEAR(fake_stat(place(MS_LOCK_REGION, PLACE), 0, MS_METRIC_LOCK_WAIT).sum, 0, 0);
	CHECK_INT(fake_stat(place(MS_LOCK_REGION, PLACE), 0, MS_METRIC_LOCK_WAIT).count, 1);
}

/*
 * Criticals nest; libomp's number of one at its begin is not the address that is known at its end.
 * Locks are released in any order.
 */
TEST(events_locks__several_at_once)
{
	start();
	host_acquire_lock(ompt_mutex_critical, 0x77, PLACE);
	host_acquired_lock(ompt_mutex_critical, 0x77, PLACE);
	fake_pass(1);
	acquire(ompt_mutex_lock, OTHER_LOCK, PLACE, 0);
	fake_pass(2);
	acquire(ompt_mutex_lock, OTHER_LOCK + 8, OTHER_PLACE, 0);
	fake_pass(4);
	release(ompt_mutex_lock, OTHER_LOCK);
	fake_pass(8);
	release(ompt_mutex_lock, OTHER_LOCK + 8);
	release(ompt_mutex_critical, LOCK);
	fake_fold();
	CHECK_NEAR(held_at(MS_CRITICAL_REGION, PLACE), 17, 0);
	CHECK_NEAR(held_at(MS_LOCK_REGION, PLACE), 6, 0);
	CHECK_NEAR(held_at(MS_LOCK_REGION, OTHER_PLACE), 13, 0);
	CHECK_NEAR(of_lock(LOCK, 0, MS_METRIC_LOCK_HELD).sum, 17, 0);
	CHECK_NEAR(of_lock(OTHER_LOCK + 8, 0, MS_METRIC_LOCK_HELD).sum, 13, 0);
	CHECK_INT(fake_region(MS_MUTEX, 0x77, UINT32_MAX), MS_REGION_NONE);
}

/* Held while nothing was asked for, or released then: no value. */
TEST(events_locks__only_what_was_seen_whole)
{
	start();
	fake_request(0);
	acquire(ompt_mutex_lock, LOCK, PLACE, 0);
	fake_request(1);
	release(ompt_mutex_lock, LOCK);
	acquire(ompt_mutex_critical, OTHER_LOCK, PLACE, 0);
	fake_request(0);
	release(ompt_mutex_critical, OTHER_LOCK);
	fake_pass(500);
	fake_request(1);
	use(ompt_mutex_lock, LOCK, PLACE, 0, 10);
	release(ompt_mutex_critical, OTHER_LOCK);
	fake_fold();
	CHECK_NEAR(held_at(MS_LOCK_REGION, PLACE), 10, 0);
	CHECK_INT(fake_stat(place(MS_CRITICAL_REGION, PLACE), 0, MS_METRIC_LOCK_HELD).count, 0);
}

TEST(events_locks__beyond_the_room_is_counted)
{
	start();
	for (uint64_t i = 0; i < THREAD_HELD + 3; i++)
		acquire(ompt_mutex_lock, LOCK + 8 * i, PLACE + 8 * i, 0);
	CHECK_INT(fake_dropped(), 3);
	fake_pass(10);
	for (uint64_t i = 0; i < THREAD_HELD + 3; i++)
		release(ompt_mutex_lock, LOCK + 8 * i);
	fake_fold();
	CHECK_INT(fake_stat(place(MS_LOCK_REGION, PLACE + 16), 0, MS_METRIC_LOCK_HELD).count, 0);
	/* three releases came before */
	CHECK_NEAR(held_at(MS_LOCK_REGION, PLACE + 24), 10 + 3, 0);
}

static void note_missing(void *ctx, enum ms_metric metric)
{
	*(uint64_t *)ctx |= metric == MS_METRIC_LOCK_HELD;
}

/* A runtime without releases: the metric is missing, and nothing is kept of what is held. */
TEST(events_locks__releases_are_not_seen)
{
	uint64_t missing = 0;

	begin();
	for (uint64_t i = 0; i < THREAD_HELD + 3; i++)
		use(ompt_mutex_lock, LOCK + 8 * i, PLACE, 2, 1);
	fake_fold();
	CHECK_INT(fake_dropped(), 0);
	CHECK_NEAR(fake_stat(place(MS_LOCK_REGION, PLACE), 0, MS_METRIC_LOCK_WAIT).sum,
		   2 * (THREAD_HELD + 3), 0);
	CHECK_INT(fake_stat(place(MS_LOCK_REGION, PLACE), 0, MS_METRIC_LOCK_HELD).count, 0);
	events_missing(note_missing, &missing);
	CHECK_INT(missing, 1);
}

TEST(events_locks__releases_are_seen)
{
	uint64_t missing = 0;

	start();
	events_missing(note_missing, &missing);
	CHECK_INT(missing, 0);
	CHECK(host_registered(ompt_callback_mutex_released));
}
