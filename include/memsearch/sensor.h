/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSOR_H
#define MEMSEARCH_SENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/metric.h"
#include "memsearch/sensor_session.h"

/*
 * A sensor turns something the machine can tell into metrics. One const struct a
 * sensor, listed in sensor_table.c; which metrics are its own says metric.h.
 *
 * To add a sensor: 1. sensors/NAME.c with its struct; 2. its row in sensor_table.c and
 * in MS_SENSOR_LIST; 3. its metrics in metric.h. Nothing else names it.
 */
struct thread;
struct frame;
struct task_run;

struct sensor_status {
	bool works;
	enum ms_missing why; /* when it does not */
	/* as text, with errno's text and how to fix it; "": it works */
	char text[240];
	/* the one command that would, as typed into a shell; "": none is known */
	char mend[96];
};

struct sensor {
	enum ms_sensor_id id;     /* name and summary: metric.h */
	unsigned int descriptors; /* that it takes on each thread, at most */
	unsigned int rings;       /* … and rings of the kernel (ring.h) */

	/*
	 * Open + start + read + a calibration that must give more than zero; once, before threads.
	 * May allocate.
	 */
	void (*probe)(struct sensor_status *status);
	/*
	 * After a probe that found it working: whether this machine gives this metric of its own,
	 * too; `status` says yes when it is called. NULL: a sensor that works gives all of its
	 * metrics.
	 */
	void (*probe_metric)(enum ms_metric metric, struct sensor_status *status);
	/*
	 * On the thread itself, in thread_begin; false: this thread is not covered (counted, said).
	 */
	bool (*thread_begin)(struct thread *self);
	void (*thread_end)(struct thread *self);
	/*
	 * Where not all metrics of a sensor can be measured at once. fits: whether these can be,
	 * probed once and constant afterwards. select: at a phase boundary, before `enable`: these
	 * are asked for from now on. NULL: all, always.
	 */
	bool (*fits)(const uint32_t *metrics, size_t nr);
	void (*select)(const uint32_t *metrics, size_t nr);
	/*
	 * Why one metric of a working sensor cannot be had (here at all, or since the last
	 * `select`); MS_PRESENT: it can. NULL: all can.
	 */
	enum ms_missing (*missing)(uint32_t metric, const char **text_out);
	/*
	 * At a phase boundary: whether any request needs this sensor from now on. From any one
	 * thread.
	 */
	void (*enable)(struct thread *thread, bool on);
	/*
	 * In callbacks, at a thread's first construct after a `select`: gives back what is not
	 * selected any more. NULL: nothing.
	 */
	void (*follow)(struct thread *self);
	/*
	 * In callbacks, for a region that asked for it: remember values; add the differences to the
	 * summary. NULL: none.
	 */
	void (*region_begin)(struct thread *self, struct frame *frame);
	void (*region_end)(struct thread *self, struct frame *frame);
	/*
	 * Instead of the end, if the values are dropped: a serial stretch, known only now. NULL:
	 * nothing to do.
	 */
	void (*region_drop)(struct thread *self, struct frame *frame);
	/*
	 * In callbacks, while the sensor is requested anywhere: an explicit task ends on this
	 * thread, or leaves it to continue on another one; and the thread continues in another
	 * task, or in or after an inner team without request, which thread.h has. NULL: constructs
	 * that asked alone matter.
	 */
	void (*task_end)(struct thread *self, struct task_run *run);
	void (*moved)(struct thread *self);
	/*
	 * By the fold, while the thread continues: rows that it has not added to its summary. NULL:
	 * there are none.
	 */
	void (*fold)(struct thread *thread,
		     void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx);

	struct sensor_session session;
};

/* All sensors, index = enum ms_sensor_id; NULL where the build left one out. */
extern const struct sensor *const sensors[MS_SENSORS];

/* Probes every sensor; once, in the tool's initialize or in `memsearch doctor`. */
void sensors_probe(struct sensor_status status[MS_SENSORS]);
/* What the probe said; false before it. Callbacks allowed. */
bool sensor_works(enum ms_sensor_id id);

#endif
