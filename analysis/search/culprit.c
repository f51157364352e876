/* SPDX-License-Identifier: Apache-2.0 */
/* Which constructs to drop, because measuring these costs so much that other questions must wait. */
#include <string.h>

#include "analysis/search/engine_private.h"

/* True of constructs whose events cost too much (properties/system.asl). */
#define CULPRIT "ToolOverheadInRegion"

/* The outermost region around a construct, where its events can be dropped; MS_REGION_NONE: none. */
static uint32_t droppable(const struct database *db, uint32_t construct)
{
	struct ms_region_info info;
	uint32_t region = construct;

	while (database_region_info(db, region, &info) && info.parent != MS_REGION_USER)
		region = info.parent;
	return region != construct && region != MS_REGION_NONE && info.kind == MS_PARALLEL_REGION
		       ? region
		       : MS_REGION_NONE;
}

uint32_t engine_culprit(const struct engine *engine)
{
	if (!engine->selection.kept_waiting)
		return MS_REGION_NONE;
	for (uint32_t id = 0; id < engine->history.nr; id++) {
		const struct engine_node *node = engine_node(engine, id);
		const struct property *property = engine_property(engine, node->candidate.property);
		uint32_t region;

		if (node->state != MS_NODE_TRUE || strcmp(property_name(property), CULPRIT) != 0)
			continue;
		region = droppable(engine->db, node->candidate.region);
		if (region != MS_REGION_NONE && !database_drops(engine->db, region))
			return region;
	}
	return MS_REGION_NONE;
}
