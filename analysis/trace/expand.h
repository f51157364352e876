/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_EXPAND_H
#define MEMSEARCH_TRACE_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/trace/stretches.h"

/* From recorded words (stretches.h) to addresses: single accesses, and iterations of counted loops. */

/* Address of a PLAIN access; `stretch`: its header. */
static inline uint64_t record_address(const struct record_site *site, const uint64_t *stretch)
{
	uint64_t base = site->base_word ? stretch[site->base_word] : 0,
		 index = site->index_word ? stretch[site->index_word] : 0;

	return base + index * site->scale + (uint64_t)site->displacement;
}

/*
 * The same without branches, for many addresses: address = stretch[base] * base_times +
 * stretch[index] * index_times + constant.
 */
struct record_terms {
	uint16_t base, index;
	uint8_t base_times, index_times;
	uint64_t constant;
};

static inline struct record_terms record_terms(const struct record_site *site)
{
	return (struct record_terms){ .base = site->base_word,
				      .index = site->index_word,
				      .base_times = site->base_word > 0,
				      .index_times = site->index_word ? site->scale : 0,
				      .constant = (uint64_t)site->displacement };
}

/*
 * Single accesses of one site; `stretch`: its header. Returns their number, of which at most `room`
 * are written. A REPEATED access is one range; it is skipped if it is longer than
 * RECORD_BYTES_MOST.
 */
struct record_access {
	uint64_t address;
	uint64_t bytes;
	bool read, write;
};
size_t record_expand(const struct record_site *site, const uint64_t *stretch,
		     struct record_access *out, size_t room);
/* Bytes of a REPEATED access; UINT64_MAX: too many to count. */
uint64_t record_bytes_repeated(const struct record_site *site, const uint64_t *stretch);
/* Whether a REPEATED access is longer than RECORD_BYTES_MOST. */
bool record_is_too_long(const struct record_site *site, const uint64_t *stretch);

/*
 * record_before: the stretch of the RECORD_COUNTED at `at`, the entry before it; NULL: another
 * entry. record_times: its further iterations, 0 if the words are impossible (a signal handler
 * interrupted them). record_go_on: its words with the header after that number of iterations.
 */
const uint64_t *record_before(const uint64_t *words, size_t at);
uint64_t record_times(const uint64_t *counted, const uint64_t *stretch);
void record_go_on(const struct record_counted *row, const uint64_t *stretch, uint64_t times,
		  uint64_t *out);

/*
 * Visits every stretch, and those of counted loops for each iteration. False: the rest is invalid.
 * Slow.
 */
typedef void record_visit(void *ctx, const struct record_stretch *row, const uint64_t *stretch);
bool record_each(const uint64_t *words, size_t nr, record_visit *visit, void *ctx);

#endif
