/* SPDX-License-Identifier: Apache-2.0 */
/* thread_begin and thread_end, on the thread itself: its block and its sensors. */
#include <unistd.h>

#include "analysis/base/own_stack.h"
#include "memsearch/sensor.h"
#include "ompt_tool/arrays/heap_cost.h"
#include "ompt_tool/events/event.h"

/*
 * Sensors of threads in the block of an ended thread: opening and closing them takes longer than
 * libgomp takes to create the thread.
 */
static struct {
	/* limit as a fraction of the time since `begin_ns`; negative: none */
	double share;
	uint64_t begin_ns;
	uint64_t spent_ns; /* atomic */
} successors = { .share = -1 };

void events_limit_threads(double share)
{
	successors.share = share;
	successors.begin_ns = thread_clock_ns();
}

static bool may_have_sensors(const struct thread *self, uint64_t now_ns)
{
	double spent_ns = (double)__atomic_load_n(&successors.spent_ns, __ATOMIC_RELAXED);

	return !self->successor || successors.share < 0 ||
	       spent_ns <= successors.share * (double)(now_ns - successors.begin_ns);
}

/*
 * Successors only: for the other threads it is a constant cost at the start, which would use up the
 * limit of short programs.
 */
static void note_sensors_time(struct thread *self, uint64_t begin_ns)
{
	uint64_t elapsed_ns = thread_clock_ns() - begin_ns;

	if (!self->successor)
		return;
	self->timed_ns += elapsed_ns;
	__atomic_store_n(&self->cost_ns, self->cost_ns + elapsed_ns, __ATOMIC_RELAXED);
	__atomic_fetch_add(&successors.spent_ns, elapsed_ns, __ATOMIC_RELAXED);
}

/* A sensor without thread_end costs nothing at thread_begin. */
static void begin_sensors(struct thread *self)
{
	uint32_t requested = event_requested();
	uint64_t begin_ns = thread_clock_ns();
	bool all = may_have_sensors(self, begin_ns);

	if (!all)
		thread_drop(self, THREAD_DROP_SUCCESSORS);
	for (int id = 0; id < MS_SENSORS; id++) {
		const struct sensor *sensor = sensors[id];

		/* a sensor that does not work is reported once, not for every thread */
		if (!sensor || !sensor_works(id) || (!all && sensor->thread_end))
			continue;
		if (sensor->thread_begin && !sensor->thread_begin(self))
			thread_drop(self, THREAD_DROP_SENSORS);
		else if (sensor->enable && (requested >> id & 1))
			sensor->enable(self, true);
	}
	if (all)
		note_sensors_time(self, begin_ns);
}

struct beginning {
	ompt_data_t *thread_data;
	bool worker;
};

/* 0: the runtime does not say that. */
static uint32_t number_in_team(void)
{
	uint32_t number = 0;

	for (int i = 0; i < EVENT_RUNTIMES && !number; i++)
		number = events.runtimes[i].get_number ? events.runtimes[i].get_number() : 0;
	return number;
}

static void begin(void *argument)
{
	const struct beginning *beginning = argument;
	struct thread *self = thread_new_numbered(beginning->worker, number_in_team());

	beginning->thread_data->ptr = self;
	if (!self)
		return;
	heap_cost_account(&self->heap_ns);
	if (self->index == 0)
		event_cost_init_chunks();
	begin_sensors(self);
}

/* True: another runtime knows the calling thread already. */
static bool is_known(ompt_data_t *thread_data)
{
	struct thread *self = event_self();

	if (!self)
		return false;
	__atomic_fetch_add(&self->runtimes, 1, __ATOMIC_RELAXED);
	thread_data->ptr = self;
	return true;
}

/*
 * The one callback that makes system calls. libomp's own fork handler calls it in the child,
 * possibly before memsearch's handler, so the child is detected here.
 */
void handle_thread_begin(ompt_data_t *thread_data, bool worker, bool root)
{
	struct beginning beginning = { thread_data, worker };

	if (getpid() != events.process) {
		events_enable(false);
		return;
	}
	if (is_known(thread_data))
		return;
	if (root)
		__atomic_fetch_add(&events.roots, 1, __ATOMIC_RELAXED);
	own_stack_call(begin, &beginning);
}

static void end(void *argument)
{
	struct thread *self = argument;
	uint64_t begin_ns = thread_clock_ns();

	for (int id = 0; id < MS_SENSORS; id++)
		if (sensors[id] && sensors[id]->thread_end)
			sensors[id]->thread_end(self);
	note_sensors_time(self, begin_ns);
	heap_cost_account(NULL); /* another thread may reuse its block */
	thread_end(self);
}

void handle_thread_end(struct thread *self, ompt_data_t *thread_data)
{
	struct thread *ends = thread_data && thread_data->ptr ? thread_data->ptr : self;

	if (__atomic_sub_fetch(&ends->runtimes, 1, __ATOMIC_ACQ_REL) == 0)
		own_stack_call(end, ends);
}
