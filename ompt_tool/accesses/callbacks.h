/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_CALLBACKS_H
#define MEMSEARCH_ACCESSES_CALLBACKS_H

#include "memsearch/sensor.h"

/*
 * The per-thread functions of the sensor of recorded accesses: members of struct sensor, see there.
 */
void accesses_probe(struct sensor_status *status);
bool accesses_begin_thread(struct thread *self);
void accesses_end_thread(struct thread *self);
void accesses_enable(struct thread *thread, bool on);
void accesses_region_begin(struct thread *self, struct frame *frame);
void accesses_region_end(struct thread *self, struct frame *frame);
void accesses_region_drop(struct thread *self, struct frame *frame);
void accesses_task_end(struct thread *self, struct task_run *run);
void accesses_moved(struct thread *self);
bool accesses_due(struct thread *self, uint64_t code);
void accesses_resumed(struct thread *self);
void accesses_fold_lines(struct thread *thread,
			 void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx);

#endif
