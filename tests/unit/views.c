/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of one focus, from measurements with known answers. */
#include "analysis/report/views.h"

#include "analysis/base/arena.h"
#include "analysis/properties/property.h"
#include "analysis/record/run.h"
#include "analysis/report/text.h"
#include "tests/unit/test.h"

enum { USER, PARALLEL, LOOP, LOCK, PLACE, OTHER, ARRAY, REGIONS };

static struct run_region regions[REGIONS];
static struct run_measurement rows[32];
static struct run_hotspot spots[4];
static struct run_array array = { .name = "u", .kind = "static" };
static struct run run;

static void region(uint32_t id, enum ms_region_kind kind, uint32_t parent, const char *function)
{
	regions[id] = (struct run_region){
		.id = id,
		.parent = id ? parent : MS_REGION_NONE,
		.kind = kind,
		.resolved = true,
		.construct = { 0, 1 },
		.source = { .function = function, .file = "t.c", .line = 10 * (int)id },
	};
}

/* Over 10 executions of the phase, of 1 us each. */
static void measured(uint32_t of, uint32_t thread, uint32_t metric, double sum)
{
	rows[run.nr_measurements++] = (struct run_measurement){
		.row = { .region = of,
			 .thread = thread,
			 .metric = metric,
			 .stat = { .count = 1, .sum = sum } },
		.phases = 10,
		.observed_ns = 10000,
	};
}

static void spot(const char *function, uint32_t of, uint64_t count)
{
	spots[run.nr_hotspots++] = (struct run_hotspot){
		.region = of,
		.metric = MS_METRIC_SAMPLES,
		.count = count,
		.source = { .function = function, .file = "t.c", .line = 1 },
	};
}

static void make(void)
{
	run = (struct run){ .regions = regions,
			    .nr_regions = REGIONS,
			    .measurements = rows,
			    .hotspots = spots,
			    .arrays = &array,
			    .nr_arrays = 1,
			    .threads = 2 };
	region(USER, MS_USER_REGION, 0, NULL);
	region(PARALLEL, MS_PARALLEL_REGION, USER, "main");
	region(LOOP, MS_DO_REGION, PARALLEL, "main");
	region(LOCK, MS_MUTEX, USER, NULL);
	region(PLACE, MS_LOCK_REGION, LOOP, "insert");
	region(OTHER, MS_LOCK_REGION, PARALLEL, "lookup");
	region(ARRAY, MS_DATA_STRUCTURE, LOOP, NULL);
	regions[LOCK].name = "lock";
	regions[PLACE].mutex = regions[OTHER].mutex = LOCK;
	measured(PARALLEL, 0, MS_METRIC_TIME, 9000);
	measured(PARALLEL, 1, MS_METRIC_TIME, 6000);
	measured(LOOP, 0, MS_METRIC_TIME, 8000);
	measured(LOOP, 1, MS_METRIC_TIME, 5000);
	measured(LOOP, 1, MS_METRIC_BARRIER_WAIT, 3000);
	measured(LOOP, 0, MS_METRIC_ITERATIONS, 80);
	measured(LOOP, 1, MS_METRIC_ITERATIONS, 20);
	measured(PLACE, 0, MS_METRIC_LOCK_WAIT, 400);
	measured(OTHER, 1, MS_METRIC_LOCK_WAIT, 100);
	measured(ARRAY, 0, MS_METRIC_READS, 70);
	measured(ARRAY, 1, MS_METRIC_WRITES, 50);
	spot("work", LOOP, 30);
	spot("step", PARALLEL, 10);
}

static const char *shown(struct arena *arena, uint32_t of, enum property_view view)
{
	struct run_node node = { .region = of, .views = 1u << view };
	struct text text;

	make();
	text_init(&text, arena);
	views_text(&text, &run, &node, 2);
	return text.bytes ? text.bytes : "";
}

/* Waits of regions inside are the threads'; the time is that of the region, or of the outermost ones. */
TEST(views__threads)
{
	struct arena *arena = arena_new();

	CHECK_STR(shown(arena, USER, PROPERTY_VIEW_THREADS),
		  "  time and waits of each thread:\n"
		  "  thread  node    time  barriers  locks  iterations  tasks  cpu\n"
		  "       0     -  900 ns         -  40 ns           8      -    -\n"
		  "       1     -  600 ns    300 ns  10 ns           2      -    -\n");
	CHECK_STR(shown(arena, LOOP, PROPERTY_VIEW_THREADS),
		  "  time and waits of each thread:\n"
		  "  thread  node    time  barriers  locks  iterations  tasks  cpu\n"
		  "       0     -  800 ns         -  40 ns           8      -    -\n"
		  "       1     -  500 ns    300 ns      -           2      -    -\n");
	arena_free(arena);
}

TEST(views__functions)
{
	struct arena *arena = arena_new();

	CHECK_STR(shown(arena, PARALLEL, PROPERTY_VIEW_FUNCTIONS), "  clock samples by function:\n"
								   "  share  samples  function\n"
								   "   75 %       30  work\n"
								   "   25 %       10  step\n");
	CHECK_STR(shown(arena, LOCK, PROPERTY_VIEW_FUNCTIONS), "");
	arena_free(arena);
}

/* Of the object of the focus, also where the focus is one of its places; of a loop, its places. */
TEST(views__synchronization_objects)
{
	struct arena *arena = arena_new();

	CHECK_STR(shown(arena, PLACE, PROPERTY_VIEW_SYNC),
		  "  waits by synchronization object and place:\n"
		  "  share  waiting  entries  held  type  object  place\n"
		  "  2.5 %    50 ns        -     -  lock  lock    -\n"
		  "  2.0 %    40 ns        -     -  lock  lock    insert (t.c:40)\n"
		  "  0.5 %    10 ns        -     -  lock  lock    lookup (t.c:50)\n");
	CHECK_STR(shown(arena, LOOP, PROPERTY_VIEW_SYNC),
		  "  waits by synchronization object and place:\n"
		  "  share  waiting  entries  held  type  object  place\n"
		  "  2.5 %    50 ns        -     -  lock  lock    -\n"
		  "  2.0 %    40 ns        -     -  lock  lock    insert (t.c:40)\n");
	arena_free(arena);
}

TEST(views__arrays)
{
	struct arena *arena = arena_new();
	const char *text = shown(arena, LOOP, PROPERTY_VIEW_ARRAYS);

	CHECK_HAS(text, "  accesses and misses by data structure:\n");
	CHECK_HAS(text, "7       5          -");
	CHECK_HAS(text, "  u\n");
	CHECK_STR(shown(arena, ARRAY, PROPERTY_VIEW_ARRAYS), text);
	arena_free(arena);
}

/* A property without a view, and views without values: nothing is printed. */
TEST(views__none)
{
	struct arena *arena = arena_new();
	struct run_node node = { .region = LOOP };
	struct text text;

	make();
	text_init(&text, arena);
	views_text(&text, &run, &node, 2);
	node.views = UINT32_MAX;
	run.nr_measurements = run.nr_hotspots = 0;
	views_text(&text, &run, &node, 2);
	CHECK_INT(text.length, 0);
	arena_free(arena);
}
