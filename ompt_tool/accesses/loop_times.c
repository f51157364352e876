/* SPDX-License-Identifier: Apache-2.0 */
/* Times of loops and called functions by thread, and their destinations. */
#include "ompt_tool/accesses/loop_times.h"

#include <stdio.h>

#include "analysis/base/own_stack.h"
#include "analysis/base/thread_clock.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/loop_clock.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/clone_loops.h"
#include "ompt_tool/clones/ticks.h"
#include "ompt_tool/clones/word_buffer.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/regions/region_table.h"

#define ROWS 256 /* loops and functions of the constructs that a thread is in */

/* Sums of one loop in one execution of its construct; `lost`: the construct's values are incomplete. */
struct row {
	uint32_t region, construct;
	bool lost;
	uint64_t entries, ticks, own_ticks, probe_ticks;
};

/* Of one thread, in memory that is zeroed in a forked child. */
struct loop_times {
	struct thread *self;
	uint32_t construct; /* innermost one that requests times; MS_REGION_NONE: none */
	uint32_t of_use;    /* the number of loop_times_use that `spent_ns` is of */
	uint64_t spent_ns, events;
	uint32_t nr_rows;
	struct row rows[ROWS];
	struct loop_clock clock;
};

/* Written at phase boundaries; each atomic. */
static struct {
	bool on, used_up;
	uint32_t number;     /* of the last loop_times_use */
	uint64_t allowed_ns; /* per thread */
	uint64_t tick_ns;    /* in 2^-32 ns */
} use;

/* Set by the probe. */
static struct {
	uint64_t ns, ticks; /* the same moment */
	uint64_t event_ticks;
} start;

/* By region: reading the clock took longer than its code; atomic. */
static bool too_short[MS_REGION_MAX];

static struct loop_times *times_of(const struct thread *self)
{
	return __atomic_load_n(&self->sensor[MS_SENSOR_LOOPS], __ATOMIC_ACQUIRE);
}

bool loop_times_is_on(void)
{
	return __atomic_load_n(&use.on, __ATOMIC_ACQUIRE);
}

/* Integers only: the program must not see floating-point flags. */
static uint64_t ns_of(uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)ticks *
			       __atomic_load_n(&use.tick_ns, __ATOMIC_RELAXED);

	return (uint64_t)(ns >> 32);
}

/* ------------------------------------------------------------------ rows */

/* NULL: there is no room. */
static struct row *row_of(struct loop_times *times, uint32_t region, uint32_t construct)
{
	struct row *row = times->rows;

	for (uint32_t i = 0; i < times->nr_rows; i++, row++)
		if (row->region == region && row->construct == construct)
			return row;
	if (times->nr_rows == ROWS)
		return NULL;
	times->nr_rows++;
	*row = (struct row){ .region = region, .construct = construct };
	return row;
}

/* The row of the construct itself shows it; without room for one, any row of it does. */
static void lose(void *ctx, uint32_t construct)
{
	struct loop_times *times = ctx;
	struct row *row = construct == MS_REGION_NONE ? NULL : row_of(times, construct, construct);

	if (row)
		row->lost = true;
	for (uint32_t i = 0; !row && i < times->nr_rows; i++)
		times->rows[i].lost |= times->rows[i].construct == construct;
}

/* Which of the construct's loops is its own is known from its accesses. */
static bool is_known(const struct region *construct, uint32_t loop)
{
	return !construct || __atomic_load_n(&construct->own_loop, __ATOMIC_RELAXED) ||
	       !loop_may_be_own(accesses_regions(), construct->id, loop);
}

static bool is_called(uint32_t construct, uint32_t loop)
{
	const struct clone_loop *function = clone_loop(loop);

	return loop_function_is_called(accesses_regions(), construct, function->blocks[0].start,
				       function->blocks[0].end);
}

static void closed(void *ctx, const struct loop_span *span)
{
	struct loop_times *times = ctx;
	struct region_table *regions = accesses_regions();
	uint32_t region;
	struct row *row;

	if (span->construct == MS_REGION_NONE || !span->loop)
		return;
	if (loop_is_function(span->loop) && !is_called(span->construct, span->loop))
		return;
	if (!is_known(region_table_at(regions, span->construct), span->loop)) {
		lose(times, span->construct);
		return;
	}
	region = loop_region(regions, span->construct, span->loop);
	if (region == MS_REGION_NONE)
		return;
	row = row_of(times, region, span->construct);
	if (!row) {
		lose(times, span->construct);
		return;
	}
	row->entries++;
	row->own_ticks += span->own_ticks;
	row->ticks += span->outermost ? span->ticks : 0;
	row->probe_ticks += span->outermost ? span->probe_ticks : 0;
}

static bool has_lost(const struct loop_times *times, uint32_t construct)
{
	for (uint32_t i = 0; i < times->nr_rows; i++)
		if (times->rows[i].construct == construct && times->rows[i].lost)
			return true;
	return false;
}

static void add(struct loop_times *times, const struct row *row)
{
	struct summary *summary = times->self->summary;

	if (row->region >= MS_REGION_MAX)
		return;
	if (row->probe_ticks > row->ticks) {
		__atomic_store_n(&too_short[row->region], true, __ATOMIC_RELAXED);
		return;
	}
	summary_add(summary, row->region, MS_METRIC_LOOP_TIME, (double)ns_of(row->ticks));
	summary_add(summary, row->region, MS_METRIC_LOOP_OWN_TIME, (double)ns_of(row->own_ticks));
	summary_add(summary, row->region, MS_METRIC_LOOP_ENTRIES, (double)row->entries);
}

static void end_rows(struct loop_times *times, uint32_t construct, bool count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < times->nr_rows; i++) {
		const struct row *row = &times->rows[i];

		if (row->construct != construct)
			times->rows[kept++] = *row;
		else if (count && row->region != construct)
			add(times, row);
	}
	times->nr_rows = kept;
}

bool loop_times_too_short(uint32_t region)
{
	return region < MS_REGION_MAX && __atomic_load_n(&too_short[region], __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ words */

struct words {
	struct loop_times *times;
	const uint64_t *words;
	size_t nr;
};

static void spend(struct loop_times *times, uint64_t ns)
{
	struct thread *self = times->self;
	uint32_t number = __atomic_load_n(&use.number, __ATOMIC_ACQUIRE);

	times->spent_ns = (times->of_use == number ? times->spent_ns : 0) + ns;
	times->of_use = number;
	__atomic_store_n(&self->cost_ns, self->cost_ns + ns, __ATOMIC_RELAXED);
	if (times->spent_ns > __atomic_load_n(&use.allowed_ns, __ATOMIC_RELAXED))
		__atomic_store_n(&use.used_up, true, __ATOMIC_RELAXED);
}

static void take_words(void *argument)
{
	const struct words *of = argument;
	struct loop_times *times = of->times;
	uint64_t begin = clone_ticks(), events = times->clock.events, spent_ns;

	loop_clock_words(&times->clock, times->construct, of->words, of->nr);
	spent_ns = ns_of(clone_ticks() - begin);
	times->self->timed_ns += spent_ns;
	spend(times, spent_ns + ns_of((times->clock.events - events) * start.event_ticks));
	if (loop_times_used_up())
		accesses_leave_clones(times->self);
	loop_clock_pause(&times->clock, clone_ticks() - begin);
}

bool loop_times_take(struct thread *self, const uint64_t *words, size_t nr)
{
	struct loop_times *times = times_of(self);

	if (!loop_times_is_on())
		return false;
	if (times && nr)
		own_stack_call(take_words, &(struct words){ times, words, nr });
	return true;
}

/* ------------------------------------------------------------------ constructs */

/* Of the frames below this one, in its team. */
static uint32_t construct_around(const struct thread *self, const struct frame *frame)
{
	while (frame > self->frames) {
		frame--;
		if (frame->requests & LOOPS_BIT)
			return frame->region;
		if (frame->type == FRAME_PARALLEL)
			break;
	}
	return MS_REGION_NONE;
}

static bool is_serial(const struct frame *frame)
{
	return frame->type == FRAME_SERIAL;
}

void loop_times_region_begin(struct thread *self, struct frame *frame)
{
	struct loop_times *times = times_of(self);

	if (!times || is_serial(frame))
		return;
	record_flush();
	record_resume(); /* it may have left clones that record accesses */
	times->construct = frame->region;
}

void loop_times_region_end(struct thread *self, struct frame *frame)
{
	struct loop_times *times = times_of(self);
	struct region *region = region_table_at(accesses_regions(), frame->region);
	bool count;

	if (!times || is_serial(frame))
		return;
	record_flush();
	loop_clock_end(&times->clock, frame->region);
	count = loop_times_is_on() && !frame->outside && !has_lost(times, frame->region) &&
		!loop_times_used_up();
	if (!count && region)
		__atomic_fetch_add(&region->unrecorded, 1, __ATOMIC_RELAXED);
	end_rows(times, frame->region, count);
	times->construct = construct_around(self, frame);
}

bool loop_times_begin_thread(struct thread *self)
{
	struct loop_times *times = times_of(self) ? times_of(self) : thread_memory(sizeof(*times));

	if (!times)
		return false;
	times->self = self;
	times->construct = MS_REGION_NONE;
	times->nr_rows = 0;
	times->clock.nr = 0;
	times->clock.closed = closed;
	times->clock.lost = lose;
	times->clock.ctx = times;
	times->clock.event_ticks = start.event_ticks;
	__atomic_store_n(&self->sensor[MS_SENSOR_LOOPS], times, __ATOMIC_RELEASE);
	return true;
}

void loop_times_end_thread(struct thread *self)
{
	struct loop_times *times = times_of(self);

	if (times)
		times->construct = MS_REGION_NONE;
}

void loop_times_use(bool on, double allowed_ns)
{
	uint64_t ticks = clone_ticks() - start.ticks, ns = thread_clock_ns() - start.ns;

	if (on && ticks)
		__atomic_store_n(&use.tick_ns, (uint64_t)(((unsigned __int128)ns << 32) / ticks),
				 __ATOMIC_RELAXED);
	__atomic_store_n(&use.allowed_ns, allowed_ns > 0 ? (uint64_t)allowed_ns : 0,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&use.used_up, false, __ATOMIC_RELAXED);
	__atomic_fetch_add(&use.number, 1, __ATOMIC_RELEASE);
	clone_use_times(on);
	__atomic_store_n(&use.on, on, __ATOMIC_RELEASE);
}

bool loop_times_used_up(void)
{
	return __atomic_load_n(&use.used_up, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ probe */

enum { LOOPS = 64, BUFFER_BYTES = 64 << 10, TIMES = 4 * LOOPS };

struct calibration {
	uint64_t spans[TIMES], last;
	size_t nr;
};

/* The number of iterations is not known to the compiler, which else would unroll the inner loop. */
#if defined(__has_attribute) && __has_attribute(disable_sanitizer_instrumentation)
__attribute__((disable_sanitizer_instrumentation))
#endif
__attribute__((noinline)) static void
calibrate(volatile uint64_t *values)
{
	for (int i = 0; i < LOOPS; i++)
		for (uint64_t j = 0; j < values[0]; j++)
			values[1] = values[1] + 1;
}

static void collect(void *ctx, const uint64_t *words, size_t nr)
{
	struct calibration *of = ctx;

	for (size_t at = 0; at + RECORD_TIME_WORDS < nr; at += 1 + RECORD_TIME_WORDS) {
		uint64_t ticks = words[at + 1];

		if (of->last && ticks != of->last && of->nr < TIMES)
			of->spans[of->nr++] = ticks - of->last;
		of->last = ticks;
	}
}

static uint64_t median(struct calibration *of)
{
	for (size_t i = 1; i < of->nr; i++)
		for (size_t j = i; j && of->spans[j - 1] > of->spans[j]; j--) {
			uint64_t swapped = of->spans[j];

			of->spans[j] = of->spans[j - 1];
			of->spans[j - 1] = swapped;
		}
	return of->nr ? of->spans[of->nr / 2] : 0;
}

/* The second run is the one without page faults. */
static const char *measure_event(void)
{
	struct clone_options options = { .probes = LOOP_TIMES_PROBES, .runtime_calls_it = true };
	const struct clone *clone = clone_make((uintptr_t)calibrate, &options);
	volatile uint64_t values[2] = { 1, 0 };
	static struct calibration of;

	if (!clone)
		return "a function of memsearch's own cannot be copied";
	for (int i = 0; i < 2; i++) {
		of = (struct calibration){ 0 };
		if (!record_thread_begin(BUFFER_BYTES, collect, &of))
			return "no memory for a buffer";
		((void (*)(volatile uint64_t *))clone->code)(values);
		record_thread_end();
	}
	start.event_ticks = median(&of);
	if (values[1] != 2 * LOOPS)
		return "a copied function gave another result than its original";
	return of.nr < 2 * LOOPS || !start.event_ticks ? "a copied function recorded too few times"
						       : NULL;
}

void loop_times_probe(struct sensor_status *status)
{
	const char *why = clone_unsupported();

	if (!why && !accesses_work())
		why = "code cannot be recorded here";
	if (!why)
		why = clone_ticks_unsupported();
	if (!why)
		why = measure_event();
	start.ns = thread_clock_ns();
	start.ticks = clone_ticks();
	status->works = !why;
	status->why = why ? MS_MISSING_NOT_SUPPORTED : MS_PRESENT;
	snprintf(status->text, sizeof(status->text), "%s", why ? why : "");
}
