/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_TRACING_H
#define MEMSEARCH_ACCESSES_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/stream.h"

/*
 * Accesses of recorded code in program order, with marks of teams and barriers: one stream per
 * thread, for one execution of the phase after another. Consumers: the simulated sensor
 * (simulated.c), or the record (keeping.c).
 */
struct frame;
struct thread;

/*
 * Creates streams for that number of threads. `modest`: smaller ones, for a consumer that drains
 * them during the execution; smallest if the address space of the process is limited. False: no
 * memory. Before threads begin.
 */
bool tracing_start(uint32_t threads, bool modest);
struct trace_streams *tracing_streams(void); /* NULL: there are none */

/* Whether recorded accesses go to the streams from now on. At a phase boundary. */
void tracing_enable(bool on);
bool tracing_is_on(void);
/*
 * Marks the execution that ended as unusable, because something is missing in it or it is no
 * execution of the phase. At a phase boundary, until tracing_forget.
 */
void tracing_put_off(void);
bool tracing_is_put_off(void);
/* After an execution: discards the rest of its traces. At a phase boundary. */
void tracing_forget(void);

/* Assigns a stream to the thread, if there is one left. On the thread itself. */
void tracing_begin_thread(struct thread *self);
/* The thread's stream; NULL: its accesses are not traced now. Owner only, callbacks allowed. */
struct trace_stream *tracing_stream(const struct thread *self);
/*
 * Marks of teams. In callbacks of a region that requests accesses, after earlier accesses are in
 * the stream.
 */
void tracing_region_begin(struct thread *self, const struct frame *frame);
void tracing_region_end(struct thread *self, const struct frame *frame);
/*
 * Marks of the begin and end of a construct's accesses; `team`: frame of its team, NULL: none.
 * Explicit tasks have only an end mark.
 */
void tracing_construct_begin(const struct thread *self, const struct frame *frame,
			     const struct frame *team);
void tracing_construct_end(const struct thread *self, const struct frame *frame);
void tracing_task_end(const struct thread *self, uint32_t region, bool partly);

/*
 * Number of the region in traces: a serial stretch has a provisional number before its end
 * (TRACE_SERIAL), and a region from its end on. Owner only, callbacks allowed; serial stretches
 * belong to the initial thread.
 */
uint32_t tracing_region(uint32_t region);
void tracing_serial_ends(uint32_t region);

/* The regions of this execution's serial stretches so far, by number. At a phase boundary. */
const uint32_t *tracing_serials(uint32_t *nr_out);

#endif
