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
 * A sensor obtains metrics from one facility of the machine, kernel or runtime. One const struct
 * per sensor, listed in sensor_table.c; metric.h states the sensor of each metric.
 *
 * To add a sensor: 1. sensors/NAME.c with its struct; 2. its row in sensor_table.c and in
 * MS_SENSOR_LIST; 3. its metrics in metric.h. Nothing else names it.
 */
struct thread;
struct frame;
struct task_run;

struct sensor_status {
	bool works;
	enum ms_missing why; /* reason if it does not work */
	/* the same as text, with errno's text and a remedy; "": it works */
	char text[240];
	/* shell command that makes the sensor work; "": none is known */
	char mend[96];
};

struct sensor {
	enum ms_sensor_id id;     /* name and summary: metric.h */
	unsigned int descriptors; /* file descriptors it opens per thread, at most */
	unsigned int rings;       /* kernel ring buffers per thread, at most (ring.h) */

	/*
	 * Opens, starts, reads and calibrates the sensor; the calibration must read more than zero.
	 * Once, before threads are created. May allocate.
	 */
	void (*probe)(struct sensor_status *status);
	/*
	 * Called for each metric of a sensor that works: whether this machine measures this metric.
	 * Sets `status` if it does not. NULL: the machine measures all of the sensor's metrics.
	 */
	void (*probe_metric)(enum ms_metric metric, struct sensor_status *status);
	/*
	 * On the thread itself, when it begins. False: the sensor does not cover this thread, which
	 * is counted and reported.
	 */
	bool (*thread_begin)(struct thread *self);
	void (*thread_end)(struct thread *self);
	/*
	 * For sensors that cannot measure all their metrics at the same time. fits: whether these
	 * metrics can be scheduled together; probed once and constant afterwards. select: at a
	 * phase boundary, before `enable`: the metrics to measure from now on. NULL: all metrics
	 * are always measured.
	 */
	bool (*fits)(const uint32_t *metrics, size_t nr);
	void (*select)(const uint32_t *metrics, size_t nr);
	/*
	 * Reason why a working sensor has no values of a metric (on this machine, or since the last
	 * `select`), and its text; MS_PRESENT: it has. NULL: it has values of all metrics.
	 */
	enum ms_missing (*missing)(uint32_t metric, const char **text_out);
	/*
	 * At a phase boundary: whether any request needs this sensor from now on. Called by one
	 * thread, for each `thread`.
	 */
	void (*enable)(struct thread *thread, bool on);
	/*
	 * In callbacks, at a thread's first construct after `select`: releases the resources of
	 * metrics that are no longer selected. NULL: nothing to release.
	 */
	void (*follow)(struct thread *self);
	/*
	 * In callbacks, for a region whose requests name the sensor: begin stores the readings, end
	 * adds the differences to the thread's summary. NULL: nothing to do.
	 */
	void (*region_begin)(struct thread *self, struct frame *frame);
	void (*region_end)(struct thread *self, struct frame *frame);
	/*
	 * Instead of region_end, if the values must be dropped: the end of a serial stretch shows
	 * that it is not measured. NULL: nothing to do.
	 */
	void (*region_drop)(struct thread *self, struct frame *frame);
	/*
	 * In callbacks, while any region requests the sensor. task_end: an explicit task ends on
	 * this thread, or is suspended and will continue on another one. moved: the thread
	 * continues in another task, or in or after an inner team without request; thread.h has its
	 * new place. NULL: the sensor needs only constructs that request it.
	 */
	void (*task_end)(struct thread *self, struct task_run *run);
	void (*moved)(struct thread *self);
	/*
	 * In callbacks, before a construct begins or after a barrier in a region whose body has a
	 * clone: whether the thread is to continue in the clone, if it is in the original. `code`:
	 * the address of the construct, or of what follows. True once for an address, as it may be
	 * impossible there. resumed: it does from now on. NULL: never.
	 */
	bool (*due)(struct thread *self, uint64_t code);
	void (*resumed)(struct thread *self);
	/*
	 * Called by the fold while the thread runs: emits rows that the thread has not added to its
	 * summary. NULL: there are none.
	 */
	void (*fold)(struct thread *thread,
		     void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx);

	struct sensor_session session;
};

/* All sensors, index = enum ms_sensor_id; NULL: not in this build. */
extern const struct sensor *const sensors[MS_SENSORS];

/* Probes every sensor; once, in the tool's initialize or in `memsearch doctor`. */
void sensors_probe(struct sensor_status status[MS_SENSORS]);
/* Result of the probe; false before it. Any thread, callbacks allowed. */
bool sensor_works(enum ms_sensor_id id);

#endif
