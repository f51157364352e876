/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_TRACING_H
#define MEMSEARCH_ACCESSES_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/stream.h"

/*
 * Where the accesses of recorded code go in their order, with the marks of teams and barriers: one
 * stream for each thread, of one execution of the phase after the other. Who reads them: the
 * simulated sensor (simulated.c), or the record (keeping.c).
 */
struct frame;
struct thread;

/*
 * For that number of threads; `modest`: with less room, as more is made, and least where the
 * addresses of the process are limited. False: no memory. Before threads begin.
 */
bool tracing_start(uint32_t threads, bool modest);
void tracing_stop(void);
struct trace_streams *tracing_streams(void); /* NULL: there are none */

/* Whether what is recorded from now on goes there. At a phase boundary. */
void tracing_enable(bool on);
bool tracing_is_on(void);
/*
 * What ended just now was recorded with something missing, or is no execution: it is not to be
 * used. At a phase boundary, until tracing_forget.
 */
void tracing_put_off(void);
bool tracing_is_put_off(void);
/* An execution has ended: what is left of it is forgotten. At a phase boundary. */
void tracing_forget(void);

/* Its stream. On the thread itself; who finds none is counted. */
void tracing_begin_thread(struct thread *self);
uint32_t tracing_uncovered(void); /* any thread */
/* Where the thread's accesses go; NULL: nowhere now. Owner only, callbacks allowed. */
struct trace_stream *tracing_stream(const struct thread *self);
/* Marks. In callbacks of a region that asked for accesses, when those before are in the stream. */
void tracing_region_begin(struct thread *self, const struct frame *frame);
void tracing_region_end(struct thread *self, const struct frame *frame);
/*
 * The construct's accesses begin and end there; `team`: its frame, NULL: it has none. The same of
 * an explicit task, of which there are ends only.
 */
void tracing_construct_begin(const struct thread *self, const struct frame *frame,
			     const struct frame *team);
void tracing_construct_end(const struct thread *self, const struct frame *frame);
void tracing_task_end(const struct thread *self, uint32_t region, bool partly);

/*
 * The region as it stands in traces: a serial stretch has a number before its end (TRACE_SERIAL),
 * and a region from there on. Owner only, callbacks allowed; serial stretches are the initial
 * thread's.
 */
uint32_t tracing_region(uint32_t region);
void tracing_serial_ends(uint32_t region);

/* The regions of this execution's serial stretches so far, by number. At a phase boundary. */
const uint32_t *tracing_serials(uint32_t *nr_out);
/* It is past the last serial stretch that has a number: its region will not be known. */
bool tracing_is_past_serials(uint32_t region);

#endif
