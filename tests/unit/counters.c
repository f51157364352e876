/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensor counters over a fake back end: metrics from events, sets that change, counters that lie or
 * are taken.
 */
#include "tests/unit/fake_counters.h"

#include <sys/wait.h>

#define NAMES(name) (const char *const[]){ name }, 1
#define TABLE(name, metrics) \
	{ NAMES(name), "invented", name ".events", metrics, sizeof(metrics) / sizeof(metrics[0]) }

static const struct event_metric metrics_a[] = {
	FAKE_METRIC(CYCLES, { "1", 1 }),
	FAKE_METRIC(INSTRUCTIONS, { "2", 1 }),
	FAKE_METRIC(L1D_MISSES, { "3", 1 }, { "4", 1 }),
	FAKE_METRIC(DRAM_READS, { "5", 0.5 }, { "6", -2 }),
	FAKE_METRIC(HITM, { "7", 1 }),
	FAKE_METRIC(TLB_WALKS, { "99", 1 }),
	FAKE_METRIC(LOADS, { "8", 1 }, { "9", 1 }, { "10", 1 }, { "11", 1 }, { "12", 1 }),
	FAKE_METRIC(STORES, { "13", 1 }, { "14", 1 }, { "15", 1 }, { "16", 1 }),
};
static const struct event_metric metrics_b[] = {
	FAKE_METRIC(CYCLES, { "21", 1 }),
	FAKE_METRIC(INSTRUCTIONS, { "22", 1 }),
};
static const struct event_metric metrics_perf[] = {
	FAKE_METRIC(PAGE_FAULTS, { "30", 1 }),
	FAKE_METRIC(TLB_WALKS, { "31", 1 }),
};
static const struct event_table tables[] = { TABLE("a", metrics_a), TABLE("b", metrics_b),
					     TABLE("perf", metrics_perf) };
static const struct fake_files files = { tables, 3 };
static const struct counter_backend *const backends[] = { &fake_backend };

/* Every event advances by ten times its number between two readings, 1 ms apart. */
static void set_up(const char *user_events)
{
	struct counter_config config = { backends, 1, NULL, fake_table, &files, user_events };

	for (uint64_t i = 0; i < FAKE_EVENTS; i++)
		fake.events[i].step = 10 * i;
	fake.tables[0] = (struct counter_table){ .name = "a", .core = true };
	fake.tables[1] = (struct counter_table){ .name = "perf" };
	fake.nr_tables = 2;
	fake.most_at_once = 4;
	fake.step_ns = 1000000;
	fake.starts = true;
	plan_configure(&config);
}

static struct sensor_status probe(void)
{
	struct sensor_status status = { 0 };

	sensor_counters.probe(&status);
	return status;
}

static void select_one(uint32_t metric)
{
	sensor_counters.select(&metric, 1);
}

static enum ms_missing missing(uint32_t metric)
{
	const char *text;
	enum ms_missing why = sensor_counters.missing(metric, &text);

	CHECK(why == MS_PRESENT || text[0]);
	return why;
}

static void run_region(struct thread *self, uint32_t region)
{
	fake_enter(self, region);
	fake_leave(self);
}

TEST(counters__a_metric_is_the_sum_of_its_terms)
{
	static const uint32_t metrics[] = { MS_METRIC_L1D_MISSES, MS_METRIC_DRAM_READS };
	struct fake_rows rows = {
		{ { 5, MS_METRIC_L1D_MISSES, { 0 } }, { 5, MS_METRIC_DRAM_READS, { 0 } } }, 2
	};
	struct thread *self;

	set_up("");
	fake.events[5].step = 1000;
	fake.events[6].step = 100;
	CHECK(probe().works);
	sensor_counters.select(metrics, 2);
	self = fake_thread(0);
	run_region(self, 5);
	run_region(self, 5);
	run_region(self, 5);
	summary_fold(self->summary, 0, fake_pick, &rows);
	CHECK_INT(rows.rows[0].stat.count, 3);
	CHECK_INT(rows.rows[0].stat.sum, 3 * (30 + 40));
	CHECK_INT(rows.rows[1].stat.sum, 3 * (500 - 200));
	CHECK_STR(counters_formula(MS_METRIC_L1D_MISSES), "a::3 + a::4");
	CHECK_STR(counters_formula(MS_METRIC_DRAM_READS), "0.5 * a::5 - 2 * a::6");
	CHECK_STR(counters_backend(), "fake");
	CHECK_STR(counters_table(), "a");
}

TEST(counters__zero_is_a_value)
{
	struct thread *self;
	struct ms_stat stat;

	set_up("");
	fake.events[7].step = 0;
	CHECK(probe().works);
	select_one(MS_METRIC_HITM);
	self = fake_thread(0);
	run_region(self, 5);
	stat = fake_value(self, 5, MS_METRIC_HITM);
	CHECK_INT(stat.count, 1);
	CHECK_INT(stat.sum, 0);
	CHECK_INT(missing(MS_METRIC_HITM), MS_PRESENT);
}

TEST(counters__inner_regions_have_their_own_part)
{
	struct thread *self;
	struct fake_rows rows = {
		{ { 1, MS_METRIC_CYCLES, { 0 } }, { 2, MS_METRIC_CYCLES, { 0 } } }, 2
	};

	set_up("");
	probe();
	select_one(MS_METRIC_CYCLES);
	self = fake_thread(0);
	fake_enter(self, 1);
	run_region(self, 2);
	fake_leave(self);
	summary_fold(self->summary, 0, fake_pick, &rows);
	CHECK_INT(rows.rows[0].stat.sum, 30);
	CHECK_INT(rows.rows[1].stat.sum, 10);
}

TEST(counters__what_no_table_has_is_unsupported_and_another_table_may_have_it)
{
	set_up("");
	probe();
	CHECK_INT(missing(MS_METRIC_PREFETCHES), MS_MISSING_UNSUPPORTED);
	CHECK(!counters_formula(MS_METRIC_PREFETCHES));
	/* a's event is unknown, perf's is not */
	CHECK_INT(missing(MS_METRIC_TLB_WALKS), MS_PRESENT);
	CHECK_STR(counters_formula(MS_METRIC_TLB_WALKS), "perf::31");
	CHECK_STR(counters_formula(MS_METRIC_PAGE_FAULTS), "perf::30");
	CHECK_INT(missing(MS_METRIC_EVENT_1), MS_MISSING_NOT_REQUESTED);
}

/*
 * Presets, which mean something else on each CPU, do not fill the gaps of a table that leaves them
 * open with good reason.
 */
TEST(counters__what_stands_in_does_so_where_the_cpu_has_no_table)
{
	set_up("");
	fake.tables[1].stands_in = true;
	probe();
	CHECK(counters_formula(MS_METRIC_CYCLES));
	CHECK_INT(missing(MS_METRIC_PAGE_FAULTS), MS_MISSING_UNSUPPORTED);
}

TEST(counters__what_stands_in_for_a_cpu_without_table)
{
	set_up("");
	fake.tables[0].name = "unheard_of";
	fake.tables[1].stands_in = true;
	probe();
	CHECK_STR(counters_formula(MS_METRIC_PAGE_FAULTS), "perf::30");
}

TEST(counters__what_opens_and_counts_nothing_is_broken)
{
	const char *text;

	set_up("");
	fake.events[2].step = 0;
	fake.events[7].step = 0;
	probe();
	CHECK_INT(sensor_counters.missing(MS_METRIC_INSTRUCTIONS, &text), MS_MISSING_BROKEN);
	CHECK(strstr(text, "count nothing"));
	/* this one may be 0, and who knows why */
	CHECK_INT(sensor_counters.missing(MS_METRIC_HITM, &text), MS_PRESENT);
	CHECK(strstr(text, "may be true or not"));
	CHECK_INT(sensor_counters.missing(MS_METRIC_CYCLES, &text), MS_PRESENT);
	CHECK_STR(text, "");
}

TEST(counters__a_refused_event_says_why)
{
	const char *text;

	set_up("");
	fake.events[7].forbidden = true;
	fake.events[2].refuses = true;
	probe();
	CHECK_INT(sensor_counters.missing(MS_METRIC_HITM, &text), MS_MISSING_NOT_PERMITTED);
	CHECK_STR(text, "event 7 may not be opened");
	CHECK_INT(sensor_counters.missing(MS_METRIC_INSTRUCTIONS, &text), MS_MISSING_NOT_SUPPORTED);
}

TEST(counters__a_back_end_that_does_not_work_says_why)
{
	struct sensor_status status;

	set_up("");
	fake.starts = false;
	status = probe();
	CHECK(!status.works);
	CHECK_INT(status.why, MS_MISSING_NOT_PERMITTED);
	CHECK_STR(status.text, "the fake back end is off");
	CHECK(!counters_backend());
	CHECK_INT(sensor_counters.missing(MS_METRIC_CYCLES, &(const char *){ NULL }),
		  MS_MISSING_NOT_SUPPORTED);
}

static int second_starts;

static void second_start(struct sensor_status *status)
{
	second_starts++;
	status->works = true;
}

static struct sensor_status probe_two(enum ms_missing why_first)
{
	struct counter_backend second = fake_backend;
	const struct counter_backend *const two[] = { &fake_backend, &second };
	struct counter_config config = { two, 2, NULL, fake_table, &files, "" };

	set_up("");
	fake.starts = false;
	fake.why = why_first;
	second.start = second_start;
	plan_configure(&config);
	return probe();
}

TEST(counters__the_next_back_end_is_tried)
{
	CHECK(probe_two(MS_MISSING_NOT_SUPPORTED).works);
	CHECK_INT(second_starts, 1);
}

TEST(counters__what_the_kernel_refuses_is_not_tried_again)
{
	struct sensor_status status = probe_two(MS_MISSING_NOT_PERMITTED);

	CHECK(!status.works && second_starts == 0);
	CHECK_STR(status.text, "the fake back end is off");
}

TEST(counters__without_any_event_the_sensor_does_not_work)
{
	static const struct fake_files none = { tables, 0 };
	struct counter_config config = { backends, 1, NULL, fake_table, &none, "" };
	struct sensor_status status;

	set_up("");
	plan_configure(&config);
	status = probe();
	CHECK(!status.works);
	CHECK_INT(status.why, MS_MISSING_UNSUPPORTED);
	CHECK(strstr(status.text, "no event table for a"));
}

TEST(counters__two_kinds_of_core_are_added_up)
{
	static const uint32_t metrics[] = { MS_METRIC_CYCLES, MS_METRIC_INSTRUCTIONS };
	struct fake_rows rows = {
		{ { 3, MS_METRIC_CYCLES, { 0 } }, { 3, MS_METRIC_INSTRUCTIONS, { 0 } } }, 2
	};
	struct thread *self;

	set_up("17");
	fake.tables[1] = (struct counter_table){ .name = "b", .core = true };
	CHECK(probe().works);
	CHECK_STR(counters_formula(MS_METRIC_CYCLES), "a::1 + b::21");
	CHECK_STR(counters_table(), "a + b");
	CHECK_INT(missing(MS_METRIC_HITM), MS_MISSING_UNSUPPORTED); /* on one kind of core only */
	CHECK_STR(counters_formula(MS_METRIC_EVENT_1), "a::17 + b::17");
	sensor_counters.select(metrics, 2);
	self = fake_thread(0);
	run_region(self, 3);
	summary_fold(self->summary, 0, fake_pick, &rows);
	CHECK_INT(rows.rows[0].stat.sum, 10 + 210);
	CHECK_INT(rows.rows[1].stat.sum, 20 + 220);
}

TEST(counters__what_fits_is_asked_once)
{
	static const uint32_t small[] = { MS_METRIC_CYCLES, MS_METRIC_INSTRUCTIONS,
					  MS_METRIC_L1D_MISSES };
	static const uint32_t large[] = { MS_METRIC_CYCLES, MS_METRIC_STORES };
	static const uint32_t huge[] = { MS_METRIC_LOADS, MS_METRIC_STORES };
	static const uint32_t absent[] = { MS_METRIC_CYCLES, MS_METRIC_PREFETCHES };

	set_up("");
	probe();
	CHECK(sensor_counters.fits(small, 3));
	CHECK(sensor_counters.fits(small, 3));
	CHECK_INT(fake.fits_asked, 1);
	CHECK(!sensor_counters.fits(large, 2)); /* five events */
	CHECK(!sensor_counters.fits(huge, 2));  /* nine: none is opened */
	CHECK_INT(fake.fits_asked, 2);
	CHECK(!sensor_counters.fits(absent, 2));
}

TEST(counters__the_old_set_is_closed_before_the_new_one_opens)
{
	struct thread *self;
	int opens, closes;

	set_up("");
	probe();
	opens = fake.opens;
	closes = fake.closes;
	/* calibration leaves nothing open */
	CHECK_INT(opens, closes);
	select_one(MS_METRIC_CYCLES);
	self = fake_thread(0);
	/* not before its first region */
	CHECK_INT(fake.opens, opens);
	fake_enter(self, 1);
	CHECK_INT(fake.events[1].opened, 1);
	select_one(MS_METRIC_INSTRUCTIONS);
	fake_leave(self); /* still of the old set */
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).sum, 10);
	fake_enter(self, 1);
	CHECK_INT(fake.events[1].opened, 0);
	CHECK_INT(fake.events[2].opened, 1);
	fake_leave(self);
	CHECK_INT(fake_value(self, 1, MS_METRIC_INSTRUCTIONS).sum, 20);
	select_one(MS_METRIC_INSTRUCTIONS);
	run_region(self, 1);
	/* the same set again changes nothing */
	CHECK_INT(fake.opens, opens + 2);
	sensor_counters.select(NULL, 0);
	run_region(self, 1);
	CHECK_INT(fake.events[2].opened, 0);
	sensor_counters.thread_end(self);
	CHECK_INT(fake.opens - fake.closes, 0);
}

TEST(counters__what_is_not_selected_any_more_is_given_back)
{
	struct thread *self;

	set_up("");
	probe();
	select_one(MS_METRIC_CYCLES);
	self = fake_thread(0);
	run_region(self, 1);
	sensor_counters.follow(self);
	CHECK_INT(fake.events[1].opened, 1);
	sensor_counters.select(NULL, 0);
	/* only its thread may close it */
	CHECK_INT(fake.events[1].opened, 1);
	sensor_counters.follow(self);
	CHECK_INT(fake.events[1].opened, 0);
	select_one(MS_METRIC_INSTRUCTIONS);
	sensor_counters.follow(self);
	CHECK_INT(fake.events[2].opened, 0);
	run_region(self, 1);
	CHECK_INT(fake_value(self, 1, MS_METRIC_INSTRUCTIONS).sum, 20);
}

TEST(counters__a_region_over_a_change_of_sets_has_no_value)
{
	struct thread *self;

	set_up("");
	probe();
	select_one(MS_METRIC_CYCLES);
	self = fake_thread(0);
	fake_enter(self, 1);
	select_one(MS_METRIC_INSTRUCTIONS);
	run_region(self, 2);
	fake_leave(self);
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).count, 0);
}

TEST(counters__asking_what_fits_does_not_mix_up_values)
{
	static const uint32_t metrics[] = { MS_METRIC_CYCLES, MS_METRIC_INSTRUCTIONS };
	struct thread *self;

	set_up("");
	probe();
	select_one(MS_METRIC_CYCLES);
	self = fake_thread(0);
	fake_enter(self, 1);
	CHECK(sensor_counters.fits(metrics, 2));
	/* or the two would not get their counters */
	CHECK_INT(fake.events[1].opened, 0);
	fake_leave(self);
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).count, 0);
	run_region(self, 1);
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).sum, 10);
}

/* One bad reading: no value, counted, with its reason until the next selection. */
static void check_refused(struct thread *self, enum ms_missing why)
{
	struct ms_stat stat;

	fake_leave(self);
	stat = fake_value(self, 1, MS_METRIC_CYCLES);
	CHECK_INT(stat.count, 0);
	CHECK_INT(missing(MS_METRIC_CYCLES), why);
	CHECK_INT(missing(MS_METRIC_INSTRUCTIONS), MS_PRESENT); /* it is not counted now */
	select_one(MS_METRIC_CYCLES);
	CHECK_INT(missing(MS_METRIC_CYCLES), MS_PRESENT);
	run_region(self, 1);
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).sum, 10);
}

static struct thread *enter_cycles(void)
{
	struct thread *self;

	set_up("");
	CHECK(probe().works);
	select_one(MS_METRIC_CYCLES);
	self = fake_thread(0);
	fake_enter(self, 1);
	return self;
}

TEST(counters__taken_counters_give_no_value)
{
	struct thread *self = enter_cycles();

	fake.running_ns -= 1;
	check_refused(self, MS_MISSING_TAKEN);
}

TEST(counters__a_value_that_falls_is_none)
{
	struct thread *self = enter_cycles();

	fake.events[1].value -= 11;
	check_refused(self, MS_MISSING_BROKEN);
}

TEST(counters__a_leap_of_48_bits_is_no_value)
{
	struct thread *self = enter_cycles();

	fake.events[1].value += 1ull << 48;
	check_refused(self, MS_MISSING_BROKEN);
}

TEST(counters__a_leap_of_48_bits_is_none_in_a_long_region_either)
{
	struct thread *self = enter_cycles();

	fake.events[1].value += 1ull << 48;
	fake.enabled_ns += 1000000000000ull;
	fake.running_ns += 1000000000000ull;
	check_refused(self, MS_MISSING_BROKEN);
}

TEST(counters__more_than_a_cpu_can_count_is_no_value)
{
	struct thread *self = enter_cycles();

	fake.events[1].value += 640ull * 1010001;
	check_refused(self, MS_MISSING_BROKEN);
}

TEST(counters__as_much_as_a_cpu_can_count_is_one)
{
	struct thread *self = enter_cycles();

	fake.events[1].value += 640ull * 1000000;
	fake_leave(self);
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).sum, 640000010);
	CHECK_INT(missing(MS_METRIC_CYCLES), MS_PRESENT);
}

TEST(counters__time_that_runs_backwards_is_broken)
{
	struct thread *self = enter_cycles();

	fake.enabled_ns -= 2000000;
	fake.running_ns -= 2000000;
	check_refused(self, MS_MISSING_BROKEN);
}

TEST(counters__counters_taken_all_the_time_are_found_before_the_run)
{
	set_up("");
	fake.lost_step_ns = 1000;
	CHECK_INT(probe().why, MS_MISSING_TAKEN);
	CHECK_INT(missing(MS_METRIC_CYCLES), MS_MISSING_TAKEN);
}

TEST(counters__descriptors_the_program_closed_are_counted_and_opened_again)
{
	struct thread *self = enter_cycles();

	fake.program_closed_them = true;
	fake_leave(self);
	fake.program_closed_them = false;
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).count, 0);
	CHECK_INT(missing(MS_METRIC_CYCLES), MS_MISSING_TAKEN);
	run_region(self, 1);
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).sum, 10);
	fake.program_closed_them = true;
	for (int i = 0; i < 1000; i++)
		run_region(self, 1);
	CHECK(fake.opens - fake.closes == 0 && fake.opens < 100); /* it is not opened for ever */
}

TEST(counters__a_thread_without_descriptors_is_not_covered_and_that_is_said)
{
	struct thread *self, *other;
	const char *text;

	set_up("");
	probe();
	select_one(MS_METRIC_CYCLES);
	self = fake_thread(0);
	other = fake_thread(1);
	run_region(self, 1);
	fake.descriptors_are_gone = true;
	CHECK_INT(missing(MS_METRIC_CYCLES), MS_PRESENT);
	run_region(other, 1);
	run_region(other, 1);
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).sum, 10);
	CHECK_INT(fake_value(other, 1, MS_METRIC_CYCLES).count, 0);
	CHECK_INT(sensor_counters.missing(MS_METRIC_CYCLES, &text), MS_MISSING_NOT_PERMITTED);
	CHECK(strstr(text, "descriptors"));
	CHECK_INT(other->dropped[THREAD_DROP_COUNTERS], 1);
	CHECK_INT(self->dropped[THREAD_DROP_COUNTERS], 0);
	/* the same set: still not covered */
	select_one(MS_METRIC_CYCLES);
	run_region(other, 1);
	CHECK_INT(missing(MS_METRIC_CYCLES), MS_MISSING_NOT_PERMITTED);
}

TEST(counters__events_of_the_user_are_metrics)
{
	static const uint32_t metrics[] = { MS_METRIC_EVENT_1, MS_METRIC_EVENT_3 };
	struct fake_rows rows = {
		{ { 2, MS_METRIC_EVENT_1, { 0 } }, { 2, MS_METRIC_EVENT_3, { 0 } } }, 2
	};
	struct thread *self;
	const char *text;

	set_up("a::41,nonsense,42");
	CHECK(probe().works);
	CHECK_STR(counters_formula(MS_METRIC_EVENT_1), "a::41");
	CHECK_STR(counters_formula(MS_METRIC_EVENT_3), "42");
	CHECK_INT(sensor_counters.missing(MS_METRIC_EVENT_2, &text), MS_MISSING_UNSUPPORTED);
	CHECK(strstr(text, "did you mean"));
	CHECK(sensor_counters.fits(metrics, 2));
	sensor_counters.select(metrics, 2);
	self = fake_thread(0);
	run_region(self, 2);
	summary_fold(self->summary, 0, fake_pick, &rows);
	CHECK_INT(rows.rows[0].stat.sum, 410);
	CHECK_INT(rows.rows[1].stat.sum, 420);
}

TEST(counters__an_event_is_opened_once_to_try_it)
{
	set_up("1,a::1,1");
	probe();
	/* of a, of perf, and "1" without a table */
	CHECK_INT(fake.resolved, 17 + 2 + 1);
}

TEST(counters__a_forked_child_counts_nothing)
{
	struct thread *self = enter_cycles();
	int status, opens = fake.opens, closes = fake.closes;
	pid_t child = fork();

	if (child == 0) {
		fake_leave(self);
		run_region(self, 1);
		sensor_counters.thread_end(self);
		_exit(fake.opens != opens || fake.closes != closes ||
		      fake_value(self, 1, MS_METRIC_CYCLES).count);
	}
	waitpid(child, &status, 0);
	CHECK_INT(status, 0);
	fake_leave(self);
	CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).sum, 10);
}

TEST(counters__ended_threads_hold_nothing)
{
	set_up("");
	probe();
	select_one(MS_METRIC_CYCLES);
	for (uint32_t i = 0; i < 100; i++) {
		struct thread *self = fake_thread(i);

		run_region(self, 1);
		sensor_counters.thread_end(self);
		run_region(self, 1); /* a late event */
		CHECK_INT(fake_value(self, 1, MS_METRIC_CYCLES).count, 1);
	}
	CHECK_INT(fake.opens - fake.closes, 0);
}
