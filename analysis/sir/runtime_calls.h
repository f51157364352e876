/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIR_RUNTIME_CALLS_H
#define MEMSEARCH_SIR_RUNTIME_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Entries of the OpenMP runtimes, as compilers call them. To add one: a row in runtime_calls.c.
 */
enum runtime_role {
	RUNTIME_LEAF,  /* a construct of one call */
	RUNTIME_BODY,  /* the argument in `body` is an outlined function with its contents */
	RUNTIME_BEGIN, /* its code follows, up to RUNTIME_END of the same kind */
	/* its code is in the loop that calls RUNTIME_NEXT */
	RUNTIME_CHUNKS,
	RUNTIME_NEXT,
	RUNTIME_END,
};

struct runtime_call {
	const char *name; /* of the entry, or with "*" its begin */
	uint8_t kind;     /* enum ms_region_kind */
	uint8_t role;     /* enum runtime_role */
	uint8_t body;     /* number of the general register of the argument (instruction.h) */
	/* MS_DO_REGION or MS_SECTIONS_REGION: a construct around all of the body; 0: none */
	uint8_t combined;
};

/* NULL: no entry of this table. */
const struct runtime_call *runtime_call(const char *name);
/* A function of a runtime, with a row or without. */
bool runtime_is(const char *name);

#endif
