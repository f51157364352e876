/* SPDX-License-Identifier: Apache-2.0 */
/* Traces as walks. */
#include "analysis/trace/walks.h"

#include <string.h>

#include "analysis/trace/stretches.h"

#define EXPANDED 64                      /* lanes of one instruction */
#define TIMES_AT_ONCE ((uint64_t)1 << 16) /* so that who takes walks sees the time now and then */
#define GROUP_MAX 255                    /* struct simulator_walk */
#define WORD 8                           /* memcpy and the like move so many bytes at once */

struct output { struct trace_walks *of; size_t nr; };

void trace_walks_init(struct trace_walks *walks, struct trace *trace, walks_find *find, void *ctx)
{
	walks->trace = trace;
	walks->find = find;
	walks->ctx = ctx;
	walks->done = walks->skipped = 0;
	walks->range = 0;
	walks->at = walks->site = walks->piece = 0;
	trace_walks_forget(walks);
}

void trace_walks_forget(struct trace_walks *walks)
{
	memset(walks->known, 0, sizeof(walks->known));
}

/* ------------------------------------------------------------------ places */

/* One time. Of the site it is only how it accesses. */
static struct simulator_walk walk_of(const struct walks_place *place, uint32_t number, uint64_t address, uint64_t bytes, const struct record_site *site)
{
	return (struct simulator_walk){
		.address = address + place->shift, .times = 1, .bytes = (uint32_t)bytes, .slot = place->slot, .site = number, .group = 1,
		.write = site->write, .is_float = site->is_float, .non_temporal = site->non_temporal,
	};
}

static void find_place(struct trace_walks *walks, uint32_t number, const struct record_site *site, uint64_t address, struct walks_known *known)
{
	known->site = number;
	walks->find(walks->ctx, number, address, &known->place);
	known->walk = walk_of(&known->place, number, 0, site->size, site);
	known->terms = record_terms(site);
}

/* Until the next one. Asked for when its access comes, so that places are found in the order of the program. */
static const struct walks_known *known_of(struct trace_walks *walks, uint32_t number, const struct record_site *site, uint64_t address)
{
	struct walks_known *known = &walks->known[number % WALKS_PLACES];

	if (known->site != number || address - known->place.low >= known->place.high - known->place.low)
		find_place(walks, number, site, address, known);
	return known;
}

/* How often, at most `times`, one can go on by `stride` and begin in the place still. */
static uint64_t times_within(const struct walks_place *place, uint64_t address, int64_t stride, uint64_t times)
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
	return out->nr + nr <= WALKS_AT_ONCE;
}

static void put(struct output *out, const struct simulator_walk *walk)
{
	out->of->walks[out->nr++] = *walk;
}

/* A range of elements from `walks->range` bytes on, in as many walks as it has places; false: not all of it yet. */
static bool put_range(struct output *out, uint32_t number, const struct record_access *range, uint64_t size, const struct record_site *site)
{
	uint64_t *done = &out->of->range;

	while (*done < range->bytes) {
		uint64_t left = range->bytes - *done, each = size < left ? size : left, address = range->address + *done;
		const struct walks_place *place;
		struct simulator_walk walk;

		if (!has_room(out, 1))
			return false;
		place = &known_of(out->of, number, site, address)->place;
		walk = walk_of(place, number, address, each, site);
		walk.stride = (int64_t)each;
		walk.times = times_within(place, address, (int64_t)each, left / each);
		put(out, &walk);
		*done += walk.times * each;
	}
	*done = 0;
	return true;
}

static bool put_expanded(struct output *out, uint32_t number, const struct record_site *site, const uint64_t *stretch)
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

struct alike { const uint64_t *words; uint32_t period, times; }; /* a stretch and those behind it that are the same */

/* One site of them all, every `step`-th walk from `to` on; how often until it leaves its place. */
static uint32_t put_column(struct simulator_walk *to, size_t step, const struct alike *alike, const struct walks_known *known)
{
	const struct record_terms terms = known->terms;
	const uint64_t *base = alike->words + terms.base, *index = alike->words + terms.index;
	const uint64_t base_times = terms.base_times, index_times = terms.index_times, origin = terms.constant - known->place.low;
	const uint64_t bytes = known->place.high - known->place.low, start = known->place.low + known->place.shift;
	const struct simulator_walk walk = known->walk;
	uint32_t i;

	for (i = 0; i < alike->times; i++, base += alike->period, index += alike->period, to += step) {
		uint64_t offset = *base * base_times + *index * index_times + origin;

		if (offset >= bytes)
			break;
		*to = walk;
		to->address = start + offset;
	}
	return i;
}

/* As many as there are, within `nr` words, and find room. */
static uint32_t times_alike(const struct output *out, const uint64_t *words, uint32_t nr, const struct record_stretch *row)
{
	uint32_t period = 1 + row->words, room = WALKS_AT_ONCE - (uint32_t)out->nr, times = 0;

	for (; nr >= period && room >= row->nr_sites && words[times * period] == words[0]; nr -= period, room -= row->nr_sites)
		times++;
	return times;
}

/*
 * The stretch, which is plain, and those behind it that are the same; how many words they are. Site by site, as that takes half the time; it ends
 * where one of them leaves its place.
 */
static uint32_t put_alike(struct output *out, const uint64_t *words, uint32_t nr, const struct record_stretch *row)
{
	struct alike alike = { words, 1 + row->words, times_alike(out, words, nr, row) };
	const struct record_site *site = row->nr_sites ? record_site(row->first_site) : NULL;
	struct simulator_walk *to = out->of->walks + out->nr;

	for (uint32_t i = 0, number = row->first_site; alike.times && i < row->nr_sites; i++, site = record_next_site(site, ++number))
		alike.times = put_column(to + i, row->nr_sites, &alike, known_of(out->of, number, site, record_address(site, words)));
	out->nr += alike.times * row->nr_sites;
	return alike.times * alike.period;
}

static bool put_site(struct output *out, uint32_t number, const struct record_site *site, const uint64_t *stretch)
{
	uint64_t address = record_address(site, stretch);
	const struct walks_known *known;
	struct simulator_walk *walk;

	if (site->access != CODE_ACCESS_PLAIN)
		return put_expanded(out, number, site, stretch);
	if (!has_room(out, 1))
		return false;
	known = known_of(out->of, number, site, address);
	walk = &out->of->walks[out->nr++];
	*walk = known->walk;
	walk->address = address + known->place.shift;
	return true;
}

/* What memcpy and the like read, and then what they write. */
static bool put_moved(struct output *out, const uint64_t *stretch)
{
	const struct record_access moved[] = {
		{ .address = stretch[2], .bytes = stretch[2] ? stretch[3] : 0 }, { .address = stretch[1], .bytes = stretch[1] ? stretch[3] : 0 },
	};
	static const struct record_site reads = { .read = true }, writes = { .write = true };
	uint32_t *piece = &out->of->piece;

	if (stretch[3] > RECORD_BYTES_MOST) {
		out->of->skipped++;
		return true;
	}
	for (; *piece < 2; ++*piece)
		if (!put_range(out, WALKS_NO_SITE, &moved[*piece], WORD, *piece ? &writes : &reads))
			return false;
	*piece = 0;
	return true;
}

/* From site `*site` on; false: no room for more now. */
static bool put_stretch(struct output *out, const uint64_t *stretch, const struct record_stretch *row, uint32_t *site)
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
	struct trace_walks *walks = out->of;

	while (walks->at < nr) {
		const struct record_stretch *row = record_stretch(words[walks->at]);
		uint32_t alike;

		if (!row || row->words >= nr - walks->at) {
			walks->skipped++;
			break;
		}
		alike = walks->site || !row->plain ? 0 : put_alike(out, &words[walks->at], nr - walks->at, row);
		if (!alike && !put_stretch(out, &words[walks->at], row, &walks->site))
			return false;
		walks->at += alike ? alike : 1 + row->words;
	}
	walks->at = walks->site = 0;
	return true;
}

/* ------------------------------------------------------------------ loops */

/* How many walks all sites of the period are together; 0: they cannot go on together. */
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

/* One walk a site, `walks->done` times on; returns how many times all of them can go on. */
static uint64_t put_group(struct output *out, const struct trace_entry *entry, uint32_t nr)
{
	struct trace_walks *walks = out->of;
	uint64_t left = entry->times - walks->done, times = left < TIMES_AT_ONCE ? left : TIMES_AT_ONCE;
	size_t first = out->nr;

	for (uint32_t at = 0; at < entry->nr; at += 1 + record_stretch(entry->words[at])->words) {
		const struct record_stretch *row = record_stretch(entry->words[at]);

		const struct record_site *site = row->nr_sites ? record_site(row->first_site) : NULL;

		for (uint32_t number = row->first_site; number < row->first_site + row->nr_sites; site = record_next_site(site, ++number)) {
			int64_t stride = stride_of(site, &entry->amounts[at]);
			uint64_t address = record_address(site, &entry->words[at]) + walks->done * (uint64_t)stride;
			const struct walks_known *known = known_of(walks, number, site, address);
			struct simulator_walk *walk = &walks->walks[out->nr++];

			times = times_within(&known->place, address, stride, times);
			*walk = known->walk;
			walk->address = address + known->place.shift;
			walk->stride = stride;
			walk->group = 0;
		}
	}
	for (size_t i = first; i < out->nr; i++)
		walks->walks[i].times = times;
	walks->walks[first].group = (uint8_t)nr;
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
	struct trace_walks *walks = out->of;

	for (; walks->done < entry->times; walks->done++) {
		for (uint32_t i = 0; i < entry->nr; i++)
			walks->words[i] = entry->words[i] + walks->done * entry->amounts[i];
		if (!put_words(out, walks->words, entry->nr))
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

size_t trace_walks_next(void *ctx, const struct simulator_walk **out)
{
	struct trace_walks *walks = ctx;
	struct output output = { walks, 0 };
	struct trace_entry entry;

	*out = walks->walks;
	while (trace_look(walks->trace, &entry) && entry.kind != TRACE_MARK) {
		if (!(entry.kind == TRACE_AGAIN ? put_again(&output, &entry) : put_words(&output, entry.words, entry.nr)))
			break;
		trace_take(walks->trace);
	}
	return output.nr;
}
