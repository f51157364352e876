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

/* The simulator's counters as metrics, and as values of one instruction. Any thread. */
#define SIMULATION_VALUES 48

void simulation_add(struct simulator_counters *to, const struct simulator_counters *from);
/* Multiplies each counter. */
void simulation_scale(struct simulator_counters *counters, double times);
/* Mean of `nr` estimates, SIMULATOR_REPLICATES at most, rounded. */
struct simulator_counters simulation_mean(const struct simulator_counters *estimates, uint32_t nr);
/*
 * A value from its estimates: their mean, and the variance of the mean; 0 for one estimate, which
 * is exact.
 */
struct ms_stat simulation_stat(const double *values, uint32_t nr);
/* The level with miss classes and utilisation: L2, or L1 without L2. */
unsigned int simulation_classified_level(const struct machine_model *model);
/* The modelled machine lacks the unit (a level, a TLB): the metric is missing. */
bool simulation_lacks(const struct machine_model *model, enum ms_metric metric);
/* It needs all lines: missing with set sampling. */
bool simulation_needs_all(enum ms_metric metric);
/*
 * It needs the addresses of all accesses: missing if sampled lines were recorded; stall cycles are
 * then without TLB misses.
 */
bool simulation_needs_addresses(enum ms_metric metric);
/*
 * Fills the available metrics, in a fixed order; `some`: with set sampling. Returns their number.
 */
size_t simulation_values(const struct machine_model *model, bool some,
			 const struct simulator_counters *of,
			 enum ms_metric metrics_out[SIMULATION_VALUES],
			 double values_out[SIMULATION_VALUES]);
struct run_misses simulation_misses(const struct machine_model *model,
				    const struct simulator_counters *of);

#endif
