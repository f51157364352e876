/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensor addresses, with page faults in the place of accesses: every touched page is one sample of
 * its data structure, region and thread.
 */
#define _GNU_SOURCE
#include "ompt_tool/sensors/addresses.h"

#include <errno.h>
#include <pthread.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/regions/region_table.h"
#include "tests/unit/sampling.h"

enum { PAGES = 500, OUTER = 1, INNER = 2 };
#define OTHER_PAGES (SANITIZED ? 1000 : 0) /* of the memory that sanitizers keep */

static struct region_table *regions;

NOT_INSTRUMENTED static void touch(volatile char *memory, size_t from, size_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = from; i < to; i++)
		memory[i * page + 0x238] = 1;
}

static char *pages_of(size_t nr)
{
	size_t bytes = nr * (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	CHECK(memory != MAP_FAILED);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}

static uint32_t array_of_pages(char **memory, size_t nr)
{
	uint32_t id = array_new(&(struct array){ .kind = ARRAY_STATIC, .name = "a" });

	*memory = pages_of(nr);
	CHECK(id != ARRAY_NONE &&
	      array_block_add(id, (uintptr_t)*memory, nr * (size_t)sysconf(_SC_PAGESIZE)));
	return id;
}

static void start(const char *how)
{
	regions = mmap(NULL, region_table_bytes(), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK((void *)regions != MAP_FAILED);
	region_table_init(regions);
	configure(&sensor_addresses, &(struct options){ .addresses = how }, regions);
	need_sensor(&sensor_addresses);
	CHECK_INT(region_table_get(regions, MS_PARALLEL_REGION, 0x1000, MS_REGION_USER,
				   &(bool){ false }),
		  OUTER);
	CHECK_INT(region_table_get(regions, MS_DO_REGION, 0x2000, OUTER, &(bool){ false }), INNER);
}

#define ROWS 64
static struct ms_measurement rows[ROWS];
static size_t nr_rows;

static void keep_row(void *ctx, const struct ms_measurement *row)
{
	(void)ctx;
	CHECK_THAT(nr_rows, <, ROWS);
	rows[nr_rows++] = *row;
}

static void fold_all(const struct thread *thread)
{
	nr_rows = 0;
	summary_fold(thread->summary, thread->index, keep_row, NULL);
}

static struct ms_stat value_of(uint32_t region, enum ms_metric metric)
{
	for (size_t i = 0; i < nr_rows; i++)
		if (rows[i].region == region && rows[i].metric == metric)
			return rows[i].stat;
	return (struct ms_stat){ 0 };
}

/* Of a data structure in a region. */
static struct ms_stat value_in(uint32_t array, uint32_t region)
{
	bool is_new;
	uint32_t below = region_table_get(regions, MS_DATA_STRUCTURE, (uint64_t)array + 1, region,
					  &is_new);

	return is_new ? (struct ms_stat){ 0 } : value_of(below, MS_METRIC_ADDRESS_SAMPLES);
}

TEST(addresses__every_page_is_a_sample_of_its_array_and_region)
{
	char *first, *second, *nobodys = pages_of(PAGES);
	uint32_t a = array_of_pages(&first, 2 * PAGES), b = array_of_pages(&second, PAGES);
	struct thread *self;

	start("faults");
	self = begin_thread(&sensor_addresses, 0);
	enter(&sensor_addresses, self, OUTER);
	touch(first, 0, 100);
	enter(&sensor_addresses, self, INNER);
	touch(first, 100, 400);
	touch(second, 0, 50);
	touch(nobodys, 0, 7);
	leave(&sensor_addresses, self);
	touch(second, 50, 90);
	leave(&sensor_addresses, self);
	fold_all(self);
	CHECK_INT(value_in(a, OUTER).sum, 100);
	CHECK_INT(value_in(b, OUTER).sum, 40);
	CHECK_INT(value_in(a, INNER).sum, 300);
	CHECK_INT(value_in(b, INNER).sum, 50);
	CHECK_THAT(value_of(INNER, MS_METRIC_ADDRESS_SAMPLES).sum, >=, 357);
	/* stacks and the like may fault, too, but not much; what is inside is outside's, too */
	CHECK_THAT(value_of(INNER, MS_METRIC_ADDRESS_SAMPLES).sum, <, 380 + OTHER_PAGES);
	CHECK_THAT(value_of(OUTER, MS_METRIC_ADDRESS_SAMPLES).sum, >=,
		   value_of(INNER, MS_METRIC_ADDRESS_SAMPLES).sum + 140);
	CHECK_INT(value_of(OUTER, MS_METRIC_ADDRESS_SAMPLES).count, 1);
	CHECK_INT(value_of(MS_REGION_USER, MS_METRIC_ADDRESS_SAMPLES_LOST).sum, 0);
}

/* What page faults cannot tell has no value, and so is not 0. */
TEST(addresses__page_faults_tell_no_caches)
{
	struct sensor_status misses = { .works = true }, samples = { .works = true };
	struct thread *self;
	char *memory;

	array_of_pages(&memory, PAGES);
	start("faults");
	sensor_addresses.probe_metric(MS_METRIC_SAMPLED_L1D_MISSES, &misses);
	sensor_addresses.probe_metric(MS_METRIC_ADDRESS_SAMPLES, &samples);
	CHECK(!misses.works && *misses.text && samples.works);
	self = begin_thread(&sensor_addresses, 0);
	enter(&sensor_addresses, self, OUTER);
	touch(memory, 0, PAGES);
	leave(&sensor_addresses, self);
	fold_all(self);
	CHECK_THAT(value_of(OUTER, MS_METRIC_ADDRESS_SAMPLES).sum, >=, PAGES);
	for (enum ms_metric metric = MS_METRIC_SAMPLED_LOADS;
	     metric <= MS_METRIC_SAMPLED_WAIT_CYCLES; metric++)
		CHECK_INT(value_of(OUTER, metric).count, 0);
}

/* An execution without a sample is a 0. */
TEST(addresses__each_execution_has_a_value)
{
	struct thread *self;
	char *memory;
	uint32_t a = array_of_pages(&memory, 3 * PAGES);

	start("faults");
	self = begin_thread(&sensor_addresses, 0);
	for (size_t i = 0; i < 4; i++) {
		enter(&sensor_addresses, self, OUTER);
		if (i < 3)
			touch(memory, i * PAGES, (i + 1) * PAGES);
		leave(&sensor_addresses, self);
	}
	fold_all(self);
	CHECK_INT(value_of(OUTER, MS_METRIC_ADDRESS_SAMPLES).count, 4);
	CHECK_INT(value_of(OUTER, MS_METRIC_ADDRESS_SAMPLES).min, 0);
	CHECK_INT(value_in(a, OUTER).sum, 3 * PAGES);
}

struct slice {
	pthread_t id;
	char *memory;
	uint32_t index;
	struct thread *thread;
};

static void *touch_slice(void *arg)
{
	struct slice *slice = arg;

	slice->thread = begin_thread(&sensor_addresses, slice->index);
	enter(&sensor_addresses, slice->thread, OUTER);
	touch(slice->memory, slice->index * PAGES, (slice->index + 1) * PAGES - 10 * slice->index);
	leave(&sensor_addresses, slice->thread);
	sensor_addresses.thread_end(slice->thread);
	return NULL;
}

static void check_nothing_lost(void)
{
	struct run run = { 0 };
	struct sensor_record to = { .arena = arena_new(), .run = &run, .regions = regions };

	sensor_addresses.session.losses(&to);
	CHECK_INT(run.nr_dropped, 0);
	arena_free(to.arena);
}

TEST(addresses__each_thread_has_its_own)
{
	struct slice slices[3];
	char *memory;
	uint32_t a = array_of_pages(&memory, 3 * PAGES);

	start("faults");
	for (uint32_t i = 0; i < 3; i++) {
		slices[i] = (struct slice){ .memory = memory, .index = i };
		CHECK(!pthread_create(&slices[i].id, NULL, touch_slice, &slices[i]));
	}
	for (uint32_t i = 0; i < 3; i++) {
		pthread_join(slices[i].id, NULL);
		fold_all(slices[i].thread);
		CHECK_INT(value_in(a, OUTER).sum, PAGES - 10 * (int)i);
	}
	check_nothing_lost();
}

/* Two sensors sample the same page faults, each all of them (kernel_event.h). */
TEST(addresses__beside_sensor_faults)
{
	struct thread *self;
	char *memory;
	uint32_t a = array_of_pages(&memory, 4 * PAGES);

	start("faults");
	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	CHECK(sensor_addresses.thread_begin(self));
	sensor_addresses.enable(self, true);
	enter(&sensor_faults, self, OUTER);
	self->frames[0].requests |= 1u << MS_SENSOR_ADDRESSES;
	sensor_addresses.region_begin(self, &self->frames[0]);
	touch(memory, 0, 4 * PAGES);
	sensor_addresses.region_end(self, &self->frames[0]);
	leave(&sensor_faults, self);
	fold_all(self);
	CHECK_INT(value_in(a, OUTER).sum, 4 * PAGES);
	CHECK_THAT(value_of(OUTER, MS_METRIC_FAULT_SAMPLES).sum, >=, 4 * PAGES);
	CHECK_THAT(value_of(OUTER, MS_METRIC_FAULT_SAMPLES).sum, <, 4 * PAGES + 100 + OTHER_PAGES);
	check_nothing_lost();
}

TEST(addresses__what_is_not_here_says_so)
{
	struct sensor_status status;

	configure(&sensor_addresses, &(struct options){ .addresses = "auto" }, NULL);
	sensor_addresses.probe(&status);
	CHECK(status.works || *status.text);
	if (!status.works)
		CHECK(status.why == MS_MISSING_NO_ADDRESSES ||
		      status.why == MS_MISSING_NOT_PERMITTED ||
		      status.why == MS_MISSING_NOT_SUPPORTED);
	if (status.works || status.why == MS_MISSING_NO_ADDRESSES)
		CHECK(strstr(status.text, "untested on hardware"));
	configure(&sensor_addresses, &(struct options){ .addresses = "power" }, NULL);
	sensor_addresses.probe(&status);
	CHECK(status.works || status.why == MS_MISSING_NOT_SUPPORTED ||
	      status.why == MS_MISSING_NOT_PERMITTED);
	CHECK(sensor_addresses.session.is_asked_at_start());
	configure(&sensor_addresses, &(struct options){ .addresses = "spe" }, NULL);
	sensor_addresses.probe(&status);
	CHECK(strstr(status.text, "Arm SPE") && strstr(status.text, "untested on hardware"));
	CHECK(status.works || strstr(status.text, "arm_spe_0") ||
	      status.why != MS_MISSING_NOT_SUPPORTED);
	configure(&sensor_addresses, &(struct options){ .addresses = "none" }, NULL);
	sensor_addresses.probe(&status);
	CHECK(!status.works && strstr(status.text, "--addresses none") &&
	      !sensor_addresses.session.is_asked_at_start());
	CHECK_INT(status.why, MS_MISSING_NO_ADDRESSES);
}

/* What was found is told beside what refuses it, and how far it could be trusted. */
TEST(addresses__what_is_refused_has_a_name)
{
	struct sensor_status status;

	refuse_events(EACCES);
	configure(&sensor_addresses, &(struct options){ .addresses = "faults" }, NULL);
	sensor_addresses.probe(&status);
	CHECK(!status.works && status.why == MS_MISSING_NOT_PERMITTED);
	CHECK(strstr(status.text, "page faults in the place of accesses") &&
	      strstr(status.text, "tell no caches") && strstr(status.text, "refused (EACCES)"));
}
