/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the simulator's counters to metrics. */
#include "analysis/simulation/values.h"

#define METRICS_OF_LEVEL 3 /* misses, those of reads, of writes */

_Static_assert(sizeof(struct simulator_counters) % sizeof(uint64_t) == 0, "counters are words");

void simulation_add(struct simulator_counters *to, const struct simulator_counters *from)
{
	uint64_t *sums = (uint64_t *)to;
	const uint64_t *values = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
		sums[i] += values[i];
}

void simulation_scale(struct simulator_counters *counters, double times)
{
	uint64_t *values = (uint64_t *)counters;

	for (size_t i = 0; i < sizeof(*counters) / sizeof(uint64_t); i++)
		values[i] = (uint64_t)((double)values[i] * times + 0.5);
}

struct simulator_counters simulation_mean(const struct simulator_counters *estimates, uint32_t nr)
{
	struct simulator_counters mean = { 0 };
	uint64_t *numbers = (uint64_t *)&mean;

	for (uint32_t i = 0; i < nr; i++)
		simulation_add(&mean, &estimates[i]);
	for (size_t i = 0; i < sizeof(mean) / sizeof(*numbers); i++)
		numbers[i] = (numbers[i] + nr / 2) / nr;
	return mean;
}

struct ms_stat simulation_stat(const double *values, uint32_t nr)
{
	double mean = 0, squares = 0;
	struct ms_stat stat = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		mean += values[i] / nr;
	for (uint32_t i = 0; i < nr; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	ms_stat_estimate(&stat, mean, nr > 1 ? squares / (nr - 1) / nr : 0);
	return stat;
}

unsigned int simulation_classified_level(const struct machine_model *model)
{
	return model->cache[1].bytes ? 1 : 0;
}

static bool has_prefetchers(const struct machine_model *model)
{
	for (unsigned int level = 0; level < MODEL_LEVELS; level++)
		if (model->cache[level].next_line || model->cache[level].strides)
			return true;
	return false;
}

bool simulation_lacks(const struct machine_model *model, enum ms_metric metric)
{
	static const enum ms_metric first[] = { MS_METRIC_SIM_L1D_MISSES, MS_METRIC_SIM_L2D_MISSES,
						MS_METRIC_SIM_L3D_MISSES };

	if (ms_metric_info(metric)->sensor != MS_SENSOR_SIMULATED)
		return false;
	for (unsigned int level = 0; level < sizeof(first) / sizeof(first[0]); level++)
		if (metric >= first[level] && metric < first[level] + METRICS_OF_LEVEL)
			return !model->cache[level].bytes;
	if (metric == MS_METRIC_SIM_PREFETCHES || metric == MS_METRIC_SIM_PREFETCHED)
		return !has_prefetchers(model);
	return metric == MS_METRIC_SIM_TLB_WALKS && !model->tlb[0].entries;
}

bool simulation_needs_all(enum ms_metric metric)
{
	return metric == MS_METRIC_SIM_TRUE_SHARING || metric == MS_METRIC_SIM_FALSE_SHARING ||
	       metric == MS_METRIC_SIM_UPGRADES || metric == MS_METRIC_SIM_HITM ||
	       metric == MS_METRIC_SIM_REMOTE_HITM;
}

bool simulation_needs_addresses(enum ms_metric metric)
{
	return simulation_needs_all(metric) || metric == MS_METRIC_SIM_TLB_MISSES ||
	       metric == MS_METRIC_SIM_TLB_WALKS || metric == MS_METRIC_SIM_CONTESTED;
}

size_t simulation_values(const struct machine_model *model, bool some,
			 const struct simulator_counters *of,
			 enum ms_metric metrics_out[SIMULATION_VALUES],
			 double values_out[SIMULATION_VALUES])
{
	const uint64_t *classes = of->classes[simulation_classified_level(model)];
	const struct {
		enum ms_metric metric;
		uint64_t value;
	} values[] = {
#define LEVEL(id, level) \
	{ MS_METRIC_SIM_##id##_MISSES, of->read_misses[level] + of->write_misses[level] }, \
		{ MS_METRIC_SIM_##id##_READ_MISSES, of->read_misses[level] }, \
	{ \
		MS_METRIC_SIM_##id##_WRITE_MISSES, of->write_misses[level] \
	}
		{ MS_METRIC_SIM_LOADS, of->reads },
		{ MS_METRIC_SIM_STORES, of->writes },
		LEVEL(L1D, 0),
		LEVEL(L2D, 1),
		LEVEL(L3D, 2),
#undef LEVEL
		{ MS_METRIC_SIM_DRAM_LOCAL, of->dram_local },
		{ MS_METRIC_SIM_DRAM_REMOTE, of->dram_remote },
		{ MS_METRIC_SIM_HITM, of->transfers },
		{ MS_METRIC_SIM_TLB_MISSES, of->tlb_misses },
		{ MS_METRIC_SIM_TLB_WALKS, of->tlb_walks },
		{ MS_METRIC_SIM_PREFETCHES, of->prefetches },
		{ MS_METRIC_SIM_PREFETCHED, of->prefetched },
		{ MS_METRIC_SIM_DRAM_PREFETCHES, of->dram_prefetches },
		{ MS_METRIC_SIM_STALL_CYCLES, of->cycles },
		{ MS_METRIC_SIM_COLD, classes[CLASS_COLD] },
		{ MS_METRIC_SIM_CAPACITY, classes[CLASS_CAPACITY] },
		{ MS_METRIC_SIM_CONFLICT, classes[CLASS_CONFLICT] },
		{ MS_METRIC_SIM_L1_CONFLICT, of->classes[0][CLASS_CONFLICT] },
		{ MS_METRIC_SIM_TRUE_SHARING, classes[CLASS_TRUE_SHARING] },
		{ MS_METRIC_SIM_FALSE_SHARING, classes[CLASS_FALSE_SHARING] },
		{ MS_METRIC_SIM_UPGRADES, of->upgrades },
		{ MS_METRIC_SIM_WRITE_BACKS, of->write_backs },
		{ MS_METRIC_SIM_FETCHED_BYTES, of->fetched_bytes },
		{ MS_METRIC_SIM_USED_BYTES, of->used_bytes },
		{ MS_METRIC_SIM_BYPASSED, of->bypassed },
		{ MS_METRIC_SIM_CONTESTED, of->remotely_written },
		{ MS_METRIC_SIM_SHARED_LINES, of->shared_lines },
		{ MS_METRIC_SIM_SPLIT_REMOTE, of->split_remote },
		{ MS_METRIC_SIM_REMOTE_HITM, of->remote_transfers },
	};

	size_t nr = 0;

	_Static_assert(sizeof(values) / sizeof(values[0]) <= SIMULATION_VALUES,
		       "there is room for all");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (simulation_lacks(model, values[i].metric) ||
		    (some && simulation_needs_all(values[i].metric)))
			continue;
		metrics_out[nr] = values[i].metric;
		values_out[nr++] = (double)values[i].value;
	}
	return nr;
}

struct run_misses simulation_misses(const struct machine_model *model,
				    const struct simulator_counters *of)
{
	const uint64_t *classes = of->classes[simulation_classified_level(model)];

	return (struct run_misses){
		.reads = of->reads,
		.writes = of->writes,
		.l1 = of->read_misses[0] + of->write_misses[0],
		.l2 = of->read_misses[1] + of->write_misses[1],
		.l3 = of->read_misses[2] + of->write_misses[2],
		.cold = classes[CLASS_COLD],
		.capacity = classes[CLASS_CAPACITY],
		.conflict = classes[CLASS_CONFLICT],
		.true_sharing = classes[CLASS_TRUE_SHARING],
		.false_sharing = classes[CLASS_FALSE_SHARING],
		.local = of->dram_local,
		.remote = of->dram_remote,
		.transfers = of->transfers,
		.prefetched = of->prefetched,
		.prefetches = of->dram_prefetches,
		.write_backs = of->write_backs,
		.page_walks = of->tlb_walks,
		.fetched = of->fetched_bytes,
		.used = of->used_bytes,
		.cycles = of->cycles,
	};
}
