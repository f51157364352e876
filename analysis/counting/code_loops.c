/* SPDX-License-Identifier: Apache-2.0 */
/* Relates natural loops to constructs: around, inside, or their own. */
#include "analysis/counting/code_loops.h"

#include "memsearch/region.h"

static const struct traced_loop *loop_at(const struct code_loops *of, uint32_t number)
{
	return number && number < of->nr ? &of->loops[number] : NULL;
}

static const struct traced_construct *region_at(const struct code_loops *of, uint32_t id)
{
	return id < of->nr_regions && id < of->run->nr_regions ? &of->regions[id] : NULL;
}

uint32_t code_loop_joined(const struct code_loops *of, uint32_t number)
{
	const struct traced_loop *loop = loop_at(of, number);

	return loop ? loop->joined : 0;
}

bool code_loop_is_function(const struct code_loops *of, uint32_t joined)
{
	const struct traced_loop *loop = loop_at(of, joined);

	return loop && loop->is_function;
}

uint32_t code_loop_parent(const struct code_loops *of, uint32_t joined)
{
	const struct traced_loop *loop = loop_at(of, joined);

	return loop ? loop->joined_parent : 0;
}

/* ------------------------------------------------------------------ loops around a construct */

static bool is_in_block(const struct traced_loop *loop, uint64_t address)
{
	for (uint32_t i = 0; i < loop->nr_blocks; i++)
		if (address >= loop->blocks[i].start && address < loop->blocks[i].end)
			return true;
	return false;
}

static bool is_within(const struct code_loops *of, uint32_t loop, uint32_t outer)
{
	while (loop && loop != outer)
		loop = code_loop_parent(of, loop);
	return loop != 0;
}

/* `address` is a return address. Loops of one function have consecutive numbers. */
static bool has_call(const struct code_loops *of, uint32_t joined, uint64_t address)
{
	const struct traced_loop *first = loop_at(of, joined);

	for (uint32_t number = joined;
	     first && number < of->nr && of->loops[number].function == first->function; number++)
		if (is_in_block(&of->loops[number], address - 1) &&
		    is_within(of, code_loop_joined(of, number), joined))
			return true;
	return false;
}

static bool has_call_on_path(const struct code_loops *of, const struct traced_construct *region,
			     uint32_t joined)
{
	for (uint32_t i = 0; i < region->nr_path; i++)
		if (has_call(of, joined, region->path[i]))
			return true;
	return false;
}

/* A parallel region in serial code that begins in the loop: directly, or in a called function. */
static bool leads_there(const struct code_loops *of, uint64_t construct, uint32_t joined)
{
	for (uint32_t id = 1; region_at(of, id); id++)
		if (of->run->regions[id].kind == MS_PARALLEL_REGION &&
		    of->regions[id].construct == construct &&
		    has_call_on_path(of, &of->regions[id], joined))
			return true;
	return false;
}

bool code_loop_is_around(const struct code_loops *of, uint32_t construct, uint32_t joined)
{
	const struct traced_construct *region = region_at(of, construct);

	if (!region || !region->construct)
		return false;
	if (of->run->regions[construct].kind != MS_SERIAL_REGION)
		return has_call(of, joined, region->construct);
	return has_call(of, joined, region->construct) ||
	       (region->inside && has_call(of, joined, region->inside)) ||
	       leads_there(of, region->construct, joined) ||
	       leads_there(of, region->inside, joined);
}

/* ------------------------------------------------------------------ a construct's own loop */

static bool has_body(const struct traced_construct *region, uint64_t function)
{
	for (uint32_t i = 0; region && i < region->nr_bodies; i++)
		if (region->bodies[i] == function)
			return true;
	return false;
}

static bool is_body(const struct code_loops *of, uint32_t region, uint64_t function)
{
	const struct run_region *regions = of->run->regions;

	while (region_at(of, region) && regions[region].kind != MS_PARALLEL_REGION &&
	       region != MS_REGION_USER)
		region = regions[region].parent;
	return has_body(region_at(of, region), function);
}

bool code_loop_may_be_own(const struct code_loops *of, uint32_t construct, uint32_t joined)
{
	const struct traced_construct *region = region_at(of, construct);
	const struct traced_loop *loop = loop_at(of, joined);
	enum ms_region_kind kind = region ? of->run->regions[construct].kind : MS_USER_REGION;

	if (!region || !loop || (kind != MS_DO_REGION && kind != MS_PARALLEL_REGION))
		return false;
	if (is_body(of, construct, loop->function))
		return true;
	/* an orphaned construct */
	return kind == MS_DO_REGION && region->construct > loop->code.start &&
	       region->construct <= loop->code.end;
}
