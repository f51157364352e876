/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_KEEPING_H
#define MEMSEARCH_ACCESSES_KEEPING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/trace_writer.h"

/*
 * Writes the traces of recorded executions of the phase to the record, from which simulations read
 * them. If time, memory or --trace-limit does not suffice for a whole execution, only its begin is
 * written.
 */
struct thread;

/*
 * `write` is called with at most `most_bytes` in total; 0: no traces are kept. Before threads
 * begin. False: no memory.
 */
bool keeping_start(struct arena *arena, uint64_t most_bytes, trace_writer_sink *write, void *ctx);
bool keeping_is_on(void); /* started, and the record has room for more */

struct keeping_losses {
	/* executions of which nothing was written, because they were not traced to their end */
	uint64_t executions;
	uint64_t at_limit; /* executions dropped at the limit of bytes */
};
struct keeping_losses keeping_losses(void);
uint32_t keeping_executions(void); /* executions in the record, whole or incomplete */

/*
 * Sets the number of consecutive executions of the phase that are written as one. At a phase
 * boundary.
 */
void keeping_phases(uint32_t executions);
/*
 * Writes the trace of the execution that has ended, or discards it. At a phase boundary, on the
 * initial thread.
 */
void keeping_fold(const struct thread *thread);

#endif
