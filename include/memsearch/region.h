/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REGION_H
#define MEMSEARCH_REGION_H

#include <stdint.h>

/*
 * Kinds of regions: pieces of the program to which numbers are attributed. The names follow
 * Periscope (Gerndt & Kereku), extended by the OpenMP constructs that OMPT reports. Not here: how a
 * region is found (ompt_tool/regions) and what was measured in it (measurement.h).
 *
 * A data structure below a region is a region, too: values are measured, compared and found for
 * both. So are a natural loop and a function called in a construct; these have a time where a strategy
 * requests it (loop_time). A function is one region of each construct, whatever calls it
 * there; code that is inlined into it is its own. A construct in a function that is called from several
 * places is one region, too, and each path of calls that leads to it is a CALL_REGION below it: what
 * it accesses when it is reached by that path. Recursion makes paths of different length.
 *
 * Critical and lock regions are places in the program. The lock itself is a MUTEX below region 0,
 * which several places may take. A place that takes several locks has a MUTEX below it for each: the
 * lock as this place uses it.
 *
 * To add a kind: 1. a row here; 2. the event handler that enters it.
 */
/* clang-format off */
#define MS_REGION_KIND_LIST(X) \
	X(USER_REGION, "one execution of the program's main phase, or the whole program") \
	X(SERIAL_REGION, "serial stretch of the initial thread between two parallel regions") \
	X(SUB_REGION, "function that is called in a construct") \
	X(CALL_REGION, "construct as one of several paths of calls reaches it") \
	X(PARALLEL_REGION, "parallel construct") \
	X(DO_REGION, "work-shared loop: for, do, distribute, taskloop") \
	X(LOOP_REGION, "natural loop of recorded code, as a construct executes it") \
	X(SECTIONS_REGION, "sections construct") \
	X(SINGLE_REGION, "single construct") \
	X(MASTER_REGION, "master or masked construct") \
	X(WORKSHARE_REGION, "workshare construct") \
	X(TASK_REGION, "explicit task, by where it is created") \
	X(TASKWAIT_REGION, "taskwait or taskgroup end") \
	X(BARRIER_REGION, "barrier, explicit or closing a work-sharing construct") \
	X(CRITICAL_REGION, "critical construct") \
	X(ORDERED_REGION, "ordered construct") \
	X(LOCK_REGION, "omp_set_lock or omp_set_nest_lock") \
	X(REDUCTION_REGION, "combining step of a reduction") \
	X(DATA_STRUCTURE, "data structure, as the region above it uses it") \
	X(MUTEX, "lock, wherever it is taken: a lock variable, or all critical constructs of one name")
/* clang-format on */

enum ms_region_kind {
#define X(name, text) MS_##name,
	MS_REGION_KIND_LIST(X)
#undef X
		MS_REGION_KINDS
};

/* "PARALLEL_REGION" …; "UNKNOWN_REGION" for a value out of range. */
static inline const char *ms_region_kind_name(unsigned int kind)
{
	static const char *const names[] = {
#define X(name, text) #name,
		MS_REGION_KIND_LIST(X)
#undef X
	};
	return kind < MS_REGION_KINDS ? names[kind] : "UNKNOWN_REGION";
}

/*
 * Pieces of what a construct executes: functions that are called in it, natural loops, all of it when it
 * is reached by one call.
 */
static inline int ms_region_kind_is_code_part(unsigned int kind)
{
	return kind == MS_LOOP_REGION || kind == MS_SUB_REGION || kind == MS_CALL_REGION;
}

/*
 * Calls, called functions, natural loops and data structures are parts of the construct they are below:
 * they share the construct's time and requests.
 */
static inline int ms_region_kind_is_part(unsigned int kind)
{
	return ms_region_kind_is_code_part(kind) || kind == MS_DATA_STRUCTURE;
}

/*
 * Regions are numbered densely in one process, in the order of their first execution. Region 0 is
 * always the USER_REGION: the main phase, or the whole program if no phase was found. Every region
 * but 0 has a parent.
 */
#define MS_REGION_USER 0u
#define MS_REGION_NONE UINT32_MAX
/* The tables of a thread have room for this many regions; more are counted as dropped. */
#define MS_REGION_MAX 32768u

#endif
