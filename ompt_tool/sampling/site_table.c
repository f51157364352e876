/* SPDX-License-Identifier: Apache-2.0 */
/* The per-thread table of sampled instructions: one writer, any number of readers. */
#include "ompt_tool/sampling/site_table.h"

#include <string.h>

#include "analysis/base/hash.h"

static uint32_t slot_of(const struct site_key *key)
{
	uint64_t hash = hash_word(key->ip ^ (uint64_t)key->region << 48);

	if (key->caller || key->data)
		hash = hash_word(hash ^ hash_word(key->caller) ^ key->data);
	return (uint32_t)(hash >> 32) % SITE_TABLE_INDEX;
}

static bool is_same(const struct site_key *a, const struct site_key *b)
{
	return a->ip == b->ip && a->region == b->region && a->caller == b->caller &&
	       a->data == b->data;
}

static struct site *append(struct site_table *table, const struct site_key *key, uint64_t address)
{
	struct site *site = &table->sites[table->nr];

	*site = (struct site){ .key = *key, .address = address };
	__atomic_store_n(&table->nr, table->nr + 1, __ATOMIC_RELEASE);
	return site;
}

struct site *site_table_get(struct site_table *table, const struct site_key *key, uint64_t address)
{
	const struct site_key for_all = { .ip = key->ip, .region = key->region };
	uint32_t slot = slot_of(key);

	while (table->index[slot]) {
		struct site *site = &table->sites[table->index[slot] - 1];

		if (is_same(&site->key, key))
			return site;
		slot = (slot + 1) % SITE_TABLE_INDEX;
	}
	if (table->nr >= SITE_TABLE_SITES / 2 && !is_same(key, &for_all))
		return site_table_get(table, &for_all, address);
	if (table->nr == SITE_TABLE_SITES)
		return NULL;
	table->index[slot] = (uint16_t)(table->nr + 1);
	return append(table, key, address);
}

void site_table_count(struct site *site, uint64_t times)
{
	__atomic_store_n(&site->count, site->count + times, __ATOMIC_RELAXED);
}

struct site_stack *site_table_stack(struct site_table *table, const struct site *site)
{
	return site->stack || table->nr_stacks == SITE_TABLE_STACKS
		       ? NULL
		       : &table->stacks[table->nr_stacks];
}

void site_table_publish(struct site_table *table, struct site *site, const struct site_stack *stack)
{
	table->nr_stacks++;
	__atomic_store_n(&site->stack, (uint32_t)(stack - table->stacks) + 1, __ATOMIC_RELEASE);
}

/* Stack of the same instruction with other data; 0: none, or they have several callers. */
static uint32_t others_stack(const struct site_table *table, const struct site *site, uint32_t nr)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct site_key *other = &table->sites[i].key;
		uint32_t stack = other->ip == site->key.ip && other->region == site->key.region
					 ? __atomic_load_n(&table->sites[i].stack, __ATOMIC_ACQUIRE)
					 : 0;

		if (stack && found &&
		    table->stacks[stack - 1].caller != table->stacks[found - 1].caller)
			return 0;
		found = stack ? stack : found;
	}
	return found;
}

static uint32_t stack_of(const struct site_table *table, const struct site *site, uint32_t nr)
{
	uint32_t stack = __atomic_load_n(&site->stack, __ATOMIC_ACQUIRE);

	return stack || !site->key.data ? stack : others_stack(table, site, nr);
}

static void copy_stack(const struct site_table *table, uint32_t number, struct sample_site *out)
{
	const struct site_stack *stack;

	out->has_stack = number != 0;
	out->stack_bytes = 0;
	if (!number)
		return;
	stack = &table->stacks[number - 1];
	out->stack_bytes = stack->bytes;
	memcpy(out->registers, stack->registers, sizeof(out->registers));
	memcpy(out->stack, stack->memory, stack->bytes);
}

bool site_table_at(const struct site_table *table, uint32_t position, uint32_t metric,
		   struct sample_site *out)
{
	const struct site *site = &table->sites[position];
	uint32_t nr = __atomic_load_n(&table->nr, __ATOMIC_ACQUIRE);

	if (position >= nr)
		return false;
	out->metric = metric;
	out->region = site->key.region;
	out->ip = site->key.ip;
	out->address = site->address;
	out->count = __atomic_load_n(&site->count, __ATOMIC_RELAXED);
	copy_stack(table, stack_of(table, site, nr), out);
	return true;
}

void site_table_each(const struct site_table *table, uint32_t metric,
		     void (*visit)(void *ctx, const struct sample_site *site), void *ctx)
{
	struct sample_site out;

	for (uint32_t i = 0; site_table_at(table, i, metric, &out); i++)
		if (out.count)
			visit(ctx, &out);
}
