/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_CLONES_COUNT_H
#define MEMSEARCH_TESTS_UNIT_CLONES_COUNT_H

#include <stdint.h>

#include "analysis/code/code.h"
#include "ompt_tool/clones/word_buffer.h"
#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"

/* Accesses as sums that do not depend on their order: of a recorded stream, or of single steps. */
#define COUNT_MOST (1 << 24)             /* bytes of a range; a signal handler may leave behind more, see word_buffer.h */
struct count { uint64_t nr, addresses, squares, bytes, writes, events[RECORD_LEFT + 1], range_bytes, broken; };

static inline void count_one(struct count *count, uint64_t address, uint64_t bytes, bool read, bool write)
{
	count->nr++;
	count->addresses += address;
	count->squares += address * address;
	count->bytes += bytes;
	count->writes += write + 1000 * (uint64_t)read;
}

/* A range is counted element by element, as single steps see it. */
static inline void count_site(struct count *count, const struct record_site *site, const uint64_t *stretch)
{
	struct record_access accesses[64];
	size_t nr = record_expand(site, stretch, accesses, 64);

	for (size_t i = 0; i < nr; i++) {
		uint64_t step = site->access == CODE_ACCESS_REPEATED ? site->size : accesses[i].bytes;

		if (accesses[i].bytes > COUNT_MOST) {
			count->broken++;
			return;
		}
		for (uint64_t at = 0; at < accesses[i].bytes || !at; at += step ? step : 1)
			count_one(count, accesses[i].address + at, step, accesses[i].read, accesses[i].write);
	}
}

static inline void count_stretch(void *ctx, const struct record_stretch *row, const uint64_t *stretch)
{
	struct count *count = ctx;

	count->events[row->event]++;
	count->range_bytes += row->event == RECORD_RANGE ? stretch[3] : 0;
	for (uint32_t i = 0; i < row->nr_sites; i++)
		count_site(count, record_site(row->first_site + i), stretch);
}

/* A record_consume; ctx is a struct count. */
static inline void count_stream(void *ctx, const uint64_t *words, size_t nr)
{
	struct count *count = ctx;

	count->broken += !record_each(words, nr, count_stretch, count);
}

#endif
