/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for critical, ordered and locks, and holding critical and locks:
 *
 *     mutex_acquire ─ wait ─▶ mutex_acquired ─ held ─▶ releasing │ released ─▶ next mutex_acquired
 *                                                                └──────── hand-over ────────┘
 *
 * While a lock is held only times are read; they are added to the summary after its release.
 */
#include "ompt_tool/events/event_code.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/mutex_sampling.h"
#include "ompt_tool/events/mutexes.h"

/*
 * Between two events, without what these take: the wait for a free lock and an empty hold are
 * measured as two readings of the clock (35 to 60 ns where a reading takes 20).
 */
static uint64_t between(uint64_t from_ns, uint64_t to_ns)
{
	uint64_t events_ns = 2 * event_cost_clock_ns();

	return to_ns > from_ns + events_ns ? to_ns - from_ns - events_ns : 0;
}

static void add(struct thread *self, uint32_t region, enum ms_metric metric, uint64_t value,
		struct lock_weight weight)
{
	summary_add_times(self->summary, region, metric, (double)value,
			  (double)weight.times_256 / 256, weight.nr);
}

static int kind_of(ompt_mutex_t kind)
{
	switch (kind) {
	/* a lock of the runtime around a reduction or an atomic update */
	case ompt_mutex_atomic:
	case ompt_mutex_critical: return MS_CRITICAL_REGION;
	case ompt_mutex_ordered: return MS_ORDERED_REGION;
	case ompt_mutex_lock:
	case ompt_mutex_nest_lock:
	case ompt_mutex_test_lock:
	case ompt_mutex_test_nest_lock: return MS_LOCK_REGION;
	default: return -1;
	}
}

/* ------------------------------------------------------------------ locks held */

/* Index of the held lock; nr_held: not held. */
static uint32_t find_held(const struct thread *self, bool critical, uint64_t wait)
{
	for (uint32_t i = self->nr_held; i > 0; i--)
		if (self->held[i - 1].critical == critical && self->held[i - 1].wait == wait)
			return i - 1;
	return self->nr_held;
}

/*
 * The innermost, or nr_held: criticals nest, and libomp's number of one is not the address of its
 * variable.
 */
static uint32_t innermost_critical(const struct thread *self)
{
	for (uint32_t i = self->nr_held; i > 0; i--)
		if (self->held[i - 1].critical)
			return i - 1;
	return self->nr_held;
}

static void forget_held(struct thread *self, uint32_t at)
{
	self->nr_held--;
	for (; at < self->nr_held; at++)
		self->held[at] = self->held[at + 1];
}

/* Whether the thread already holds a nest lock, which it then has to release once more. */
static bool is_held_again(struct thread *self, ompt_mutex_t kind, uint64_t wait)
{
	uint32_t at;

	if (!mutex_is_nest(kind))
		return false;
	at = find_held(self, false, wait);
	if (at == self->nr_held)
		return false;
	self->held[at].depth++;
	return true;
}

static void hold(struct thread *self, ompt_mutex_t kind, uint64_t wait, uint64_t now_ns)
{
	bool critical = kind == ompt_mutex_critical;
	uint32_t before = find_held(self, critical, wait);

	if (!__atomic_load_n(&events.releases, __ATOMIC_RELAXED))
		return;
	if (before < self->nr_held)
		forget_held(self, before); /* its release had no event */
	if (self->nr_held == THREAD_HELD) {
		forget_held(self, 0);
		thread_drop(self, THREAD_DROP_HELD);
	}
	self->held[self->nr_held++] = (struct held_lock){
		.wait = wait,
		.acquire_ns = self->mutex_begin_ns,
		.acquired_ns = now_ns,
		.region = self->mutex_region,
		.weight = mutex_sampling_weight(self),
		.critical = critical,
	};
}

/* ------------------------------------------------------------------ acquire */

static void begin(struct thread *self, ompt_mutex_t kind, const void *codeptr)
{
	uint32_t region = frame_lookup(self, (enum ms_region_kind)kind_of(kind),
				       event_code(codeptr), frame_context(self));

	if (frame_requests(region) & CLOCK_BIT) {
		self->mutex_region = region;
		self->mutex_begin_ns = thread_clock_ns();
		mutex_sampling_note(self, self->mutex_begin_ns);
	}
}

/* A test lock does not wait, and may fail: its region is created at mutex_acquired. */
void handle_mutex_acquire(struct thread *self, ompt_mutex_t kind, uint64_t wait,
			  const void *codeptr)
{
	self->mutex_region = MS_REGION_NONE;
	if (kind_of(kind) < 0)
		return;
	if (!is_held_again(self, kind, wait) && !mutex_is_test(kind))
		begin(self, kind, codeptr);
}

/* Nothing lies between a thread's acquire and its acquired, so one pair of fields is enough. */
void handle_mutex_acquired(struct thread *self, ompt_mutex_t kind, uint64_t wait,
			   const void *codeptr)
{
	uint64_t now_ns;

	if (mutex_is_test(kind))
		begin(self, kind, codeptr);
	if (self->mutex_region == MS_REGION_NONE)
		return;
	self->event_region = self->mutex_region;
	event_cost_attribute_skipped(self, self->mutex_region, mutex_sampling_weight(self).nr - 1);
	now_ns = mutex_is_test(kind) ? self->mutex_begin_ns : thread_clock_ns();
	add(self, self->mutex_region, MS_METRIC_LOCK_WAIT, between(self->mutex_begin_ns, now_ns),
	    mutex_sampling_weight(self));
	/* the release of an atomic update has no event on libomp */
	if (kind != ompt_mutex_ordered && kind != ompt_mutex_atomic)
		hold(self, kind, wait, now_ns);
	self->mutex_region = MS_REGION_NONE;
}

/* ------------------------------------------------------------------ release */

static uint64_t since(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Whether the place takes several locks. */
static bool note_mutex(uint32_t region, uint32_t mutex)
{
	struct region *place = region_table_at(events.regions, region);
	uint32_t known = place ? __atomic_load_n(&place->mutex, __ATOMIC_RELAXED) : mutex;

	if (known == mutex || known == MS_REGION_NONE)
		return known == MS_REGION_NONE;
	if (!known && (__atomic_compare_exchange_n(&place->mutex, &known, mutex, false,
						   __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		       known == mutex))
		return false;
	__atomic_store_n(&place->mutex, MS_REGION_NONE, __ATOMIC_RELAXED);
	return true;
}

/* The hand-over ends with getting the lock, and begins when it was free and this thread waited. */
static void take_before(struct thread *self, const struct held_lock *held, uint64_t variable,
			uint64_t now_ns)
{
	struct lock_release *release = &self->release;
	struct mutex_before before;

	if (!mutexes_release(events.regions, variable, self->index, now_ns, &before)) {
		thread_drop(self, THREAD_DROP_MUTEXES);
		return;
	}
	release->mutex = before.region;
	release->handover = before.holder != MUTEX_NOBODY && before.holder != self->index;
	release->handover_ns = since(before.released_ns > held->acquire_ns ? before.released_ns
									   : held->acquire_ns,
				     held->acquired_ns);
}

void handle_mutex_releasing(struct thread *self, ompt_mutex_t kind, uint64_t variable)
{
	uint32_t at = kind == ompt_mutex_critical ? innermost_critical(self)
						  : find_held(self, false, variable);
	struct held_lock *held = &self->held[at];
	uint64_t now_ns;

	self->release.region = MS_REGION_NONE;
	if (at == self->nr_held)
		return; /* acquired while nothing was requested */
	if (held->depth) {
		held->depth--;
		return;
	}
	now_ns = thread_clock_ns();
	self->event_region = held->region;
	self->release = (struct lock_release){
		.region = held->region,
		.mutex = MS_REGION_NONE,
		.variable = variable,
		.weight = held->weight,
		.wait_ns = between(held->acquire_ns, held->acquired_ns),
		.held_ns = between(held->acquired_ns, now_ns),
	};
	take_before(self, held, variable, now_ns);
	forget_held(self, at);
}

void handle_mutex_forgotten(struct thread *self, uint64_t variable)
{
	uint32_t at = find_held(self, false, variable);

	if (at < self->nr_held)
		forget_held(self, at);
}

static void add_release(struct thread *self, uint32_t region)
{
	const struct lock_release *release = &self->release;

	add(self, region, MS_METRIC_LOCK_HELD, release->held_ns, release->weight);
	summary_add_times(self->summary, region, MS_METRIC_LOCK_ACQUISITIONS, 1, release->weight.nr,
			  release->weight.nr);
}

/* To the lock as the place uses it. */
static void add_to_use(struct thread *self, const struct lock_release *release)
{
	uint32_t use = mutexes_use(events.regions, release->variable, release->region,
				   release->mutex);

	if (use == MS_REGION_NONE) {
		thread_drop(self, THREAD_DROP_LOCK_USES);
		return;
	}
	if (!(frame_requests(use) & CLOCK_BIT))
		return;
	add(self, use, MS_METRIC_LOCK_WAIT, release->wait_ns, release->weight);
	add_release(self, use);
}

static void add_to_mutex(struct thread *self, const struct lock_release *release)
{
	struct lock_handover handover;
	struct lock_weight of_handovers;

	if (note_mutex(release->region, release->mutex))
		add_to_use(self, release);
	if (!(frame_requests(release->mutex) & CLOCK_BIT))
		return;
	add(self, release->mutex, MS_METRIC_LOCK_WAIT, release->wait_ns, release->weight);
	add_release(self, release->mutex);
	handover = mutex_sampling_handover(self, release->weight, release->handover,
					   release->handover_ns);
	if (!handover.times_256)
		return;
	of_handovers = (struct lock_weight){ 1, handover.times_256 };
	add(self, release->mutex, MS_METRIC_LOCK_HANDOVERS, 1, of_handovers);
	add(self, release->mutex, MS_METRIC_LOCK_HANDOVER_TIME, handover.ns, of_handovers);
}

void handle_mutex_released(struct thread *self)
{
	struct lock_release *release = &self->release;

	if (release->region == MS_REGION_NONE)
		return;
	self->event_region = release->region;
	add_release(self, release->region);
	if (release->mutex != MS_REGION_NONE)
		add_to_mutex(self, release);
	release->region = MS_REGION_NONE;
}
