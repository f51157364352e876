/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_VALUES_H
#define MEMSEARCH_SIMULATION_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "analysis/simulator/simulator.h"
#include "memsearch/measurement.h"
#include "memsearch/metric.h"

/* The simulator's counters as metrics, and as what a record has of one instruction. Any thread. */
#define SIMULATION_VALUES 48

void simulation_add(struct simulator_counters *to, const struct simulator_counters *from);
/* Each that many times. */
void simulation_scale(struct simulator_counters *counters, double times);
/* Mean of `nr` estimates, SIMULATOR_REPLICATES at most, to the nearest. */
struct simulator_counters simulation_mean(const struct simulator_counters *estimates, uint32_t nr);
/* A value from its estimates: their mean, and the variance of the mean; of one estimate 0, it is exact. */
struct ms_stat simulation_stat(const double *values, uint32_t nr);
/* The level whose misses are classified, and whose lines' use is known: L2, or L1 where there is no L2. */
unsigned int simulation_classified_level(const struct machine_model *model);
/* The modelled machine has no such thing (a level, a TLB): the metric is missing. */
bool simulation_lacks(const struct machine_model *model, enum ms_metric metric);
/* It needs all lines: missing where only some are looked at. */
bool simulation_needs_all(enum ms_metric metric);
/* It needs the addresses of all accesses: missing where those of some lines alone were recorded; stall cycles are without TLB misses then. */
bool simulation_needs_addresses(enum ms_metric metric);
/* Fills the metrics that there are, in the same order for all; `some`: only some lines were looked at. Returns how many. */
size_t simulation_values(const struct machine_model *model, bool some, const struct simulator_counters *of, enum ms_metric metrics_out[SIMULATION_VALUES],
			 double values_out[SIMULATION_VALUES]);
struct run_misses simulation_misses(const struct machine_model *model, const struct simulator_counters *of);

#endif
