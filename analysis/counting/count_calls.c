/* SPDX-License-Identifier: Apache-2.0 */
/* What constructs access on each path of calls that leads to them. */
#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/counting/count_private.h"

/*
 * Only calls with other data are regions: an array has this share of the bytes of one call, and at most
 * that part of it in another.
 */
#define SHARE_LEAST 0.05
#define SHARE_OTHER 0.1

#define OF_ALL 0u /* whatever the array; else array + 1 */

/* ------------------------------------------------------------------ while it counts */

/* NULL: no memory. */
static struct counted_call *call_of(struct counting *counting, const struct counted_call *key)
{
	struct counted_calls *calls = &counting->calls;
	uint32_t *number = pair_map_value(counting->scratch, &calls->index,
					  (uint64_t)key->construct << 32 | key->call,
					  (uint64_t)key->thread << 32 | key->data);

	if (number && !*number &&
	    ARENA_GROW(counting->scratch, calls->items, calls->nr, calls->room)) {
		calls->items[calls->nr++] = *key;
		*number = (uint32_t)calls->nr;
	}
	counting->rows.failed |= !number || !*number;
	return number && *number ? &calls->items[*number - 1] : NULL;
}

static bool is_of_array(const struct counting *counting, const struct access_sum *sum)
{
	return sum->array < counting->run->nr_arrays && (sum->counts.reads || sum->counts.writes);
}

void count_calls_note(struct counting *counting, const struct counted_thread *thread,
		      const struct open_construct *of, const struct access_sum *first)
{
	for (const struct access_sum *sum = of->call ? first : NULL; sum;
	     sum = access_table_next(thread->table, sum)) {
		struct counted_call key = { .construct = of->region,
					    .call = of->call,
					    .data = sum == first ? OF_ALL : sum->array + 1,
					    .thread = thread->number,
					    .region = MS_REGION_NONE };
		struct counted_call *call = NULL;

		if (!sum->loop && (sum == first || is_of_array(counting, sum)))
			call = call_of(counting, &key);
		if (!call)
			continue;
		access_counts_add(&call->counts, &sum->counts);
		call->executions++;
	}
}

/* ------------------------------------------------------------------ calls with data of their own */

/* One call of the construct at hand: bytes of all its data, and of the array at hand. */
struct call_bytes {
	uint32_t call;
	double all, array;
};

struct comparing {
	struct call_bytes *items;
	size_t nr, room;
};

static double bytes_of(const struct counted_call *call)
{
	return (double)call->counts.read_bytes + (double)call->counts.written_bytes;
}

static int compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_construct_and_data(const void *a, const void *b)
{
	const struct counted_call *one = a, *other = b;
	int order = compare(one->construct, other->construct);

	order = order ? order : compare(one->data, other->data);
	order = order ? order : compare(one->call, other->call);
	return order ? order : compare(one->thread, other->thread);
}

static struct call_bytes *bytes_of_call(struct comparing *calls, uint32_t call)
{
	for (size_t i = 0; i < calls->nr; i++)
		if (calls->items[i].call == call)
			return &calls->items[i];
	return NULL;
}

static void add_bytes(struct counting *counting, struct comparing *calls,
		      const struct counted_call *of)
{
	struct call_bytes *bytes = bytes_of_call(calls, of->call);

	if (!bytes && ARENA_GROW(counting->scratch, calls->items, calls->nr, calls->room)) {
		bytes = &calls->items[calls->nr++];
		*bytes = (struct call_bytes){ .call = of->call };
	}
	counting->rows.failed |= !bytes;
	if (bytes && of->data == OF_ALL)
		bytes->all += bytes_of(of);
	else if (bytes)
		bytes->array += bytes_of(of);
}

/* Whether the array at hand is one of some calls only; forgets its bytes. */
static bool is_of_some_calls(struct comparing *calls)
{
	double most = 0, least = 1;

	for (size_t i = 0; i < calls->nr; i++) {
		struct call_bytes *of = &calls->items[i];
		double share = of->all > 0 ? of->array / of->all : 0;

		most = share > most ? share : most;
		least = share < least ? share : least;
		of->array = 0;
	}
	return most >= SHARE_LEAST && least <= SHARE_OTHER * most;
}

static bool is_own_data(const struct counting *counting, const struct counted_call *of)
{
	return of->data != OF_ALL && !run_array_is_stack(&counting->run->arrays[of->data - 1]);
}

/* From `first` on, of one construct: [first, end). */
static bool have_own_data(struct counting *counting, struct comparing *calls,
			  const struct counted_call *first, const struct counted_call *end)
{
	bool have = false;

	calls->nr = 0;
	for (const struct counted_call *of = first; of < end; of++) {
		add_bytes(counting, calls, of);
		if (of + 1 == end || of[1].data != of->data)
			have |= is_own_data(counting, of) && is_of_some_calls(calls);
	}
	return have && calls->nr > 1;
}

/* ------------------------------------------------------------------ into the run */

/* MS_REGION_NONE: no memory. */
static uint32_t region_of(struct counting *counting, const struct counted_call *of)
{
	uint32_t region = count_rows_call(&counting->rows, of->construct, of->call);

	return region == MS_REGION_NONE || of->data == OF_ALL
		       ? region
		       : count_rows_array(&counting->rows, region, of->data - 1);
}

static void put_call(struct counting *counting, struct counted_call *of)
{
	uint32_t region = region_of(counting, of);

	of->region = region;
	if (region != MS_REGION_NONE)
		count_add_counts(counting, region, of->thread, &of->counts, of->executions);
}

/* An array's pages were touched first by the same threads, whatever the call. */
static void put_first_touches(struct counting *counting, uint32_t construct, uint32_t array,
			      const struct run_measurement *touched)
{
	const struct counted_calls *calls = &counting->calls;
	struct run *run = counting->run;
	uint32_t last = MS_REGION_NONE;

	for (const struct counted_call *of = calls->items; of < calls->items + calls->nr; of++) {
		if (of->construct != construct || of->data != array + 1 ||
		    of->region == MS_REGION_NONE || of->region == last)
			continue;
		last = of->region;
		if (!ARENA_GROW(counting->arena, run->measurements, run->nr_measurements,
				run->room_measurements)) {
			counting->rows.failed = true;
			return;
		}
		run->measurements[run->nr_measurements] = *touched;
		run->measurements[run->nr_measurements++].row.region = last;
	}
}

void count_calls_end(struct counting *counting)
{
	const struct run *run = counting->run;
	size_t nr = counting->calls.nr ? run->nr_measurements : 0;

	for (size_t i = 0; i < nr; i++) {
		const struct run_measurement touched = run->measurements[i];
		const struct run_region *data = touched.row.metric == MS_METRIC_FIRST_TOUCHED
							? &run->regions[touched.row.region]
							: NULL;

		if (data && run_region_array(data) < run->nr_arrays)
			put_first_touches(counting, data->parent, run_region_array(data), &touched);
	}
}

void count_calls_put(struct counting *counting)
{
	struct counted_calls *calls = &counting->calls;
	struct counted_call *first = calls->items, *last = calls->items + calls->nr, *end;
	struct comparing comparing = { 0 };

	if (calls->nr)
		sort(calls->items, calls->nr, sizeof(*calls->items), by_construct_and_data);
	for (; first < last; first = end) {
		for (end = first + 1; end < last && end->construct == first->construct; end++)
			;
		if (!have_own_data(counting, &comparing, first, end))
			continue;
		for (struct counted_call *of = first; of < end; of++)
			put_call(counting, of);
	}
}
