/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the measurements of locks. */
#include "analysis/report/lock_facts.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

/* Of one metric in one region, or in several. */
struct sums {
	/*
	 * sum of value / wall time under observation: for times, of how many threads it is the time
	 */
	double rate;
	double each;   /* sum of value / executions of the phase */
	uint32_t rows; /* one a thread; 0: not measured */
};

static void add(struct sums *sums, const struct run_measurement *row)
{
	if (!(row->observed_ns > 0) || !row->phases)
		return;
	sums->rate += row->row.stat.sum / row->observed_ns;
	sums->each += row->row.stat.sum / (double)row->phases;
	sums->rows++;
}

static struct sums sums_of(const struct run *run, uint32_t region, uint32_t metric)
{
	struct sums sums = { .rows = 0 };

	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.region == region &&
		    run->measurements[i].row.metric == metric)
			add(&sums, &run->measurements[i]);
	return sums;
}

static bool is_outermost_parallel(const struct run *run, uint32_t id)
{
	const struct run_region *region = &run->regions[id];

	if (region->kind != MS_PARALLEL_REGION)
		return false;
	while (region->parent < region->id && region->parent != MS_REGION_USER) {
		region = &run->regions[region->parent];
		if (region->kind == MS_PARALLEL_REGION)
			return false;
	}
	return true;
}

/*
 * Threads that are in parallel regions and wait at no barrier, on average over the phase; NAN: not
 * measured. `time` ends where the closing barrier begins.
 */
static double busy_threads(const struct run *run)
{
	struct sums times = { .rows = 0 }, waits = { .rows = 0 };

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->metric == MS_METRIC_TIME && is_outermost_parallel(run, row->region))
			add(&times, &run->measurements[i]);
		if (row->metric == MS_METRIC_BARRIER_WAIT &&
		    !is_outermost_parallel(run, row->region))
			add(&waits, &run->measurements[i]);
	}
	return times.rows ? times.rate - waits.rate : NAN;
}

/* One place in the program may be several regions, by what is around it. */
static bool is_same_place(const struct run_region *a, const struct run_region *b)
{
	return a->construct.module == b->construct.module &&
	       a->construct.offset == b->construct.offset && a->kind == b->kind;
}

static const struct run_region *place_at(const struct run *run, uint32_t region)
{
	return &run->regions[run_region_lock_place(&run->regions[region])];
}

static bool is_new_place(const struct run *run, uint32_t region)
{
	for (uint32_t i = 0; i < region; i++)
		if (run->regions[i].mutex == run->regions[region].mutex &&
		    is_same_place(place_at(run, i), place_at(run, region)))
			return false;
	return true;
}

static void find_places(const struct run *run, struct lock_facts *lock)
{
	double longest = -1;

	for (uint32_t i = 0; i < run->nr_regions; i++) {
		double rate = run->regions[i].mutex == lock->region
				      ? sums_of(run, i, MS_METRIC_LOCK_HELD).rate
				      : -1;

		lock->places += run->regions[i].mutex == lock->region && is_new_place(run, i);
		if (rate <= longest)
			continue;
		longest = rate;
		lock->place = place_at(run, i);
	}
}

static double known(const struct sums *sums, double value)
{
	return sums->rows ? value : NAN;
}

/* `handing`: threads' time in which it goes to another thread, by wall time. */
static double saturation(const struct run *run, const struct lock_facts *lock, double busy,
			 double handing)
{
	double working = busy - lock->waiting;

	if ((run->threads > 1 && lock->threads < 2) || !(lock->use > 0) || !(working > 0))
		return NAN;
	return fmax(1, working / (lock->use + handing));
}

/*
 * Sampled values stand for different numbers of acquisitions: sums are divided, not means taken. By
 * the share of the time, as steps may take longer while they are measured.
 */
static double mean_of(const struct run *run, const struct sums *values, const struct sums *numbers)
{
	return values->rows && numbers->each > 0
		       ? values->rate * run_execution_ns(run) / numbers->each
		       : NAN;
}

/*
 * A lock goes from one thread to another while it is free, once at a time. Few acquisitions are
 * sampled and each stands for many: a thread that loses its CPU before it has the lock would count
 * for more time than the lock is free.
 */
static bool limit_to_free_time(struct sums *times, double use)
{
	bool is_more = times->rate > 1 - use;

	times->rate = fmin(times->rate, 1 - use);
	return is_more;
}

/* No hand-overs leave no row, where there are others. */
static void measure(const struct run *run, struct lock_facts *lock, double busy)
{
	struct sums held = sums_of(run, lock->region, MS_METRIC_LOCK_HELD),
		    waits = sums_of(run, lock->region, MS_METRIC_LOCK_WAIT);
	struct sums handovers = sums_of(run, lock->region, MS_METRIC_LOCK_HANDOVERS),
		    times = sums_of(run, lock->region, MS_METRIC_LOCK_HANDOVER_TIME);
	struct sums acquisitions = sums_of(run, lock->region, MS_METRIC_LOCK_ACQUISITIONS);

	lock->acquisitions = known(&acquisitions, acquisitions.each);
	lock->hold_ns = mean_of(run, &held, &acquisitions);
	lock->use = known(&held, fmin(1, held.rate));
	lock->waiting = known(&waits, waits.rate);
	lock->handovers = known(&held, handovers.each);
	lock->handover_most = limit_to_free_time(&times, lock->use);
	lock->handover_ns = mean_of(run, &times, &handovers);
	lock->threads = held.rows;
	lock->saturation = saturation(run, lock, busy, times.rate);
}

static int by_use(const void *left, const void *right)
{
	const struct lock_facts *a = left, *b = right;

	if (a->use < b->use || a->use > b->use)
		return a->use > b->use ? -1 : 1;
	return a->region < b->region ? -1 : a->region > b->region;
}

size_t lock_facts_of(struct arena *arena, const struct run *run, const struct lock_facts **out)
{
	double busy = busy_threads(run);
	struct lock_facts *locks = NULL;
	size_t nr = 0, room = 0;

	for (size_t i = 0; i < run->nr_regions; i++) {
		struct lock_facts lock = { .region = (uint32_t)i };

		if (!run_region_is_lock(&run->regions[i]))
			continue;
		measure(run, &lock, busy);
		if (!isfinite(lock.use) || !ARENA_GROW(arena, locks, nr, room))
			continue;
		find_places(run, &lock);
		locks[nr++] = lock;
	}
	if (nr)
		sort(locks, nr, sizeof(*locks), by_use);
	*out = locks;
	return nr;
}

const struct lock_facts *lock_facts_at(const struct lock_facts *locks, size_t nr,
				       const struct run *run, uint32_t region)
{
	uint32_t mutex = region < run->nr_regions ? run->regions[region].mutex : 0;

	for (size_t i = 0; mutex && i < nr; i++)
		if (locks[i].region == mutex)
			return &locks[i];
	return NULL;
}

/* ------------------------------------------------------------------ in words */

const char *lock_facts_name(struct arena *arena, const struct run *run,
			    const struct lock_facts *lock)
{
	const char *name = finding_place(arena, run, lock->region);
	/* else the name has it */
	const struct source *source = lock->place && run->regions[lock->region].name
					      ? &lock->place->source
					      : NULL;

	if (!source || !source->line)
		return name;
	return arena_printf(arena, "%s (%s%s:%d)", name, source->approximate ? "near " : "",
			    source->file && *source->file ? source->file : "?", source->line);
}

static void add_saturation(struct text *text, const struct lock_facts *lock)
{
	if (!isfinite(lock->saturation))
		return;
	text_add(text, ", and saturates at ");
	text_printf(text, lock->saturation < 9.95 ? "%.1f threads" : "%.0f threads",
		    lock->saturation);
}

static void add_handovers(struct text *text, const struct lock_facts *lock, bool whole)
{
	if (lock->threads < 2)
		text_add(text, "; one thread alone takes it");
	if (!(lock->handovers > 0) || !isfinite(lock->handover_ns))
		return;
	text_add(text, "; ");
	units_count(text, lock->handovers);
	text_printf(text, " times %s it goes to another thread, which takes ",
		    whole ? "in the run" : "a step");
	units_time(text, lock->handover_ns);
	text_add_plain(text, lock->handover_most ? " at most" : "");
}

/* The sentence's subject, with a blank behind it. */
static const char *subject(struct arena *arena, const struct run *run,
			   const struct lock_facts *lock, bool here)
{
	if (!here)
		return arena_printf(arena, "%s ", lock_facts_name(arena, run, lock));
	return run->regions[lock->region].name
		       ? arena_printf(arena, "%s ", finding_place(arena, run, lock->region))
		       : "";
}

const char *lock_facts_sentence(struct arena *arena, const struct run *run,
				const struct lock_facts *lock, bool here)
{
	struct text text;

	if (!lock)
		return NULL;
	text_init(&text, arena);
	text_printf(&text, "%sis held ", subject(arena, run, lock, here));
	units_time(&text, lock->hold_ns);
	text_add(&text, " each time, ");
	units_share(&text, lock->use);
	text_add(&text, " of the time");
	add_saturation(&text, lock);
	add_handovers(&text, lock, run->phase.method == PHASE_WHOLE_PROGRAM);
	text_add(&text, ".");
	return text.bytes;
}

void lock_facts_json(struct json *json, struct arena *arena, const struct run *run, size_t number,
		     const struct lock_facts *lock)
{
	const struct run_region *region = &run->regions[lock->region];
	const struct source *source = lock->place ? &lock->place->source : NULL;

	json_open(json, NULL, '{');
	json_unsigned(json, "run", number);
	json_unsigned(json, "region", lock->region);
	json_string(json, "name", region->name && *region->name ? region->name : NULL);
	json_string(json, "place", finding_place(arena, run, lock->region));
	json_string(json, "kind", lock->place ? ms_region_kind_name(lock->place->kind) : NULL);
	json_string(json, "function",
		    source && source->function && *source->function ? source->function : NULL);
	json_string(json, "file", source && source->file && *source->file ? source->file : NULL);
	json_number(json, "line", source && source->line ? source->line : NAN);
	json_unsigned(json, "places", lock->places);
	json_unsigned(json, "threads", lock->threads);
	json_number(json, "acquisitions", lock->acquisitions);
	json_number(json, "hold_ns", lock->hold_ns);
	json_number(json, "use", lock->use);
	json_number(json, "waiting_threads", lock->waiting);
	json_number(json, "handovers", lock->handovers);
	json_number(json, "handover_ns", lock->handover_ns);
	json_number(json, "saturation_threads", lock->saturation);
	json_close(json);
}
