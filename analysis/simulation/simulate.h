/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_SIMULATE_H
#define MEMSEARCH_SIMULATION_SIMULATE_H

#include "analysis/record/run.h"

/*
 * Simulates a run's recorded executions of the phase (analysis/trace/trace_pieces.h) on a modelled
 * machine, after the run: in sequence, once to fill the caches and once to count. A region counts
 * in the last execution that has it. With a deadline a part of each region is simulated and
 * extrapolated (portions.h), as is an execution of which only the begin is stored. A record with
 * sampled lines is simulated with set sampling; values are then estimates with a known error.
 * Bursts, of runs without a phase, are extrapolated to their regions' time
 * (counting/burst_times.h). Without a deadline counts depend on the record and the machine only,
 * not on this host.
 */
struct arena;
struct trace_reader;
struct machine_model;
struct page_uses;
struct placement;

enum simulate_status {
	SIMULATE_DONE,
	SIMULATE_NO_TRACE, /* the record has no complete execution */
	SIMULATE_DAMAGED,  /* one of them cannot be read */
	SIMULATE_LATE,     /* the deadline passed: no results */
	/*
	 * the recorded lines were sampled, and do not fit the machine's sets
	 * (simulator_fits_recorded)
	 */
	SIMULATE_OTHER_SETS,
	SIMULATE_FEW_CORES, /* the machine has fewer cores than recorded threads */
	SIMULATE_NO_MEMORY
};

struct simulate_result {
	enum simulate_status status;
	uint32_t threads; /* recorded */
	/* set sampling 1:N of the sparsest execution; 1: all lines */
	uint32_t one_in;
	uint64_t lost_accesses; /* dropped */
	bool whole;             /* all of the record was simulated: the result is final */
};

struct simulate_how {
	uint64_t deadline_ns; /* deadline by thread_clock_ns; 0: none */
	uint32_t jobs;        /* simulating threads */
	/* called by the simulating thread with the completed part, 0 to 1; may be NULL */
	void (*progress)(void *ctx, double part);
	void *ctx;
	/* simulates only the execution that counts, which is faster if several are recorded */
	bool one;
	/*
	 * computes misses and stall cycles only, without miss classes and utilisation, which take a
	 * third of the time
	 */
	bool waits;
	/* uses the program's addresses instead of addresses in the order of first accesses */
	bool real_addresses;
	/*
	 * receives the sorted pages (page_use.h) of the execution that counts, or of all bursts;
	 * may be NULL
	 */
	struct page_uses *pages;
};

/* The threads of the recorded executions; 0: none. */
uint32_t simulate_threads(const struct trace_reader *reader);

/*
 * Replaces the run's results of the modelled machine: run->modelled (except its title), its
 * metrics, and the misses of each access. Selects as many accesses as the deadline seems to allow,
 * and takes at most three times as long. `placement`: for the threads of simulate_threads.
 */
struct simulate_result simulate(struct arena *arena, struct run *run, struct trace_reader *reader,
				const struct machine_model *model,
				const struct placement *placement, const struct simulate_how *how);

#endif
