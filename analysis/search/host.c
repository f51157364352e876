/* SPDX-License-Identifier: Apache-2.0 */
/* What strategies see: the table of host functions over the engine, the database and the properties. */
#include "analysis/base/log.h"
#include "analysis/search/engine_private.h"

static uint32_t host_property_count(void *ctx)
{
	return (uint32_t)((struct engine *)ctx)->properties->nr;
}

static uint32_t host_property_find(void *ctx, const char *name)
{
	const struct property_set *set = ((struct engine *)ctx)->properties;
	const struct property *property = property_set_find(set, name);

	return property ? property_index(set, property) : UINT32_MAX;
}

static const char *host_property_name(void *ctx, uint32_t index)
{
	const struct property *property = engine_property(ctx, index);

	return property ? property_name(property) : "";
}

static size_t copy(const uint32_t *from, size_t nr, uint32_t *out, size_t room)
{
	for (size_t i = 0; i < nr && i < room; i++)
		out[i] = from[i];
	return nr;
}

static size_t host_property_roots(void *ctx, uint32_t *out, size_t room)
{
	const struct property_set *set = ((struct engine *)ctx)->properties;
	const uint32_t *parents;
	size_t nr = 0;

	for (uint32_t i = 0; i < set->nr; i++) {
		if (property_parents(set->properties[i], &parents))
			continue;
		if (nr < room)
			out[nr] = i;
		nr++;
	}
	return nr;
}

static size_t host_property_children(void *ctx, uint32_t index, uint32_t *out, size_t room)
{
	const struct property *property = engine_property(ctx, index);
	const uint32_t *children = NULL;
	size_t nr = property ? property_children(property, &children) : 0;

	return copy(children, nr, out, room);
}

/* What loops have no values for is not proposed again and again. */
static int host_property_applies(void *ctx, uint32_t index, enum ms_region_kind kind)
{
	const struct property *property = engine_property(ctx, index);
	const uint32_t *metrics;
	size_t nr = property && kind == MS_LOOP_REGION ? property_metrics(property, &metrics) : 0;

	for (size_t i = 0; i < nr; i++)
		if (!database_tells_loops(metrics[i]))
			return 0;

	return property && property_applies(property, kind);
}

static size_t host_region_children(void *ctx, uint32_t region, struct ms_region_info *out, size_t room)
{
	return database_children(((struct engine *)ctx)->db, region, out, room);
}

static int host_region_info(void *ctx, uint32_t region, struct ms_region_info *out)
{
	return database_region_info(((struct engine *)ctx)->db, region, out);
}

static size_t host_region_threads(void *ctx, uint32_t region, uint32_t *out, size_t room)
{
	return database_threads(((struct engine *)ctx)->db, region, out, room);
}

static struct ms_reading host_reading(void *ctx, uint32_t region, uint32_t thread, uint32_t metric)
{
	return database_reading(((struct engine *)ctx)->db, DATABASE_ALL_BATCHES, region, thread, metric);
}

static uint32_t host_node_find(void *ctx, uint32_t property, uint32_t region, uint32_t thread)
{
	return history_find(&((struct engine *)ctx)->history, property, region, thread);
}

static enum ms_node_state host_node_state(void *ctx, uint32_t id)
{
	const struct engine_node *node = engine_node(ctx, id);

	return node ? node->state : MS_NODE_UNKNOWN;
}

static int host_node_candidate(void *ctx, uint32_t id, struct ms_candidate *out)
{
	const struct engine_node *node = engine_node(ctx, id);

	if (node)
		*out = node->candidate;
	return node != NULL;
}

static const struct ms_verdict *host_node_verdict(void *ctx, uint32_t id)
{
	const struct engine_node *node = engine_node(ctx, id);

	return node ? &node->verdict : NULL;
}

static void host_log(void *ctx, const char *text)
{
	const struct ms_strategy *strategy = ((struct engine *)ctx)->strategy;

	log_debug("strategy %s: %s", strategy ? strategy->name : "", text);
}

static uint32_t host_region_first_child(void *ctx, uint32_t region)
{
	return database_first_child(((struct engine *)ctx)->db, region);
}

static uint32_t host_region_next_sibling(void *ctx, uint32_t region)
{
	return database_next_sibling(((struct engine *)ctx)->db, region);
}

void host_init(struct engine *engine)
{
	engine->host = (struct ms_host){
		.abi = MS_HOST_ABI, .size = sizeof(struct ms_host), .ctx = engine,
		.property_count = host_property_count, .property_find = host_property_find,
		.property_name = host_property_name, .property_roots = host_property_roots,
		.property_children = host_property_children, .property_applies = host_property_applies,
		.region_children = host_region_children, .region_info = host_region_info,
		.region_threads = host_region_threads, .reading = host_reading,
		.node_find = host_node_find, .node_state = host_node_state,
		.node_candidate = host_node_candidate, .node_verdict = host_node_verdict,
		.log = host_log,
		.region_first_child = host_region_first_child, .region_next_sibling = host_region_next_sibling,
	};
}
