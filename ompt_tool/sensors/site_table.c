/* SPDX-License-Identifier: Apache-2.0 */
/* The per-thread table of sampled instructions: one writer, any number of readers. */
#include "ompt_tool/sensors/site_table.h"

#include <string.h>

#include "analysis/base/hash.h"

static uint32_t slot_of(uint32_t region, uint64_t ip)
{
	return (uint32_t)(hash_word(ip ^ (uint64_t)region << 48) >> 32) % SITE_TABLE_INDEX;
}

static struct site *append(struct site_table *table, uint32_t region, uint64_t ip, uint64_t address)
{
	struct site *site = &table->sites[table->nr];

	*site = (struct site){ .ip = ip, .region = region, .address = address };
	__atomic_store_n(&table->nr, table->nr + 1, __ATOMIC_RELEASE);
	return site;
}

struct site *site_table_get(struct site_table *table, uint32_t region, uint64_t ip, uint64_t address)
{
	uint32_t slot = slot_of(region, ip);

	while (table->index[slot]) {
		struct site *site = &table->sites[table->index[slot] - 1];

		if (site->ip == ip && site->region == region)
			return site;
		slot = (slot + 1) % SITE_TABLE_INDEX;
	}
	if (table->nr == SITE_TABLE_SITES)
		return NULL;
	table->index[slot] = (uint16_t)(table->nr + 1);
	return append(table, region, ip, address);
}

void site_table_count(struct site *site, uint64_t times)
{
	__atomic_store_n(&site->count, site->count + times, __ATOMIC_RELAXED);
}

struct site_stack *site_table_stack(struct site_table *table, const struct site *site)
{
	return site->stack || table->nr_stacks == SITE_TABLE_STACKS ? NULL : &table->stacks[table->nr_stacks];
}

void site_table_publish(struct site_table *table, struct site *site, const struct site_stack *stack)
{
	table->nr_stacks++;
	__atomic_store_n(&site->stack, (uint32_t)(stack - table->stacks) + 1, __ATOMIC_RELEASE);
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

bool site_table_at(const struct site_table *table, uint32_t position, uint32_t metric, struct sample_site *out)
{
	const struct site *site = &table->sites[position];

	if (position >= __atomic_load_n(&table->nr, __ATOMIC_ACQUIRE))
		return false;
	out->metric = metric;
	out->region = site->region;
	out->ip = site->ip;
	out->address = site->address;
	out->count = __atomic_load_n(&site->count, __ATOMIC_RELAXED);
	copy_stack(table, __atomic_load_n(&site->stack, __ATOMIC_ACQUIRE), out);
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
