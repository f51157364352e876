/* SPDX-License-Identifier: Apache-2.0 */
/* Computes single accesses from the words of a stretch. */
#include <string.h>

#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "analysis/trace/stretches.h"

enum { DIRECTION_FLAG = 1 << 10 }; /* of EFLAGS: Intel SDM 1, 3.4.3.2 */

static uint64_t base_of(const struct record_site *site, const uint64_t *stretch)
{
	return (site->base_word ? stretch[site->base_word] : 0) + (uint64_t)site->displacement;
}

static size_t put(const struct record_site *site, uint64_t address, uint64_t bytes,
		  struct record_access *out, size_t room, size_t nr)
{
	if (nr < room)
		out[nr] = (struct record_access){ address, bytes, site->read, site->write };
	return nr + 1;
}

uint64_t record_bytes_repeated(const struct record_site *site, const uint64_t *stretch)
{
	uint64_t nr = stretch[site->count_word] - (site->left_word ? stretch[site->left_word] : 0),
		 bytes;

	return __builtin_mul_overflow(nr, site->size, &bytes) ? UINT64_MAX : bytes;
}

bool record_is_too_long(const struct record_site *site, const uint64_t *stretch)
{
	return site->access == CODE_ACCESS_REPEATED &&
	       record_bytes_repeated(site, stretch) > RECORD_BYTES_MOST;
}

/* With the direction flag set the first element is the highest. */
static size_t expand_repeated(const struct record_site *site, const uint64_t *stretch,
			      struct record_access *out, size_t room)
{
	uint64_t bytes = record_bytes_repeated(site, stretch), address = base_of(site, stretch);

	if (!bytes || bytes > RECORD_BYTES_MOST)
		return 0;
	if (stretch[site->count_word + 1] & DIRECTION_FLAG)
		address -= bytes - site->size;
	return put(site, address, bytes, out, room, 0);
}

static bool lane_set(const struct record_site *site, const uint64_t *stretch, unsigned int lane)
{
	const unsigned char *mask = (const unsigned char *)&stretch[site->mask_word];

	if (!site->mask_size)
		return stretch[site->mask_word] >> lane & 1;
	return mask[lane * site->mask_size + site->mask_size - 1] >> 7;
}

/* `nr`: lanes set below this one. */
static int64_t lane_offset(const struct record_site *site, const uint64_t *stretch,
			   unsigned int lane, size_t nr)
{
	const char *vector = (const char *)&stretch[site->index_word];
	int64_t wide;
	int32_t narrow;

	if (site->access == CODE_ACCESS_MASKED)
		return (int64_t)lane * site->size;
	if (site->access == CODE_ACCESS_PACKED)
		return (int64_t)nr * site->size;
	if (site->index_size == 8) {
		memcpy(&wide, vector + 8 * lane, 8);
		return wide * site->scale;
	}
	memcpy(&narrow, vector + 4 * lane, 4);
	return (int64_t)narrow * site->scale;
}

static size_t expand_lanes(const struct record_site *site, const uint64_t *stretch,
			   struct record_access *out, size_t room)
{
	uint64_t base = site->access == CODE_ACCESS_LANES ? base_of(site, stretch)
							  : record_address(site, stretch);
	size_t nr = 0;

	for (unsigned int lane = 0; lane < site->lanes; lane++)
		if (lane_set(site, stretch, lane))
			nr = put(site, base + (uint64_t)lane_offset(site, stretch, lane, nr),
				 site->size, out, room, nr);
	return nr;
}

size_t record_expand(const struct record_site *site, const uint64_t *stretch,
		     struct record_access *out, size_t room)
{
	switch (site->access) {
	case CODE_ACCESS_REPEATED: return expand_repeated(site, stretch, out, room);
	case CODE_ACCESS_LANES:
	case CODE_ACCESS_MASKED:
	case CODE_ACCESS_PACKED: return expand_lanes(site, stretch, out, room);
	default: return put(site, record_address(site, stretch), site->size, out, room, 0);
	}
}

/* ------------------------------------------------------------------ counted loops */

const uint64_t *record_before(const uint64_t *words, size_t at)
{
	const struct record_counted *row = record_counted(record_stretch(words[at])->subject);
	const struct record_stretch *stretch = row ? record_stretch(row->stretch) : NULL;

	if (!stretch || at < 1 + stretch->words || words[at - 1 - stretch->words] != row->stretch)
		return NULL;
	return words + at - 1 - stretch->words;
}

uint64_t record_times(const uint64_t *counted, const uint64_t *stretch)
{
	const struct record_stretch *event = record_stretch(counted[0]);
	const struct record_counted *row = record_counted(event->subject);
	uint64_t now = counted[1] + (event->words > 1 ? counted[2] * row->scale : 0),
		 way = now - stretch[row->word] - (uint64_t)row->behind;
	uint64_t amount = (uint64_t)row->amounts[row->word];

	if (row->amounts[row->word] < 0) {
		way = -way;
		amount = -amount;
	}
	return way > RECORD_BYTES_MOST || way % amount ? 0 : way / amount;
}

void record_go_on(const struct record_counted *row, const uint64_t *stretch, uint64_t times,
		  uint64_t *out)
{
	uint32_t nr = 1 + record_stretch(row->stretch)->words;

	for (uint32_t i = 0; i < nr; i++)
		out[i] = stretch[i] + times * (uint64_t)row->amounts[i];
}

static void visit_again(const uint64_t *words, size_t at, record_visit *visit, void *ctx)
{
	const struct record_counted *row = record_counted(record_stretch(words[at])->subject);
	const uint64_t *stretch = record_before(words, at);
	uint64_t times = stretch ? record_times(words + at, stretch) : 0,
		 later[1 + RECORD_COUNTED_WORDS];

	for (uint64_t i = 1; i <= times; i++) {
		record_go_on(row, stretch, i, later);
		visit(ctx, record_stretch(row->stretch), later);
	}
}

bool record_each(const uint64_t *words, size_t nr, record_visit *visit, void *ctx)
{
	for (size_t at = 0; at < nr; at += 1 + record_stretch(words[at])->words) {
		const struct record_stretch *row = record_stretch(words[at]);

		if (!row || row->words >= nr - at)
			return false;
		visit(ctx, row, words + at);
		if (row->event == RECORD_COUNTED)
			visit_again(words, at, visit, ctx);
	}
	return true;
}
