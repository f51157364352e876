/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_SIMULATED_H
#define MEMSEARCH_TESTS_UNIT_SIMULATED_H

/* The same runs on the simulated PMU and on the plain one, and what they counted side by side. */
#include <stdlib.h>

#include "analysis/simulator/simulator.h"
#include "tests/unit/reference_simulator.h"
#include "tests/unit/test.h"

/* What one thread accesses in a window. */
struct script {
	const struct stride_run *runs;
	size_t nr;
	bool by_groups; /* one at a time */
	size_t given;
};

struct both {
	struct simulator *fast;
	struct reference *plain;
	uint32_t threads, slots;
	unsigned parts;
	uint32_t last_private; /* level, from 0 */
};

/* All numbers of struct simulator_counters, in their order. */
static const char *const simulated_names[] = {
	"reads",
	"writes",
	"L1 read misses",
	"L2 read misses",
	"L3 read misses",
	"L1 write misses",
	"L2 write misses",
	"L3 write misses",
	"L1 cold",
	"L1 capacity",
	"L1 conflict",
	"L1 true sharing",
	"L1 false sharing",
	"L2 cold",
	"L2 capacity",
	"L2 conflict",
	"L2 true sharing",
	"L2 false sharing",
	"L3 cold",
	"L3 capacity",
	"L3 conflict",
	"L3 true sharing",
	"L3 false sharing",
	"bypassed",
	"transfers",
	"upgrades",
	"remote transfers",
	"local dram",
	"remote dram",
	"lines of shared pages",
	"remote lines of split pages",
	"write-backs",
	"TLB misses",
	"TLB walks",
	"prefetches",
	"prefetched",
	"dram prefetches",
	"fetched bytes",
	"used bytes",
	"remotely written",
	"cycles",
};
#define SIMULATED_NUMBERS (sizeof(simulated_names) / sizeof(*simulated_names))
_Static_assert(SIMULATED_NUMBERS * sizeof(uint64_t) == sizeof(struct simulator_counters),
	       "a name a counter");

/* Whether a number is counted with these parts. */
static inline bool simulated_counts(unsigned parts, uint32_t last_private, size_t number)
{
	size_t offset = number * sizeof(uint64_t),
	       classes = offsetof(struct simulator_counters, classes);

	if (offset == offsetof(struct simulator_counters, fetched_bytes) ||
	    offset == offsetof(struct simulator_counters, used_bytes))
		return parts & SIMULATE_UTILISATION;
	if (offset < classes || offset >= offsetof(struct simulator_counters, bypassed))
		return true;
	return parts & SIMULATE_CLASSES ||
	       (parts & SIMULATE_PRIVATE_CLASSES &&
		(offset - classes) / (SIMULATOR_CLASSES * sizeof(uint64_t)) <= last_private);
}

static inline size_t script_next(void *ctx, const struct stride_run **runs_out)
{
	struct script *script = ctx;
	size_t nr = script->nr - script->given;

	if (!nr)
		return 0;
	*runs_out = script->runs + script->given;
	if (script->by_groups)
		nr = (*runs_out)->group;
	script->given += nr;
	return nr;
}

#define ALL_PARTS (SIMULATE_CLASSES | SIMULATE_UTILISATION)

static inline bool both_init(struct both *both, const struct machine_model *model, uint32_t threads,
			     uint32_t slots, unsigned parts)
{
	both->fast = simulator_new(model, threads, slots, parts);
	both->plain = reference_new(model, threads, slots);
	both->threads = threads;
	both->slots = slots;
	both->parts = parts;
	both->last_private = model->cache[1].bytes ? 1 : 0;
	return both->fast && both->plain;
}

static inline void both_release(struct both *both)
{
	simulator_free(both->fast);
	reference_free(both->plain);
}

/* Only one line in so many. */
static inline void both_sample(struct both *both, const struct machine_model *model,
			       uint32_t one_in)
{
	struct sampling sampling;

	CHECK(simulator_sample(both->fast, one_in));
	CHECK(sampling_init(&sampling, model, one_in));
	reference_sample(both->plain, &sampling);
}

/* Still fewer, or no longer all. */
static inline void both_thin(struct both *both, const struct machine_model *model, uint32_t one_in)
{
	struct sampling sampling;

	CHECK(simulator_thin(both->fast, one_in));
	CHECK(sampling_init(&sampling, model, one_in));
	reference_clear_counters(both->plain);
	reference_sample(both->plain, &sampling);
}

/* Scripts by thread. */
static inline void both_window(struct both *both, struct script *scripts)
{
	struct simulator_trace traces[SIMULATOR_MAX_THREADS];

	for (uint32_t i = 0; i < both->threads; i++)
		traces[i] = (struct simulator_trace){ script_next, &scripts[i] };
	for (uint32_t i = 0; i < both->threads; i++)
		scripts[i].given = 0;
	CHECK(simulator_window(both->fast, traces));
	for (uint32_t i = 0; i < both->threads; i++)
		scripts[i].given = 0;
	reference_window(both->plain, traces);
}

static inline void both_place(struct both *both, uint64_t address, uint64_t bytes, uint32_t node)
{
	simulator_place(both->fast, address, bytes, node);
	reference_place(both->plain, address, bytes, node);
}

static inline void both_clear(struct both *both)
{
	simulator_clear_counters(both->fast);
	reference_clear_counters(both->plain);
}

static inline void both_mark_pages(struct both *both)
{
	simulator_mark_pages(both->fast);
	reference_mark_pages(both->plain);
}

static inline uint64_t simulated_number(const struct simulator_counters *counters, size_t number)
{
	return ((const uint64_t *)counters)[number];
}

struct simulated_difference {
	uint32_t thread, slot;
	size_t number; /* of simulated_names */
	uint64_t fast, plain;
};

/* Rule 14: "no more miss in that level for coherence". */
static inline bool misses_more_than_remotely_written(const struct both *both,
						     const struct simulator_counters *counters,
						     struct simulated_difference *difference_out)
{
	const uint64_t *classes = counters->classes[both->last_private];
	uint64_t missed = classes[CLASS_TRUE_SHARING] + classes[CLASS_FALSE_SHARING];

	difference_out->number = offsetof(struct simulator_counters, remotely_written) /
				 sizeof(uint64_t);
	difference_out->fast = counters->remotely_written;
	difference_out->plain = missed;
	return missed > counters->remotely_written;
}

static inline bool slot_differs(struct both *both, uint32_t thread, uint32_t slot,
				uint32_t replicate, struct simulated_difference *difference_out)
{
	struct simulator_counters fast, plain;

	CHECK(simulator_estimate(both->fast, thread, slot, replicate, &fast));
	reference_estimate(both->plain, thread, slot, replicate, &plain);
	*difference_out = (struct simulated_difference){ .thread = thread, .slot = slot };
	if (simulator_replicates(both->fast) == 1 &&
	    misses_more_than_remotely_written(both, &fast, difference_out))
		return true;
	for (size_t i = 0; i < SIMULATED_NUMBERS; i++) {
		bool counted = simulated_counts(both->parts, both->last_private, i);
		uint64_t a = simulated_number(&fast, i),
			 b = counted ? simulated_number(&plain, i) : 0;

		if (a == b)
			continue;
		*difference_out = (struct simulated_difference){ thread, slot, i, a, b };
		return true;
	}
	return false;
}

static inline bool both_differ(struct both *both, struct simulated_difference *difference_out)
{
	for (uint32_t thread = 0; thread < both->threads; thread++)
		for (uint32_t slot = 0; slot < both->slots; slot++)
			for (uint32_t replicate = 0; replicate < simulator_replicates(both->fast);
			     replicate++)
				if (slot_differs(both, thread, slot, replicate, difference_out))
					return true;
	return false;
}

static inline void both_print(const struct simulated_difference *difference)
{
	printf("thread %u, slot %u: %s: the simulator counts %llu, the plain one %llu\n",
	       difference->thread, difference->slot, simulated_names[difference->number],
	       (unsigned long long)difference->fast, (unsigned long long)difference->plain);
}

/* What both counted; ends the test where they differ. */
static inline struct simulator_counters both_counters(struct both *both, uint32_t thread,
						      uint32_t slot)
{
	struct simulated_difference difference;

	if (both_differ(both, &difference)) {
		both_print(&difference);
		test_fail(__FILE__, __LINE__, "the simulator and the plain one differ");
	}
	return *reference_counters(both->plain, thread, slot);
}

#endif
