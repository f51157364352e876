/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a trace to stride runs. */
#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "analysis/trace/trace_runs.h"

#include <string.h>

#include "analysis/trace/stretches.h"

#define EXPANDED 64                       /* lanes of one instruction */
#define TIMES_AT_ONCE ((uint64_t)1 << 16) /* bounds the time between two checks of the deadline */
#define GROUP_MAX 255                     /* struct stride_run */
#define WORD 8                            /* bytes of each access of memcpy, memmove, memset */

struct output {
	struct trace_runs *of;
	size_t nr;
};

void trace_runs_init(struct trace_runs *runs, struct trace *trace, runs_find *find, void *ctx)
{
	runs->trace = trace;
	runs->find = find;
	runs->ctx = ctx;
	runs->done = runs->skipped = 0;
	runs->range = 0;
	runs->at = runs->site = runs->piece = 0;
	trace_runs_forget(runs);
}

void trace_runs_forget(struct trace_runs *runs)
{
	memset(runs->known, 0, sizeof(runs->known));
}

/* ------------------------------------------------------------------ places */

/* A run of one access. `site` gives only the kind of access. */
static struct stride_run run_of(const struct runs_place *place, uint32_t number, uint64_t address,
				uint64_t bytes, const struct record_site *site)
{
	return (struct stride_run){
		.address = address + place->shift,
		.times = 1,
		.bytes = (uint32_t)bytes,
		.slot = place->slot,
		.site = number,
		.group = 1,
		.write = site->write,
		.is_float = site->is_float,
		.non_temporal = site->non_temporal,
	};
}

static void find_place(struct trace_runs *runs, uint32_t number, const struct record_site *site,
		       uint64_t address, struct runs_known *known)
{
	known->site = number;
	runs->find(runs->ctx, number, address, &known->place);
	known->run = run_of(&known->place, number, 0, site->size, site);
	known->terms = record_terms(site);
}

/* Valid until the next call. Called at the access, so that blocks get places in program order. */
static const struct runs_known *known_of(struct trace_runs *runs, uint32_t number,
					 const struct record_site *site, uint64_t address)
{
	struct runs_known *known = &runs->known[number % RUNS_PLACES];

	if (known->site != number ||
	    address - known->place.low >= known->place.high - known->place.low)
		find_place(runs, number, site, address, known);
	return known;
}

/* The number of accesses by `stride`, at most `times`, that begin in the place. */
static uint64_t times_within(const struct runs_place *place, uint64_t address, int64_t stride,
			     uint64_t times)
{
	uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
	uint64_t room = stride < 0 ? address - place->low : place->high - 1 - address, way;

	if (!step || (!__builtin_mul_overflow(step, times - 1, &way) && way <= room))
		return times;
	return room / step + 1;
}

/* ------------------------------------------------------------------ single accesses */

static bool has_room(const struct output *out, size_t nr)
{
	return out->nr + nr <= RUNS_AT_ONCE;
}

static void put(struct output *out, const struct stride_run *run)
{
	out->of->runs[out->nr++] = *run;
}

/* A range of elements from `runs->range` bytes on, one run per place; false: more runs follow. */
static bool put_range(struct output *out, uint32_t number, const struct record_access *range,
		      uint64_t size, const struct record_site *site)
{
	uint64_t *done = &out->of->range;

	while (*done < range->bytes) {
		uint64_t left = range->bytes - *done, each = size < left ? size : left,
			 address = range->address + *done;
		const struct runs_place *place;
		struct stride_run run;

		if (!has_room(out, 1))
			return false;
		place = &known_of(out->of, number, site, address)->place;
		run = run_of(place, number, address, each, site);
		run.stride = (int64_t)each;
		run.times = times_within(place, address, (int64_t)each, left / each);
		put(out, &run);
		*done += run.times * each;
	}
	*done = 0;
	return true;
}

static bool put_expanded(struct output *out, uint32_t number, const struct record_site *site,
			 const uint64_t *stretch)
{
	struct record_access accesses[EXPANDED];
	size_t nr = record_expand(site, stretch, accesses, EXPANDED);
	uint32_t *piece = &out->of->piece;

	out->of->skipped += !nr && record_is_too_long(site, stretch);
	for (; *piece < nr && *piece < EXPANDED; ++*piece) {
		if (!site->size)
			out->of->skipped++;
		else if (!put_range(out, number, &accesses[*piece], site->size, site))
			return false;
	}
	*piece = 0;
	return true;
}

struct alike {
	const uint64_t *words;
	uint32_t period, times;
}; /* a stretch and its repetitions */

/*
 * One site of all repetitions, every `step`-th run from `to` on. Returns the accesses until it
 * leaves its place.
 */
static uint32_t put_column(struct stride_run *to, size_t step, const struct alike *alike,
			   const struct runs_known *known)
{
	const struct record_terms terms = known->terms;
	const uint64_t *base = alike->words + terms.base, *index = alike->words + terms.index;
	const uint64_t base_times = terms.base_times, index_times = terms.index_times,
		       origin = terms.constant - known->place.low;
	const uint64_t bytes = known->place.high - known->place.low,
		       start = known->place.low + known->place.shift;
	const struct stride_run run = known->run;
	uint32_t i;

	for (i = 0; i < alike->times;
	     i++, base += alike->period, index += alike->period, to += step) {
		uint64_t offset = *base * base_times + *index * index_times + origin;

		if (offset >= bytes)
			break;
		*to = run;
		to->address = start + offset;
	}
	return i;
}

/* Repetitions within `nr` words that fit into the output. */
static uint32_t times_alike(const struct output *out, const uint64_t *words, uint32_t nr,
			    const struct record_stretch *row)
{
	uint32_t period = 1 + row->words, room = RUNS_AT_ONCE - (uint32_t)out->nr, times = 0;

	for (; nr >= period && room >= row->nr_sites && words[times * period] == words[0];
	     nr -= period, room -= row->nr_sites)
		times++;
	return times;
}

/*
 * A plain stretch and its repetitions, up to the first access that leaves its place; returns their
 * words. Converted site by site, which takes half the time.
 */
static uint32_t put_alike(struct output *out, const uint64_t *words, uint32_t nr,
			  const struct record_stretch *row)
{
	struct alike alike = { words, 1 + row->words, times_alike(out, words, nr, row) };
	const struct record_site *site = row->nr_sites ? record_site(row->first_site) : NULL;
	struct stride_run *to = out->of->runs + out->nr;

	for (uint32_t i = 0, number = row->first_site; alike.times && i < row->nr_sites;
	     i++, site = record_next_site(site, ++number))
		alike.times = put_column(
			to + i, row->nr_sites, &alike,
			known_of(out->of, number, site, record_address(site, words)));
	out->nr += alike.times * row->nr_sites;
	return alike.times * alike.period;
}

static bool put_site(struct output *out, uint32_t number, const struct record_site *site,
		     const uint64_t *stretch)
{
	uint64_t address = record_address(site, stretch);
	const struct runs_known *known;
	struct stride_run *run;

	if (site->access != CODE_ACCESS_PLAIN)
		return put_expanded(out, number, site, stretch);
	if (!has_room(out, 1))
		return false;
	known = known_of(out->of, number, site, address);
	run = &out->of->runs[out->nr++];
	*run = known->run;
	run->address = address + known->place.shift;
	return true;
}

/* The reads of memcpy, memmove, memset, then their writes. */
static bool put_moved(struct output *out, const uint64_t *stretch)
{
	const struct record_access moved[] = {
		{ .address = stretch[2], .bytes = stretch[2] ? stretch[3] : 0 },
		{ .address = stretch[1], .bytes = stretch[1] ? stretch[3] : 0 },
	};
	static const struct record_site reads = { .read = true }, writes = { .write = true };
	uint32_t *piece = &out->of->piece;

	if (stretch[3] > RECORD_BYTES_MOST) {
		out->of->skipped++;
		return true;
	}
	for (; *piece < 2; ++*piece)
		if (!put_range(out, RUNS_NO_SITE, &moved[*piece], WORD, *piece ? &writes : &reads))
			return false;
	*piece = 0;
	return true;
}

/* From site `*site` on; false: the output is full. */
static bool put_stretch(struct output *out, const uint64_t *stretch,
			const struct record_stretch *row, uint32_t *site)
{
	uint32_t number = row->first_site + *site;
	const struct record_site *now = *site < row->nr_sites ? record_site(number) : NULL;

	if (row->event == RECORD_RANGE && !put_moved(out, stretch))
		return false;
	for (; *site < row->nr_sites; ++*site, now = record_next_site(now, ++number))
		if (!put_site(out, number, now, stretch))
			return false;
	*site = 0;
	return true;
}

/* False: not all of it yet. */
static bool put_words(struct output *out, const uint64_t *words, uint32_t nr)
{
	struct trace_runs *runs = out->of;

	while (runs->at < nr) {
		const struct record_stretch *row = record_stretch(words[runs->at]);
		uint32_t alike;

		if (!row || row->words >= nr - runs->at) {
			runs->skipped++;
			break;
		}
		alike = runs->site || !row->plain
				? 0
				: put_alike(out, &words[runs->at], nr - runs->at, row);
		if (!alike && !put_stretch(out, &words[runs->at], row, &runs->site))
			return false;
		runs->at += alike ? alike : 1 + row->words;
	}
	runs->at = runs->site = 0;
	return true;
}

/* ------------------------------------------------------------------ loops */

/* The runs of all sites of the period; 0: they cannot form one group. */
static uint32_t group_of(const struct trace_entry *entry)
{
	uint32_t nr = 0;

	for (uint32_t at = 0; at < entry->nr;) {
		const struct record_stretch *row = record_stretch(entry->words[at]);

		if (!row->plain)
			return 0;
		nr += row->nr_sites;
		at += 1 + row->words;
	}
	return nr <= GROUP_MAX ? nr : 0;
}

static int64_t stride_of(const struct record_site *site, const uint64_t *amounts)
{
	return (int64_t)(record_address(site, amounts) - (uint64_t)site->displacement);
}

/*
 * One run per site, from iteration `runs->done` on; returns the iterations in which none leaves its
 * place.
 */
static uint64_t put_group(struct output *out, const struct trace_entry *entry, uint32_t nr)
{
	struct trace_runs *runs = out->of;
	uint64_t left = entry->times - runs->done,
		 times = left < TIMES_AT_ONCE ? left : TIMES_AT_ONCE;
	size_t first = out->nr;

	for (uint32_t at = 0; at < entry->nr; at += 1 + record_stretch(entry->words[at])->words) {
		const struct record_stretch *row = record_stretch(entry->words[at]);

		const struct record_site *site = row->nr_sites ? record_site(row->first_site)
							       : NULL;

		for (uint32_t number = row->first_site; number < row->first_site + row->nr_sites;
		     site = record_next_site(site, ++number)) {
			int64_t stride = stride_of(site, &entry->amounts[at]);
			uint64_t address = record_address(site, &entry->words[at]) +
					   runs->done * (uint64_t)stride;
			const struct runs_known *known = known_of(runs, number, site, address);
			struct stride_run *run = &runs->runs[out->nr++];

			times = times_within(&known->place, address, stride, times);
			*run = known->run;
			run->address = address + known->place.shift;
			run->stride = stride;
			run->group = 0;
		}
	}
	for (size_t i = first; i < out->nr; i++)
		runs->runs[i].times = times;
	runs->runs[first].group = (uint8_t)nr;
	return times;
}

/* False: not all of it yet. */
static bool put_together(struct output *out, const struct trace_entry *entry, uint32_t nr)
{
	while (out->of->done < entry->times) {
		if (!has_room(out, nr))
			return false;
		out->of->done += put_group(out, entry, nr);
	}
	return true;
}

static bool put_one_by_one(struct output *out, const struct trace_entry *entry)
{
	struct trace_runs *runs = out->of;

	for (; runs->done < entry->times; runs->done++) {
		for (uint32_t i = 0; i < entry->nr; i++)
			runs->words[i] = entry->words[i] + runs->done * entry->amounts[i];
		if (!put_words(out, runs->words, entry->nr))
			return false;
	}
	return true;
}

static bool put_again(struct output *out, const struct trace_entry *entry)
{
	uint32_t nr = group_of(entry);

	if (!(nr ? put_together(out, entry, nr) : put_one_by_one(out, entry)))
		return false;
	out->of->done = 0;
	return true;
}

size_t trace_runs_next(void *ctx, const struct stride_run **out)
{
	struct trace_runs *runs = ctx;
	struct output output = { runs, 0 };
	struct trace_entry entry;

	*out = runs->runs;
	while (trace_look(runs->trace, &entry) && entry.kind != TRACE_MARK) {
		if (!(entry.kind == TRACE_AGAIN ? put_again(&output, &entry)
						: put_words(&output, entry.words, entry.nr)))
			break;
		trace_take(runs->trace);
	}
	return output.nr;
}
