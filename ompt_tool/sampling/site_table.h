/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_SITE_TABLE_H
#define MEMSEARCH_SAMPLING_SITE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/sampling/registers.h"

#define SAMPLE_STACK_BYTES 256

struct sample_site {
	uint32_t region;
	uint32_t metric; /* MS_METRIC_SAMPLES or MS_METRIC_FAULT_SAMPLES */
	uint64_t ip;
	/* in sampling periods: after losses a sample represents several */
	uint64_t count;
	uint64_t address; /* faults: data address of the first one */
	/* no stack if `ip` is in the program's own file: nothing to unwind */
	uint32_t has_stack, stack_bytes;
	uint64_t registers[SAMPLE_REGISTERS]; /* those of register_map, in its order */
	uint8_t stack[SAMPLE_STACK_BYTES];
};

/* Samples missing in a table or queue, over the thread's life. */
struct samples_losses {
	uint64_t lost;  /* the kernel's ring was full */
	uint64_t sites; /* without a site: the table was full */
	/* not kept one by one: the queue was full, or there was no memory for one */
	uint64_t touches;
};

/*
 * Number of samples of each (region, instruction) on one thread, with one stack for some of them.
 * Open addressing into a dense array, so that only pages in use are touched:
 *
 *     index[hash(region, ip, caller, data)] ──▶ sites[n] ──▶ stacks[m]
 *
 * An instruction of a library is one site per place of the program that calls it, if that is known:
 * by the stacks of the samples (`caller`), or, if few samples have one, by the data that it
 * accesses (`data`). When half of the sites are used, new ones are for all callers and all data.
 *
 * Lives in zeroed memory reserved by the caller. Only the owner writes; other threads read complete
 * sites (published by nr) concurrently. No malloc, callbacks allowed.
 */
#define SITE_TABLE_SITES 4096 /* further ones are counted as dropped by the caller */
#define SITE_TABLE_STACKS 1024
#define SITE_TABLE_INDEX (2 * SITE_TABLE_SITES)

struct site_key {
	uint64_t ip;
	uint64_t caller; /* callers.h; 0: all */
	uint64_t data;   /* any number; 0: all */
	uint32_t region;
};

struct site {
	struct site_key key;
	uint64_t count, address;
	uint32_t stack; /* 1 + position in stacks, 0: none */
};

struct site_stack {
	uint64_t caller; /* callers.h */
	uint64_t registers[SAMPLE_REGISTERS];
	uint32_t bytes, reserved;
	uint8_t memory[SAMPLE_STACK_BYTES];
};

struct site_table {
	uint32_t nr, nr_stacks;
	uint16_t index[SITE_TABLE_INDEX]; /* 1 + position in sites, 0: free */
	struct site sites[SITE_TABLE_SITES];
	struct site_stack stacks[SITE_TABLE_STACKS];
};

/* Finds or makes the site; a new one keeps `address`. NULL: the table is full. */
struct site *site_table_get(struct site_table *table, const struct site_key *key, uint64_t address);
void site_table_count(struct site *site, uint64_t times);
/* An empty stack to fill before site_table_publish; NULL: the site has one, or all are used. */
struct site_stack *site_table_stack(struct site_table *table, const struct site *site);
void site_table_publish(struct site_table *table, struct site *site,
			const struct site_stack *stack);

/*
 * Any thread. The site at a position; false: there is none. Without a stack of its own it gets that
 * of the same instruction with other data, if all of these have one caller.
 */
bool site_table_at(const struct site_table *table, uint32_t position, uint32_t metric,
		   struct sample_site *out);
/* Any thread. Skips sites that were never counted. */
void site_table_each(const struct site_table *table, uint32_t metric,
		     void (*visit)(void *ctx, const struct sample_site *site), void *ctx);

#endif
