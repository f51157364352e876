/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor simulated: what threads' traces came to is told by region, and what cannot be told is counted. */
#include "ompt_tool/accesses/simulated.h"
#include "ompt_tool/accesses/tracing.h"

#include "analysis/base/arena.h"
#include "analysis/trace/rows.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/record.h"
#include "ompt_tool/code/code.h"
#include "ompt_tool/regions/region_table.h"
#include "tests/unit/sampling.h"

/* That accesses can be recorded is not asked of this machine: the test puts them into the traces itself. */
bool sensor_works(enum ms_sensor_id id)
{
	return id == MS_SENSOR_ACCESSES;
}

/* Whatever is done takes 1 us for each time that it looks at the clock. */
uint64_t thread_clock_ns(void)
{
	static uint64_t now_ns;

	return now_ns += 1000;
}

static const struct machine_model model = {
	.name = "test", .source = "", .cores = 1, .nodes = 1, .hz = 1e9,
	.cache = { { .bytes = 4 << 10, .ways = 4, .line = 64, .cores = 1, .latency = 4 }, { .bytes = 32 << 10, .ways = 8, .line = 64, .cores = 1, .latency = 14 } },
	.page = 4096, .memory_latency = 200,
};

static char memory[64];
static struct region_table *regions;
static struct thread *self;
static uint64_t reading;                 /* a stretch of one access of 8 bytes */

/* Simulating with one line in so many looked at, and past the execution that fills the caches, after which there is a plan or not. */
static void start_planned(uint32_t one_in, const struct simulated_plan *plan)
{
	const struct record_site site = { .size = 8, .access = CODE_ACCESS_PLAIN, .base_word = 1, .read = true };

	regions = arena_alloc(arena_new(), region_table_bytes());
	self = thread_new(false);
	CHECK(regions && self && !self->index);
	region_table_init(regions);
	simulated_configure(regions, true, &model, NULL, false);
	need_sensor(&sensor_simulated);
	tracing_begin_thread(self);
	simulated_sample(one_in);
	if (plan) {
		accesses_allow(plan->allowed_ns);
		simulated_plan(plan);
	}
	sensor_simulated.enable(self, true);
	sensor_simulated.fold(self, pick_row, &(struct wanted_row){ 0 });
	CHECK(!simulated_is_warming());
	reading = rows_stretch(&(struct record_stretch){ .first_site = rows_site(&site), .nr_sites = 1, .words = 1 });
}

static void start_with_lines(uint32_t one_in) { start_planned(one_in, NULL); }
static void start(void) { start_with_lines(1); }

static uint32_t serial_region(uint64_t code)
{
	return region_table_get(regions, MS_SERIAL_REGION, code, MS_REGION_USER, &(bool){ false });
}

static void stretch(uint32_t region)
{
	struct trace_stream *stream = tracing_stream(self);

	trace_stream_part(stream, tracing_region(MS_REGION_NONE), array_time(), array_time());
	trace_stream_words(stream, (uint64_t[]){ reading, (uintptr_t)memory }, 2);
	tracing_serial_ends(region);
}

static double reads(uint32_t region)
{
	struct wanted_row wanted = { .region = region, .metric = MS_METRIC_SIM_LOADS };

	sensor_simulated.fold(self, pick_row, &wanted);
	return wanted.stat.sum;
}

/* Every second word of an array larger than the caches, in lines of eight; and those of one group of lines, again and again. */
static struct ms_stat swept(enum ms_metric metric)
{
	static char array[1 << 20] __attribute__((aligned(4096)));
	const uint32_t region = serial_region(0x1000);
	struct wanted_row wanted = { .region = region, .metric = metric };
	struct trace_stream *stream = tracing_stream(self);

	trace_stream_part(stream, tracing_region(MS_REGION_NONE), array_time(), array_time());
	for (size_t i = 0; i < sizeof(array); i += 16)
		trace_stream_words(stream, (uint64_t[]){ reading, (uintptr_t)&array[i] }, 2);
	tracing_serial_ends(region);
	sensor_simulated.fold(self, pick_row, &wanted);
	return wanted.stat;
}

/* All accesses are counted, misses are estimated; what only all lines can tell is not told. */
TEST(simulated__one_line_in_a_few)
{
	start_with_lines(4);
	CHECK_INT(simulated_one_in(), 4);
	CHECK_NEAR(swept(MS_METRIC_SIM_LOADS).sum, 65536, 0);
	CHECK_NEAR(swept(MS_METRIC_SIM_LOADS).sum_squares, 0, 0);
	CHECK_NEAR(swept(MS_METRIC_SIM_L1D_MISSES).sum, 16384, 0);       /* of each line, in all groups of them alike */
	CHECK_NEAR(swept(MS_METRIC_SIM_L1D_MISSES).sum_squares, 0, 0);
	CHECK_NEAR(swept(MS_METRIC_SIM_CAPACITY).sum, 16384, 0);
	CHECK_NEAR(swept(MS_METRIC_SIM_CONFLICT).sum, 0, 0);
	CHECK_INT(swept(MS_METRIC_SIM_FALSE_SHARING).count, 0);
	CHECK_INT(swept(MS_METRIC_SIM_HITM).count, 0);
	simulated_sample(1);                     /* it was decided */
	CHECK_INT(simulated_one_in(), 4);
}

static double in_proportion(uint32_t one_in) { return 1.0 / one_in; }

/* The first execution takes 3 us, the second would, too; with one line in four 750 ns. */
static void start_with_room(double room_ns, double to_come_ns)
{
	const struct simulated_plan plan = { .sparsest = 4, .allowed_ns = room_ns + to_come_ns, .to_come_ns = to_come_ns, .lines_share = in_proportion };

	start_planned(1, &plan);
}

TEST(simulated__room_for_the_second_execution)
{
	start_with_room(7000, 1e15);
	CHECK(!simulated_gave_up());
	CHECK_INT(simulated_one_in(), 1);
}

TEST(simulated__fewer_lines_for_the_second_execution)
{
	start_with_room(5000, 1e15);
	CHECK(!simulated_gave_up());
	CHECK_INT(simulated_one_in(), 4);
	CHECK_NEAR(swept(MS_METRIC_SIM_LOADS).sum, 65536, 0);
	CHECK_NEAR(swept(MS_METRIC_SIM_L1D_MISSES).sum, 16384, 0);
	CHECK_INT(swept(MS_METRIC_SIM_FALSE_SHARING).count, 0);
}

TEST(simulated__no_room_for_the_second_execution)
{
	start_with_room(3000, 0);
	CHECK(simulated_gave_up());
	CHECK_INT(simulated_one_in(), 4);        /* so will be the next try, … */
	CHECK_THAT(simulated_would_take_ns(), >, 0);    /* … of which all was done: */
	CHECK(simulated_is_warm());
	sensor_simulated.enable(self, false);
	accesses_allow(1e15);
	simulated_plan(&(struct simulated_plan){ .sparsest = 4, .allowed_ns = 1e15, .lines_share = in_proportion });
	sensor_simulated.enable(self, true);
	CHECK(!simulated_is_warming());          /* the caches are filled */
	CHECK_NEAR(swept(MS_METRIC_SIM_LOADS).sum, 65536, 0);
	sensor_simulated.enable(self, false);
	simulated_begin_anew();
	sensor_simulated.enable(self, true);
	CHECK(simulated_is_warming());
}

TEST(simulated__no_room_for_what_was_recorded)
{
	start_with_room(0, 0);
	CHECK(simulated_gave_up());
	CHECK(isnan(simulated_would_take_ns()));
	CHECK(!simulated_is_warm());
	sensor_simulated.enable(self, false);
	CHECK(!simulated_gave_up());
	accesses_allow(1e15);
	simulated_plan(&(struct simulated_plan){ .sparsest = 4, .allowed_ns = 1e15, .lines_share = in_proportion });
	sensor_simulated.enable(self, true);     /* there is room later */
	CHECK(simulated_is_warming());
	stretch(serial_region(0x1000));
	CHECK_INT(reads(serial_region(0x1000)), 0);
	stretch(serial_region(0x1000));
	CHECK_INT(reads(serial_region(0x1000)), 1);
	CHECK(!simulated_gave_up());
}

TEST(simulated__what_is_put_off_does_not_run)
{
	start();
	stretch(serial_region(0x1000));
	tracing_put_off();
	CHECK_INT(reads(serial_region(0x1000)), 0);
	CHECK(!simulated_ran());
	stretch(serial_region(0x1000));
	CHECK_INT(reads(serial_region(0x1000)), 1);
	CHECK(simulated_ran());
}

TEST(simulated__all_lines)
{
	start_with_lines(1);
	CHECK_NEAR(swept(MS_METRIC_SIM_L1D_MISSES).sum, 16384, 0);
	CHECK_INT(swept(MS_METRIC_SIM_CONFLICT).count, 1);
}

/* Replicates that differ tell how far the mean may be off. */
TEST(simulated__uneven_lines_have_an_error)
{
	static char array[64 << 10] __attribute__((aligned(4096)));
	struct wanted_row wanted = { .metric = MS_METRIC_SIM_L1D_MISSES };
	struct trace_stream *stream;

	start_with_lines(4);
	stream = tracing_stream(self);
	wanted.region = serial_region(0x1000);
	trace_stream_part(stream, tracing_region(MS_REGION_NONE), array_time(), array_time());
	for (size_t i = 4 * 64; i < sizeof(array); i += 1024)    /* the fifth line of each 16, which one replicate has */
		trace_stream_words(stream, (uint64_t[]){ reading, (uintptr_t)&array[i] }, 2);
	tracing_serial_ends(wanted.region);
	sensor_simulated.fold(self, pick_row, &wanted);
	CHECK_NEAR(wanted.stat.sum, 64 * 12 / 4.0, 0);           /* one of four says 64 × 12 */
	CHECK_NEAR(wanted.stat.sum_squares, 192 * 192, 1e-6);
}

/* More than are told apart: what the later ones access is no other region's, and is said to be lost. */
TEST(simulated__serial_stretches_are_their_own_regions)
{
	const uint32_t first = 4096, later = 100;
	uint32_t one, other;

	start();
	one = serial_region(0x1000);
	other = serial_region(0x2000);
	for (uint32_t i = 0; i < first; i++)
		stretch(one);
	for (uint32_t i = 0; i < later; i++)
		stretch(other);
	CHECK_INT(reads(one), first);
	CHECK_INT(simulated_order().lost_accesses, later);
	stretch(other);                          /* in the next execution there is room again */
	CHECK_INT(reads(other), 1);
	CHECK_INT(simulated_order().lost_accesses, later);
}

/* A length that a signal handler left behind, see record.h. */
TEST(simulated__what_is_too_long_is_counted)
{
	uint64_t moving;

	start();
	moving = rows_stretch(&(struct record_stretch){ .event = RECORD_RANGE, .words = 3 });
	trace_stream_words(tracing_stream(self), (uint64_t[]){ moving, (uintptr_t)memory, 0, RECORD_BYTES_MOST + 1 }, 4);
	CHECK_INT(reads(MS_REGION_USER), 0);
	CHECK_INT(simulated_order().lost_accesses, 1);
}

/* What nobody is told of lacks nothing. */
TEST(simulated__what_is_lost_where_it_gave_up_is_not_counted)
{
	uint64_t moving;

	start_with_room(3000, 0);
	moving = rows_stretch(&(struct record_stretch){ .event = RECORD_RANGE, .words = 3 });
	trace_stream_words(tracing_stream(self), (uint64_t[]){ moving, (uintptr_t)memory, 0, RECORD_BYTES_MOST + 1 }, 4);
	CHECK_INT(reads(MS_REGION_USER), 0);
	CHECK_INT(simulated_order().lost_accesses, 0);
}

/* What the others access is missing in the caches that they share. */
TEST(simulated__nothing_is_told_where_a_thread_has_no_core)
{
	static struct thread other = { .index = 1 };

	start();
	stretch(serial_region(0x1000));
	CHECK_INT(reads(serial_region(0x1000)), 1);
	tracing_begin_thread(&other);
	CHECK_INT(simulated_uncovered(), 1);
	stretch(serial_region(0x1000));
	CHECK_INT(reads(serial_region(0x1000)), 0);
}
