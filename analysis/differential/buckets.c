/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/buckets.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/index_table.h"
#include "analysis/differential/metrics.h"

#define MS_SENSORS_MOST 32 /* a set of sensors is a word */
_Static_assert(MS_SENSORS <= MS_SENSORS_MOST, "a bit for each sensor");

/*
 * What the metrics of some buckets share: those that any run has are numbered from `first` on, in
 * their order.
 */
struct cell {
	uint32_t place, array, part;
	uint32_t first;
	uint64_t metrics; /* 1 << metric */
};

struct filler {
	struct arena *arena, *scratch;
	struct buckets *buckets;
	struct cell *cells;
	size_t nr_cells, room_cells;
	struct index_table index; /* of cells, by place, data structure and part */
	uint32_t *measured;       /* [places][nr_runs]: 1 << sensor that measured there */
};

/* ------------------------------------------------------------------ cells */

static bool is_of(const struct cell *cell, const struct cell *key)
{
	return cell->place == key->place && cell->array == key->array && cell->part == key->part;
}

static uint64_t hash_of(const struct cell *key)
{
	return hash_word((uint64_t)key->place << 32 | key->array) ^
	       ((uint64_t)key->part * 0xff51afd7ed558ccdull >> 7);
}

/* The slot of the cell, or a free slot. */
static struct index_slot *slot_of(const struct filler *filler, const struct cell *key)
{
	struct index_slot *slot = index_first(&filler->index, hash_of(key));

	while (slot->row && !is_of(&filler->cells[slot->row - 1], key))
		slot = index_next(&filler->index, slot);
	return slot;
}

/*
 * Number + 1 of the cell; 0: it is new. Runs mostly have cells in the same order: tries the one
 * after `last` (a number + 1) before the hash table.
 */
static uint32_t number_of(const struct filler *filler, const struct cell *key, uint32_t last)
{
	return last < filler->nr_cells && is_of(&filler->cells[last], key)
		       ? last + 1
		       : slot_of(filler, key)->row;
}

static bool make_room(struct filler *filler)
{
	return ARENA_GROW(filler->scratch, filler->cells, filler->nr_cells, filler->room_cells) &&
	       index_reserve(&filler->index, filler->scratch);
}

static uint32_t mapped(uint32_t number, const uint32_t *numbers, size_t nr)
{
	return number < nr ? numbers[number] : number;
}

static struct cell key_of(const struct match_run *run, const struct profile_value *value)
{
	return (struct cell){ .place = run->places[value->place],
			      .array = mapped(value->array, run->arrays, run->profile->nr_arrays),
			      .part = mapped(value->part, run->parts, run->profile->nr_parts) };
}

/* Profiles have the values of a cell next to each other, so most are that of the value before. */
static bool is_next(const struct profile_value *value, const struct profile_value *before)
{
	return value->place == before->place && value->array == before->array &&
	       value->part == before->part;
}

/* Of a loop that belongs to its region, where the region's value has it already. */
static bool is_included(const struct match_run *run, const struct profile_value *value)
{
	bool of_data = value->array != PROFILE_NONE || value->part < run->profile->nr_parts;

	return run->in_region[value->place] && !of_data &&
	       !compared_is_exclusive(compared_metric(value->metric)->of[0]);
}

static bool find_cells(struct filler *filler, const struct match_run *run)
{
	const struct profile *profile = run->profile;
	struct cell *cell = NULL;
	uint32_t number = 0;

	for (size_t i = 0; i < profile->nr_values; i++) {
		const struct profile_value *value = &profile->values[i];

		if (!i || !is_next(value, value - 1)) {
			struct cell key = key_of(run, value);

			if (!make_room(filler))
				return false;
			number = number_of(filler, &key, number);
			if (!number) {
				index_enter(&filler->index, slot_of(filler, &key), hash_of(&key),
					    (uint32_t)filler->nr_cells);
				filler->cells[filler->nr_cells] = key;
				number = (uint32_t)++filler->nr_cells;
			}
			cell = &filler->cells[number - 1];
		}
		if (!is_included(run, value))
			cell->metrics |= 1ull << value->metric;
	}
	return true;
}

/* ------------------------------------------------------------------ buckets */

/* Numbers the buckets of each cell. */
static bool make_buckets(struct filler *filler)
{
	struct buckets *buckets = filler->buckets;

	for (size_t i = 0; i < filler->nr_cells; i++) {
		filler->cells[i].first = (uint32_t)buckets->nr;
		buckets->nr += (size_t)__builtin_popcountll(filler->cells[i].metrics);
	}
	buckets->keys = arena_alloc(filler->arena, (buckets->nr + 1) * sizeof(*buckets->keys));
	buckets->values = arena_alloc(filler->arena, (buckets->nr + 1) * buckets->nr_runs *
							     sizeof(*buckets->values));
	buckets->uncertain = arena_alloc(filler->arena, (buckets->nr + 1) * buckets->nr_runs *
								sizeof(*buckets->uncertain));
	if (!buckets->keys || !buckets->values || !buckets->uncertain)
		return false;
	for (size_t i = 0; i < filler->nr_cells; i++) {
		const struct cell *cell = &filler->cells[i];
		struct bucket_key *key = &buckets->keys[cell->first];

		for (uint64_t metrics = cell->metrics; metrics; metrics &= metrics - 1)
			*key++ = (struct bucket_key){ cell->place, cell->array, cell->part,
						      (uint32_t)__builtin_ctzll(metrics) };
	}
	for (size_t i = 0; i < buckets->nr * buckets->nr_runs; i++)
		buckets->values[i] = NAN;
	return true;
}

static uint32_t sensor_bit(uint32_t metric)
{
	return 1u << ms_metric_info(compared_metric(metric)->of[0])->sensor;
}

static void add_run(struct filler *filler, const struct match_run *run, size_t number)
{
	const struct profile *profile = run->profile;
	struct buckets *buckets = filler->buckets;
	const struct cell *cell = NULL;
	uint32_t last = 0;

	for (size_t i = 0; i < profile->nr_values; i++) {
		const struct profile_value *value = &profile->values[i];
		size_t at;

		if (!i || !is_next(value, value - 1)) {
			struct cell key = key_of(run, value);

			last = number_of(filler, &key, last);
			cell = &filler->cells[last - 1];
		}
		if (is_included(run, value))
			continue;
		at = (cell->first +
		      (size_t)__builtin_popcountll(cell->metrics & ((1ull << value->metric) - 1))) *
			     buckets->nr_runs +
		     number;
		buckets->values[at] = isnan(buckets->values[at])
					      ? value->value
					      : buckets->values[at] + value->value;
		buckets->uncertain[at] += value->uncertain;
		filler->measured[cell->place * buckets->nr_runs + number] |= sensor_bit(
			value->metric);
	}
}

static void fill_zeros(const struct filler *filler)
{
	struct buckets *buckets = filler->buckets;

	for (size_t i = 0; i < buckets->nr; i++)
		for (size_t run = 0; run < buckets->nr_runs; run++) {
			double *value = &buckets->values[i * buckets->nr_runs + run];

			if (isnan(*value) &&
			    filler->measured[buckets->keys[i].place * buckets->nr_runs + run] &
				    sensor_bit(buckets->keys[i].metric))
				*value = 0;
		}
}

static bool fill(struct filler *filler, const struct match *match)
{
	filler->measured = arena_alloc(filler->scratch, (match->nr_places + 1) * match->nr_runs *
								sizeof(*filler->measured));
	for (size_t i = 0; i < match->nr_runs; i++)
		if (match_has_values(match, i) && !find_cells(filler, &match->runs[i]))
			return false;
	if (!filler->measured || !make_buckets(filler))
		return false;
	for (size_t i = 0; i < match->nr_runs; i++)
		if (match_has_values(match, i))
			add_run(filler, &match->runs[i], i);
	fill_zeros(filler);
	return true;
}

bool buckets_fill(struct arena *arena, const struct match *match, struct buckets *out)
{
	struct filler filler = { .arena = arena, .scratch = arena_new(), .buckets = out };
	bool fine;

	*out = (struct buckets){ .nr_runs = match->nr_runs };
	fine = filler.scratch && fill(&filler, match);
	arena_free(filler.scratch);
	return fine;
}
