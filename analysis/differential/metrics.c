/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of a differential profile. */
#include "analysis/differential/metrics.h"

#include <string.h>

#define ONE(name, heading, unit, direction, rung, id) \
	{ \
		name, heading, unit, METRIC_##direction, MS_RUNG_##rung, \
		{ \
			MS_METRIC_##id, MS_METRIC_##id \
		} \
	}
#define SUM(name, heading, unit, direction, rung, id, other) \
	{ \
		name, heading, unit, METRIC_##direction, MS_RUNG_##rung, \
		{ \
			MS_METRIC_##id, MS_METRIC_##other \
		} \
	}

static const struct compared_metric rows[] = {
	ONE("time", "thread time", "ns", COST, TIMED, TIME),
	ONE("wall_time", "wall time", "ns", COST, TIMED, WALL_TIME),
	ONE("barrier_wait", "barrier wait", "ns", COST, TIMED, BARRIER_WAIT),
	ONE("lock_wait", "lock wait", "ns", COST, TIMED, LOCK_WAIT),
	ONE("lock_held", "time locks are held", "ns", COST, TIMED, LOCK_HELD),
	ONE("lock_acquisitions", "locks taken", "1", COST, COUNTED, LOCK_ACQUISITIONS),
	ONE("lock_handovers", "locks handed from thread to thread", "1", COST, COUNTED,
	    LOCK_HANDOVERS),
	ONE("lock_handover_time", "time of these", "ns", COST, TIMED, LOCK_HANDOVER_TIME),
	ONE("task_time", "task time", "ns", COST, TIMED, TASK_TIME),
	ONE("cpu_time", "CPU time", "ns", COST, COUNTED, CPU_TIME),
	ONE("minor_faults", "minor page faults", "1", COST, COUNTED, MINOR_FAULTS),
	ONE("voluntary_switches", "voluntary context switches", "1", COST, COUNTED,
	    VOLUNTARY_SWITCHES),
	ONE("involuntary_switches", "involuntary context switches", "1", COST, COUNTED,
	    INVOLUNTARY_SWITCHES),
	ONE("cycles", "cycles", "1", COST, COUNTED, CYCLES),
	ONE("instructions", "instructions", "1", COST, COUNTED, INSTRUCTIONS),
	ONE("stall_cycles", "stall cycles", "1", COST, COUNTED, STALL_CYCLES),
	ONE("l1_misses", "L1 misses", "1", COST, COUNTED, L1D_MISSES),
	ONE("l2_misses", "L2 misses", "1", COST, COUNTED, L2D_MISSES),
	ONE("l3_misses", "L3 misses", "1", COST, COUNTED, L3D_MISSES),
	ONE("local_lines", "lines from local memory", "1", COST, COUNTED, DRAM_LOCAL),
	ONE("remote_lines", "lines from remote memory", "1", COST, COUNTED, DRAM_REMOTE),
	ONE("transfers", "lines from other cores", "1", COST, COUNTED, HITM),
	ONE("page_walks", "page walks", "1", COST, COUNTED, TLB_WALKS),
	ONE("reads", "reads", "1", NEUTRAL, COUNTED, READS),
	ONE("writes", "writes", "1", NEUTRAL, COUNTED, WRITES),
	SUM("accesses", "accesses", "1", COST, COUNTED, READS, WRITES),
	SUM("bytes", "bytes accessed", "bytes", COST, COUNTED, READ_BYTES, WRITTEN_BYTES),
	ONE("stall_cycles", "stall cycles", "1", COST, SIMULATED, SIM_STALL_CYCLES),
	ONE("l1_misses", "L1 misses", "1", COST, SIMULATED, SIM_L1D_MISSES),
	ONE("l2_misses", "L2 misses", "1", COST, SIMULATED, SIM_L2D_MISSES),
	ONE("l3_misses", "L3 misses", "1", COST, SIMULATED, SIM_L3D_MISSES),
	ONE("cold", "cold misses", "1", COST, SIMULATED, SIM_COLD),
	ONE("capacity", "capacity misses", "1", COST, SIMULATED, SIM_CAPACITY),
	ONE("conflict", "conflict misses", "1", COST, SIMULATED, SIM_CONFLICT),
	ONE("true_sharing", "true-sharing misses", "1", COST, SIMULATED, SIM_TRUE_SHARING),
	ONE("false_sharing", "false-sharing misses", "1", COST, SIMULATED, SIM_FALSE_SHARING),
	ONE("local_lines", "lines from local memory", "1", COST, SIMULATED, SIM_DRAM_LOCAL),
	ONE("remote_lines", "lines from remote memory", "1", COST, SIMULATED, SIM_DRAM_REMOTE),
	ONE("transfers", "lines from other cores", "1", COST, SIMULATED, SIM_HITM),
	ONE("prefetched", "prefetched accesses", "1", NEUTRAL, SIMULATED, SIM_PREFETCHED),
	ONE("prefetched_lines", "prefetched lines from memory", "1", COST, SIMULATED,
	    SIM_DRAM_PREFETCHES),
	ONE("write_backs", "write-backs", "1", COST, SIMULATED, SIM_WRITE_BACKS),
	ONE("page_walks", "page walks", "1", COST, SIMULATED, SIM_TLB_WALKS),
	ONE("fetched_bytes", "bytes fetched", "bytes", COST, SIMULATED, SIM_FETCHED_BYTES),
	ONE("used_bytes", "bytes used of those fetched", "bytes", NEUTRAL, SIMULATED,
	    SIM_USED_BYTES),
};
#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))
_Static_assert(NR_ROWS <= COMPARED_METRICS_MOST, "a bit for each metric");

static const struct {
	const char *also, *name;
} synonyms[] = {
	{ "l1_data_misses", "l1_misses" },
	{ "l2_data_misses", "l2_misses" },
	{ "l3_data_misses", "l3_misses" },
	{ "cycles_waited", "stall_cycles" },
};

size_t compared_metrics_nr(void)
{
	return NR_ROWS;
}

const struct compared_metric *compared_metric(uint32_t row)
{
	return &rows[row];
}

uint32_t compared_row(uint32_t metric, uint32_t after)
{
	for (uint32_t i = after + 1; i < NR_ROWS; i++) /* COMPARED_NONE + 1 is 0 */
		if (rows[i].of[0] == metric || rows[i].of[1] == metric)
			return i;
	return COMPARED_NONE;
}

static bool is_word(const char *word, const char *name, size_t length)
{
	return strlen(word) == length && !memcmp(word, name, length);
}

bool compared_is_named(uint32_t row, const char *name, size_t length)
{
	if (is_word(rows[row].name, name, length))
		return true;
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
		if (is_word(synonyms[i].also, name, length) &&
		    !strcmp(synonyms[i].name, rows[row].name))
			return true;
	return false;
}

bool compared_is_time(uint32_t row)
{
	return !strcmp(rows[row].unit, "ns");
}

bool compared_is_of_data(uint32_t row)
{
	unsigned int sensor = ms_metric_info(rows[row].of[0])->sensor;

	return sensor == MS_SENSOR_ACCESSES || sensor == MS_SENSOR_SIMULATED;
}

bool compared_is_exclusive(uint32_t metric)
{
	return ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES ||
	       metric == MS_METRIC_BARRIER_WAIT || metric == MS_METRIC_LOCK_WAIT ||
	       metric == MS_METRIC_TASK_TIME || metric == MS_METRIC_LOCK_HELD ||
	       metric == MS_METRIC_LOCK_ACQUISITIONS;
}
