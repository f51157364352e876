/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_CONSTRUCT_H
#define MEMSEARCH_DEBUGINFO_CONSTRUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/region.h"

/*
 * Return address of a runtime call → line of the OpenMP construct, by compiler:
 *
 *              parallel, task               loops, sections, single    barrier, critical …
 *   clang      declaration of the body      the call's line; of a      the call's line
 *              the call passes              combined loop: the body's
 *   gcc,       entry line of the body       directive in the source,   the call's line if the
 *   gfortran   the call passes              between the lines around   call has one of its own;
 *                                                                      ordered: like loops
 *   others     the call's line, approximate
 *
 * A call that compilers made a jump is looked for first (tail.h).
 */
struct binary;
struct pragmas;
struct arena;

struct construct {
	enum ms_region_kind kind;
	uint64_t begin;  /* return address of the begin event; 0 unknown */
	uint64_t inside; /* a return address inside the body; 0 unknown */
	bool followed;   /* `begin` is behind a jump already */
};

struct construct_source {
	const char *function, *file; /* "" unknown */
	int line;                    /* 0 unknown */
	bool approximate;
};

/* False: neither function nor line is known. Strings live in `names`. */
bool construct_resolve(struct binary *binary, struct pragmas *pragmas, struct arena *names,
		       const struct construct *construct, struct construct_source *out);

/*
 * A construct whose begin event had no usable address: the last thing that the body of the
 * parallel region `around` does, or the loop that gcc combined with it.
 */
bool construct_resolve_within(struct binary *binary, struct pragmas *pragmas, struct arena *names,
			      enum ms_region_kind kind, const struct construct *around,
			      struct construct_source *out);

#endif
