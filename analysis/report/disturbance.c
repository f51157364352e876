/* SPDX-License-Identifier: Apache-2.0 */
/* Times without a CPU, and waits for threads that have none. */
#include "analysis/report/disturbance.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/record/run.h"
#include "analysis/report/finding.h"
#include "memsearch/host.h"

#define TAKEN_LEAST 0.05

static const struct run_node *proven(const struct run *run, const char *property)
{
	for (size_t i = 0; i < run->nr_nodes; i++)
		if (run->nodes[i].state == MS_NODE_TRUE && run->nodes[i].property &&
		    !strcmp(run->nodes[i].property, property))
			return &run->nodes[i];
	return NULL;
}

double disturbance_without_cpu(const struct run *run)
{
	double all_ns = run->cost.program_wall_ns * run->threads;

	return run->threads > 0 && run->threads <= run->machine.cpus && all_ns > 0
		       ? fmin(1, run->cost.run_delay_ns / all_ns)
		       : 0;
}

const struct run_node *disturbance_taken(const struct run *run)
{
	const struct run_node *taken = proven(run, "CpusTaken");

	return taken && taken->severity >= TAKEN_LEAST ? taken : NULL;
}

bool disturbance_loses_cpus(const struct run *run)
{
	return disturbance_taken(run) ||
	       disturbance_without_cpu(run) >= DISTURBANCE_WITHOUT_CPU_LEAST;
}

/* Findings that threads wait for, at the ends of regions. */
static bool is_waited_for(const struct run *run)
{
	static const char *const reasons[] = {
		"LoadImbalance",       "ShiftingImbalance", "SlowThreads",     "TaskImbalance",
		"SingleSerialisation", "LockWaiting",       "BarrierWaiting",  "WorkTooFine",
		"UnequalCpus",         "IOInRegion",        "TaskwaitWaiting",
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (proven(run, reasons[i]))
			return true;
	return false;
}

/*
 * Other programs have the CPUs of some threads, or the slower thread is another one in each
 * execution, as with tasks.
 */
bool disturbance_waits_unexplained(const struct run *run)
{
	return finding_closing_waits(run) >= FINDING_WAITS_LEAST &&
	       (disturbance_loses_cpus(run) || !is_waited_for(run));
}

double disturbance_waits(const struct run *run)
{
	double waits = finding_closing_waits(run);

	return waits >= FINDING_WAITS_LEAST && disturbance_loses_cpus(run) && !is_waited_for(run)
		       ? waits
		       : 0;
}
