/* SPDX-License-Identifier: Apache-2.0 */
/* Which core accesses which memory in a chunk. */
#include "analysis/simulator/touched.h"

#include "analysis/base/hash.h"
#include "analysis/simulator/schedule.h"
#include "analysis/simulator/stride_run.h"

#define SLOT_BITS 13
#define LARGEST_SHIFT 16 /* in huge pages all cores access every page */

_Static_assert(1 << SLOT_BITS == TOUCHED_SLOTS, "slots are found by hash_place");

uint32_t touched_shift(const struct simulator *simulator)
{
	return simulator->page_shift > DIRECTORY_BLOCK_SHIFT ? simulator->page_shift
							     : DIRECTORY_BLOCK_SHIFT;
}

void touched_clear(struct touched *touched)
{
	for (uint32_t i = 0; i < touched->nr; i++)
		touched->slots[touched->pages[i].at] = 0;
	touched->nr = 0;
	touched->several = false;
}

static void add_page(struct touched *touched, uint64_t page, uint32_t core)
{
	uint32_t at = hash_place(page, SLOT_BITS);

	while (touched->slots[at] && touched->pages[touched->slots[at] - 1].page != page)
		at = (at + 1) % TOUCHED_SLOTS;
	if (touched->slots[at]) {
		touched->several |= touched->pages[touched->slots[at] - 1].core != core;
		return;
	}
	if (touched->nr == 2 * TOUCHED_MOST) {
		touched->several = true;
		return;
	}
	touched->pages[touched->nr] = (struct touched_page){ page, core, at };
	touched->slots[at] = (uint16_t)++touched->nr;
}

/* Bytes [first, last]. */
static void add_range(struct touched *touched, uint32_t shift, uint64_t first, uint64_t last,
		      uint32_t core)
{
	if (first > last || (last - first) >> shift > TOUCHED_MOST) {
		touched->several = true; /* wraps at 2^64, or implausibly large */
		return;
	}
	for (uint64_t page = first >> shift; page <= last >> shift; page++)
		add_page(touched, page, core);
}

/* This number of accesses of the stride run, from that one on. */
static void add_run(struct touched *touched, uint32_t shift, const struct stride_run *run,
		    uint64_t round, uint64_t times, uint32_t core)
{
	uint64_t first = stride_run_address(run, round),
		 last = stride_run_address(run, round + times - 1);

	if (stride_run_step(run) <= 1ull << shift) {
		add_range(touched, shift, run->stride < 0 ? last : first,
			  (run->stride < 0 ? first : last) + run->bytes - 1, core);
		return;
	}
	for (; times && !touched->several; times--, first += (uint64_t)run->stride)
		add_range(touched, shift, first, first + run->bytes - 1, core);
}

static void add_group(struct touched *touched, uint32_t shift, const struct step *step)
{
	uint32_t nr = step->runs->group ? step->runs->group : 1, end = step->next + step->accesses;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t first = i < step->next, rounds = end / nr + (i < end % nr);

		if (rounds > first)
			add_run(touched, shift, &step->runs[i], step->round + first, rounds - first,
				step->core);
	}
}

void touched_add(const struct simulator *simulator, struct touched *touched,
		 const struct step *step)
{
	uint32_t shift = touched_shift(simulator);

	touched->several |= shift > LARGEST_SHIFT;
	if (touched->several)
		return;
	if (!step->single) {
		add_group(touched, shift, step);
		return;
	}
	for (uint32_t i = 0; i < step->accesses; i++)
		add_range(touched, shift, step->runs[i].address,
			  step->runs[i].address + step->runs[i].bytes - 1, step->core);
}
