/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate geometry                    the private caches, as options of cachegrind
 * simulate KERNELS.so KERNEL TIMES     a kernel so often, as compiled and as clone whose accesses are simulated; prints
 *     ACCESSES  NATIVE_NS  then ns more an access with all that can be modelled, and that with one line in FEW looked at  then misses
 *     of the two private levels, and what few lines say of them
 * Accesses take the way they take in a run: counted by array, kept in the trace, simulated when that is full or at the end; the first time is not timed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/trace/simulation.h"
#include "bench/clones/load.h"
#include "ompt_tool/accesses/decoding.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/word_buffer.h"

enum { PIECES = 768, BUFFER = 256 << 10, REGION = 1, MEMORY = 200, FEW = 8 };

static const struct machine_model private_caches = {
	.name = "private", .cores = 2, .nodes = 1, .page = 4096, .memory_latency = MEMORY, .remote_latency = 2 * MEMORY, .transfer_latency = 120,
	.remote_transfer_latency = 300, .walk_latency = 40, .cache = {
		{ .bytes = 32 << 10, .ways = 8, .line = 64, .cores = 1, .latency = 4 }, { .bytes = 1 << 20, .ways = 16, .line = 64, .cores = 1, .latency = 14 },
	},
};

static struct machine_model everything(void)
{
	struct machine_model model = private_caches;

	model.cache[2] = (struct model_cache){ .bytes = 32 << 20, .ways = 16, .line = 64, .cores = 2, .latency = 50 };
	model.cache[0].strides = model.cache[1].next_line = model.cache[1].strides = true;       /* as on most shipped machines */
	model.tlb[0] = (struct model_tlb){ 64, 4, 0 };
	model.tlb[1] = (struct model_tlb){ 1536, 12, 7 };
	return model;
}

static void print_geometry(void)
{
	const struct model_cache *d1 = &private_caches.cache[0], *ll = &private_caches.cache[1];

	printf("--D1=%" PRIu64 ",%" PRIu32 ",%" PRIu32 " --LL=%" PRIu64 ",%" PRIu32 ",%" PRIu32 "\n", d1->bytes, d1->ways, d1->line, ll->bytes, ll->ways, ll->line);
}

static void take(void *ctx, const uint64_t *words, size_t nr)
{
	decode(ctx, words, nr);
}

static double run_ns(void (*run)(void), unsigned long times)
{
	double start = load_now_ns();

	while (times--)
		run();
	return load_now_ns() - start;
}

/* All of it: recorded, counted and simulated. */
static double run_simulated_ns(void (*run)(void), unsigned long times, struct access_table *table, struct simulation *simulation)
{
	double start = load_now_ns();

	access_table_enter(table, REGION);
	run_ns(run, times);
	record_flush();
	access_table_end(table, REGION, 1);
	if (!simulation_run(simulation, 0))
		exit(3);
	return load_now_ns() - start;
}

struct result { double ns, accesses, misses[2]; };

static void add(void *ctx, const struct simulation_key *key, const struct simulator_counters *estimates, uint32_t replicates)
{
	struct result *result = ctx;

	(void)key;
	for (uint32_t i = 0; i < replicates; i++) {
		result->accesses += (double)(estimates[i].reads + estimates[i].writes) / replicates;
		for (int level = 0; level < 2; level++)
			result->misses[level] += (double)(estimates[i].read_misses[level] + estimates[i].write_misses[level]) / replicates;
	}
}

/* With more than one thread there is coherence. */
static struct result simulate(void (*run)(void), unsigned long times, const struct machine_model *model, uint32_t threads, unsigned parts, uint32_t one_in)
{
	struct access_table *table = calloc(1, sizeof(*table));
	struct trace_streams *streams = trace_streams_new(threads, PIECES);
	struct simulation *simulation = streams ? simulation_new(model, streams, parts, array_places()) : NULL;
	struct decoding decoding = { .table = table };
	struct result result = { 0 };

	if (!table || !simulation || (one_in > 1 && !simulation_sample(simulation, one_in)) || !record_thread_begin(BUFFER, take, &decoding))
		exit(3);
	simulation_use_real_addresses(simulation);
	table->world = &decoding_world;
	decoding.stream = trace_stream_begin(streams, 0);
	run_simulated_ns(run, times, table, simulation);
	simulation_clear(simulation);
	result.ns = run_simulated_ns(run, times, table, simulation);
	simulation_each(simulation, 0, add, &result);
	record_thread_end();
	simulation_free(simulation);
	trace_streams_free(streams);
	free(table);
	return result;
}

static void measure(const struct kernel *kernel, unsigned long times)
{
	struct clone_options options = { .probes = CLONE_ACCESSES };
	const struct clone *clone = clone_make((uintptr_t)kernel->run, &options);
	void (*cloned)(void) = clone ? (void (*)(void))clone->code : NULL;
	struct machine_model all = everything();
	struct result private, private_few, whole, few;
	double native, accesses;

	if (!clone)
		exit(3);
	kernel->run();
	native = run_ns(kernel->run, times);
	private = simulate(cloned, times, &private_caches, 1, SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION, 1);
	private_few = simulate(cloned, times, &private_caches, 1, SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION, FEW);
	whole = simulate(cloned, times, &all, 2, SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION, 1);
	few = simulate(cloned, times, &all, 2, SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION, FEW);
	accesses = private.accesses;
	printf("%.0f %.3f %.3f %.3f %.0f %.0f %.0f %.0f\n", accesses, native / accesses, (whole.ns - native) / accesses,
	       (few.ns - native) / accesses, private.misses[0], private.misses[1], private_few.misses[0], private_few.misses[1]);
}

int main(int argc, char **argv)
{
	const struct kernel *kernel;

	if (argc == 2 && !strcmp(argv[1], "geometry")) {
		print_geometry();
		return 0;
	}
	kernel = argc == 4 ? load_kernels(argv[1]) : NULL;
	while (kernel && kernel->name && strcmp(kernel->name, argv[2]))
		kernel++;
	if (!kernel || !kernel->name || clone_unsupported())
		return fprintf(stderr, "simulate: %s\n", clone_unsupported() ? clone_unsupported() : "usage"), 2;
	measure(kernel, strtoul(argv[3], NULL, 10));
	return 0;
}
