/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_CALLS_H
#define MEMSEARCH_REPORT_CALLS_H

#include <stdint.h>

#include "analysis/record/run.h"

/* Calls that lead to constructs, where they access different data (regions of kind CALL_REGION). */
struct arena;
struct array_facts;
struct cause;

/* By region, for calls_of_array; NULL: no call counts apart. */
const struct array_facts *calls_facts(struct arena *arena, const struct run *run);
/*
 * "main (a.c:27)", "main (a.c:27) and main (a.c:31)": the calls in which the construct makes nearly all
 * of its accesses to the array; NULL: every call makes some. In the arena.
 */
const char *calls_of_array(struct arena *arena, const struct run *run,
			   const struct array_facts *facts, uint32_t construct, uint32_t array);
/*
 * "m, t when called by main (a.c:27); v when called by main (a.c:31)": of the first arrays of a cause;
 * NULL: none is of some calls alone.
 */
const char *calls_of_cause(struct arena *arena, const struct run *run, const struct cause *cause);

#endif
