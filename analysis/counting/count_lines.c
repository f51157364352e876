/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the lines of teams for each execution of a construct. */
#include "analysis/base/arena.h"
#include "analysis/base/reserve.h"
#include "analysis/counting/count_private.h"
#include "analysis/trace/trace_reader.h"

/* ------------------------------------------------------------------ sets */

static uint32_t meet(struct counting *counting, struct counted_thread *thread,
		     const struct lines_key *key)
{
	uint32_t *times = pair_map_value(counting->scratch, &thread->met, key->team, key->region);

	return times ? (*times)++ : UINT32_MAX;
}

/* Sets are large and mostly empty. */
static struct lines_set *take_set(struct counted_thread *thread)
{
	struct lines_set *set = thread->free_sets;

	if (!thread->pool)
		thread->pool = reserve(sizeof(*thread->pool));
	if (!set && thread->pool)
		set = reserve(sizeof(*set));
	else if (set)
		thread->free_sets = set->next_free;
	return set;
}

struct lines_set *count_lines_begin(struct counting *counting, struct counted_thread *thread,
				    struct lines_key key, uint32_t threads)
{
	struct lines_set *set = take_set(thread);

	key.nth = meet(counting, thread, &key);
	if (!set)
		return NULL;
	set->of.lines.pool = thread->pool;
	compared_clear(&set->of);
	set->key = key;
	set->thread = thread;
	set->threads = threads;
	return set;
}

void count_lines_free(struct lines_set *set)
{
	compared_clear(&set->of);
	set->next_free = set->thread->free_sets;
	set->thread->free_sets = set;
}

/* ------------------------------------------------------------------ results by region */

/* NULL: no memory. */
static struct counted_sharing *sharing_of(struct counting *counting, uint32_t region)
{
	while (counting->nr_sharings <= region) {
		if (!ARENA_GROW(counting->scratch, counting->sharings, counting->nr_sharings,
				counting->room_sharings)) {
			counting->rows.failed = true;
			return NULL;
		}
		counting->sharings[counting->nr_sharings++] = (struct counted_sharing){
			.lines = 0
		};
	}
	return &counting->sharings[region];
}

void count_lines_unknown(struct counting *counting, uint32_t region)
{
	struct counted_sharing *sharing = sharing_of(counting, region);

	if (sharing)
		sharing->unknown = true;
}

static void tell_array(struct counting *counting, uint32_t thread, const struct compared_array *row)
{
	struct counted_sharing *sharing = sharing_of(counting, row->region);

	if (!sharing)
		return;
	sharing->lines += row->lines;
	sharing->same_lines += row->same_lines;
	sharing->executions += row->executions;
	sharing->accesses += row->accesses;
	sharing->threads += row->accesses > 0;
	count_add(counting, row->region, thread, MS_METRIC_FALSELY_SHARED, (double)row->accesses,
		  1);
}

static void tell(struct counting *counting, const struct lines_set *set, bool known)
{
	uint64_t accesses = 0;

	for (uint32_t i = 0; i < set->of.nr_arrays; i++) {
		accesses += set->of.arrays[i].accesses;
		if (known)
			tell_array(counting, set->thread->number, &set->of.arrays[i]);
		else
			count_lines_unknown(counting, set->of.arrays[i].region);
	}
	if (!known) {
		count_lines_unknown(counting, set->key.region);
		return;
	}
	count_add(counting, set->key.region, set->thread->number, MS_METRIC_FALSELY_SHARED,
		  (double)accesses, 1);
	count_add(counting, set->key.region, set->thread->number, MS_METRIC_TOUCHED_LINES,
		  (double)set->of.touched, 1);
}

/* ------------------------------------------------------------------ comparing */

static bool place_at(void *ctx, uint64_t address, struct array_place *out)
{
	const struct counting *counting = ctx;

	if (!trace_reader_place(counting->reader, counting->execution, address, counting->now,
				UINT64_MAX, out))
		return false;
	trace_reader_narrow(counting->reader, address, out);
	return true;
}

static void free_all(struct lines_waiting *waiting)
{
	for (struct lines_set *set = waiting->first, *next; set; set = next) {
		next = set->next;
		set->thread->waiting--;
		count_lines_free(set);
	}
	*waiting = (struct lines_waiting){ .first = NULL };
}

static void compare_all(struct counting *counting, struct lines_waiting *waiting)
{
	bool known;

	counting->comparison.place = place_at;
	counting->comparison.ctx = counting;
	for (struct lines_set *set = waiting->first; set; set = set->next)
		set->of.next = set->next ? &set->next->of : NULL;
	known = compare_lines(&counting->comparison, &waiting->first->of);
	for (struct lines_set *set = waiting->first; set; set = set->next)
		tell(counting, set, known);
	free_all(waiting);
}

/* Sorted by thread, so that results do not depend on the order of ends. */
static void insert(struct lines_waiting *waiting, struct lines_set *set)
{
	struct lines_set **at = &waiting->first;

	while (*at && (*at)->thread->number < set->thread->number)
		at = &(*at)->next;
	set->next = *at;
	*at = set;
	waiting->nr++;
	set->thread->waiting++;
}

static struct lines_waiting *waiting_of(struct counting *counting, const struct lines_key *key)
{
	uint32_t *position = pair_map_value(counting->scratch, &counting->waiting_index,
					    (uint64_t)key->team << 32 | key->region, key->nth);

	if (!position)
		return NULL;
	if (!*position) {
		if (!ARENA_GROW(counting->scratch, counting->waiting, counting->nr_waiting,
				counting->room_waiting))
			return NULL;
		counting->waiting[counting->nr_waiting++] = (struct lines_waiting){ .first = NULL };
		*position = (uint32_t)counting->nr_waiting;
	}
	return &counting->waiting[*position - 1];
}

void count_lines_end(struct counting *counting, struct lines_set *set, bool whole)
{
	struct lines_waiting *waiting = whole ? waiting_of(counting, &set->key) : NULL;

	if (!waiting) {
		count_lines_free(set);
		return;
	}
	line_set_close(&set->of.lines);
	insert(waiting, set);
	if (waiting->nr == set->threads)
		compare_all(counting, waiting);
}

void count_lines_forget(struct counting *counting)
{
	for (size_t i = 0; i < counting->nr_waiting; i++) {
		counting->not_compared += counting->waiting[i].nr > 0 && !counting->cut;
		free_all(&counting->waiting[i]);
	}
	counting->nr_waiting = 0;
	counting->waiting_index = (struct pair_map){ 0 };
	for (uint32_t i = 0; i < counting->streams->threads; i++)
		counting->threads[i].met = (struct pair_map){ 0 };
}

/* ------------------------------------------------------------------ into the run */

static void put_unknown(struct counting *counting, uint32_t region)
{
	static const enum ms_metric of_lines[] = { MS_METRIC_FALSELY_SHARED,
						   MS_METRIC_TOUCHED_LINES };
	struct run *run = counting->run;

	for (size_t i = 0; i < sizeof(of_lines) / sizeof(of_lines[0]); i++)
		if (ARENA_GROW(counting->arena, run->missing, run->nr_missing, run->room_missing))
			run->missing[run->nr_missing++] = (struct run_missing){
				region, of_lines[i], MS_MISSING_UNCOVERED
			};
}

void count_lines_put(struct counting *counting)
{
	struct run *run = counting->run;

	for (uint32_t region = 0; region < counting->nr_sharings; region++) {
		const struct counted_sharing *sums = &counting->sharings[region];

		if (sums->unknown && sums->executions)
			put_unknown(counting, region);
		if (!sums->executions || run->regions[region].kind != MS_DATA_STRUCTURE ||
		    !ARENA_GROW(counting->arena, run->sharings, run->nr_sharings,
				run->room_sharings))
			continue;
		run->sharings[run->nr_sharings++] = (struct run_sharing){
			.array = run_region_array(&run->regions[region]),
			.region = run->regions[region].parent,
			.executions = sums->executions,
			.lines = sums->lines,
			.same_lines = sums->same_lines,
			.accesses = sums->accesses,
			.threads = sums->threads,
		};
	}
}
