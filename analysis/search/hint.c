/* SPDX-License-Identifier: Apache-2.0 */
/* Hints of properties: they order refinements, and never add or remove any. */
#include <string.h>
#include <strings.h>

#include "analysis/search/engine_private.h"

/* "DO_REGION", "do" and "DO" all name that kind. */
static bool names_kind(const char *word, size_t length, enum ms_region_kind kind)
{
	const char *name = ms_region_kind_name(kind);
	size_t full = strlen(name), stem = full - strlen("_REGION");

	return (length == full || length == stem) && !strncasecmp(word, name, length);
}

static bool names_property(const char *word, size_t length, const struct property *property)
{
	const char *name = property_name(property);

	return strlen(name) == length && !strncmp(word, name, length);
}

bool hint_points(const struct engine *engine, const char *hint,
		 const struct ms_candidate *candidate)
{
	const struct property *property = engine_property(engine, candidate->property);
	struct ms_region_info region;

	if (!hint || !database_region_info(engine->db, candidate->region, &region))
		return false;
	for (const char *word = hint + strspn(hint, " ,"); *word; word += strspn(word, " ,")) {
		size_t length = strcspn(word, " ,");

		if (names_kind(word, length, region.kind) || names_property(word, length, property))
			return true;
		if (length == strlen("threads") && !strncmp(word, "threads", length) &&
		    property_by_thread(property))
			return true;
		word += length;
	}
	return false;
}
