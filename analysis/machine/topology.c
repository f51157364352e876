/* SPDX-License-Identifier: Apache-2.0 */
/* hwloc's topology as a model. */
#include "analysis/machine/topology.h"

#include <string.h>

#include "analysis/machine/figure.h"
#include "analysis/machine/model_check.h"

#define FIRMWARE_OWN 10 /* ACPI 6.5, 5.2.17: distance of a node from itself */

uint32_t topology_ways(uint64_t lines, uint32_t ways)
{
	const uint32_t wanted[] = { ways, TOPOLOGY_WAYS,
				    8,    12,
				    10,   20,
				    24,   9,
				    11,   14,
				    15,   18,
				    22,   28,
				    13,   26,
				    30,   4,
				    6,    5,
				    7,    3 };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (wanted[i] && lines % wanted[i] == 0 && is_power_of_two(lines / wanted[i]))
			return wanted[i];
	return 0;
}

/* Caches that are private in the model. */
static void share(struct model_cache *cache)
{
	cache->bytes /= cache->cores;
	cache->cores = 1;
}

static void apply_cache(const struct topology *topology, struct machine_model *model, int level)
{
	struct model_cache *cache = &model->cache[level];

	cache->bytes = topology->cache[level].bytes;
	cache->ways = topology->cache[level].ways;
	cache->line = topology->cache[level].line ? topology->cache[level].line : TOPOLOGY_LINE;
	cache->cores = topology->cache[level].cores;
}

void topology_apply(const struct topology *topology, struct machine_model *model)
{
	struct model_cache *cache = model->cache;

	model->cores = topology->cores;
	model->nodes = topology->nodes;
	for (int level = 0; level < MODEL_LEVELS; level++)
		apply_cache(topology, model, level);
	if (cache[1].bytes && cache[1].cores > 1 && !cache[2].bytes) {
		cache[2] = cache[1];
		memset(&cache[1], 0, sizeof(cache[1]));
	}
	for (int level = 0; level < 2; level++)
		if (cache[level].bytes && cache[level].cores > 1)
			share(&cache[level]);
	for (int level = 0; level < MODEL_LEVELS; level++)
		if (cache[level].bytes && (level < 2 || !cache[level].ways))
			cache[level].ways = topology_ways(cache[level].bytes / cache[level].line,
							  cache[level].ways);
}

/* The origin of a cache of the model: see topology_apply. */
static uint64_t told(const struct topology *topology, const struct machine_model *model,
		     const struct figure *figure)
{
	bool is_second = figure->level == MODEL_LEVELS && !topology->cache[2].bytes &&
			 !model->cache[1].bytes;
	int level = is_second ? 1 : figure->level - 1;

	switch (figure->kind) {
	case FIGURE_WAYS: return topology->cache[level].ways;
	case FIGURE_COUNT: return topology->cache[level].cores;
	default:
		return figure->offset == offsetof(struct machine_model,
						  cache[figure->level - 1].bytes)
			       ? topology->cache[level].bytes
			       : topology->cache[level].line;
	}
}

const char *topology_says(const struct topology *topology, const struct machine_model *model,
			  const struct figure *figure)
{
	if (!figure->level || told(topology, model, figure) == figure_get(figure, model))
		return "hwloc";
	return told(topology, model, figure) && figure->kind != FIGURE_WAYS
		       ? "a core's share of what hwloc says"
		       : "typical; hwloc tells none that fit";
}

void topology_apply_distances(const struct topology *topology, struct machine_model *model)
{
	for (uint32_t i = 0; i < model->nodes && topology->distances[0][0]; i++)
		for (uint32_t j = 0; j < model->nodes; j++)
			model->distances[i][j] = (uint32_t)((uint64_t)model->memory_latency *
							    topology->distances[i][j] /
							    FIRMWARE_OWN);
}
