/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REGIONS_REGION_TABLE_H
#define MEMSEARCH_REGIONS_REGION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/region.h"
#include "ompt_tool/regions/region.h"

/*
 * Identity of regions inside the running process: (kind, code address, parent) → dense number.
 * Lock-free, fixed size (MS_REGION_MAX), lives in the shared segment. Not here: the source location
 * of an address (analysis/debuginfo/source.h).
 *
 *     keys[kind] ──hash(code, parent)──▶ slot {key, id} ──▶ regions[id]
 *
 * Look-ups and insertions: any thread, any callback. A SERIAL region is looked up with the region
 * that follows it as parent, and stored below region 0. A new region gets the requests that its
 * parent has for subregions of its kind.
 */
struct region_table;

/* Bytes it needs in the segment; init is given zeroed memory of that size. */
uint64_t region_table_bytes(void);
void region_table_init(struct region_table *table);

/*
 * The region of that key, created if it is new (*new_out is true on exactly one thread, the
 * creator, which may then fill `path` and `inside`). MS_REGION_NONE: the table is full, or another
 * thread is creating it and did not finish in time; counted.
 */
uint32_t region_table_get(struct region_table *table, enum ms_region_kind kind, uint64_t construct,
			  uint32_t parent, bool *new_out);
/*
 * The same if a compiler has created several runtime calls for one construct (e.g. an unrolled
 * enclosing loop): the construct is identified by its body, and by an address that `same` reports
 * to be in the same function. `body` 0: unknown.
 */
typedef bool region_table_same(uint64_t construct, uint64_t other);
uint32_t region_table_get_of_body(struct region_table *table, enum ms_region_kind kind,
				  uint64_t construct, uint32_t parent, uint64_t body,
				  region_table_same *same, bool *new_out);
/* From now on the region has this address, too, where none of that kind below `parent` has it. */
void region_table_alias(struct region_table *table, enum ms_region_kind kind, uint64_t construct,
			uint32_t parent, uint32_t id);
/* MS_REGION_NONE: there is none. */
uint32_t region_table_find(const struct region_table *table, enum ms_region_kind kind,
			   uint64_t construct, uint32_t parent);
uint32_t region_table_count(const struct region_table *table);
/* NULL for an unused number. The pointer stays valid permanently. */
struct region *region_table_at(struct region_table *table, uint32_t id);
uint64_t region_table_dropped(const struct region_table *table);
/* All requests for regions of that kind and code address, including those not executed yet. */
uint32_t region_table_requests(const struct region_table *table, enum ms_region_kind kind,
			       uint64_t construct);

/*
 * The region of that kind, directly below `parent`, that has this body; MS_REGION_NONE: none.
 * O(regions).
 */
uint32_t region_table_of_body(struct region_table *table, enum ms_region_kind kind, uint32_t parent,
			      uint64_t function);

#endif
