/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_EVENT_H
#define MEMSEARCH_EVENTS_EVENT_H

#include <stddef.h>

#include "ompt_tool/events/events.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/thread.h"

/*
 * What the callbacks share: the gate, the cost of callbacks, code addresses and
 * task tags. The only state outside of threads is `events`.
 */
struct events {
	uint32_t epoch;                  /* atomic; 0: off; another one each time events are switched on */
	uint32_t requested;              /* atomic; sensors asked for anywhere */
	uint32_t task_generation;        /* atomic; counts switches of the clock sensor from off to on */
	int process;                     /* getpid of the process we started in */
	ompt_get_thread_data_t get_thread_data;
	struct region_table *regions;
};
extern struct events events;

#define CLOCK_BIT (1u << MS_SENSOR_CLOCK)

/* The gate: NULL unless events are on and the runtime knows this thread. */
static inline struct thread *event_self(void)
{
	ompt_data_t *data;

	if (!__atomic_load_n(&events.epoch, __ATOMIC_RELAXED))
		return NULL;
	data = events.get_thread_data();
	return data ? data->ptr : NULL;
}

static inline uint32_t event_requested(void)
{
	return __atomic_load_n(&events.requested, __ATOMIC_RELAXED);
}

/*
 * The time for events that may need one: 0 while nothing is asked for, except on the
 * initial thread, whose constructs may be phase boundaries.
 */
static inline uint64_t event_now(const struct thread *self)
{
	return event_requested() || !self->index ? thread_clock_ns() : 0;
}

/* One callback in 16 on average is timed, at random distances so that no rhythm of the program hides one kind. */
#define COST_PERIOD 16

struct event_cost {
	uint64_t begin_ns, boundary_ns;
};

uint64_t event_cost_draw(struct thread *self);
void event_cost_add(struct thread *self, const struct event_cost *cost);

static inline void event_begin(struct thread *self, struct event_cost *cost)
{
	cost->begin_ns = 0;
	if (--self->cost_countdown == 0) {
		cost->begin_ns = event_cost_draw(self);
		cost->boundary_ns = self->boundary_ns;
	}
}

static inline void event_end(struct thread *self, const struct event_cost *cost)
{
	if (cost->begin_ns)
		event_cost_add(self, cost);
}

/*
 * Code address of an event as regions use it: 0 where the runtime gave none or one in
 * its own code (after a tail call).
 */
uint64_t event_code(const void *codeptr);
bool event_code_in_libc(uint64_t address);
/* Finds the address ranges of the runtime, of memsearch and of libc; `in_runtime` is any function of the runtime. */
void event_code_init(const void *in_runtime);

/*
 * Task data: what BEGIN stores for END. 0: nothing of ours.
 *     bits 0–31 frame number or region   32–55 epoch   62 implicit   63 explicit
 */
#define TASK_IMPLICIT (1ull << 62)
#define TASK_EXPLICIT (1ull << 63)

static inline uint64_t task_tag(uint64_t type, uint32_t value)
{
	uint64_t epoch = __atomic_load_n(&events.epoch, __ATOMIC_RELAXED) & 0xffffff;

	return type | epoch << 32 | value;
}

/* True: the tag is of that type and this epoch; *value_out what was stored. */
static inline bool task_untag(const ompt_data_t *task, uint64_t type, uint32_t *value_out)
{
	if (!task || !task->value || (task->value & ~0xffffffffull) != task_tag(type, 0))
		return false;
	*value_out = (uint32_t)task->value;
	return true;
}

/* The callbacks, one family a file. */
void on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data);
void on_thread_end(ompt_data_t *thread_data);
void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *task_frame, ompt_data_t *parallel, unsigned int requested,
		       int flags, const void *codeptr);
void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *codeptr);
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned int size,
		      unsigned int index, int flags);
void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
	     const void *codeptr);
void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *codeptr);
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
		    const void *codeptr);
void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
		  const void *codeptr);
void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int implementation, ompt_wait_id_t wait,
		      const void *codeptr);
void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *codeptr);
void on_task_create(ompt_data_t *task, const ompt_frame_t *task_frame, ompt_data_t *new_task, int flags,
		    int has_dependences, const void *codeptr);
void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next);
int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *codeptr);

#endif
