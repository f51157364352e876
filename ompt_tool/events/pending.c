/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits of workers at the end of a parallel region, settled by the worker or the initial thread,
 * whichever comes first.
 */
#include "ompt_tool/events/frame.h"

static uint64_t get(uint64_t *field)
{
	return __atomic_load_n(field, __ATOMIC_RELAXED);
}

static void set(uint64_t *field, uint64_t value)
{
	__atomic_store_n(field, value, __ATOMIC_RELAXED);
}

void pending_publish(struct thread *self, const struct frame *frame)
{
	struct pending_wait *pending = &self->pending;

	pending_settle(self);
	if (!(frame->requests & CLOCK_BIT))
		return;
	set(&pending->arrival_ns, frame->arrival_ns);
	set(&pending->tasks_ns, self->tasks_ns);
	set(&pending->sequence, frame->sequence);
	__atomic_store_n(&pending->parallel, frame->parallel, __ATOMIC_RELAXED);
	__atomic_store_n(&pending->region, frame->region, __ATOMIC_RELAXED);
	__atomic_store_n(&pending->state, pending->state + 1, __ATOMIC_RELEASE);
}

/*
 * End of the execution a wait belongs to; 0: not ended yet, or the slot was reused. The slot's
 * owner writes the sequence before it clears the end: if the sequence still matches after the end
 * was read, the end belongs to the same execution.
 */
static uint64_t end_of(struct pending_wait *pending, bool *lost_out)
{
	struct parallel *parallel = __atomic_load_n(&pending->parallel, __ATOMIC_RELAXED);
	uint64_t end_ns = __atomic_load_n(&parallel->end_ns, __ATOMIC_SEQ_CST);

	*lost_out = __atomic_load_n(&parallel->sequence, __ATOMIC_SEQ_CST) !=
		    get(&pending->sequence);
	return *lost_out ? 0 : end_ns;
}

/* The wait in nanoseconds, without tasks the thread executed meanwhile. */
static double wait_of(struct thread *thread, uint64_t end_ns)
{
	uint64_t arrival_ns = get(&thread->pending.arrival_ns);
	uint64_t tasks_ns = get(&thread->tasks_ns) - get(&thread->pending.tasks_ns);

	return end_ns > arrival_ns + tasks_ns ? (double)(end_ns - arrival_ns - tasks_ns) : 0;
}

/* True: the caller now owns the wait identified by `state`. */
static bool take(struct pending_wait *pending, uint64_t state)
{
	return __atomic_compare_exchange_n(&pending->state, &state, state + 1, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void pending_settle(struct thread *self)
{
	uint64_t state = __atomic_load_n(&self->pending.state, __ATOMIC_RELAXED), end_ns;
	bool lost;

	if (!(state & 1))
		return;
	end_ns = end_of(&self->pending, &lost);
	if (!take(&self->pending, state))
		return;
	if (end_ns)
		summary_add(self->summary, self->pending.region, MS_METRIC_BARRIER_WAIT,
			    wait_of(self, end_ns));
	else
		thread_drop(self, THREAD_DROP_WAITS);
}

/* A row of its own, because only the owner may write to the summary. */
uint64_t pending_fold(struct thread *thread,
		      void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx)
{
	struct pending_wait *pending = &thread->pending;
	uint64_t state = __atomic_load_n(&pending->state, __ATOMIC_ACQUIRE), end_ns;
	struct ms_measurement row = { .thread = thread->index, .metric = MS_METRIC_BARRIER_WAIT };
	bool lost;

	if (!(state & 1))
		return 0;
	row.region = __atomic_load_n(&pending->region, __ATOMIC_RELAXED);
	end_ns = end_of(pending, &lost);
	if (!end_ns)
		return 0;
	ms_stat_add(&row.stat, wait_of(thread, end_ns));
	if (!take(pending, state))
		return 0;
	emit(ctx, &row);
	return 1;
}
