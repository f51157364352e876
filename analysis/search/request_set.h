/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_REQUEST_SET_H
#define MEMSEARCH_SEARCH_REQUEST_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/index_table.h"
#include "memsearch/request.h"

/*
 * The requests of one experiment: each (metric, region) once, for all threads; a request
 * for the subregions, too, is merged with one for the region alone. O(1) each.
 */
struct arena;

struct request_set {
	struct arena *arena;
	struct ms_request *items;
	size_t nr, room;
	struct index_table index; /* of items, by metric and region */
};

void request_set_init(struct request_set *set, struct arena *arena);
void request_set_clear(struct request_set *set);
/* Whether `request` is covered by one of the set; ignores `thread` and addresses. */
bool request_set_has(const struct request_set *set, const struct ms_request *request);
/* false: no memory */
bool request_set_add(struct request_set *set, const struct ms_request *request);
/* Whether a measurement for `have` is one for `want` as far as subregions go. */
bool request_covers(const struct ms_request *have, const struct ms_request *want);

#endif
