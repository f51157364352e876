/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_MODELLED_H
#define MEMSEARCH_RECORD_RUN_MODELLED_H

#include <stdbool.h>
#include <stdint.h>

/* The modelled machine of a run (run.h), and how far its counts repeat. */

/*
 * Executions of the phase that the counts of a simulation are of. Runs of one binary with the same
 * basis, but for mixed, and as many steps have the same counts.
 */
enum run_basis {
	/* parts of several, as far as recorded or simulated in time; or not known */
	RUN_BASIS_MIXED,
	/* bursts before the phase was known, which hold each region whole */
	RUN_BASIS_BURSTS,
	RUN_BASIS_ONE, /* one whole execution */
	/* a whole one behind another: the caches held what it left */
	RUN_BASIS_STEADY
};

/*
 * The machine whose caches were simulated; name NULL: none. What keeps its counts from being the
 * same in each run.
 */
struct run_modelled {
	const char *name, *title;
	/* threads were simulated in this host's order from where memory was full */
	uint64_t early_windows;
	uint64_t lost_teams;    /* whose place in time was not known */
	uint64_t lost_accesses; /* were not simulated */
	uint64_t lost_lines;    /* whose misses may have a wrong class */
	/* accessed on its nodes; 0: not known, or it has one node */
	uint64_t pages;
	/* those of them that lie where the program touched them first */
	uint64_t pages_placed;
	/* core i is of node i / (cores / nodes); 0: not known */
	uint32_t cores, nodes;
	/*
	 * by thread, its core; NULL, or a thread without one: thread i runs on core i. Known to who
	 * simulates only, as …
	 */
	const uint32_t *thread_cores;
	uint32_t nr_thread_cores;
	/* … cores and pages in words; NULL: nothing was asked for, and there is one node */
	const char *placement;
	uint32_t line; /* bytes that come from memory at once; 0: not known */
	/* of data caches that it has: 1 << (level - 1); 0: not known */
	uint32_t levels;
	uint32_t one_in; /* set sampling, one line in this number; 0, 1: all */
	/* set sampling, one line in this number, as no others were recorded beyond --trace-limit */
	bool lines_recorded;
	/* it is a model of the machine that the program ran on */
	bool here;
	/* … of the one that reads the record, another; known to who simulates only */
	bool of_reader;
	uint32_t basis; /* enum run_basis */
	/* executions of the phase, short ones, that the counts are the mean of; 0: not known */
	uint32_t steps;
	/*
	 * of the recorded accesses of executions that are not kept whole, the part that is: it
	 * stands for all; 0: there are none; known to who simulates only
	 */
	double begins;
	/* … and between them data was accessed that stands for the rest; known as `begins` */
	bool begins_apart;
};

#endif
