/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_KEEPING_H
#define MEMSEARCH_ACCESSES_KEEPING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/trace_writer.h"

/*
 * Writes traces of recorded executions of the phase to the record, whole or (without time or room
 * for more) only their begin, unless a machine is simulated in the process. Simulations read them
 * from the record.
 */
struct thread;

/*
 * `write` is called with at most `most_bytes` in total; 0: no traces are kept. Before threads
 * begin. False: no memory.
 */
bool keeping_start(struct arena *arena, uint64_t most_bytes, trace_writer_sink *write, void *ctx);
bool keeping_is_on(void); /* started, and the record has room for more */

struct keeping_losses {
	/* executions not traced to their end, except those of which the begin is kept */
	uint64_t executions;
	uint64_t at_limit; /* executions dropped at the limit of bytes */
};
struct keeping_losses keeping_losses(void);
uint32_t keeping_executions(void); /* executions in the record, whole or cut */

/*
 * The next end is that of this number of consecutive executions of the phase. At a phase boundary.
 */
void keeping_phases(uint32_t executions);
/*
 * Call when an execution has ended, or its trace is to be discarded. At a phase boundary, on the
 * initial thread.
 */
void keeping_fold(const struct thread *thread);

#endif
