/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_BOUNDARY_H
#define MEMSEARCH_SESSION_BOUNDARY_H

#include <stdint.h>

#include "ompt_tool/phases/detector.h"

struct thread;

/*
 * Takes the step that the detector's answer `what` calls for in the present state, on a stack of the
 * tool's own, and accounts for its time. DETECTOR_NOTHING: watching continues with another stretch.
 * The next stretch begins after the step, unless the present one continues. On the initial thread.
 */
void boundary_step(struct thread *self, enum detector_answer what, uint64_t now_ns);
/* Begins a rest where it is due (resting.h), likewise. */
void boundary_rest(struct thread *self, uint64_t now_ns);

/*
 * A mark of an interval. While no phase is known it ends the stretch, unless that has just begun, so
 * that stretches do not lie in the interval in part.
 */
void boundary_interval(struct thread *self, bool begin, int number, uint64_t now_ns);

#endif
