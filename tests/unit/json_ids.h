/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_JSON_IDS_H
#define MEMSEARCH_TESTS_UNIT_JSON_IDS_H

#include "tests/unit/json_value.h"

/*
 * Whether ids that occur anywhere in a document are those of rows: regions of the report, arrays of
 * `memsearch arrays`, findings of a chain or of the graph. For documents of one run.
 */
struct json_ids {
	const struct json_value *regions, *arrays, *nodes; /* arrays of objects with an "id" */
	size_t nr;                                         /* that were looked up */
};

static inline bool json_has_id(const struct json_value *rows, const struct json_value *id)
{
	for (const struct json_value *row = rows ? rows->first : NULL; row; row = row->next) {
		const struct json_value *own = json_member(row, "id");

		if (own && own->type == JSON_NUMBER && own->number == id->number)
			return true;
	}
	return false;
}

static inline void json_must_have_id(struct json_ids *ids, const struct json_value *rows,
				     const struct json_value *id, const char *of)
{
	if (!id || id->type != JSON_NUMBER)
		return;
	ids->nr++;
	if (!json_has_id(rows, id))
		test_fail(__FILE__, __LINE__, "%s %g has no row", of, id->number);
}

/* `around`: the array that the object is in. */
static inline void json_check_parent(struct json_ids *ids, const struct json_value *around,
				     const struct json_value *object)
{
	const struct json_value *parent = json_member(object, "parent");
	bool is_region = json_member(object, "measured_executions") != NULL;

	if (!parent || parent->type != JSON_NUMBER)
		return;
	if (!is_region && json_has_id(json_member(object, "chain"), parent))
		ids->nr++;
	else
		json_must_have_id(ids, is_region ? around : ids->nodes, parent, "parent");
}

static inline void json_check_ids(struct json_ids *ids, const struct json_value *value)
{
	const struct json_value *region = json_member(value, "region"),
				*data = json_member(value, "data_structure");

	json_must_have_id(ids, ids->regions,
			  region && region->type == JSON_OBJECT ? json_member(region, "id")
								: region,
			  "region");
	json_must_have_id(ids, ids->arrays, json_member(data, "id"), "data_structure");
	json_must_have_id(ids, ids->arrays, json_member(value, "array_id"), "array_id");
	if (value->type == JSON_ARRAY)
		for (const struct json_value *one = value->first; one; one = one->next)
			json_check_parent(ids, value, one);
	for (const struct json_value *one = value->first; one; one = one->next)
		json_check_ids(ids, one);
}

#endif
