/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_LOOP_TIMES_H
#define MEMSEARCH_ACCESSES_LOOP_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/sensor.h"
#include "ompt_tool/clones/clone.h"

/*
 * Times of natural loops and called functions, as regions below the construct that executes them
 * (loop_regions.h), in executions in which the construct's code runs as clones that record times
 * (CLONE_TIMES). Values of a construct count if all of its code on the thread did, and every entry has
 * its exit (loop_clock.h); else they are dropped and the construct counts as unrecorded, as its accesses
 * would (struct region).
 */
/* The probes of such clones. */
#define LOOP_TIMES_PROBES (CLONE_TIMES | CLONE_FUNCTION | CLONE_LOOPS)

/* Members of struct sensor. */
void loop_times_probe(struct sensor_status *status);
bool loop_times_begin_thread(struct thread *self);
void loop_times_end_thread(struct thread *self);
void loop_times_region_begin(struct thread *self, struct frame *frame);
void loop_times_region_end(struct thread *self, struct frame *frame);

/*
 * Whether clones that run from now on record times; `allowed_ns`: what that may take of a thread's
 * time. At a phase boundary.
 */
void loop_times_use(bool on, double allowed_ns);
bool loop_times_is_on(void); /* any thread */
/* Whether the time of loop_times_use is used up: threads leave their clones; any thread. */
bool loop_times_used_up(void);
/*
 * On the recording thread, in the program's code or a callback: words of its clones. False: they have
 * no times.
 */
bool loop_times_take(struct thread *self, const uint64_t *words, size_t nr);
/*
 * Whether reading the clock takes longer than the loop's own code, so that its time is not known. Any
 * thread.
 */
bool loop_times_too_short(uint32_t region);

#endif
