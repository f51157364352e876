/* SPDX-License-Identifier: Apache-2.0 */
/* What a loaded property says of itself. */
#include "analysis/properties/asl.h"

static size_t indices_get(const struct indices *list, const uint32_t **out)
{
	*out = list->items;
	return list->nr;
}

uint32_t property_index(const struct property_set *set, const struct property *property)
{
	(void)set;
	return property->index;
}

const char *property_name(const struct property *property)
{
	return property->name.text;
}

const char *property_title(const struct property *property)
{
	return property->title;
}

const char *property_explanation(const struct property *property)
{
	return property->explanation;
}

const char *property_advice(const struct property *property)
{
	return property->advice;
}

const char *property_file(const struct property *property, int *line_out)
{
	if (line_out)
		*line_out = property->name.line;
	return property->file;
}

bool property_applies(const struct property *property, enum ms_region_kind kind)
{
	return kind < MS_REGION_KINDS && (property->kinds >> kind & 1);
}

size_t property_aliases(const struct property *property, const char *const **out)
{
	*out = property->aliases;
	return property->nr_aliases;
}

size_t property_parents(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->links[LINK_REFINES], out);
}

size_t property_children(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->children, out);
}

size_t property_preconditions(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->links[LINK_REQUIRES], out);
}

size_t property_anticonditions(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->links[LINK_EXCLUDES], out);
}

size_t property_metrics(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->metrics, out);
}

size_t property_phase_metrics(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->phase_metrics, out);
}

size_t property_parent_metrics(const struct property *property, const uint32_t **out)
{
	return indices_get(&property->parent_metrics, out);
}

bool property_needs_subregions(const struct property *property)
{
	return property->needs_subregions;
}

uint32_t property_metric_kinds(const struct property *property, uint32_t metric)
{
	return metric < MS_METRICS ? property->metric_kinds[metric] : KINDS_NONE;
}

static bool indices_have(const struct indices *list, uint32_t index)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->items[i] == index)
			return true;
	return false;
}

uint32_t property_set_metric_kinds(const struct property_set *set, uint32_t metric)
{
	uint32_t kinds = KINDS_NONE;

	for (size_t i = 0; i < set->nr; i++) {
		const struct property *property = set->properties[i];

		kinds |= property_metric_kinds(property, metric);
		if (indices_have(&property->metrics, metric))
			kinds |= property->kinds;
		if (indices_have(&property->parent_metrics, metric))
			kinds = KINDS_ALL;
	}
	return kinds;
}

const char *property_hint(const struct property *property)
{
	return property->hint;
}

bool property_by_thread(const struct property *property)
{
	return property->by_thread != NULL;
}
