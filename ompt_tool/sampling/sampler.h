/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_SAMPLER_H
#define MEMSEARCH_SAMPLING_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/metric.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/site_table.h"
#include "ompt_tool/sampling/touch_log.h"

/*
 * Common part of the sampling sensors: on each thread one or more kernel events, their ring, and
 * the table of sites, or a reader of the sensor's own instead. Rings are drained by their owner
 * when a region begins (into the enclosing region) and when it ends (into itself), so that a sample
 * belongs to the innermost region that requested samples when it was taken. Samples that are
 * packets (spe.h) can be read only when their event is stopped: it is stopped, read and restarted
 * at these points.
 *
 * A sampler's memory is wiped in a forked child (MADV_WIPEONFORK), where the kernel unmaps the
 * ring: there every function does nothing.
 */
struct thread;
struct frame;
struct sensor_status;
struct ring;
struct address_moment;
struct kernel_sample;
struct perf_event_header;

/* In the place of sites. `state` is one thread's, zeroed memory; owner only, in callbacks. */
struct sampler_reader {
	size_t state_bytes;
	/* A sample, of the event opened by `spec`; false: it does not count. */
	bool (*add)(void *state, const struct kernel_sample *sample,
		    const struct kernel_event_spec *spec, const struct address_moment *moment);
	/* A record that is no sample, or cannot be read as one. */
	void (*note)(void *state, const struct perf_event_header *record);
	/*
	 * The samples since the last call belong to this frame. From word SAMPLER_STATE on the
	 * frame's sensor state is the reader's, initially 0.
	 */
	void (*taken)(void *state, struct thread *self, struct frame *frame);
	/*
	 * The frame ends; `whole`: its events were on the PMU all the time, and no unknown number
	 * of samples is missing.
	 */
	void (*ended)(void *state, struct thread *self, const struct frame *frame, bool whole);
};
#define SAMPLER_STATE 2
#define SAMPLER_EVENTS 8

struct sampler_kind {
	enum ms_sensor_id sensor;
	enum ms_metric metric, metric_lost;
	/* in one ring; an event whose samples are packets must be the only one */
	struct kernel_event_spec events[SAMPLER_EVENTS];
	uint32_t nr_events;
	/*
	 * the last event is infrequent and only adds stacks; a thread without it is still covered.
	 * All others count
	 */
	bool last_brings_stacks;
	/*
	 * With last_brings_stacks: approximate number of samples of the first event between two
	 * readings of the ring. Then the kernel disables it, and each sample of the last event
	 * represents all samples of the first one since the previous sample. 0: no limit.
	 */
	uint32_t one_by_one;
	const struct sampler_reader *reader; /* NULL: samples become sites */
	/* after a loss the period is doubled; each sample then has twice the weight */
	bool slows_down;
	bool keeps_touches; /* each sample's address is kept, see touch_log.h */
	uint32_t ring_bytes, ring_bytes_initial; /* maximum; of the initial thread */
	/* the same of the AUX area, if samples are packets */
	uint32_t aux_bytes;
	/* samples in memsearch's own code are dropped */
	bool leaves_out_tool;
	/*
	 * approximate bytes of a sample in the ring, and kernel time of a sample in ns; 0: unknown
	 */
	uint32_t record_bytes, kernel_ns;
	/* does something that must be sampled; whether it was */
	bool (*calibrate)(const struct ring *ring);
};

/* Removes stacks from `kind` if the kernel cannot sample them. */
void sampler_probe(struct sampler_kind *kind, struct sensor_status *status);
bool sampler_begin(const struct sampler_kind *kind, struct thread *self);
void sampler_end(const struct sampler_kind *kind, struct thread *self);
/* Also sets the state for threads that begin later. */
void sampler_switch(const struct sampler_kind *kind, struct thread *thread, bool on);
/* It has been switched off since the start, so that samples are missing. */
bool sampler_interrupted(const struct sampler_kind *kind);
void sampler_region_begin(const struct sampler_kind *kind, struct thread *self,
			  struct frame *frame);
void sampler_region_end(const struct sampler_kind *kind, struct thread *self, struct frame *frame);

/*
 * The callbacks of a sampling sensor have no argument for the kind (sensor.h): these pass `kind`, a
 * variable of the sensor's file; SAMPLER_CALLBACKS sets them in its struct sensor.
 */
#define SAMPLER_DEFINE_CALLBACKS(kind) \
	static bool begin_on_thread(struct thread *self) \
	{ \
		return sampler_begin(&(kind), self); \
	} \
	static void end_on_thread(struct thread *self) \
	{ \
		sampler_end(&(kind), self); \
	} \
	static void enable(struct thread *thread, bool on) \
	{ \
		sampler_switch(&(kind), thread, on); \
	} \
	static void begin_region(struct thread *self, struct frame *frame) \
	{ \
		sampler_region_begin(&(kind), self, frame); \
	} \
	static void end_region(struct thread *self, struct frame *frame) \
	{ \
		sampler_region_end(&(kind), self, frame); \
	}
#define SAMPLER_CALLBACKS \
	.thread_begin = begin_on_thread, .thread_end = end_on_thread, .enable = enable, \
	.region_begin = begin_region, .region_end = end_region

void sampler_each(const struct sampler_kind *kind, const struct thread *thread,
		  void (*visit)(void *ctx, const struct sample_site *site), void *ctx);
/* State of the kind's reader on the thread; NULL: none yet. */
void *sampler_state(const struct sampler_kind *kind, const struct thread *thread);
bool sampler_site(const struct sampler_kind *kind, const struct thread *thread, uint32_t position,
		  struct sample_site *out);
/* Number of packet records that could not be read so far. */
uint64_t sampler_unreadable(const struct sampler_kind *kind, const struct thread *thread);
struct touch_log *sampler_touches(const struct sampler_kind *kind, const struct thread *thread);
struct samples_losses sampler_losses(const struct sampler_kind *kind, const struct thread *thread);
void sampler_drain(const struct sampler_kind *kind, struct thread *thread);
/* Defined in faults.c. */
const struct sampler_kind *faults_kind(void);

#endif
