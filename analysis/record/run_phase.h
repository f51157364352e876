/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_PHASE_H
#define MEMSEARCH_RECORD_RUN_PHASE_H

#include <stdbool.h>
#include <stdint.h>

/* The phases of a run (run.h): how the program repeats itself. */
struct run;

/* clang-format off */
#define PHASE_METHOD_LIST(X) \
	X(CONTROL_TOOL, "control_tool", "marked in the program with omp_control_tool") \
	X(SEQUENCE, "sequence", "found: a repeating sequence of regions") \
	X(ANCHOR, "anchor", "found: the begins of one regularly executed region") \
	X(WHOLE_PROGRAM, "whole_program", "none: the whole program is one phase")
/* clang-format on */

enum phase_method {
#define X(id, name, text) PHASE_##id,
	PHASE_METHOD_LIST(X)
#undef X
		PHASE_METHODS
};

const char *phase_method_name(unsigned int method);
const char *phase_method_text(unsigned int method);

struct run_phase {
	enum phase_method method;
	uint32_t region;          /* the region that starts it, or MS_REGION_NONE */
	uint64_t executions;      /* seen, complete */
	uint64_t executions_read; /* of these, in which anything was measured */
	double wall_ns;           /* of these in all */
	double min_ns, max_ns;
	const char *note; /* e.g. why none was found; NULL */
	/* executions in the record from before it began; bursts among them are of any phase */
	uint64_t kept_before;
	/* executions in the record when another phase followed; 0: none did */
	uint64_t kept_until;
	/*
	 * of its executions before it was recognised, or while events were off, which are not among
	 * those above; ns
	 */
	double before_ns;
};

/* Executions of the phase that ran one after the other. */
struct run_step {
	uint64_t executions;
	uint64_t recorded; /* of these, in which accesses were recorded, or loops timed: slower */
	double wall_ns;    /* of these in all */
	double min_ns, max_ns; /* of one, or of the mean of some that were taken together */
};

/*
 * A phase of a program that has several, one after the other. A run has the results of one; those of
 * the others are runs of their own in its record (record_phase).
 */
struct run_phase_found {
	uint32_t number; /* from 1, in the order of time */
	bool here;       /* the results are of this one */
	enum phase_method method;
	uint32_t region; /* the region that starts it, or MS_REGION_NONE */
	uint64_t executions;
	double wall_ns; /* of these in all */
};

/* Number of the phase that the results are of; 0: there is one phase at most, or they are of none. */
uint32_t run_phase_here(const struct run *run);

#endif
