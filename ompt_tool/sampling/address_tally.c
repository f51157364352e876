/* SPDX-License-Identifier: Apache-2.0 */
/* Sums address samples by data structure. */
#include "ompt_tool/sampling/address_tally.h"

#include <linux/perf_event.h>
#include <string.h>

#include "analysis/base/hash.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/sampling/data_source.h"
#include "ompt_tool/sampling/kernel_event.h"

#define INDEX (2 * ADDRESS_TALLY_ARRAYS)
#define RECORD_LOST_SAMPLES 13 /* PERF_RECORD_LOST_SAMPLES, Linux 4.2 */
/*
 * index of the word in PERF_RECORD_AUX, after offset and size; a collision means at least one lost
 * sample
 */
#define AUX_FLAGS 2

/* The array's slot in the index, or a free one: at least half are always free. */
static uint16_t *slot_of(struct address_tally *tally, uint32_t array)
{
	uint64_t hash = hash_word(array) >> 32;
	uint16_t *slot = &tally->index[hash % INDEX];

	while (*slot && tally->sums[*slot - 1].array != array)
		slot = &tally->index[++hash % INDEX];
	return slot;
}

/* The last entry is reserved for samples in no array. */
static struct address_sum *sum_of(struct address_tally *tally, uint32_t array)
{
	uint32_t room = array == ARRAY_NONE ? ADDRESS_TALLY_ARRAYS : ADDRESS_TALLY_ARRAYS - 1;
	uint16_t *slot = slot_of(tally, array);

	if (!*slot && tally->nr >= room) {
		tally->crowded++;
		return sum_of(tally, ARRAY_NONE);
	}
	if (!*slot) {
		tally->sums[tally->nr] = (struct address_sum){ .array = array };
		*slot = (uint16_t)++tally->nr;
	}
	return &tally->sums[*slot - 1];
}

static void add_data(struct address_sum *sum, const struct kernel_sample *sample, uint64_t accesses)
{
	const struct data_source *source = &sample->source;
	bool from_memory = source->by == SERVED_MEMORY;

	sum->loads += source->load ? accesses : 0;
	sum->stores += source->store && !source->load ? accesses : 0;
	sum->l1_misses += source->missed > 0 ? accesses : 0;
	sum->l2_misses += source->missed > 1 ? accesses : 0;
	sum->l3_misses += source->missed > 2 ? accesses : 0;
	sum->local += from_memory && !source->remote ? accesses : 0;
	sum->remote += from_memory && source->remote ? accesses : 0;
	sum->modified += source->modified ? accesses : 0;
	sum->walks += source->walked ? accesses : 0;
	sum->cycles += source->missed > 0 ? accesses * sample->latency : 0;
}

/* PMUs that sample all operations (IBS) report most of them as no data access. */
static bool is_access(const struct kernel_event_spec *spec, const struct kernel_sample *sample)
{
	return sample->in_user && sample->address &&
	       (!spec->data_source || sample->source.load || sample->source.store);
}

bool address_tally_add(struct address_tally *tally, const struct kernel_sample *sample,
		       const struct kernel_event_spec *spec, const struct address_moment *moment)
{
	struct array_place place;
	struct address_sum *sum;

	if (!is_access(spec, sample))
		return false;
	if (!array_at(sample->address, moment->since, moment->until, &place))
		place.array = ARRAY_NONE;
	sum = sum_of(tally, place.array);
	sum->samples++;
	if (spec->data_source)
		add_data(sum, sample, spec->period * moment->weight);
	return true;
}

/* The word at `position` after a record's header; 0: the record is shorter. */
static uint64_t word_of(const struct perf_event_header *record, size_t position)
{
	uint64_t word = 0;

	if (record->size >= sizeof(*record) + (position + 1) * sizeof(word))
		memcpy(&word, (const uint8_t *)(record + 1) + position * sizeof(word),
		       sizeof(word));
	return word;
}

void address_tally_note(struct address_tally *tally, const struct perf_event_header *record)
{
	if (record->type == PERF_RECORD_THROTTLE)
		tally->throttled++;
	else if (record->type == RECORD_LOST_SAMPLES)
		tally->lost += word_of(record, 0);
	else if (record->type == PERF_RECORD_AUX)
		tally->lost += (word_of(record, AUX_FLAGS) & PERF_AUX_FLAG_COLLISION) != 0;
	else if (record->type == PERF_RECORD_SAMPLE)
		tally->unreadable++;
}

void address_tally_each(struct address_tally *tally,
			void (*visit)(void *ctx, const struct address_sum *sum), void *ctx)
{
	for (uint32_t i = 0; i < tally->nr; i++)
		visit(ctx, &tally->sums[i]);
	if (tally->nr)
		memset(tally->index, 0, sizeof(tally->index));
	tally->nr = 0;
}
