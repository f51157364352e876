/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_ADDRESS_TALLY_H
#define MEMSEARCH_SAMPLING_ADDRESS_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sums of one reading of a ring by data structure: looks up the addresses of the samples of a PMU
 * (or of page faults instead). Each sample represents the accesses of one sampling period.
 *
 *     ring ──sample──▶ address_tally_add ── array_at ──▶ sums[array] ──address_tally_each──▶
 *     metrics of region and array
 *       └other records▶ address_tally_note: what is missing
 *
 * Lives in zeroed memory; owner only, no malloc, callbacks allowed.
 */
/*
 * arrays distinguished in one reading; samples of further ones count as in no array, and are
 * counted
 */
#define ADDRESS_TALLY_ARRAYS 1024

struct kernel_event_spec;
struct kernel_sample;
struct perf_event_header;

struct address_sum {
	uint32_t array; /* of array.h; ARRAY_NONE: in none */
	uint64_t samples;
	/* All but `samples` are estimates: times the period. */
	uint64_t loads, stores;
	uint64_t l1_misses, l2_misses, l3_misses;
	uint64_t local, remote; /* from memory */
	uint64_t modified, walks;
	uint64_t cycles; /* latency of accesses that missed the first level */
};

struct address_tally {
	uint32_t nr;
	uint16_t index[2 * ADDRESS_TALLY_ARRAYS]; /* 1 + position in sums; 0: free */
	struct address_sum sums[ADDRESS_TALLY_ARRAYS];
	/* the following over all readings */
	/* times the kernel suspended sampling because samples came too fast */
	uint64_t throttled;
	/* lost by the PMU, before the kernel could write them; a lower bound */
	uint64_t lost;
	uint64_t unreadable; /* samples shorter than their layout */
	uint64_t crowded;    /* samples of arrays without a row: the table was full */
};

struct address_moment {
	uint64_t since, until; /* array.h's times of the previous and the present reading */
	uint64_t weight;       /* number of sampling periods that a sample represents */
};

/* Adds a sample of an event opened by `spec`. False: not an access by user code. */
bool address_tally_add(struct address_tally *tally, const struct kernel_sample *sample,
		       const struct kernel_event_spec *spec, const struct address_moment *moment);
/* A record that is no sample, or cannot be read as one. */
void address_tally_note(struct address_tally *tally, const struct perf_event_header *record);
/* Visits and clears the sums of this reading. */
void address_tally_each(struct address_tally *tally,
			void (*visit)(void *ctx, const struct address_sum *sum), void *ctx);

#endif
