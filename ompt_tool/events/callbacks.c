/* SPDX-License-Identifier: Apache-2.0 */
/* The table of callbacks, and switching events on and off. */
#include <time.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/sensors/sensor.h"

struct events events;

const struct callback callbacks[] = {
#define ROW(event) { ompt_callback_##event, (ompt_callback_t)on_##event, #event }
	ROW(thread_begin),
	ROW(thread_end),
	ROW(parallel_begin),
	ROW(parallel_end),
	ROW(implicit_task),
	ROW(work),
	ROW(masked),
	ROW(sync_region),
	ROW(reduction),
	ROW(mutex_acquire),
	ROW(mutex_acquired),
	ROW(task_create),
	ROW(task_schedule),
	ROW(control_tool),
#undef ROW
};
const unsigned int nr_callbacks = sizeof(callbacks) / sizeof(callbacks[0]);

bool events_start(ompt_function_lookup_t lookup, struct region_table *regions)
{
	ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");

	events.get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
	events.regions = regions;
	events.process = getpid();
	if (!set_callback || !events.get_thread_data) {
		log_warning("cannot use this OpenMP runtime: it lacks ompt_set_callback or ompt_get_thread_data");
		return false;
	}
	event_code_init((const void *)set_callback);
	for (unsigned int i = 0; i < nr_callbacks; i++) {
		ompt_set_result_t result = set_callback(callbacks[i].id, callbacks[i].function);

		if (result == ompt_set_error || result == ompt_set_never)
			log_debug("the OpenMP runtime never reports '%s' events", callbacks[i].name);
	}
	return true;
}

void events_enable(bool on)
{
	static uint32_t last;

	__atomic_store_n(&events.epoch, on ? ++last : 0, __ATOMIC_SEQ_CST);
}

static void switch_sensor(const struct sensor *sensor, bool on)
{
	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		sensor->enable(thread, on);
}

void events_request(uint32_t requested)
{
	uint32_t before = __atomic_exchange_n(&events.requested, requested, __ATOMIC_SEQ_CST);

	if (requested & ~before & CLOCK_BIT)
		__atomic_fetch_add(&events.task_generation, 1, __ATOMIC_RELAXED);
	for (int id = 0; id < MS_SENSORS; id++)
		if (((requested ^ before) >> id & 1) && sensors[id] && sensors[id]->enable)
			switch_sensor(sensors[id], requested >> id & 1);
}

uint64_t events_fold(void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx)
{
	uint64_t rows = 0;

	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread)) {
		rows += summary_fold(thread->summary, thread->index, emit, ctx);
		rows += pending_fold(thread, emit, ctx);
	}
	return rows;
}

static const char *const drop_texts[THREAD_DROPS] = {
#define X(id, text) text,
	THREAD_DROP_LIST(X)
#undef X
};

void events_dropped(void (*visit)(void *ctx, const char *text, uint64_t count), void *ctx)
{
	uint64_t counts[THREAD_DROPS] = { 0 }, cells = 0, regions = region_table_dropped(events.regions);

	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread)) {
		for (int cause = 0; cause < THREAD_DROPS; cause++)
			counts[cause] += __atomic_load_n(&thread->dropped[cause], __ATOMIC_RELAXED);
		cells += summary_dropped(thread->summary);
	}
	for (int cause = 0; cause < THREAD_DROPS; cause++)
		if (counts[cause])
			visit(ctx, drop_texts[cause], counts[cause]);
	if (cells)
		visit(ctx, "values for which a thread's table had no room", cells);
	if (regions)
		visit(ctx, "events of regions beyond the table's 16384", regions);
	if (thread_refused())
		visit(ctx, "threads for which there was no memory", thread_refused());
}

/* 0: nobody is in online.c. */
static uint32_t entered;

bool events_enter(unsigned int patience_ms)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	for (unsigned int waited_ms = 0;; waited_ms++) {
		uint32_t free = 0;

		if (__atomic_compare_exchange_n(&entered, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		if (waited_ms >= patience_ms)
			return false;
		nanosleep(&pause, NULL);
	}
}

void events_leave(void)
{
	__atomic_store_n(&entered, 0, __ATOMIC_RELEASE);
}
