/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_KEEPING_H
#define MEMSEARCH_ACCESSES_KEEPING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/trace_writer.h"

/*
 * What was recorded of executions of the phase, or of the begin of some, where there is no time or
 * room for more, goes into the record as it is, where no machine is simulated in the process: it is
 * simulated from there.
 */
struct thread;

/*
 * Where it goes, `most_bytes` of it at most; 0: nothing is kept. Before threads begin. False: no
 * memory.
 */
bool keeping_start(struct arena *arena, uint64_t most_bytes, trace_writer_sink *write, void *ctx);
bool keeping_is_on(void); /* it was started, and there is room still */

struct keeping_losses {
	/* that were not traced to their end, beside those of which the begin is kept */
	uint64_t executions;
	uint64_t at_limit; /* that came when the most was reached */
};
struct keeping_losses keeping_losses(void);
uint32_t keeping_executions(void); /* that the record keeps, whole or the begin of them */

/*
 * The next end is that of this number of consecutive executions of the phase. At a phase boundary.
 */
void keeping_phases(uint32_t executions);
/*
 * An execution has ended, or what is to be forgotten. At a phase boundary, on the initial thread.
 */
void keeping_fold(const struct thread *thread);

#endif
