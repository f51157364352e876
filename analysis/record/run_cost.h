/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_COST_H
#define MEMSEARCH_RECORD_RUN_COST_H

#include <stdbool.h>
#include <stdint.h>

/* What a run (run.h) took, and what memsearch added to it. */
struct run_cost {
	/* callbacks (sampled, scaled), boundaries without waits, start and end (measured) */
	double tool_cpu_ns;
	double program_wall_ns, program_cpu_ns;
	/*
	 * 1 + tool time over program time on the critical thread, from the start of the process; an
	 * estimate; NAN: not known
	 */
	double slowdown;
	uint64_t experiments;
	/* Hollingsworth & Miller, table 1 */
	uint64_t counters_possible, counters_used, samples_possible, samples_used;
	uint64_t record_bytes; /* of a record without an end: those of the file */
	double limit;          /* --overhead, as a fraction */
	/* time that its threads were ready to run and had no CPU; 0: also where it is unknown */
	double run_delay_ns;
	/* CPU time of the process's threads that are not OpenMP's; 0: also where it is unknown */
	double others_cpu_ns;
	bool limit_bound; /* the budget kept us from measuring more */
	/*
	 * most of memsearch's own memory that was resident when the record was written; 0: not
	 * known
	 */
	uint64_t memory_bytes;
	/*
	 * from the begin of the process to that of program_wall_ns, when the OpenMP runtime started
	 * memsearch; in no value of the run. 0: not known
	 */
	double before_ns;
};

#endif
