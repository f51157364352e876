/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_RUN_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_RUN_H

#include "ompt_tool/clones/clone.h"
#include "tests/differential/enter.h"
#include "tests/differential/functions.h"
#include "tests/differential/prepare.h"
#include "tests/differential/steps.h"

/*
 * A function run once, in a child of fork, so that all runs find the same process: as compiled,
 * step by step, or its clone. The child can do nothing to the system: system calls other than those
 * for memory fail.
 */
enum run_how {
	RUN_ORIGINAL,
	RUN_STEPS,
	RUN_SCRIBBLED, /* in steps, between which the stack below is written to */
	RUN_CLONE,
	/* the clone, which the thread leaves for the original after some words, by the seed */
	RUN_LEAVING,
};
enum run_end {
	RUN_DIED, /* status says how: ended by itself, or out of time */
	RUN_RETURNED,
	RUN_FAULTED, /* signal, at, address */
};

struct outcome {
	int end, status, signal;
	/* of a fault: the instruction (of the original), the memory, the stack pointer */
	uintptr_t at, address, stack;
	uint64_t registers[16], flags;
	int error_number;
	unsigned char vectors[ENTER_VECTORS];
	unsigned char memory[PREPARE_BYTES], above[PREPARE_ABOVE];
	/* hash of all that the function's module has in writable memory */
	uint64_t data;
	struct count count; /* what the clone recorded, or the steps found */
	uint64_t steps;
	const char *why_not_counted; /* NULL: it was */
};

struct subject {
	const struct function *function;
	/* which is run; steps count implicit accesses if it does */
	const struct clone *clone;
	/*
	 * gets what the clone records instead of the outcome's count, with ctx: memory that
	 * children share; NULL
	 */
	record_consume *consume;
	void *ctx;
};

/* Memory for an outcome, which children write to. NULL: none. */
struct outcome *run_new(void);
void run_once(const struct subject *subject, uint64_t seed, enum run_how how, struct outcome *out);

#endif
