/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the simulated PMU costs, in ns an access, on the ways programs go through memory that
 * matter: with all that can be modelled, as in a run, that with four threads that share an array,
 * and that with one thread, one line in 8 looked at. CPU time, the least of some interleaving. Then
 * what the last one says, as a ratio to what all lines say: misses of L1 and L2, lines from memory, cycles.     simulator
 *                                                                                                               [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/simulator/simulator.h"

#define MAX_GROUP 64
#define MAX_RUNS 4096
#define THREADS 4
#define ARRAY(n) (0x10000000ull + (uint64_t)(n) * 1335 * 1335 * 8) /* as swim's lie */

struct pattern {
	const char *name;
	/* Fills runs for one part of the work; yields how many. */
	size_t (*part)(struct stride_run *runs, uint32_t thread, uint64_t part);
	uint64_t parts;
};

struct program {
	const struct pattern *pattern;
	uint32_t thread;
	uint64_t part, parts;
	struct stride_run runs[MAX_RUNS];
	uint64_t accesses;
};

static struct stride_run run(uint64_t address, int64_t stride, uint64_t times, uint32_t site,
			     bool write)
{
	return (struct stride_run){ .address = address,
				    .stride = stride,
				    .times = times,
				    .bytes = 8,
				    .slot = site % 16,
				    .site = site,
				    .group = 0,
				    .write = write,
				    .is_float = true };
}

static uint64_t random_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* swim's calc1: one column; 10 reads of three arrays, 4 writes. */
#define COLUMN 1335
static size_t stencil(struct stride_run *runs, uint32_t thread, uint64_t part)
{
	static const struct {
		int array, row, column;
	} reads[] = {
		{ 0, 1, 0 }, { 0, 0, 0 }, { 1, 1, 0 }, { 0, 0, 1 }, { 2, 0, 1 },
		{ 2, 1, 1 }, { 1, 1, 1 }, { 0, 1, 1 }, { 1, 0, 0 }, { 2, 0, 0 },
	};
	size_t nr = 0;

	for (; nr < 10; nr++)
		runs[nr] = run(ARRAY(reads[nr].array) +
				       8 * ((part + thread * 300 + reads[nr].column) * COLUMN +
					    reads[nr].row),
			       8, COLUMN - 1, nr, false);
	for (; nr < 14; nr++)
		runs[nr] = run(ARRAY(nr) + 8 * (part + thread * 300) * COLUMN, 8, COLUMN - 1, nr,
			       true);
	runs[0].group = 14;
	return nr;
}

/* The same, each access on its own: what recording without runs delivers. */
static size_t stencil_per_access(struct stride_run *runs, uint32_t thread, uint64_t part)
{
	struct stride_run group[MAX_GROUP];
	size_t members = stencil(group, thread, part / 5), nr = 0;
	uint64_t first = part % 5 * (COLUMN / 5);

	for (uint64_t i = first; i < first + COLUMN / 5; i++)
		for (size_t member = 0; member < members; member++) {
			runs[nr] = group[member];
			runs[nr].address += i * 8;
			runs[nr].times = runs[nr].group = 1;
			nr++;
		}
	return nr;
}

/* The same by two elements at once, as compilers make it: half of the accesses are not aligned. */
static size_t stencil_by_twos(struct stride_run *runs, uint32_t thread, uint64_t part)
{
	size_t nr = stencil(runs, thread, part);

	for (size_t i = 0; i < nr; i++) {
		runs[i].address = runs[i].address / 16 * 16 + i % 2 * 8;
		runs[i].bytes = 16;
		runs[i].stride = 16;
		runs[i].times /= 2;
	}
	return nr;
}

/*
 * The same by four elements at once, and four of these a round: what compilers make for wide
 * vectors.
 */
static size_t stencil_unrolled(struct stride_run *runs, uint32_t thread, uint64_t part)
{
	struct stride_run group[MAX_GROUP];
	size_t members = stencil(group, thread, part), nr = 0;

	for (size_t i = 0; i < 4; i++)
		for (size_t member = 0; member < members; member++, nr++) {
			runs[nr] = group[member];
			runs[nr].address += 32 * i;
			runs[nr].bytes = 32;
			runs[nr].stride = 128;
			runs[nr].times /= 16;
			runs[nr].site = (uint32_t)nr;
			runs[nr].group = 0;
		}
	runs[0].group = (uint8_t)nr;
	return nr;
}

/* A sparse matrix times a vector: index and value in order, the vector at random. */
static size_t gather(struct stride_run *runs, uint32_t thread, uint64_t part)
{
	uint64_t state = 88172645463325252ull + part * 1000003 + thread;
	size_t nr = 0;

	for (uint64_t i = 0; i < 1000; i++) {
		runs[nr++] = run(ARRAY(1 + thread) + (part * 1000 + i) * 4, 0, 1, 1, false);
		runs[nr++] = run(ARRAY(5 + thread) + (part * 1000 + i) * 8, 0, 1, 2, false);
		runs[nr++] = run(ARRAY(9) + random_number(&state) % (1u << 20) * 8, 0, 1, 3, false);
		runs[nr - 3].group = 3;
	}
	return nr;
}

/* An inner product of a row and a column of 300 × 300 matrices. */
static size_t column(struct stride_run *runs, uint32_t thread, uint64_t part)
{
	uint64_t i = (part / 300 + thread * 75) % 300, j = part % 300;

	runs[0] = run(ARRAY(0) + i * 2400, 8, 300, 1, false);
	runs[1] = run(ARRAY(1) + j * 8, 2400, 300, 2, false);
	runs[0].group = 2;
	runs[2] = run(ARRAY(2) + (i * 300 + j) * 8, 0, 1, 3, true);
	runs[2].group = 1;
	return 3;
}

/* One sweep over vectors that fit in L1. */
static size_t resident(struct stride_run *runs, uint32_t thread, uint64_t part)
{
	uint64_t from = ARRAY(thread) + (part % 2) * 8256,
		 to = ARRAY(thread) + (1 - part % 2) * 8256;

	for (size_t i = 0; i < 3; i++)
		runs[i] = run(from + i * 8, 8, 1000, i, false);
	runs[3] = run(to + 8, 8, 1000, 3, true);
	runs[0].group = 4;
	return 4;
}

/* A loop with more values than registers: most accesses are to eight slots of the stack. */
static size_t starved(struct stride_run *runs, uint32_t thread, uint64_t part)
{
	size_t nr = 0;

	for (; nr < 16; nr++)
		runs[nr] = run(0x7f0000000000ull + thread * 0x100000 + nr % 8 * 16, 0, 2000, nr,
			       nr % 4 == 3);
	for (; nr < 20; nr++)
		runs[nr] = run(ARRAY(nr - 16) + ((part + thread * 1000) * 2000) % 2000000 * 8, 8,
			       2000, nr, nr == 19);
	runs[0].group = 20;
	return nr;
}

static const struct pattern patterns[] = {
	{ "stencil", stencil, 300 },
	{ "stencil_by_twos", stencil_by_twos, 600 },
	{ "stencil_unrolled", stencil_unrolled, 2400 },
	{ "stencil_per_access", stencil_per_access, 1500 },
	{ "gather", gather, 1500 },
	{ "column", column, 9000 },
	{ "resident", resident, 1500 },
	{ "starved", starved, 120 },
};

static const struct machine_model private_caches = {
	.name = "private", .cores = 64, .nodes = 4, .page = 4096, .memory_latency = 250, .remote_latency = 400, .transfer_latency = 120,
	.remote_transfer_latency = 300, .walk_latency = 40, .cache = {
		{ .bytes = 32 << 10, .ways = 8, .line = 64, .cores = 1, .latency = 4 }, { .bytes = 1 << 20, .ways = 16, .line = 64, .cores = 1, .latency = 14 },
	},
};

static struct machine_model everything(void)
{
	struct machine_model model = private_caches;

	model.cache[2] = (struct model_cache){
		.bytes = 32 << 20, .ways = 16, .line = 64, .cores = 16, .latency = 50
	};
	model.cache[0].strides = model.cache[1].next_line = model.cache[1].strides = true;
	model.tlb[0] = (struct model_tlb){ 64, 4, 0 };
	model.tlb[1] = (struct model_tlb){ 1536, 12, 7 };
	return model;
}

static size_t next_part(void *ctx, const struct stride_run **runs_out)
{
	struct program *program = ctx;
	size_t nr;

	if (program->part == program->parts)
		return 0;
	nr = program->pattern->part(program->runs, program->thread, program->part++);
	for (size_t i = 0; i < nr; i++)
		program->accesses += program->runs[i].times;
	*runs_out = program->runs;
	return nr;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct told {
	uint64_t accesses, l1, l2, memory, cycles;
};

static struct told told(struct simulator *simulator, uint32_t threads)
{
	struct told all = { 0 };
	struct simulator_counters of;
	uint32_t replicates = simulator_replicates(simulator);

	for (uint32_t i = 0; i < threads * 16 * replicates; i++) {
		simulator_estimate(simulator, i / replicates / 16, i / replicates % 16,
				   i % replicates, &of);
		all.accesses += of.reads + of.writes;
		all.l1 += of.read_misses[0] + of.write_misses[0];
		all.l2 += of.read_misses[1] + of.write_misses[1];
		all.memory += of.dram_local + of.dram_remote + of.dram_prefetches;
		all.cycles += of.cycles;
	}
	return (struct told){ all.accesses / replicates, all.l1 / replicates, all.l2 / replicates,
			      all.memory / replicates, all.cycles / replicates };
}

/* ns an access, of which `making` are not the simulator's. */
static double measure(const struct pattern *pattern, const struct machine_model *model,
		      uint32_t threads, unsigned parts, uint32_t one_in, struct told *told_out)
{
	static struct program programs[THREADS];
	struct simulator_trace traces[THREADS];
	struct simulator *simulator = simulator_new(model, threads, 16, parts);
	const struct stride_run *runs;
	double from, making, took;
	uint64_t accesses = 0;

	if (!simulator || (one_in > 1 && !simulator_sample(simulator, one_in)))
		exit(2);
	for (uint32_t i = 0; i < threads; i++) {
		programs[i] = (struct program){ .pattern = pattern,
						.thread = i,
						.parts = pattern->parts / threads };
		traces[i] = (struct simulator_trace){ next_part, &programs[i] };
	}
	from = now();
	for (uint32_t i = 0; i < threads; i++)
		while (next_part(&programs[i], &runs))
			;
	making = now() - from;
	for (uint32_t i = 0; i < threads; i++) {
		accesses += programs[i].accesses;
		programs[i].part = 0;
	}
	from = now();
	simulator_window(simulator, traces);
	took = now() - from;
	*told_out = told(simulator, threads);
	simulator_free(simulator);
	if (told_out->accesses != accesses)
		exit(3);
	return (took - making) / (double)accesses;
}

static double ratio(uint64_t sampled, uint64_t all)
{
	return all ? (double)sampled / (double)all : sampled ? 1e9 : 1;
}

int main(int argc, char **argv)
{
	int interleaving = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
	struct machine_model all = everything();

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		double least[3] = { 1e9, 1e9, 1e9 };
		struct told of[3];

		for (int round = 0; round < interleaving; round++) {
			unsigned parts = SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION;
			double took[3] = {
				measure(&patterns[i], &all, 1, parts, 1, &of[0]),
				measure(&patterns[i], &all, THREADS, parts, 1, &of[1]),
				measure(&patterns[i], &all, 1, parts, 8, &of[2]),
			};

			for (int k = 0; k < 3; k++)
				least[k] = took[k] < least[k] ? took[k] : least[k];
		}
		printf("%-16s %.2f %.2f %.2f   %.3f %.3f %.3f %.3f\n", patterns[i].name, least[0],
		       least[1], least[2], ratio(of[2].l1, of[0].l1), ratio(of[2].l2, of[0].l2),
		       ratio(of[2].memory, of[0].memory), ratio(of[2].cycles, of[0].cycles));
	}
	return 0;
}
