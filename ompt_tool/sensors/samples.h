/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_SAMPLES_H
#define MEMSEARCH_SENSORS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric.h"
#include "memsearch/status.h"
#include "ompt_tool/sampling/site_table.h"
#include "ompt_tool/sampling/touch_log.h"

/*
 * Results of the sampling sensors (clock samples, minor page faults) in addition to their metrics:
 * for each (region, instruction) the number of samples, with the registers and the top of the stack
 * of one such sample, so that a library's instruction can be traced back to the program's own line
 * later, outside of any callback.
 */
struct thread;
struct sensor;

extern const struct sensor sensor_samples, sensor_faults;

/* Visits every site of a thread; at a phase boundary or the end. A count may be one too low. */
void samples_each(const struct thread *thread, enum ms_sensor_id sensor,
		  void (*visit)(void *ctx, const struct sample_site *site), void *ctx);
/* Any thread: the site at `position` in its thread's table; false: there is none. */
bool samples_site(const struct thread *thread, enum ms_sensor_id sensor, uint32_t position,
		  struct sample_site *out);
/*
 * A thread's page faults, to be read at phase boundaries by one thread at a time. NULL: none are
 * kept.
 */
struct touch_log *samples_touches(const struct thread *thread);
/* Samples missing in the tables; the metrics include them, except lost ones. */
struct samples_losses samples_losses(const struct thread *thread, enum ms_sensor_id sensor);
/* The sensor has been switched off since the start. */
bool samples_interrupted(enum ms_sensor_id sensor);
/*
 * Reads the thread's ring now, into its present region; the owner, or any thread while the owner is
 * idle.
 */
void samples_drain(struct thread *thread, enum ms_sensor_id sensor);

#endif
