/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One simulation by several threads counts what one thread counts, and what the reference simulator
 * counts.
 */
#include "analysis/simulator/stages.h"
#include "tests/unit/simulated.h"

#define THREADS 4
#define SLOTS 4
#define MOST 64 /* strided runs of a thread in a window */
/* what is a thread's own, but for a window */
#define PART(thread) (0x10000000ull + (thread) * 0x40000)
#define TABLE 0x20000000ull
#define LINE_OF_ALL 0x30000000ull

static const struct machine_model usual = {
	.name = "usual", .cores = THREADS, .nodes = 2, .page = 4096, .memory_latency = 250, .remote_latency = 400, .transfer_latency = 120,
	.remote_transfer_latency = 300, .walk_latency = 40,
	.cache = {
		{ .bytes = 4 << 10, .ways = 4, .line = 64, .cores = 1, .latency = 4, .strides = true },
		{ .bytes = 32 << 10, .ways = 8, .line = 64, .cores = 1, .latency = 14, .next_line = true, .strides = true },
		{ .bytes = 256 << 10, .ways = 16, .line = 64, .cores = THREADS, .latency = 50 },
	},
	.tlb = { { 16, 4, 0 }, { 64, 4, 7 } },
};

struct work {
	struct stride_run runs[THREADS][MOST];
	size_t nr[THREADS];
};

static void access(struct work *work, uint32_t thread, struct stride_run run)
{
	run.group = 1;
	run.bytes = run.bytes ? run.bytes : 8;
	run.slot = run.site % SLOTS;
	work->runs[thread][work->nr[thread]++] = run;
}

/* Each thread reads and writes its part, in strides and here and there. */
static void own_parts(struct work *work, uint32_t thread, uint32_t window)
{
	uint64_t from = PART(thread) + window % 3 * 0x8000;

	access(work, thread,
	       (struct stride_run){ .address = from, .stride = 8, .times = 3000, .site = 1 });
	access(work, thread,
	       (struct stride_run){ .address = from + 4,
				    .stride = 32,
				    .times = 900,
				    .bytes = 32,
				    .site = 2,
				    .write = true });
	for (uint32_t i = 0; i < 40; i++)
		access(work, thread,
		       (struct stride_run){ .address = from + i * i * 424 % 0x8000,
					    .times = 1,
					    .site = 3,
					    .write = i % 3 == 0 });
	access(work, thread,
	       (struct stride_run){
		       .address = from + 0x8000, .stride = -200, .times = 700, .site = 5 });
}

/*
 * One thread writes a few lines of all parts: the others take them back, or its caches have lost
 * them by then.
 */
static void one_writes(struct work *work, uint32_t thread, uint32_t window)
{
	for (uint32_t part = 0; thread == window % THREADS && part < THREADS; part++)
		access(work, thread,
		       (struct stride_run){ .address = PART(part),
					    .stride = 1024,
					    .times = 60,
					    .site = 6,
					    .write = true });
}

static void all_read(struct work *work, uint32_t thread, uint32_t window)
{
	access(work, thread,
	       (struct stride_run){ .address = TABLE, .stride = 16, .times = 2000, .site = 7 });
	access(work, thread,
	       (struct stride_run){ .address = PART(thread),
				    .stride = 8,
				    .times = 500,
				    .site = 8,
				    .write = window % 2 });
}

static void all_write(struct work *work, uint32_t thread, uint32_t window)
{
	access(work, thread,
	       (struct stride_run){ .address = LINE_OF_ALL + thread * 8,
				    .times = 500,
				    .site = 9,
				    .write = true });
	access(work, thread,
	       (struct stride_run){ .address = PART(thread),
				    .stride = 64,
				    .times = 300,
				    .site = 10,
				    .write = true,
				    .non_temporal = window % 4 == 3 });
}

typedef void do_work(struct work *work, uint32_t thread, uint32_t window);

static void run_window(struct both *both, do_work *what, uint32_t window)
{
	static struct work work;
	struct script scripts[THREADS];

	for (uint32_t thread = 0; thread < THREADS; thread++) {
		work.nr[thread] = 0;
		what(&work, thread, window);
		scripts[thread] = (struct script){ .runs = work.runs[thread],
						   .nr = work.nr[thread] };
	}
	both_window(both, scripts);
}

/* The share of chunks that were simulated core by core. */
static double run_all(uint32_t jobs, uint32_t chunk, do_work *const *what, uint32_t nr)
{
	struct simulated_difference difference;
	struct both both;
	double share;

	CHECK(both_init(&both, &usual, THREADS, SLOTS,
			SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION));
	CHECK(simulator_use_threads(both.fast, jobs));
	stages_cut(both.fast, chunk);
	both_place(&both, PART(1), 0x20000, 1);
	for (uint32_t window = 0; window < 12; window++) {
		if (window == 5)
			both_clear(&both);
		run_window(&both, what[window % nr], window);
	}
	if (both_differ(&both, &difference)) {
		both_print(&difference);
		test_fail(__FILE__, __LINE__, "%u jobs, chunks of %u accesses", jobs, chunk);
	}
	share = stages_by_cores(both.fast);
	both_release(&both);
	return share;
}

static const uint32_t numbers[] = { 1, 2, 3, 4, 7, 16 };

#define FOR_JOBS(jobs) \
	for (size_t i_ = 0; i_ < sizeof(numbers) / sizeof(numbers[0]); i_++) \
		for (uint32_t jobs = numbers[i_], once_ = 1; once_; once_ = 0)

TEST(simulator_stages__parts_of_their_own)
{
	do_work *const what[] = { own_parts };

	FOR_JOBS(jobs)
	CHECK_THAT(run_all(jobs, 700, what, 1), >, 0.9);
}

TEST(simulator_stages__parts_that_others_write_in)
{
	do_work *const what[] = { own_parts, one_writes, own_parts, all_read, all_write };

	FOR_JOBS(jobs)
	{
		double share = run_all(jobs, 700, what, 5);

		CHECK(share > 0.1 && share < 0.9);
	}
}

TEST(simulator_stages__a_line_that_all_write)
{
	do_work *const what[] = { all_write };

	FOR_JOBS(jobs)
	CHECK_THAT(run_all(jobs, 700, what, 1), <, 0.5);
}

TEST(simulator_stages__chunks_of_any_size)
{
	do_work *const what[] = { own_parts, one_writes, all_read };

	for (uint32_t chunk = 1; chunk < 100000; chunk = chunk * 7 + 3)
		run_all(3, chunk, what, 3);
}

/* Pages are placed while the runs that access them are read, as simulation.c does. */
struct placed {
	struct simulator *simulator;
	struct stride_run run;
	bool given;
};

static size_t place_and_read(void *ctx, const struct stride_run **out)
{
	struct placed *placed = ctx;

	if (placed->given)
		return 0;
	placed->given = true;
	simulator_place(placed->simulator, placed->run.address,
			(uint64_t)placed->run.stride * placed->run.times, 1);
	*out = &placed->run;
	return 1;
}

static uint64_t lines_of_node_0(uint32_t l3_cores, uint32_t jobs)
{
	struct machine_model model = usual;
	struct simulator *simulator;
	struct simulator_trace traces[2];
	struct placed placed[2];
	uint64_t lines = 0;

	model.cache[0].strides = model.cache[1].strides = model.cache[1].next_line = false;
	model.cache[2].cores = l3_cores;
	simulator = simulator_new(&model, 2, 1, 0);
	CHECK(simulator && simulator_use_threads(simulator, jobs));
	for (uint32_t i = 0; i < 2; i++) {
		placed[i] = (struct placed){
			simulator,
			{ .address = PART(i), .stride = 64, .times = 3000, .bytes = 8, .group = 1 },
			false
		};
		traces[i] = (struct simulator_trace){ place_and_read, &placed[i] };
	}
	CHECK(simulator_window(simulator, traces));
	for (uint32_t i = 0; i < 2; i++) {
		const struct simulator_counters *counters = simulator_counters(simulator, i, 0);

		CHECK_THAT(counters->dram_remote, >, 100);
		lines += counters->dram_local;
	}
	simulator_free(simulator);
	return lines;
}

TEST(simulator_stages__pages_are_placed_before_they_are_accessed)
{
	FOR_JOBS(jobs)
	{
		CHECK_INT(lines_of_node_0(THREADS, jobs), 0);
		CHECK_INT(lines_of_node_0(1, jobs), 0);
	}
}
