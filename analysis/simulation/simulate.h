/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_SIMULATE_H
#define MEMSEARCH_SIMULATION_SIMULATE_H

#include "analysis/record/run.h"

/*
 * What a run recorded, on a modelled machine, after it has ended: the executions of the phase that its record keeps (analysis/trace/kept.h) are simulated one after
 * the other, once to fill the caches, and once more to count. A region counts in the last one that has it, so that it is one execution of it.
 * Where there is a deadline, and no time for all, a part of each region stands for it (portions.h); so does what is kept of an execution of which the begin alone is.
 * Where accesses to some lines alone were recorded, the caches' sets are sampled likewise, and values are estimates whose error is known.
 * Bursts, of runs without a phase, stand for all of their regions' time (counting/burst_times.h).
 * Without a deadline the same record and machine have the same counts, whatever this host is.
 */
struct arena;
struct kept;
struct machine_model;
struct page_uses;
struct placement;

enum simulate_status {
	SIMULATE_DONE,
	SIMULATE_NO_TRACE,               /* the record keeps no whole execution */
	SIMULATE_DAMAGED,                /* one of them cannot be read */
	SIMULATE_LATE,                   /* it was not done in time: nothing is known of the machine */
	SIMULATE_OTHER_SETS,             /* lines were sampled when they were recorded, and are not a part of the machine's sets (simulator_fits_recorded) */
	SIMULATE_FEW_CORES,              /* the machine has fewer than threads were recorded */
	SIMULATE_NO_MEMORY
};

struct simulate_result {
	enum simulate_status status;
	uint32_t threads;                /* that were recorded */
	uint32_t one_in;                 /* lines that were recorded at least; 1: all */
	uint64_t lost_accesses;          /* that found no room */
	bool whole;                      /* of what is kept all was simulated, whatever time there was: no other result is possible */
};

struct simulate_how {
	uint64_t deadline_ns;            /* thread_clock_ns by when it is to be done; 0: whenever */
	uint32_t jobs;                   /* threads that simulate */
	void (*progress)(void *ctx, double part);        /* called by the simulating thread with the part that is done, 0 to 1; NULL: not called */
	void *ctx;
	bool one;                        /* of executions of the phase only the one that counts for all is simulated, which takes less time where several are kept */
	bool waits;                      /* misses and what they wait are wanted alone, not kinds of misses nor the use of lines, which take a third of the time */
	struct page_uses *pages;         /* gets the pages that count, sorted (page_use.h), of the execution that counts for the phase, or of all bursts; NULL: not wanted */
};

/* The threads of the executions that are kept; 0: there are none. */
uint32_t simulate_threads(const struct kept *kept);

/* Fills what the run has of the modelled machine anew: run->modelled (but its title), its metrics, and what each access misses. By the deadline as much is
 * simulated as seems possible by then; where that takes longer, for three times as long at most. `placement`: of as many threads as simulate_threads has. */
struct simulate_result simulate(struct arena *arena, struct run *run, struct kept *kept, const struct machine_model *model, const struct placement *placement,
				const struct simulate_how *how);

#endif
