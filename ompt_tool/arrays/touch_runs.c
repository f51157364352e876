/* SPDX-License-Identifier: Apache-2.0 */
/* Infers pages between sampled page faults. */
#include "ompt_tool/arrays/touch_runs.h"

#include "analysis/base/hash.h"

static struct touch_run *place_of(struct touch_runs *runs, uint32_t thread, uint64_t block)
{
	return &runs->places[hash_word(hash_word(block) + thread) >> 32 & (TOUCH_RUNS - 1)];
}

static const struct touch_stretch none;

static struct touch_stretch between(uint64_t page, uint64_t last)
{
	uint64_t low = page < last ? page : last, high = page < last ? last : page;

	return high == low || high - low > TOUCH_FURTHEST
		       ? none
		       : (struct touch_stretch){ low + 1, high - low - 1 };
}

struct touch_stretch touch_runs_add(struct touch_runs *runs, uint32_t thread, uint64_t block,
				    uint8_t shift, uint64_t page, uint32_t others)
{
	struct touch_run *place = place_of(runs, thread, block), last = *place;
	bool is_known = last.block == block + 1 && last.thread == thread && last.shift == shift;
	uint64_t begin = block >> shift;

	*place = (struct touch_run){ block + 1, page, thread, shift, others > 0 };
	if (is_known)
		return others || last.sparse ? between(page, last.page) : none;
	return others && page - begin < TOUCH_SPARSE ? (struct touch_stretch){ begin, page - begin }
						     : none;
}
