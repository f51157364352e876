/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/buckets.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/differential/metrics.h"

#define FIRST_BITS 10
#define WITNESS 0x10000u                 /* + sensor, in the place of a metric: the sensor measured here */

struct filler {
	struct arena *arena;
	struct buckets *buckets;
	struct buckets witnesses;        /* by run: 1 where a sensor measured something */
};

static uint32_t home(const struct buckets *buckets, const struct bucket_key *key)
{
	uint64_t low = (uint64_t)key->place << 32 | key->array, high = (uint64_t)key->part << 32 | key->metric;

	return hash_place(hash_word(low) ^ (high * 0xff51afd7ed558ccdull >> 7), buckets->bits);
}

/* Number + 1 in the table, or the free place. */
static uint32_t *slot_of(const struct buckets *buckets, const struct bucket_key *key)
{
	size_t mask = ((size_t)1 << buckets->bits) - 1, at = home(buckets, key);

	while (buckets->table[at] && memcmp(&buckets->keys[buckets->table[at] - 1], key, sizeof(*key)) != 0)
		at = (at + 1) & mask;
	return &buckets->table[at];
}

static bool grow(struct arena *arena, struct buckets *buckets)
{
	struct buckets larger = *buckets;

	if (buckets->nr < buckets->room)
		return true;
	larger.bits = buckets->bits ? buckets->bits + 1 : FIRST_BITS;
	larger.room = (size_t)1 << (larger.bits - 1);
	larger.table = arena_alloc(arena, sizeof(*larger.table) << larger.bits);
	larger.keys = arena_alloc(arena, larger.room * sizeof(*larger.keys));
	larger.values = arena_alloc(arena, larger.room * buckets->nr_runs * sizeof(*larger.values));
	larger.uncertain = arena_alloc(arena, larger.room * buckets->nr_runs * sizeof(*larger.uncertain));
	if (!larger.table || !larger.keys || !larger.values || !larger.uncertain)
		return false;
	if (buckets->nr) {
		memcpy(larger.keys, buckets->keys, buckets->nr * sizeof(*larger.keys));
		memcpy(larger.values, buckets->values, buckets->nr * buckets->nr_runs * sizeof(*larger.values));
		memcpy(larger.uncertain, buckets->uncertain, buckets->nr * buckets->nr_runs * sizeof(*larger.uncertain));
	}
	for (uint32_t i = 0; i < buckets->nr; i++)
		*slot_of(&larger, &larger.keys[i]) = i + 1;
	*buckets = larger;
	return true;
}

/* Adds to a run's value, which is NAN at first, and to its uncertain part. False: no memory. */
static bool add(struct arena *arena, struct buckets *buckets, const struct bucket_key *key, size_t run, double value, double uncertain)
{
	uint32_t *slot;
	size_t at;

	if (!grow(arena, buckets))
		return false;
	slot = slot_of(buckets, key);
	if (!*slot) {
		buckets->keys[buckets->nr] = *key;
		for (size_t i = 0; i < buckets->nr_runs; i++)
			buckets->values[buckets->nr * buckets->nr_runs + i] = NAN;
		*slot = (uint32_t)++buckets->nr;
	}
	at = (size_t)(*slot - 1) * buckets->nr_runs + run;
	buckets->values[at] = isnan(buckets->values[at]) ? value : buckets->values[at] + value;
	buckets->uncertain[at] += uncertain;
	return true;
}

static uint32_t witness_of(uint32_t metric)
{
	return WITNESS + (uint32_t)ms_metric_info(compared_metric(metric)->of[0])->sensor;
}

static bool note_witness(struct filler *filler, struct bucket_key key, size_t run)
{
	struct bucket_key of_place = { key.place, PROFILE_NONE, PROFILE_NONE, witness_of(key.metric) };

	key.metric = of_place.metric;
	return add(filler->arena, &filler->witnesses, &key, run, 1, 0) && add(filler->arena, &filler->witnesses, &of_place, run, 1, 0);
}

static uint32_t mapped(uint32_t number, const uint32_t *numbers, size_t nr)
{
	return number < nr ? numbers[number] : number;
}

static bool add_run(struct filler *filler, const struct match_run *run, size_t number)
{
	const struct profile *profile = run->profile;

	for (size_t i = 0; i < profile->nr_values; i++) {
		const struct profile_value *value = &profile->values[i];
		struct bucket_key key = { run->places[value->place], mapped(value->array, run->arrays, profile->nr_arrays),
					  mapped(value->part, run->parts, profile->nr_parts), value->metric };

		if (!add(filler->arena, filler->buckets, &key, number, value->value, value->uncertain) || !note_witness(filler, key, number))
			return false;
	}
	return true;
}

static bool was_measured(const struct filler *filler, struct bucket_key key, size_t run)
{
	const struct buckets *witnesses = &filler->witnesses;
	uint32_t slot;

	key.metric = witness_of(key.metric);
	slot = *slot_of(witnesses, &key);
	if (slot && witnesses->values[(size_t)(slot - 1) * witnesses->nr_runs + run] > 0)
		return true;
	key.array = key.part = PROFILE_NONE;
	slot = *slot_of(witnesses, &key);
	return slot && witnesses->values[(size_t)(slot - 1) * witnesses->nr_runs + run] > 0;
}

static void fill_zeros(const struct filler *filler)
{
	struct buckets *buckets = filler->buckets;

	for (size_t i = 0; i < buckets->nr; i++)
		for (size_t run = 0; run < buckets->nr_runs; run++) {
			double *value = &buckets->values[i * buckets->nr_runs + run];

			if (isnan(*value) && was_measured(filler, buckets->keys[i], run))
				*value = 0;
		}
}

bool buckets_fill(struct arena *arena, const struct match *match, struct buckets *out)
{
	struct filler filler = { .arena = arena, .buckets = out, .witnesses = { .nr_runs = match->nr_runs } };

	*out = (struct buckets){ .nr_runs = match->nr_runs };
	for (size_t i = 0; i < match->nr_runs; i++)
		if (!add_run(&filler, &match->runs[i], i))
			return false;
	if (out->nr)
		fill_zeros(&filler);
	return true;
}
