/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_NODES_H
#define MEMSEARCH_RECORD_RUN_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/property.h"

/* The search history graph of a run (run.h). */
struct run_evidence {
	const char *name, *unit;
	struct ms_reading reading;
};

/* A node of the search history graph; the proven ones are the findings. */
struct run_node {
	uint32_t id, parent;  /* MS_NODE_NONE: a root */
	uint32_t state;       /* enum ms_node_state */
	uint32_t views;       /* of its property: 1 << enum property_view */
	const char *property; /* name */
	uint32_t region;
	uint32_t thread; /* or MS_REQUEST_ALL_THREADS */
	double confidence, severity, severity_low, severity_high;
	enum ms_rung rung;
	enum ms_missing missing;    /* where unknown */
	const char *missing_metric; /* name, or NULL */
	uint32_t experiments;       /* in which it was evaluated */
	/* in which it was tested, see run_interval; 0: the whole run or phase */
	uint32_t interval;
	size_t nr_evidence;
	struct run_evidence *evidence;
	/* threads the finding is about; 0: not about single threads */
	size_t nr_threads;
	uint32_t *threads;
	/* the property in a short phrase; NULL: not filled in, split the name */
	const char *title;
	/* filled in with the values of this run; NULL where not proven */
	const char *explanation, *advice;
	/* false: nothing is known of the spread; low and high are the severity */
	bool interval_known;
	/* the severity is a model's lower bound, severity_high its upper one */
	bool severity_of_model;
	/* what was counted for it: "loads = skx::…; …"; NULL: it rests on no counter */
	const char *events;
	/* execution of the phase from which on the verdict holds; 0: over all that was read */
	uint64_t since;
	/*
	 * When its state was reached: executions of the phase, time of the program so far; those of
	 * the end: after the run. 0: not known, or in an earlier run.
	 */
	uint64_t reached_executions;
	double reached_ns;
	/*
	 * NUMA nodes the finding is about, worst first; 0: not about single ones, or they are not
	 * known
	 */
	size_t nr_numa_nodes;
	uint32_t *numa_nodes;
};

#endif
