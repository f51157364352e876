/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_TAIL_H
#define MEMSEARCH_DEBUGINFO_TAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/region.h"

/*
 * Runtime calls that are the last thing a function does become jumps, and the
 * runtime then sees the return address of the function's caller:
 *
 *     main:  call calc            calc:  lea calc._omp_fn.0(%rip),%rdi
 *            … ◀─ codeptr_ra             jmp GOMP_parallel
 *
 * From the call before the return address, or from the body of the region
 * around, this looks for the jump. Knows machine code only, no lines.
 */
struct binary;

enum tail_result {
	/* the call before the return address is the runtime's: no jump to look for */
	TAIL_CALL,
	/* *behind_out is the address behind the jump, to be taken for the return address */
	TAIL_ONE,
	TAIL_SEVERAL, /* the same for the first of several */
	TAIL_LOST,    /* it was a jump, but it is not in this file, or not found */
	TAIL_UNKNOWN, /* cannot tell: an indirect call, or another architecture */
};

struct tail_question {
	enum ms_region_kind kind;
	uint64_t inside; /* a return address inside the body; 0 unknown */
};

enum tail_result tail_find(struct binary *binary, const struct tail_question *question,
			   uint64_t return_address, uint64_t *behind_out);

/* The same for a function known to end with the jump: never TAIL_CALL. */
enum tail_result tail_find_in(struct binary *binary, const struct tail_question *question,
			      uint64_t function, uint64_t *behind_out);

/* TAIL_LOST: name of the function of another file that was called; NULL: none. */
const char *tail_call_elsewhere(struct binary *binary, uint64_t return_address);

/*
 * Does the runtime call begin a parallel region and a loop at once? Its loop has no call of its
 * own.
 */
bool tail_is_combined(struct binary *binary, uint64_t return_address);

#endif
