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
 * What the sampling sensors have in common: on each thread a kernel event, or several, their ring,
 * and the table of sites, or what a kind has of its own in the place of that. Rings are drained by
 * their owner when a region begins (into the region around it) and when it ends (into itself), so a
 * sample belongs to the innermost region that asked for samples at the moment it was taken. What
 * samples come as packets (spe.h) lies ready only when their event stops: it is stopped, read and
 * started again there.
 *
 * A sampler's memory is wiped in the child of a fork (MADV_WIPEONFORK), where the kernel unmaps the
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
	 * What was taken is of this frame. From word SAMPLER_STATE on its state is the reader's,
	 * and begins as 0.
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
	/* for one ring; one whose samples are packets is alone */
	struct kernel_event_spec events[SAMPLER_EVENTS];
	uint32_t nr_events;
	/*
	 * the last one is rare and only brings stacks, without which the thread is covered, too;
	 * all others count
	 */
	bool last_brings_stacks;
	/*
	 * With last_brings_stacks: samples of the first event between two readings of the ring,
	 * about. Then the kernel switches it off, and what the last one samples counts for what
	 * came since the sample before. 0: all.
	 */
	uint32_t one_by_one;
	const struct sampler_reader *reader; /* NULL: samples become sites */
	/* a loss doubles the period; each sample then counts for more */
	bool slows_down;
	bool keeps_touches; /* each sample's address is kept, see touch_log.h */
	uint32_t ring_bytes, ring_bytes_initial; /* at most; of the initial thread */
	/* likewise, of the AUX area, where samples come as packets */
	uint32_t aux_bytes;
	/* samples in this library's own code are not the program's */
	bool leaves_out_tool;
	/*
	 * of a sample, about: its bytes in the ring, and what the kernel takes for it; 0: not known
	 */
	uint32_t record_bytes, kernel_ns;
	/* does something that must be sampled; whether it was */
	bool (*calibrate)(const struct ring *ring);
};

/* Takes stacks out of `kind` where the kernel has none to give. */
void sampler_probe(struct sampler_kind *kind, struct sensor_status *status);
bool sampler_begin(const struct sampler_kind *kind, struct thread *self);
void sampler_end(const struct sampler_kind *kind, struct thread *self);
/* Also decides for threads that begin later. */
void sampler_switch(const struct sampler_kind *kind, struct thread *thread, bool on);
void sampler_region_begin(const struct sampler_kind *kind, struct thread *self,
			  struct frame *frame);
void sampler_region_end(const struct sampler_kind *kind, struct thread *self, struct frame *frame);

/*
 * The callbacks of a sampling sensor know their thread alone (sensor.h): these are those of `kind`,
 * a variable of the sensor's file, and SAMPLER_CALLBACKS are their rows in its struct sensor.
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
/* What the kind's reader keeps of the thread; NULL: nothing yet. */
void *sampler_state(const struct sampler_kind *kind, const struct thread *thread);
bool sampler_site(const struct sampler_kind *kind, const struct thread *thread, uint32_t position,
		  struct sample_site *out);
/* Records of packets that could not be read, so far. */
uint64_t sampler_unreadable(const struct sampler_kind *kind, const struct thread *thread);
struct touch_log *sampler_touches(const struct sampler_kind *kind, const struct thread *thread);
struct samples_losses sampler_losses(const struct sampler_kind *kind, const struct thread *thread);
void sampler_drain(const struct sampler_kind *kind, struct thread *thread);
/* In faults.c. */
const struct sampler_kind *faults_kind(void);

#endif
