/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks, the gate in front of them, their table, and switching events on and off. */
#include <time.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "memsearch/sensor.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/event_code.h"
#include "ompt_tool/events/fold.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/lock_events.h"
#include "ompt_tool/events/mutex_sampling.h"

struct events events;

/*
 * A callback consists of a gate only, so that a closed one costs a load and a branch and saves no
 * registers; the function behind it finds the thread's data and accounts for memsearch's cost.
 *     GATE(event, condition, parameters of the callback, its arguments, arguments of the handler)
 * Frequent events that neither open frames nor end phases pass only while something is requested,
 * and events inside of parallel regions only while these are enabled.
 */
#define GATE(event, is_open, parameters, arguments, handed_on) \
	static __attribute__((noinline)) void enter_##event parameters \
	{ \
		struct thread *self = event_self(); \
		struct event_cost cost; \
\
		if (!self) \
			return; \
		event_begin(self, &cost); \
		handle_##event handed_on; \
		event_end(self, &cost); \
	} \
	static void on_##event parameters \
	{ \
		if (is_open) \
			enter_##event arguments; \
	}
#define UNUSED __attribute__((unused))

/* Events of locks pass for acquisitions that are measured (mutex_sampling.h). */
static __attribute__((noinline)) bool takes_lock(ompt_mutex_t kind)
{
	struct thread *self = event_self();

	return self && mutex_sampling_takes(self, kind);
}

static __attribute__((noinline)) bool took_lock(void)
{
	struct thread *self = event_self();

	return self && mutex_sampling_took(self);
}

static __attribute__((noinline)) bool holds_lock(void)
{
	struct thread *self = event_self();

	return self && self->nr_held &&
	       self->lock_sampling.generation ==
		       __atomic_load_n(&events.lock_generation, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) bool released_lock(void)
{
	struct thread *self = event_self();

	return self && self->release.region != MS_REGION_NONE;
}

/* Of libomp before 19 this may be the barrier that closes the region, see closes_region. */
static inline bool sync_may_close(ompt_sync_region_t kind)
{
	return kind == ompt_sync_region_barrier_implicit_parallel ||
	       kind == ompt_sync_region_barrier_teams || kind == ompt_sync_region_barrier_implicit;
}

GATE(parallel_begin, event_on(),
     (ompt_data_t * task UNUSED, const ompt_frame_t *frame UNUSED, ompt_data_t *parallel,
      unsigned int requested UNUSED, int flags UNUSED, const void *codeptr),
     (task, frame, parallel, requested, flags, codeptr), (self, parallel, codeptr))
GATE(parallel_end, event_on(),
     (ompt_data_t * parallel UNUSED, ompt_data_t *task UNUSED, int flags UNUSED,
      const void *codeptr UNUSED),
     (parallel, task, flags, codeptr), (self))
GATE(implicit_task, event_inside(),
     (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned int size,
      unsigned int index, int flags),
     (endpoint, parallel, task, size, index, flags),
     (self, endpoint, parallel, task, size, index, flags))
GATE(work, event_constructs(),
     (ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel UNUSED,
      ompt_data_t *task UNUSED, uint64_t count, const void *codeptr),
     (type, endpoint, parallel, task, count, codeptr), (self, type, endpoint, count, codeptr))
GATE(masked, event_constructs(),
     (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel UNUSED, ompt_data_t *task UNUSED,
      const void *codeptr),
     (endpoint, parallel, task, codeptr), (self, endpoint, codeptr))
GATE(sync_region, event_constructs() || (event_inside() && sync_may_close(kind)),
     (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel UNUSED,
      ompt_data_t *task UNUSED, const void *codeptr),
     (kind, endpoint, parallel, task, codeptr), (self, kind, endpoint, codeptr))
GATE(reduction, event_constructs(),
     (ompt_sync_region_t kind UNUSED, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel UNUSED,
      ompt_data_t *task UNUSED, const void *codeptr),
     (kind, endpoint, parallel, task, codeptr), (self, endpoint, codeptr))
GATE(mutex_acquire, event_locks() && takes_lock(kind),
     (ompt_mutex_t kind, unsigned int hint UNUSED, unsigned int implementation UNUSED,
      ompt_wait_id_t wait, const void *codeptr),
     (kind, hint, implementation, wait, codeptr), (self, kind, wait, codeptr))
GATE(mutex_acquired, event_locks() && took_lock(),
     (ompt_mutex_t kind, ompt_wait_id_t wait, const void *codeptr), (kind, wait, codeptr),
     (self, kind, wait, codeptr))
GATE(mutex_releasing, event_locks() && holds_lock(), (ompt_mutex_t kind, ompt_wait_id_t variable),
     (kind, variable), (self, kind, variable))
GATE(mutex_released, event_locks() && released_lock(),
     (ompt_mutex_t kind UNUSED, ompt_wait_id_t wait UNUSED, const void *codeptr UNUSED),
     (kind, wait, codeptr), (self))
GATE(mutex_forgotten, event_locks() && holds_lock(), (ompt_wait_id_t variable), (variable),
     (self, variable))
GATE(task_create, event_asked(),
     (ompt_data_t * task UNUSED, const ompt_frame_t *frame UNUSED, ompt_data_t *new_task, int flags,
      int has_dependences UNUSED, const void *codeptr),
     (task, frame, new_task, flags, has_dependences, codeptr), (self, new_task, flags, codeptr))
GATE(task_schedule, event_asked(),
     (ompt_data_t * prior, ompt_task_status_t status, ompt_data_t *next), (prior, status, next),
     (self, prior, status, next))
GATE(thread_end, event_on(), (ompt_data_t * thread_data), (thread_data), (self, thread_data))

/* Not through GATE: called once per chunk, and cheaper than reading the clock. */
static void on_dispatch(ompt_data_t *parallel UNUSED, ompt_data_t *task UNUSED,
			ompt_dispatch_t kind, ompt_data_t instance UNUSED)
{
	if ((event_requested() & CLOCK_BIT) && event_constructs())
		handle_dispatch(kind);
}

/* Not through GATE: there is no thread yet. */
static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data)
{
	thread_data->ptr = NULL; /* may be left from a thread that has ended */
	if (event_on())
		handle_thread_begin(thread_data, type == ompt_thread_worker,
				    type == ompt_thread_initial);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument UNUSED,
			   const void *codeptr UNUSED)
{
	struct thread *self = event_on() ? event_self() : NULL;

	if (self)
		handle_control_tool(self, command, modifier);
	return 0;
}

static const struct callback {
	ompt_callbacks_t id;
	ompt_callback_t function;
	const char *name;
} callbacks[] = {
#define X(event) { ompt_callback_##event, (ompt_callback_t)on_##event, #event },
	CALLBACK_LIST(X)
#undef X
};
enum { NR_CALLBACKS = sizeof(callbacks) / sizeof(callbacks[0]) };
/* at least one runtime sends the event */
static bool callback_comes[NR_CALLBACKS];

unsigned int events_runtimes(void)
{
	unsigned int nr = 0;

	while (nr < EVENT_RUNTIMES &&
	       __atomic_load_n(&events.runtimes[nr].get_thread_data, __ATOMIC_ACQUIRE))
		nr++;
	return nr;
}

static const void *original(const void *address)
{
	return (const void *)clone_original((uintptr_t)address);
}

static const void *exchange(const void *body)
{
	return (const void *)switching_body((uintptr_t)body);
}

void events_acquire(ompt_mutex_t kind, ompt_wait_id_t variable, const void *codeptr)
{
	on_mutex_acquire(kind, 0, 0, variable, codeptr);
}

void events_acquired(ompt_mutex_t kind, ompt_wait_id_t variable, const void *codeptr)
{
	on_mutex_acquired(kind, variable, codeptr);
}

void events_forget_lock(ompt_wait_id_t variable)
{
	on_mutex_forgotten(variable);
}

void events_releasing(ompt_mutex_t kind, ompt_wait_id_t variable)
{
	on_mutex_releasing(kind, variable);
}

void events_released(ompt_mutex_t kind)
{
	on_mutex_released(kind, 0, NULL);
}

void events_see_releases(void)
{
	__atomic_store_n(&events.releases, true, __ATOMIC_RELAXED);
}

static void see_releases_of(gomp_set_releasing *set_releasing)
{
	if (!set_releasing)
		return;
	set_releasing(on_mutex_releasing);
	events_see_releases();
}

bool events_add_runtime(ompt_function_lookup_t lookup)
{
	ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
	ompt_get_thread_data_t get_thread_data = (ompt_get_thread_data_t)lookup(
		"ompt_get_thread_data");
	ompt_interface_fn_t in_runtime = lookup("ompt_get_num_procs");
	gomp_set_original *set_original = (gomp_set_original *)lookup(GOMP_SET_ORIGINAL);
	gomp_set_exchange *set_exchange = (gomp_set_exchange *)lookup(GOMP_SET_EXCHANGE);
	gomp_set_releasing *set_releasing = (gomp_set_releasing *)lookup(GOMP_SET_RELEASING);
	struct event_runtime *runtime = events_runtimes() < EVENT_RUNTIMES
						? &events.runtimes[events_runtimes()]
						: NULL;

	if (!set_callback || !get_thread_data || !runtime) {
		log_warning("cannot use this OpenMP runtime: %s",
			    runtime ? "it lacks ompt_set_callback or ompt_get_thread_data"
				    : "it is the third");
		return false;
	}
	event_code_of_runtime(
		(const void *)(in_runtime ? in_runtime : (ompt_interface_fn_t)set_callback),
		(const void *)set_callback);
	runtime->get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
	runtime->get_outlined = (gomp_get_outlined *)lookup(GOMP_GET_OUTLINED);
	runtime->get_number = (gomp_get_number *)lookup(GOMP_GET_NUMBER);
	runtime->set_rest = (gomp_set_rest *)lookup(GOMP_SET_REST);
	if (set_original)
		set_original(original);
	if (set_exchange)
		set_exchange(exchange);
	__atomic_store_n(&runtime->get_thread_data, get_thread_data, __ATOMIC_RELEASE);
	see_releases_of(set_releasing);
	for (unsigned int i = 0; i < NR_CALLBACKS; i++) {
		bool unwanted = callbacks[i].id == ompt_callback_mutex_released && !set_releasing;
		ompt_set_result_t result = unwanted ? ompt_set_never
						    : set_callback(callbacks[i].id,
								   callbacks[i].function);

		if (result != ompt_set_error && result != ompt_set_never)
			callback_comes[i] = true;
		else
			log_debug("the OpenMP runtime never reports '%s' events",
				  callbacks[i].name);
	}
	return true;
}

bool events_start(ompt_function_lookup_t lookup, struct region_table *regions,
		  const struct events_listener *listener)
{
	events.regions = regions;
	events.listener = listener;
	events.process = getpid();
	event_code_init();
	event_cost_init();
	return events_add_runtime(lookup);
}

/* Metrics that come from one event alone. */
static const struct source {
	ompt_callbacks_t id;
	enum ms_metric metric;
} sources[] = {
	{ ompt_callback_work, MS_METRIC_ITERATIONS },
	{ ompt_callback_dispatch, MS_METRIC_CHUNKS },
	{ ompt_callback_mutex_acquired, MS_METRIC_LOCK_WAIT },
	{ ompt_callback_task_schedule, MS_METRIC_TASKS },
	{ ompt_callback_task_schedule, MS_METRIC_TASK_TIME },
};

static const enum ms_metric of_releases[] = { MS_METRIC_LOCK_HELD, MS_METRIC_LOCK_ACQUISITIONS,
					      MS_METRIC_LOCK_HANDOVERS,
					      MS_METRIC_LOCK_HANDOVER_TIME };

void events_missing(void (*visit)(void *ctx, enum ms_metric metric), void *ctx)
{
	for (size_t i = 0; i < sizeof(of_releases) / sizeof(of_releases[0]) && !events.releases;
	     i++)
		visit(ctx, of_releases[i]);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		for (unsigned int k = 0; k < NR_CALLBACKS; k++)
			if (!callback_comes[k] && callbacks[k].id == sources[i].id)
				visit(ctx, sources[i].metric);
}

bool events_rest_in_runtime(void)
{
	for (unsigned int i = 0; i < events_runtimes(); i++)
		if (events.runtimes[i].set_rest)
			return true;
	return false;
}

static void tell_rest(bool rest)
{
	static bool told;

	if (__atomic_exchange_n(&told, rest, __ATOMIC_ACQ_REL) == rest)
		return;
	for (unsigned int i = 0; i < events_runtimes(); i++)
		if (events.runtimes[i].set_rest)
			events.runtimes[i].set_rest(rest);
	switching_rest(rest);
}

static bool skips_constructs;

static void set_inside(uint32_t epoch)
{
	__atomic_store_n(&events.inside, epoch, __ATOMIC_SEQ_CST);
	__atomic_store_n(&events.constructs, skips_constructs ? 0 : epoch, __ATOMIC_SEQ_CST);
}

/* Runtimes that skip events resume at the next region in serial code, in events_rest. */
void events_enable(bool on)
{
	static uint32_t last;
	uint32_t epoch = on ? ++last : 0;

	__atomic_store_n(&events.epoch, epoch, __ATOMIC_SEQ_CST);
	set_inside(epoch);
	if (!on)
		tell_rest(true);
}

/*
 * A new epoch when events are enabled again: end events of constructs that began before must be
 * ignored.
 */
void events_rest(bool rest)
{
	bool resting = event_on() && !event_inside();

	rest = rest && !event_requested() && !events.serial_constructs &&
	       __atomic_load_n(&events.roots, __ATOMIC_RELAXED) == 1;
	if (event_on())
		tell_rest(rest);
	if (rest == resting || !event_on())
		return;
	if (rest)
		set_inside(0);
	else
		events_enable(true);
}

void events_skip_constructs(bool skip)
{
	skip = skip && !events.serial_constructs &&
	       __atomic_load_n(&events.roots, __ATOMIC_RELAXED) == 1;
	if (skip == skips_constructs)
		return;
	skips_constructs = skip;
	set_inside(__atomic_load_n(&events.inside, __ATOMIC_RELAXED));
}

bool events_are_requested(void)
{
	return event_requested() != 0;
}

bool events_can_rest(void)
{
	const struct thread *self = event_self();

	return event_on() && event_inside() && !events.serial_constructs &&
	       __atomic_load_n(&events.roots, __ATOMIC_RELAXED) == 1 && self && !self->index &&
	       self->open;
}

/*
 * Regions that are open count as those that begin now (is_of_no_interest in parallel.c): their ends
 * are still sent.
 */
void events_rest_of_region(void)
{
	struct thread *self = event_self();

	for (const struct parallel *open = self->open; open; open = open->outer)
		self->skipped_parallels++;
	events_enable(true);
	tell_rest(true);
	set_inside(0);
}

static void switch_sensor(const struct sensor *sensor, bool on)
{
	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		sensor->enable(thread, on);
}

struct thread *events_self(void)
{
	return events.runtimes[0].get_thread_data ? event_self() : NULL;
}

static void request_locks(bool wanted)
{
	static uint32_t last;
	bool before = __atomic_load_n(&events.lock_generation, __ATOMIC_RELAXED) != 0;

	if (wanted != before)
		__atomic_store_n(&events.lock_generation, wanted ? ++last : 0, __ATOMIC_RELAXED);
}

void events_request(uint32_t requested, bool locks)
{
	uint32_t before = __atomic_exchange_n(&events.requested, requested, __ATOMIC_SEQ_CST);

	request_locks(locks);
	__atomic_fetch_add(&events.turn, 1, __ATOMIC_RELEASE);
	if ((requested & FOLLOWS_TASKS) && !(before & FOLLOWS_TASKS))
		__atomic_fetch_add(&events.task_generation, 1, __ATOMIC_RELAXED);
	for (int id = 0; id < MS_SENSORS; id++)
		if (((requested ^ before) >> id & 1) && sensors[id] && sensors[id]->enable)
			switch_sensor(sensors[id], requested >> id & 1);
}

static void fold_sensors(struct thread *thread,
			 void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx)
{
	for (int id = 0; id < MS_SENSORS; id++)
		if (sensors[id] && sensors[id]->fold)
			sensors[id]->fold(thread, emit, ctx);
}

uint64_t events_fold(void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx)
{
	uint64_t rows = 0;

	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread)) {
		rows += summary_fold(thread->summary, thread->index, emit, ctx);
		rows += pending_fold(thread, emit, ctx);
		fold_sensors(thread, emit, ctx);
	}
	return rows;
}

static const struct {
	const char *text, *why;
} drops[THREAD_DROPS] = {
#define X(id, text, why) { text, why },
	THREAD_DROP_LIST(X)
#undef X
};

void events_dropped(void (*visit)(void *ctx, const char *text, const char *why, uint64_t count),
		    void *ctx)
{
	uint64_t counts[THREAD_DROPS] = { 0 }, cells = 0,
		 regions = region_table_dropped(events.regions);

	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread)) {
		for (int cause = 0; cause < THREAD_DROPS; cause++)
			counts[cause] += __atomic_load_n(&thread->dropped[cause], __ATOMIC_RELAXED);
		cells += summary_dropped(thread->summary);
	}
	for (int cause = 0; cause < THREAD_DROPS; cause++)
		if (counts[cause])
			visit(ctx, drops[cause].text, drops[cause].why, counts[cause]);
	if (cells)
		visit(ctx, "values for which a thread's table had no room", THREAD_TABLES, cells);
	if (regions)
		visit(ctx, "events of regions beyond the table's 32768", THREAD_TABLES, regions);
}

/* 0: no thread is in online.c; else the thread inside */
static uint32_t entered;

bool events_enter(unsigned int patience_ms)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	for (unsigned int waited_ms = 0;; waited_ms++) {
		uint32_t free = 0;

		if (__atomic_compare_exchange_n(&entered, &free, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
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
