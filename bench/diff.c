/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records and stores of invented runs for `memsearch diff`, and the time of each of its parts. Run
 * by bench/diff.sh.
 *
 *     diff write FILE SHAPE BUCKETS SIDE RUNS    RUNS runs into a store (FILE.db), or one into a
 *                                                record (FILE.ms), of about BUCKETS buckets each
 *     diff parts BASE NEW BY                     one line: processor seconds of reading, profiles,
 *                                                matching, comparing, printing; KiB; buckets
 *
 * A bucket is (region, data structure, instruction or thread) x metric. Each of the program's loops
 * is in a parallel region of its own. SIDE: base; new, another build, whose lines are moved; sweep,
 * every second run with twice as many threads. SHAPE: instructions: loops access 5 arrays each, by
 * 100 instructions; four threads. arrays: loops access 30 arrays each; two threads. threads: 1024
 * threads, of loops that have times only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/base/arena.h"
#include "analysis/base/suffix.h"
#include "analysis/differential/compare.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/print.h"
#include "analysis/record/record.h"
#include "analysis/report/text.h"
#include "analysis/store/store.h"
#include "analysis/sweep/settings.h"

#define ARRAYS 200 /* of the program */
#define METRICS 22 /* compared ones of a data structure */

struct shape {
	const char *name;
	/* arrays: of each loop; instructions: of all */
	uint32_t threads, loops, arrays, instructions;
};

static struct shape shape_of(const char *name, uint32_t buckets)
{
	const struct shape shapes[] = {
		{ "instructions", 4, buckets / 2500, 5, buckets / METRICS - buckets / 2500 * 5 },
		{ "arrays", 2, buckets / METRICS / 30, 30, 0 },
		{ "threads", 1024, buckets / 1024 / 6, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(shapes[i].name, name))
			return shapes[i];
	fprintf(stderr, "no shape '%s'\n", name);
	exit(2);
}

struct maker {
	struct arena *arena;
	struct run *run;
	const struct shape *shape;
	uint64_t random; /* of values that differ from run to run */
	int moved;       /* lines of the new build */
	bool slower;     /* one loop in a hundred is, in the new build */
};

static double noise(struct maker *maker)
{
	maker->random = maker->random * 6364136223846793005u + 1442695040888963407u;
	return (double)(maker->random >> 33) / 2147483648.0;
}

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	return memory;
}

/* ------------------------------------------------------------------ regions and arrays */

static struct source source_of(struct maker *maker, uint32_t loop, int line)
{
	return (struct source){
		.function = must(arena_printf(maker->arena, "calc_%u", loop)),
		.file = must(arena_printf(maker->arena, "part_%u.c", loop / 20)),
		.line = line + maker->moved,
		.module = "model",
		.offset = 0x1000 + 0x400 * (uint64_t)loop + (uint64_t)line,
	};
}

static uint32_t add_region(struct maker *maker, struct run_region region)
{
	struct run *run = maker->run;

	if (!ARENA_GROW(maker->arena, run->regions, run->nr_regions, run->room_regions))
		must(NULL);
	region.id = (uint32_t)run->nr_regions;
	region.resolved = true;
	region.executions = 120;
	run->regions[run->nr_regions++] = region;
	return region.id;
}

static int line_of(uint32_t loop)
{
	return 50 + (int)(loop % 20) * 200;
}

static void add_arrays(struct maker *maker)
{
	for (uint32_t i = 0; i < ARRAYS; i++) {
		if (!ARENA_GROW(maker->arena, maker->run->arrays, maker->run->nr_arrays,
				maker->run->room_arrays))
			must(NULL);
		maker->run->arrays[maker->run->nr_arrays++] = (struct run_array){
			.id = i,
			.kind = "static",
			.name = must(arena_printf(maker->arena, "field_%u", i)),
			.type = "double",
			.shape = "[512][512]",
			.file = "fields.h",
			.line = 10 + (int)i,
			.module = "./model",
			.element_bytes = 8,
			.bytes = 2 << 20,
			.blocks = 1,
			.live_blocks = 1,
			.site = { UINT32_MAX, 0 },
		};
	}
}

static uint32_t array_of(uint32_t loop, uint32_t number)
{
	return (loop * 7 + number) % ARRAYS;
}

/* ------------------------------------------------------------------ measurements */

static void add_measurement(struct maker *maker, uint32_t region, uint32_t thread, uint32_t metric,
			    double value)
{
	struct run *run = maker->run;

	if (!ARENA_GROW(maker->arena, run->measurements, run->nr_measurements,
			run->room_measurements))
		must(NULL);
	run->measurements[run->nr_measurements++] = (struct run_measurement){
		.row = { .region = region,
			 .thread = thread,
			 .metric = metric,
			 .stat = { 120, 120 * value, value * 0.9, value * 1.1,
				   120 * value * value } },
		.phases = 120,
		.observed_ns = 1.2e9,
	};
}

/* Of the loop, 1 where it is as fast as in the base. */
static double factor_of(const struct maker *maker, uint32_t loop)
{
	return maker->slower && loop % 100 == 7 ? 1.25 : 1;
}

static const uint32_t times[] = { MS_METRIC_TIME, MS_METRIC_BARRIER_WAIT, MS_METRIC_CPU_TIME };
static const uint32_t counted[] = { MS_METRIC_READS, MS_METRIC_WRITES, MS_METRIC_READ_BYTES,
				    MS_METRIC_WRITTEN_BYTES };
static const uint32_t simulated[] = {
	MS_METRIC_SIM_LOADS,         MS_METRIC_SIM_STORES,       MS_METRIC_SIM_L1D_MISSES,
	MS_METRIC_SIM_L2D_MISSES,    MS_METRIC_SIM_L3D_MISSES,   MS_METRIC_SIM_COLD,
	MS_METRIC_SIM_CAPACITY,      MS_METRIC_SIM_CONFLICT,     MS_METRIC_SIM_TRUE_SHARING,
	MS_METRIC_SIM_FALSE_SHARING, MS_METRIC_SIM_DRAM_LOCAL,   MS_METRIC_SIM_DRAM_REMOTE,
	MS_METRIC_SIM_HITM,          MS_METRIC_SIM_PREFETCHED,   MS_METRIC_SIM_DRAM_PREFETCHES,
	MS_METRIC_SIM_WRITE_BACKS,   MS_METRIC_SIM_TLB_WALKS,    MS_METRIC_SIM_FETCHED_BYTES,
	MS_METRIC_SIM_USED_BYTES,    MS_METRIC_SIM_STALL_CYCLES,
};
#define EACH(list, i) for (size_t i = 0; i < sizeof(list) / sizeof((list)[0]); i++)

static void add_times(struct maker *maker, uint32_t loop, uint32_t region)
{
	for (uint32_t thread = 0; thread < maker->shape->threads; thread++)
		EACH(times, i)
	add_measurement(maker, region, thread, times[i],
			1e5 * factor_of(maker, loop) * (1 + 0.02 * noise(maker)) / (double)(i + 1));
}

static void add_data(struct maker *maker, uint32_t loop, uint32_t region, double share)
{
	for (uint32_t thread = 0; thread < maker->shape->threads; thread++) {
		EACH(counted, i)
		add_measurement(maker, region, thread, counted[i], round(1e5 * share));
		EACH(simulated, i)
		add_measurement(maker, region, thread, simulated[i],
				round(1e5 * share * factor_of(maker, loop) / (double)(i + 1)));
	}
}

/* ------------------------------------------------------------------ instructions */

static void add_instruction(struct maker *maker, uint32_t loop, uint32_t region, uint32_t number)
{
	struct run *run = maker->run;
	uint32_t array = array_of(loop, number % maker->shape->arrays);
	bool writes = number % 3 == 2;
	uint64_t accesses = 1000000 + number,
		 misses = (uint64_t)(10000 * factor_of(maker, loop)) + number;
	struct source source = source_of(maker, loop, line_of(loop) + 10 + (int)number / 2);

	source.offset = 0x100000 * (uint64_t)(loop + 1) + 4 * (uint64_t)number +
			0x10 * (uint64_t)maker->moved;
	if (!ARENA_GROW(maker->arena, run->accesses, run->nr_accesses, run->room_accesses))
		must(NULL);
	run->accesses[run->nr_accesses++] = (struct run_access){
		.array = array,
		.region = region,
		.address = { 0, source.offset },
		.bytes = 8,
		.loop = region,
		.reads = writes ? 0 : accesses,
		.writes = writes ? accesses : 0,
		.executions = 120 * maker->shape->threads,
		.threads = maker->shape->threads,
		.site = (uint32_t)run->nr_accesses,
		.least = 900,
		.most = 1100,
		.stride = 8,
		.with_stride = 0.9,
		.source = source,
		.misses = { .reads = writes ? 0 : accesses,
			    .writes = writes ? accesses : 0,
			    .l1 = misses,
			    .l2 = misses / 2,
			    .l3 = misses / 4,
			    .cold = 1,
			    .capacity = misses / 2 - 1,
			    .local = misses / 8,
			    .remote = misses / 8,
			    .prefetched = misses / 4,
			    .prefetches = misses / 4,
			    .write_backs = writes ? misses / 4 : 0,
			    .page_walks = misses / 64,
			    .fetched = 64 * misses / 2,
			    .used = 48 * misses / 2,
			    .cycles = 100 * misses },
	};
}

static void add_loop(struct maker *maker, uint32_t loop)
{
	const struct shape *shape = maker->shape;
	uint32_t parallel = add_region(
		maker, (struct run_region){ .parent = 0,
					    .kind = MS_PARALLEL_REGION,
					    .construct = { 0, 0x1000 + 0x400 * (uint64_t)loop },
					    .source = source_of(maker, loop, line_of(loop)) });
	uint32_t region = add_region(
		maker, (struct run_region){ .parent = parallel,
					    .kind = MS_DO_REGION,
					    .construct = { 0, 0x1100 + 0x400 * (uint64_t)loop },
					    .source = source_of(maker, loop, line_of(loop) + 2) });

	add_times(maker, loop, parallel);
	add_times(maker, loop, region);
	if (shape->arrays)
		add_data(maker, loop, region, (double)shape->arrays);
	for (uint32_t i = 0; i < shape->arrays; i++)
		add_data(maker, loop,
			 add_region(maker,
				    (struct run_region){
					    .parent = region,
					    .kind = MS_DATA_STRUCTURE,
					    .construct = { UINT32_MAX, array_of(loop, i) + 1 } }),
			 1);
	for (uint32_t i = loop; i < shape->instructions; i += shape->loops)
		add_instruction(maker, loop, region, i / shape->loops);
}

static void run_make(struct maker *maker, const char *build, uint32_t number)
{
	struct run *run = maker->run;
	struct module module = {
		.path = "/home/user/model", .build_id = build, .low = 0x400000, .high = 0x10000000
	};
	struct run_setting settings[] = {
		{ SETTING_THREADS, must(arena_printf(maker->arena, "%u", maker->shape->threads)) },
		{ SETTING_REPETITION, must(arena_printf(maker->arena, "%u", number)) }
	};

	*run = (struct run){
		.program = "./model",
		.command = "./model 512",
		.runtime = "LLVM OMP version: 5.0.20140926",
		.pid = 100 + number,
		.start_realtime_ns = 1000 + number,
		.threads = maker->shape->threads,
		.complete = true,
		.strategy = "",
		.machine = { .host_name = "here",
			     .cpu_model = "CPU",
			     .kernel = "Linux",
			     .cpus = 1024,
			     .cpus_online = 1024,
			     .nodes = 2,
			     .memory_bytes = 1ull << 34 },
		.phase = { .method = PHASE_SEQUENCE,
			   .region = 1,
			   .executions = 120,
			   .executions_read = 120,
			   .wall_ns = 1.2e9,
			   .min_ns = 9e6,
			   .max_ns = 2e7 },
		.cost = { .slowdown = 1.01, .limit = 0.05 },
		.modelled = { .name = "altix-bx2",
			      .title = "Altix",
			      .cores = 1024,
			      .nodes = 2,
			      .line = 64,
			      .levels = 7,
			      .basis = RUN_BASIS_STEADY },
	};
	run->modules = must(arena_alloc(maker->arena, sizeof(module)));
	run->modules[0] = module;
	run->nr_modules = run->room_modules = 1;
	run->settings = must(arena_alloc(maker->arena, sizeof(settings)));
	memcpy(run->settings, settings, sizeof(settings));
	run->nr_settings = run->room_settings = sizeof(settings) / sizeof(settings[0]);
	add_region(maker, (struct run_region){ .parent = MS_REGION_NONE, .kind = MS_USER_REGION });
	add_arrays(maker);
	for (uint32_t i = 0; i < maker->shape->loops; i++)
		add_loop(maker, i);
}

/* ------------------------------------------------------------------ writing */

static void write_run(const struct run *run, struct arena *arena, const char *path,
		      struct store *store)
{
	struct record *record;

	if (store) {
		if (store_add(store, run, NULL, NULL) != MS_OK)
			exit(1);
		return;
	}
	record = record_replace(arena, path, NULL);
	if (!record || record_close(record, run) != MS_OK)
		exit(1);
}

static int write_runs(const char *path, const char *name, uint32_t buckets, const char *build,
		      uint32_t nr)
{
	struct shape shape = shape_of(name, buckets);
	struct store *store = NULL;

	remove(path);
	if (has_suffix(path, ".db") && store_open(path, true, &store) != MS_OK)
		return 1;
	for (uint32_t i = 0; i < nr; i++) {
		struct arena *arena = must(arena_new());
		struct run run;
		bool new = !strcmp(build, "new");

		if (!strcmp(build, "sweep"))
			shape.threads = i % 2 ? 4 : 2;
		run_make(&(struct maker){ .arena = arena,
					  .run = &run,
					  .shape = &shape,
					  .random = 88172645463325252u + i + 1000u * new,
					  .moved = new ? 3 : 0,
					  .slower = new },
			 build, i + 1);
		write_run(&run, arena, path, store);
		arena_free(arena);
	}
	store_close(store);
	return 0;
}

/* ------------------------------------------------------------------ the parts */

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Processor seconds since the last call. */
static double lap(double *since)
{
	double now = seconds(), took = now - *since;

	*since = now;
	return took;
}

struct parts {
	double read, profile, match, compare, print;
};

static const struct profile *profile_from(struct arena *arena, struct arena *of_run,
					  const char *path, enum profile_by by, struct parts *parts,
					  double *clock)
{
	const struct profile *profile;
	struct run *runs;
	size_t nr;

	if (store_load(of_run, path, &runs, &nr) != MS_OK || nr != 1)
		exit(1);
	parts->read += lap(clock);
	profile = must(profile_of(arena, runs, by));
	arena_reset(of_run, (size_t)256 << 20);
	parts->profile += lap(clock);
	return profile;
}

static int time_parts(const char *base, const char *new, const char *by)
{
	const enum profile_by profile_by = !strcmp(by, "instruction") ? PROFILE_BY_INSTRUCTION
					   : !strcmp(by, "thread")    ? PROFILE_BY_THREAD
								      : PROFILE_BY_ARRAY;
	const enum diff_by diff_by = !strcmp(by, "instruction") ? DIFF_BY_INSTRUCTION
				     : !strcmp(by, "thread")    ? DIFF_BY_THREAD
								: DIFF_BY_ARRAY;
	const struct compare_options options = { .work = { 1, 1 },
						 .function = COMBINE_WEIGHTED,
						 .bound = NAN,
						 .level = 0.05,
						 .cut_off = 0.001 };
	const enum match_side sides[] = { MATCH_BASE, MATCH_NEW };
	struct arena *arena = must(arena_new()), *of_run = must(arena_new());
	struct parts parts = { 0 };
	double clock = seconds();
	const struct profile *profiles[] = {
		profile_from(arena, of_run, base, profile_by, &parts, &clock),
		profile_from(arena, of_run, new, profile_by, &parts, &clock)
	};
	struct property_diff none = { 0 };
	struct warnings warnings = { 0 };
	struct growths growths = { 0 };
	struct resources resources = { 0 };
	struct comparison comparison;
	struct rusage usage;
	struct match match;
	struct text out;
	struct diff_page page = { .comparison = &comparison,
				  .properties = &none,
				  .warnings = &warnings,
				  .growths = &growths,
				  .resources = &resources,
				  .by = diff_by,
				  .names = { "base", "new" },
				  .title = "",
				  .function_why = "",
				  .most = 10 };

	lap(&clock);
	if (!match_profiles(arena, profiles, sides, 2, &match))
		return 1;
	parts.match = lap(&clock);
	if (!compare(of_run, &match, &options, &comparison))
		return 1;
	page.metric = comparison_metric(&comparison, NULL, diff_by != DIFF_BY_THREAD);
	comparison_rank(arena, &comparison, page.metric);
	parts.compare = lap(&clock);
	text_init(&out, arena);
	diff_text(&out, &page);
	parts.print = lap(&clock);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f %.3f %.3f %.3f %.3f %ld %zu\n", parts.read, parts.profile, parts.match,
	       parts.compare, parts.print, usage.ru_maxrss, comparison.nr + comparison.nr_totals);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "write"))
		return write_runs(argv[2], argv[3], (uint32_t)strtoul(argv[4], NULL, 10), argv[5],
				  (uint32_t)strtoul(argv[6], NULL, 10));
	if (argc == 5 && !strcmp(argv[1], "parts"))
		return time_parts(argv[2], argv[3], argv[4]);
	fprintf(stderr,
		"usage: diff write FILE SHAPE BUCKETS SIDE RUNS | diff parts BASE NEW BY\n");
	return 2;
}
