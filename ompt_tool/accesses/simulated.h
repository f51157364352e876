/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_SIMULATED_H
#define MEMSEARCH_ACCESSES_SIMULATED_H

#include <stdbool.h>

#include "analysis/trace/simulation.h"

/*
 * The simulated PMU as a sensor: what code that runs as a clone accessed, run on a modelled machine (simulation.h), by region, natural loop
 * and data structure. What is in the modelled caches depends on all that ran before, so all of the phase is recorded: its first execution
 * fills the caches, the next ones count.
 */
struct machine_model;
struct run_misses;
struct region_table;
struct sensor;
struct thread;

extern const struct sensor sensor_simulated;

/* Before the sensors are probed. `named`: a machine was asked for. `model` NULL: nothing is simulated, and `why` says so; both are kept.
 * `real_addresses`: data lies in the modelled machine where this host has it. */
void simulated_configure(struct region_table *regions, bool named, const struct machine_model *model, const char *why, bool real_addresses);

/* A machine is simulated in this process, whenever somebody asks. */
bool simulated_has_machine(void);
bool simulated_is_on(void);
/* Set sampling, one line in this number, or denser if the machine requires it; before the sensor is enabled for the first time, later calls have no effect. At a phase boundary. */
void simulated_sample(uint32_t one_in);
/*
 * The cost of the second execution is predicted from the first one, which warms the caches. If it exceeds the budget
 * fewer lines are simulated from then on; if that is not enough, the second one is simulated later (pace.h). At phase boundaries, after each accesses_allow; no effect without a plan.
 */
struct simulated_plan {
	uint32_t sparsest;               /* sparsest sampling: one line in this number; 0: no plan */
	double allowed_ns;               /* as passed to accesses_allow … */
	double to_come_ns;               /* … of which this is for what comes after, … */
	double spare_ns;                 /* … unless the second could not be simulated with this less */
	double (*lines_share)(uint32_t one_in);  /* the relative cost of this sampling */
};
void simulated_plan(const struct simulated_plan *plan);
/* 1: all lines are simulated. */
uint32_t simulated_one_in(void);
/* The modelled machine lacks it (a level, a TLB): no value. Any thread. */
bool simulated_lacks(uint32_t metric);
/* What is under way, or at a phase boundary before it is folded has ended, only fills the caches. Any thread. */
bool simulated_is_warming(void);
/* The last execution that was simulated was so to its end: the next one counts, whenever it comes. At phase boundaries. */
bool simulated_is_warm(void);
/* Executions are others from now on: the first one fills the caches again. At a phase boundary. */
void simulated_begin_anew(void);
/* What was folded last was simulated, whole or in part. At phase boundaries. */
bool simulated_ran(void);
/* Simulating took longer than recording may; nothing is known of what it was about. At phase boundaries. */
bool simulated_gave_up(void);
/* The cost of all of that execution with the sparsest sampling, which is used from then on. NAN: too little of it was done to predict. */
double simulated_would_take_ns(void);
/* Threads that the modelled machine has no core for: then nothing is right. Any thread. */
uint32_t simulated_uncovered(void);
/* What the order of threads on this host may have changed, so far. */
struct simulation_order simulated_order(void);
/* Pages of the modelled machine's nodes so far; all 0 where nothing is simulated. */
struct simulator_pages simulated_pages(void);
/* What was counted so far of one site and data structure in a region, by all threads. False: nothing. At phase boundaries. */
bool simulated_site(uint32_t region, uint32_t site, uint32_t array, struct run_misses *out);

#endif
