/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of impossible machines: one function per part, each with its messages. */
#include "analysis/machine/model_check.h"

#include <inttypes.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"

#define LINE_MIN 16
#define LINE_MAX 256
#define WAYS_MAX 65535
#define TREE_WAYS_MAX 64     /* a bit each, but one, in a word */
#define LINES_MAX (1u << 31) /* of one cache */
#define PAGE_MAX (1u << 30)  /* bytes: the largest that common CPUs have */
#define HZ_MIN 1e6
#define HZ_MAX 1e11

/* A sentence; where there is no memory for it, still one. */
#define SAY(arena, ...) say(arena_printf(arena, __VA_ARGS__))

static const char *say(const char *sentence)
{
	return sentence ? sentence : "cores and all else cannot be checked: out of memory";
}

static const char *check_cores(struct arena *arena, const struct machine_model *model)
{
	if (!model->cores)
		return SAY(arena, "cores is missing");
	if (model->cores > MODEL_CORES)
		return SAY(arena, "cores is %" PRIu32 "; %d can be simulated", model->cores,
			   MODEL_CORES);
	if (!model->nodes)
		return SAY(arena, "nodes is missing");
	if (model->nodes > MODEL_NODES)
		return SAY(arena, "nodes is %" PRIu32 "; %d can be simulated", model->nodes,
			   MODEL_NODES);
	if (model->cores % model->nodes)
		return SAY(arena,
			   "nodes is %" PRIu32 ", which %" PRIu32
			   " cores cannot be spread over evenly",
			   model->nodes, model->cores);
	if (model->hz && !(model->hz >= HZ_MIN && model->hz <= HZ_MAX))
		return SAY(arena, "clock is not from 1 MHz to 100 GHz");
	return NULL;
}

/* -- one cache */

static const char *check_lines(struct arena *arena, int level, const struct model_cache *cache)
{
	if (!is_power_of_two(cache->line) || cache->line < LINE_MIN || cache->line > LINE_MAX)
		return SAY(arena, "l%d.line is %" PRIu32 " bytes, not a power of two from %d to %d",
			   level, cache->line, LINE_MIN, LINE_MAX);
	if (!cache->ways)
		return SAY(arena, "l%d.ways is missing", level);
	if (cache->ways > WAYS_MAX || cache->bytes / cache->line >= LINES_MAX)
		return SAY(arena,
			   "l%d.size makes %" PRIu64 " lines in %" PRIu32
			   " ways; %u lines and %d ways can be simulated",
			   level, cache->bytes / cache->line, cache->ways, LINES_MAX - 1, WAYS_MAX);
	if (cache->bytes % ((uint64_t)cache->line * cache->ways))
		return SAY(arena,
			   "l%d.size is %" PRIu64 " bytes, which %" PRIu32 " ways of %" PRIu32
			   "-byte lines do not divide into sets",
			   level, cache->bytes, cache->ways, cache->line);
	return NULL;
}

static const char *check_sets(struct arena *arena, int level, const struct model_cache *cache)
{
	uint64_t sets = cache->bytes / ((uint64_t)cache->line * cache->ways);

	if (level < MODEL_LEVELS && !is_power_of_two(sets))
		return SAY(arena,
			   "l%d.size makes %" PRIu64 " sets of %" PRIu32
			   " ways, not a power of two, which bits of the address could choose from",
			   level, sets, cache->ways);
	if (cache->replacement == MODEL_TREE_PLRU &&
	    (!is_power_of_two(cache->ways) || cache->ways > TREE_WAYS_MAX))
		return SAY(
			arena,
			"l%d.replacement is tree_plru, which needs ways that are a power of two up to %d, not %" PRIu32,
			level, TREE_WAYS_MAX, cache->ways);
	return NULL;
}

static const char *check_users(struct arena *arena, const struct machine_model *model, int level,
			       const struct model_cache *cache)
{
	if (!cache->cores)
		return SAY(arena, "l%d.cores is missing: how many share one", level);
	if (level < MODEL_LEVELS && cache->cores != 1)
		return SAY(
			arena,
			"l%d.cores is %" PRIu32
			", but only the l3 can be shared; a shared second level is an l3 without an l2",
			level, cache->cores);
	if (cache->cores > model->cores || model->cores % cache->cores)
		return SAY(arena,
			   "l%d.cores is %" PRIu32 ", which %" PRIu32
			   " cores cannot be divided into",
			   level, cache->cores, model->cores);
	if (!cache->latency)
		return SAY(arena, "l%d.latency is missing", level);
	if (level < MODEL_LEVELS && cache->inclusion != MODEL_NON_INCLUSIVE)
		return SAY(arena, "l%d.size is of a cache with inclusion, which only the l3 has",
			   level);
	return NULL;
}

/* Features of some levels only. */
static const char *check_writes(struct arena *arena, int level, const struct model_cache *cache)
{
	if (level == MODEL_LEVELS && cache->write_around)
		return SAY(arena, "l%d.write_miss is around, which only the l1 and l2 can be",
			   level);
	if (level == MODEL_LEVELS && cache->write_through)
		return SAY(arena, "l%d.write_hit is through, which only the l1 and l2 can be",
			   level);
	if (level > 1 && cache->float_bypasses)
		return SAY(arena, "l%d.float_bypasses is yes; only the l1 can be bypassed", level);
	if (cache->float_bypasses && !cache->write_through)
		return SAY(
			arena,
			"l%d.float_bypasses is yes, but its write_hit is back: what is written there would be bypassed",
			level);
	return NULL;
}

static const char *check_cache(struct arena *arena, const struct machine_model *model, int level)
{
	const struct model_cache *cache = &model->cache[level - 1];
	const char *why = check_lines(arena, level, cache);

	if (!why)
		why = check_sets(arena, level, cache);
	if (!why)
		why = check_users(arena, model, level, cache);
	return why ? why : check_writes(arena, level, cache);
}

/* -- caches beside each other */

/* Lines evicted from one enter the other unchanged. */
static const char *check_victims(struct arena *arena, int level, const struct model_cache *inner,
				 int next, const struct model_cache *outer)
{
	if (outer->inclusion != MODEL_EXCLUSIVE)
		return NULL;
	if (outer->line != inner->line)
		return SAY(arena,
			   "l%d.line is %" PRIu32 " bytes, and l%d.line %" PRIu32
			   ": they must be the same where the l%d is exclusive",
			   next, outer->line, level, inner->line, next);
	if (inner->write_around || inner->write_through)
		return SAY(
			arena,
			"l%d.inclusion is exclusive, which needs an l%d with write_miss allocate and write_hit back",
			next, level);
	return NULL;
}

static const char *check_order(struct arena *arena, int level, const struct model_cache *inner,
			       int next, const struct model_cache *outer)
{
	if (outer->line < inner->line)
		return SAY(arena,
			   "l%d.line is %" PRIu32 " bytes, more than the %" PRIu32 " of l%d.line",
			   level, inner->line, outer->line, next);
	if (inner->bytes > outer->bytes && outer->inclusion != MODEL_EXCLUSIVE)
		return SAY(arena,
			   "l%d.size is %" PRIu64 " bytes, more than the %" PRIu64 " of l%d.size",
			   level, inner->bytes, outer->bytes, next);
	if (outer->inclusion == MODEL_INCLUSIVE && inner->bytes * outer->cores > outer->bytes)
		return SAY(arena,
			   "l%d.inclusion is inclusive, but its %" PRIu64
			   " bytes cannot hold the %" PRIu32 " times %" PRIu64 " of l%d.size",
			   next, outer->bytes, outer->cores, inner->bytes, level);
	if (outer->latency <= inner->latency)
		return SAY(arena,
			   "l%d.latency is %" PRIu32 " cycles, no more than the %" PRIu32
			   " of l%d.latency",
			   next, outer->latency, inner->latency, level);
	return check_victims(arena, level, inner, next, outer);
}

static const char *check_caches(struct arena *arena, const struct machine_model *model)
{
	int inner = 0;

	if (!model->cache[0].bytes)
		return SAY(arena, "l1.size is missing");
	for (int level = 1; level <= MODEL_LEVELS; level++) {
		const char *why = NULL;

		if (!model->cache[level - 1].bytes)
			continue;
		why = check_cache(arena, model, level);
		if (!why && inner)
			why = check_order(arena, inner, &model->cache[inner - 1], level,
					  &model->cache[level - 1]);
		if (why)
			return why;
		inner = level;
	}
	if (model->cache[0].float_bypasses && !model->cache[1].bytes)
		return SAY(arena, "l1.float_bypasses is yes, but there is no l2");
	if (model->memory_latency <= model->cache[inner - 1].latency)
		return SAY(arena,
			   "memory is %" PRIu32 " cycles, no more than the %" PRIu32
			   " of l%d.latency",
			   model->memory_latency, model->cache[inner - 1].latency, inner);
	return NULL;
}

/* -- pages */

static const char *check_tlb(struct arena *arena, const struct machine_model *model, int level)
{
	const struct model_tlb *tlb = &model->tlb[level - 1];

	if (!tlb->ways || tlb->entries % tlb->ways || !is_power_of_two(tlb->entries / tlb->ways))
		return SAY(arena,
			   "tlb%d.entries is %" PRIu32 ", which %" PRIu32
			   " ways do not divide into a power of two of sets",
			   level, tlb->entries, tlb->ways);
	if (!model->walk_latency)
		return SAY(arena, "walk is missing: what a page costs that no TLB knows");
	if (level == 2 && !tlb->latency)
		return SAY(arena, "tlb2.latency is missing");
	if (tlb->latency >= model->walk_latency)
		return SAY(arena,
			   "walk is %" PRIu32 " cycles, no more than the %" PRIu32
			   " of tlb%d.latency",
			   model->walk_latency, tlb->latency, level);
	return NULL;
}

static uint32_t largest_line(const struct machine_model *model)
{
	uint32_t line = 0;

	for (int i = 0; i < MODEL_LEVELS; i++)
		if (model->cache[i].bytes && model->cache[i].line > line)
			line = model->cache[i].line;
	return line;
}

static const char *check_huge_pages(struct arena *arena, const struct machine_model *model)
{
	const struct model_tlb *tlb = model->huge_tlb;
	uint32_t first = tlb[0].entries ? tlb[0].entries : model->tlb[0].entries,
		 second = tlb[1].entries ? tlb[1].entries : model->tlb[1].entries;

	if (!model->huge_page)
		return tlb[0].entries || tlb[1].entries
			       ? SAY(arena,
				     "huge_page is missing, but there is a TLB of huge pages")
			       : NULL;
	if (!is_power_of_two(model->huge_page) || model->huge_page <= model->page ||
	    model->huge_page > PAGE_MAX)
		return SAY(arena,
			   "huge_page is %" PRIu32
			   " bytes, not a power of two larger than page, up to 1 GiB",
			   model->huge_page);
	for (int i = 0; i < 2; i++) {
		if (tlb[i].entries && !model->tlb[i].entries)
			return SAY(arena,
				   "huge_tlb%d.entries is %" PRIu32 ", but there is no tlb%d",
				   i + 1, tlb[i].entries, i + 1);
		if (tlb[i].entries && (!tlb[i].ways || tlb[i].entries % tlb[i].ways ||
				       !is_power_of_two(tlb[i].entries / tlb[i].ways)))
			return SAY(arena,
				   "huge_tlb%d.entries is %" PRIu32 ", which %" PRIu32
				   " ways do not divide into a power of two of sets",
				   i + 1, tlb[i].entries, tlb[i].ways);
	}
	if (second && second < first)
		return SAY(arena,
			   "huge_tlb%d.entries is %" PRIu32 ": a second level of %" PRIu32
			   " huge pages is smaller than the first, of %" PRIu32,
			   tlb[1].entries ? 2 : 1, tlb[1].entries ? second : first, second, first);
	return NULL;
}

static const char *check_pages(struct arena *arena, const struct machine_model *model)
{
	const char *why = NULL;

	if (!is_power_of_two(model->page) || model->page < largest_line(model) ||
	    model->page > PAGE_MAX)
		return SAY(arena,
			   "page is %" PRIu32
			   " bytes, not a power of two from the size of a line to 1 GiB",
			   model->page);
	if (model->tlb[1].entries && !model->tlb[0].entries)
		return SAY(arena, "tlb1.entries is missing, but there is a tlb2");
	if (model->tlb[1].entries && model->tlb[1].entries < model->tlb[0].entries)
		return SAY(arena,
			   "tlb1.entries is %" PRIu32 ", more than the %" PRIu32 " of tlb2.entries",
			   model->tlb[0].entries, model->tlb[1].entries);
	for (int level = 1; level <= 2 && !why; level++)
		if (model->tlb[level - 1].entries)
			why = check_tlb(arena, model, level);
	return why ? why : check_huge_pages(arena, model);
}

/* -- between nodes */

bool model_has_distances(const struct machine_model *model)
{
	for (uint32_t i = 0; i < model->nodes; i++)
		for (uint32_t j = 0; j < model->nodes; j++)
			if (model->distances[i][j])
				return true;
	return false;
}

/* A node's own memory is the nearest. */
static const char *check_distances(struct arena *arena, const struct machine_model *model)
{
	for (uint32_t i = 0; i < model->nodes; i++) {
		for (uint32_t j = 0; j < model->nodes; j++) {
			uint32_t own = model->distances[i][i], other = model->distances[i][j];

			if (!own || !other)
				return SAY(arena,
					   "distances.%" PRIu32 " does not have all %" PRIu32
					   " nodes",
					   i, model->nodes);
			if (other < own)
				return SAY(
					arena,
					"distances.%" PRIu32 " says that node %" PRIu32 ", %" PRIu32
					" cycles, is nearer than the node's own memory, %" PRIu32,
					i, j, other, own);
		}
	}
	return NULL;
}

static const char *check_nodes(struct arena *arena, const struct machine_model *model)
{
	if (model->cores > 1 && !model->transfer_latency)
		return SAY(arena, "transfer is missing: a line that another core has modified");
	if (model->nodes > 1 && !model->remote_transfer_latency)
		return SAY(
			arena,
			"remote_transfer is missing: a line that a core of another node has modified");
	if (model_has_distances(model))
		return check_distances(arena, model);
	if (model->nodes > 1 && model->remote_latency < model->memory_latency)
		return SAY(arena,
			   "remote is %" PRIu32 " cycles, less than the %" PRIu32 " of memory",
			   model->remote_latency, model->memory_latency);
	return NULL;
}

const char *model_check(struct arena *arena, const struct machine_model *model)
{
	const char *why = check_cores(arena, model);

	if (!why)
		why = check_caches(arena, model);
	if (!why)
		why = check_pages(arena, model);
	return why ? why : check_nodes(arena, model);
}
