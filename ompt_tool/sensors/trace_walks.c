/* SPDX-License-Identifier: Apache-2.0 */
/* Traces as walks. */
#include "ompt_tool/sensors/trace_walks.h"

#include <string.h>

#include "ompt_tool/clones/record.h"
#include "ompt_tool/code/code.h"

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
	memset(walks->places, 0, sizeof(walks->places));
}

/* ------------------------------------------------------------------ places */

/* Until the next one. Asked for when its access comes, so that places are found in the order of the program. */
static const struct walks_place *place_of(struct trace_walks *walks, uint32_t site, uint64_t address)
{
	struct walks_place *place = &walks->places[site % WALKS_PLACES].place;

	if (walks->places[site % WALKS_PLACES].site == site && address - place->low < place->high - place->low)
		return place;
	walks->places[site % WALKS_PLACES].site = site;
	walks->find(walks->ctx, site, address, place);
	return place;
}

/* How often, at most `times`, one can go on by `stride` and begin in the place still. */
static uint64_t times_within(const struct walks_place *place, uint64_t address, int64_t stride, uint64_t times)
{
	uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
	uint64_t room = stride < 0 ? address - place->low : place->high - 1 - address;

	if (!step || room / step >= times - 1)
		return times;
	return room / step + 1;
}

/* One time. Of the site it is only how it accesses. */
static struct simulator_walk walk_of(const struct walks_place *place, uint32_t number, uint64_t address, uint64_t bytes, const struct record_site *site)
{
	return (struct simulator_walk){
		.address = address + place->shift, .times = 1, .bytes = (uint32_t)bytes, .slot = place->slot, .site = number, .group = 1,
		.write = site->write, .is_float = site->is_float, .non_temporal = site->non_temporal,
	};
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
		place = place_of(out->of, number, address);
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

static bool put_site(struct output *out, uint32_t number, const struct record_site *site, const uint64_t *stretch)
{
	uint64_t address = record_address(site, stretch);
	struct simulator_walk walk;

	if (site->access != CODE_ACCESS_PLAIN)
		return put_expanded(out, number, site, stretch);
	if (!has_room(out, 1))
		return false;
	walk = walk_of(place_of(out->of, number, address), number, address, site->size, site);
	put(out, &walk);
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

		if (!row || row->words >= nr - walks->at) {
			walks->skipped++;
			break;
		}
		if (!put_stretch(out, &words[walks->at], row, &walks->site))
			return false;
		walks->at += 1 + row->words;
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
		const struct record_site *site = row->nr_sites ? record_site(row->first_site) : NULL;

		if (row->event == RECORD_RANGE)
			return 0;
		for (uint32_t number = row->first_site; number < row->first_site + row->nr_sites; site = record_next_site(site, ++number))
			if (site->access != CODE_ACCESS_PLAIN)
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
			const struct walks_place *place = place_of(walks, number, address);
			struct simulator_walk walk = walk_of(place, number, address, site->size, site);

			times = times_within(place, address, stride, times);
			walk.stride = stride;
			walk.group = 0;
			put(out, &walk);
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
