/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_ADDRESS_TALLY_H
#define MEMSEARCH_SAMPLING_ADDRESS_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What one reading of a ring says of data accesses, by data structure: of the samples of a PMU, or
 * of page faults in their place, the addresses are looked up, and each counts as as many accesses
 * as lie between two samples.
 *
 *     ring ──sample──▶ address_tally_add ── array_at ──▶ sums[array] ──address_tally_each──▶
 *     metrics of region and array
 *       └other records▶ address_tally_note: what is missing
 *
 * Lives in zeroed memory; owner only, no malloc, callbacks allowed.
 */
/* that one reading can tell apart; samples of others are in none, and counted */
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
	uint64_t cycles; /* that those took which missed the first level */
};

struct address_tally {
	uint32_t nr;
	uint16_t index[2 * ADDRESS_TALLY_ARRAYS]; /* 1 + position in sums; 0: free */
	struct address_sum sums[ADDRESS_TALLY_ARRAYS];
	/* Over all readings. */
	/* times the kernel stopped sampling for a while, as samples came too fast */
	uint64_t throttled;
	/* by the PMU itself, before the kernel could write them; at least so many */
	uint64_t lost;
	uint64_t unreadable; /* samples that are shorter than they should be */
	uint64_t crowded;    /* samples of arrays without a row: the table was full */
};

struct address_moment {
	uint64_t since, until; /* array.h's times of the reading before and of this one */
	uint64_t weight;       /* a sample stands for this number of periods */
};

/* A sample of an event opened by `spec`. False: it is none of an access by user code. */
bool address_tally_add(struct address_tally *tally, const struct kernel_sample *sample,
		       const struct kernel_event_spec *spec, const struct address_moment *moment);
/* A record that is no sample, or cannot be read as one. */
void address_tally_note(struct address_tally *tally, const struct perf_event_header *record);
/* Sums of this reading, which are forgotten by that. */
void address_tally_each(struct address_tally *tally,
			void (*visit)(void *ctx, const struct address_sum *sum), void *ctx);

#endif
