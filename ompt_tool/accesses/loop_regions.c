/* SPDX-License-Identifier: Apache-2.0 */
/* Natural loops and functions of recorded code as regions. */
#include "ompt_tool/accesses/loop_regions.h"

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/clone_loops.h"
#include "ompt_tool/regions/region_table.h"

uint32_t loop_joined(uint32_t number)
{
	const struct clone_loop *loop = clone_loop(number);

	return loop ? __atomic_load_n(&loop->joined, __ATOMIC_ACQUIRE) : 0;
}

uint32_t loop_parent(uint32_t joined)
{
	const struct clone_loop *loop = clone_loop(joined);

	return loop ? __atomic_load_n(&loop->joined_parent, __ATOMIC_RELAXED) : 0;
}

/* ------------------------------------------------------------------ loops around a construct */

static bool is_in_block(const struct clone_loop *loop, uintptr_t address)
{
	for (uint32_t i = 0; i < loop->nr_blocks; i++)
		if (address >= loop->blocks[i].start && address < loop->blocks[i].end)
			return true;
	return false;
}

static bool is_within(uint32_t loop, uint32_t outer)
{
	while (loop && loop != outer)
		loop = loop_parent(loop);
	return loop != 0;
}

/*
 * Whether the loop contains a call that returns to `address`. Loops of one function have
 * consecutive numbers.
 */
static bool has_call(uint32_t joined, uint64_t address)
{
	uint32_t first = clone_loop(joined) ? joined : 0, nr = clone_nr_loops();
	uintptr_t function = first ? clone_loop(first)->function : 0;

	for (uint32_t number = first;
	     number && number <= nr && clone_loop(number)->function == function; number++)
		if (is_in_block(clone_loop(number), address - 1) &&
		    is_within(loop_joined(number), joined))
			return true;
	return false;
}

/*
 * Whether the loop contains the construct's call, or a call that leads to it, by parallel regions
 * in serial code that begin there.
 */
static bool leads_there(struct region_table *regions, uint64_t construct, uint32_t joined)
{
	for (uint32_t id = 1; id < region_table_count(regions); id++) {
		const struct region *region = region_table_at(regions, id);
		uint32_t nr = __atomic_load_n(&region->nr_path, __ATOMIC_ACQUIRE);

		for (uint32_t i = 0;
		     region->kind == MS_PARALLEL_REGION && region->construct == construct && i < nr;
		     i++)
			if (has_call(joined, region->path[i]))
				return true;
	}
	return false;
}

bool loop_is_around(struct region_table *regions, uint32_t construct, uint32_t joined)
{
	const struct region *region = region_table_at(regions, construct);
	uint64_t after;

	if (!region || !region->construct)
		return false;
	if (region->kind != MS_SERIAL_REGION)
		return has_call(joined, region->construct);
	after = __atomic_load_n(&region->inside, __ATOMIC_RELAXED);
	return has_call(joined, region->construct) || (after && has_call(joined, after)) ||
	       leads_there(regions, region->construct, joined) ||
	       leads_there(regions, after, joined);
}

/* ------------------------------------------------------------------ a construct's own loop */

static bool is_body(struct region_table *regions, const struct region *region, uint64_t function)
{
	while (region && region->kind != MS_PARALLEL_REGION && region->id != MS_REGION_USER)
		region = region_table_at(regions, region->parent);
	return region && region_has_body(region, function);
}

/* An orphaned construct is in a function called by the region's body. */
static bool is_around_construct(const struct region *region, uintptr_t function)
{
	const struct clone *clone = clone_around(clone_of(function));

	return clone && region->construct > clone->start && region->construct <= clone->end;
}

bool loop_may_be_own(struct region_table *regions, uint32_t construct, uint32_t joined)
{
	const struct region *region = region_table_at(regions, construct);
	const struct clone_loop *loop = clone_loop(joined);

	if (!region || !loop ||
	    (region->kind != MS_DO_REGION && region->kind != MS_PARALLEL_REGION))
		return false;
	return is_body(regions, region, loop->function) ||
	       (region->kind == MS_DO_REGION && is_around_construct(region, loop->function));
}

/* ------------------------------------------------------------------ called functions */

static bool is_on_path(const struct region *region, uint64_t start, uint64_t end)
{
	uint32_t nr = __atomic_load_n(&region->nr_path, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++)
		if (region->path[i] - 1 >= start && region->path[i] - 1 < end)
			return true;
	return false;
}

/* The stretch continues in the function: a region that begins or ends it is called from there. */
static bool leads_out(struct region_table *regions, const struct region *serial, uint64_t start,
		      uint64_t end)
{
	uint64_t after = __atomic_load_n(&serial->inside, __ATOMIC_RELAXED);

	for (uint32_t id = 1; id < region_table_count(regions); id++) {
		const struct region *region = region_table_at(regions, id);

		if (region->kind == MS_PARALLEL_REGION &&
		    (region->construct == serial->construct || region->construct == after) &&
		    is_on_path(region, start, end))
			return true;
	}
	return after && after - 1 >= start && after - 1 < end;
}

/* Of the region, or of one around: the functions of tasks are those of the tasks' regions. */
static bool is_body_around(struct region_table *regions, const struct region *region,
			   uint64_t function)
{
	while (region && region->kind != MS_PARALLEL_REGION && region->id != MS_REGION_USER &&
	       !region_has_body(region, function))
		region = region_table_at(regions, region->parent);
	return region && region_has_body(region, function);
}

bool loop_function_is_called(struct region_table *regions, uint32_t construct, uint64_t start,
			     uint64_t end)
{
	const struct region *region = region_table_at(regions, construct);

	if (!region || !region->construct ||
	    (region->construct - 1 >= start && region->construct - 1 < end))
		return false;
	return region->kind == MS_SERIAL_REGION ? !leads_out(regions, region, start, end)
						: !is_body_around(regions, region, start);
}

/* ------------------------------------------------------------------ regions */

static bool is_own(struct region_table *regions, uint32_t construct, uint32_t joined)
{
	const struct region *region = region_table_at(regions, construct);

	return region && __atomic_load_n(&region->own_loop, __ATOMIC_RELAXED) == joined;
}

uint32_t loop_region(struct region_table *regions, uint32_t construct, uint32_t joined)
{
	bool new;

	if (!joined || is_own(regions, construct, joined) ||
	    loop_is_around(regions, construct, joined))
		return MS_REGION_NONE;
	return region_table_get(regions,
				clone_loop(joined)->is_function ? MS_SUB_REGION : MS_LOOP_REGION,
				clone_loop(joined)->header,
				loop_region_around(regions, construct, loop_parent(joined)), &new);
}

bool loop_is_function(uint32_t joined)
{
	const struct clone_loop *loop = clone_loop(joined);

	return loop && loop->is_function;
}

uint32_t loop_region_around(struct region_table *regions, uint32_t construct, uint32_t joined)
{
	uint32_t region = joined ? loop_region(regions, construct, joined) : construct;

	if (region == MS_REGION_NONE)
		region = loop_region_around(regions, construct, loop_parent(joined));
	return region;
}
