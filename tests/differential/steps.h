/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_STEPS_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_STEPS_H

/*
 * The oracle: a trap behind each instruction of originals, and what the next one is about to
 * access, from its bytes and the registers. It shares nothing with ompt_tool/code but Zydis, and
 * asks the clones only which functions have one: what is called from these and has none is not
 * counted until it returns. x86-64.
 */
#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/clones/count.h"

struct steps {
	/* calls of memcpy and its like: events[RECORD_RANGE] and range_bytes */
	struct count count;
	uint64_t nr;
	const char *why; /* why the count is of no use; NULL: it is */
};

/* Before the runs are forked, so that all have the same heap. */
void steps_prepare(void);
/*
 * From now on SIGTRAPs are steps, on an alternate stack. `implicit`: accesses by push, pop, call
 * and return count, too. `scribble`: what lies below the stack, where only signal handlers may
 * write, has another value after each.
 */
void steps_begin(bool implicit, bool scribble, uint64_t most);
const struct steps *steps_end(void);

#endif
