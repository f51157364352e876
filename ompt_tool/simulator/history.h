/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_HISTORY_H
#define MEMSEARCH_SIMULATOR_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/simulator/table.h"

/*
 * What once was in a cache: which lines were ever there, and which of them left it because another core wrote to them (rule 9).
 * All caches keep it in one table, a row for 64 neighbouring lines of one cache.
 */
#define HISTORY_CACHES 1024              /* numbers of caches are below it */
#define HISTORY_RECENT 16

struct history {                         /* of one cache: where its last rows were */
	uint32_t recent[HISTORY_RECENT];
};

struct history_row {
	uint64_t key;                    /* of table.h */
	uint64_t seen, taken;
};

void history_init(struct table *table, size_t *budget);
/* NULL: nothing is known of these lines; if `add`: and there was no room. */
struct history_row *history_find(struct table *table, struct history *history, uint32_t cache, uint64_t line, bool add);

static inline uint64_t history_bit(uint64_t line)
{
	return 1ull << (line & 63);
}

#endif
