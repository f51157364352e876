/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings and site tables over made-up memory: wrapping, skipping, refusing nonsense, filling up, one
 * writer and a reader.
 */
#include "memsearch/metric.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/registers.h"
#include "ompt_tool/sampling/ring.h"
#include "ompt_tool/sampling/site_table.h"
#include "tests/unit/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BYTES 256

static struct perf_event_mmap_page page;
static uint8_t data[BYTES];
static struct ring ring = { &page, data, BYTES };

/* Appends as the kernel does, byte by byte around the end. */
static void write_record(const void *record)
{
	const struct perf_event_header *header = record;

	for (unsigned int i = 0; i < header->size; i++)
		data[(page.data_head + i) % BYTES] = ((const uint8_t *)record)[i];
	__atomic_store_n(&page.data_head, page.data_head + header->size, __ATOMIC_RELEASE);
}

struct plain {
	struct perf_event_header header;
	uint64_t id, ip, address;
};

static const struct kernel_event_spec with_address = { .address = true },
				      with_stack = { .stack = true };

static struct plain plain(uint64_t ip, uint64_t address)
{
	return (struct plain){
		{ .type = PERF_RECORD_SAMPLE, .size = sizeof(struct plain) }, 77, ip, address
	};
}

struct seen {
	uint64_t ips[64];
	int nr, bad;
};

static void note(void *ctx, const struct perf_event_header *record)
{
	struct seen *seen = ctx;
	struct kernel_sample sample;

	if ((uintptr_t)record % 8 || !kernel_event_parse(record, &with_address, &sample) ||
	    sample.address != sample.ip * 3)
		seen->bad++;
	else
		seen->ips[seen->nr++ % 64] = sample.ip;
}

TEST(ring__records_wrap_at_every_offset)
{
	uint64_t next = 1, want = 1;

	for (int round = 0; round < 200; round++) {
		struct seen seen = { .nr = 0 };

		for (int i = 0; i < 1 + round % 8; i++, next++) {
			struct plain record = plain(next, next * 3);

			write_record(&record);
		}
		CHECK_INT(ring_pending(&ring), (1 + round % 8) * sizeof(struct plain));
		CHECK(ring_drain(&ring, note, &seen));
		CHECK_INT(seen.bad, 0);
		CHECK_INT(seen.nr, 1 + round % 8);
		for (int i = 0; i < seen.nr; i++)
			CHECK_INT(seen.ips[i], want++);
		CHECK_INT(ring_pending(&ring), 0);
		CHECK_INT(page.data_tail, page.data_head);
	}
}

TEST(ring__unknown_and_overlong_records_are_skipped)
{
	static uint8_t large_data[4096];
	struct ring large = { &page, large_data, sizeof(large_data) };
	struct perf_event_header *header = (struct perf_event_header *)large_data;
	struct plain last = plain(7, 21);
	struct seen seen = { .nr = 0 };

	header->type = PERF_RECORD_SAMPLE;
	header->size = RING_RECORD_MAX + 8;
	memcpy(large_data + header->size, &last, sizeof(last));
	page.data_head = header->size + sizeof(last);
	CHECK(ring_drain(&large, note, &seen));
	CHECK_INT(seen.nr, 1);
	CHECK_INT(seen.ips[0], 7);
	CHECK_INT(seen.bad, 0);
}

TEST(ring__nonsense_is_thrown_away)
{
	struct plain good = plain(1, 3);
	struct perf_event_header zero = { .type = PERF_RECORD_SAMPLE, .size = 0 };
	struct seen seen = { .nr = 0 };

	write_record(&good);
	memcpy(data + page.data_head, &zero, sizeof(zero));
	page.data_head += 8;
	CHECK(!ring_drain(&ring, note, &seen));
	CHECK_INT(seen.nr, 1);
	CHECK_INT(ring_pending(&ring), 0);

	good.header.size = 200; /* more than was written */
	memcpy(data + page.data_head, &good, sizeof(good));
	page.data_head += sizeof(good);
	CHECK(!ring_drain(&ring, note, &seen));
	CHECK_INT(seen.nr, 1);
	CHECK_INT(ring_pending(&ring), 0);
}

static struct perf_event_header *stack_record(uint64_t *words, uint64_t stack_bytes, uint64_t valid)
{
	struct perf_event_header *header = (struct perf_event_header *)words;
	uint64_t *at = words + 1;

	*at++ = 99;     /* id */
	*at++ = 0x1234; /* ip */
	*at++ = 2;      /* 64-bit registers */
	for (uint32_t i = 0; i < register_map.nr; i++)
		*at++ = 100 + i;
	*at++ = stack_bytes;
	for (uint64_t i = 0; i < stack_bytes / 8; i++)
		*at++ = i;
	*at++ = valid;
	*header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE, .size = (uint16_t)((uint8_t *)at - (uint8_t *)words)
	};
	return header;
}

TEST(ring__samples_with_stacks_are_taken_apart)
{
	uint64_t words[128];
	struct perf_event_header *record = stack_record(words, 256, 80);
	struct kernel_sample sample;
	uint64_t value;

	CHECK(kernel_event_parse(record, &with_stack, &sample));
	CHECK_INT(kernel_event_of(record), 99);
	CHECK_INT(sample.ip, 0x1234);
	CHECK_INT(sample.stack_bytes, 80);
	memcpy(&value, sample.stack + 72, 8);
	CHECK_INT(value, 9);
	if (register_map.nr) {
		memcpy(&value, sample.registers + 8 * (register_map.nr - 1), 8);
		CHECK_INT(value, 100 + register_map.nr - 1);
	}
	/* The rest of a record of an event without stacks means nothing. */
	CHECK(kernel_event_parse(record, &(struct kernel_event_spec){ 0 }, &sample));
	CHECK(!sample.registers && !sample.stack);
	/* A record cut short anywhere is refused, never read beyond. */
	for (uint16_t size = record->size - 8; size >= 8; size -= 8) {
		uint64_t *exact = malloc(size);

		memcpy(exact, words, size);
		((struct perf_event_header *)exact)->size = size;
		CHECK(!kernel_event_parse((struct perf_event_header *)exact, &with_stack, &sample));
		free(exact);
	}
}

static struct site_table *new_table(void)
{
	return mmap(NULL, sizeof(struct site_table), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static struct site *get(struct site_table *table, uint32_t region, uint64_t ip, uint64_t address)
{
	return site_table_get(table, &(struct site_key){ .region = region, .ip = ip }, address);
}

TEST(ring__sites_are_told_apart_by_region_and_instruction)
{
	struct site_table *table = new_table();
	struct site *one = get(table, 1, 0x400000, 11), *two = get(table, 2, 0x400000, 22);

	CHECK(one && two && one != two);
	site_table_count(one, 3);
	CHECK_THAT(get(table, 1, 0x400000, 99), ==, one);
	CHECK_INT(one->count, 3);
	CHECK_INT(one->address, 11);
	CHECK_INT(two->address, 22);
	for (uint32_t i = 2; i < SITE_TABLE_SITES; i++)
		CHECK(get(table, i % 5 + 10, 0x400000 + i, 0));
	CHECK(!get(table, 1, 0x1, 0));
	CHECK_THAT(get(table, 2, 0x400000, 0), ==, two);
}

static struct site *site_with_stack(struct site_table *table, const struct site_key *key,
				    uint64_t caller)
{
	struct site *site = site_table_get(table, key, 0);
	struct site_stack *stack = site_table_stack(table, site);

	CHECK(stack);
	stack->caller = caller;
	stack->registers[7] = caller;
	site_table_publish(table, site, stack);
	return site;
}

TEST(ring__sites_in_libraries_are_told_apart_by_caller_or_data)
{
	struct site_table *table = new_table();
	struct site_key key = { .region = 1, .ip = 5 }, caller = key, piece = key;
	struct site *all = site_table_get(table, &key, 0);

	caller.caller = 77;
	piece.data = 77;
	CHECK(site_table_get(table, &caller, 0) != all && site_table_get(table, &piece, 0) != all);
	CHECK_THAT(site_table_get(table, &caller, 0), !=, site_table_get(table, &piece, 0));
	CHECK_THAT(site_table_get(table, &piece, 0), ==, site_table_get(table, &piece, 0));
	for (uint32_t i = 3; i < SITE_TABLE_SITES / 2; i++)
		CHECK(get(table, 2, i, 0));
	piece.data = 78;
	CHECK_THAT(site_table_get(table, &piece, 0), ==, all); /* no room for more than one */
	piece.data = 77;
	CHECK_THAT(site_table_get(table, &piece, 0), !=, all);
}

TEST(ring__a_stack_of_other_data_is_taken_only_where_all_have_one_caller)
{
	struct site_table *table = new_table();
	struct site_key key = { .region = 1, .ip = 5, .data = 1 },
			other_region = { .region = 2, .ip = 5, .data = 1 };
	struct sample_site out;

	site_with_stack(table, &key, 100);
	site_with_stack(table, &other_region, 300);
	for (key.data = 2; key.data < 4; key.data++)
		site_table_get(table, &key, 0);
	CHECK(site_table_at(table, 2, MS_METRIC_FAULT_SAMPLES, &out) && out.has_stack);
	CHECK_INT(out.registers[7], 100);
	key.data = 4;
	site_with_stack(table, &key, 200);
	CHECK(site_table_at(table, 2, MS_METRIC_FAULT_SAMPLES, &out) && !out.has_stack);
	CHECK(site_table_at(table, 0, MS_METRIC_FAULT_SAMPLES, &out) && out.has_stack);
	CHECK_INT(out.registers[7], 100);
}

static void sum(void *ctx, const struct sample_site *site)
{
	uint64_t *sums = ctx;

	sums[0] += site->count;
	sums[1] += site->has_stack && site->registers[7] != site->ip;
	sums[2]++;
}

TEST(ring__stacks_are_bounded_and_belong_to_their_site)
{
	struct site_table *table = new_table();
	uint64_t sums[3] = { 0 };

	for (uint64_t ip = 1; ip <= SITE_TABLE_STACKS + 10; ip++) {
		struct site *site = get(table, 0, ip, 0);
		struct site_stack *stack = site_table_stack(table, site);

		site_table_count(site, ip == 5 ? 0 : 2);
		CHECK_INT(stack != NULL, ip <= SITE_TABLE_STACKS);
		if (!stack)
			continue;
		stack->registers[7] = ip;
		site_table_publish(table, site, stack);
		CHECK(!site_table_stack(table, site));
	}
	site_table_each(table, MS_METRIC_SAMPLES, sum, sums);
	CHECK_INT(sums[0], 2 * (SITE_TABLE_STACKS + 9));
	CHECK_INT(sums[1], 0);
	CHECK_INT(sums[2], SITE_TABLE_STACKS + 9);
}

#define ROUNDS 20000

static void *fill(void *argument)
{
	struct site_table *table = argument;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct site *site = get(table, 0, 1 + i % 1000, 0);
		struct site_stack *stack = site_table_stack(table, site);

		site_table_count(site, 1);
		if (stack) {
			stack->registers[7] = site->key.ip;
			site_table_publish(table, site, stack);
		}
	}
	return NULL;
}

/* Run with SAN=thread: the fold reads while the owner writes. */
TEST(ring__a_reader_sees_whole_sites_while_the_owner_writes)
{
	struct site_table *table = new_table();
	uint64_t before = 0, sums[3];
	pthread_t owner;

	pthread_create(&owner, NULL, fill, table);
	do {
		memset(sums, 0, sizeof(sums));
		site_table_each(table, MS_METRIC_SAMPLES, sum, sums);
		CHECK_INT(sums[1], 0);
		CHECK_THAT(sums[0], >=, before);
		before = sums[0];
	} while (before < ROUNDS);
	pthread_join(owner, NULL);
	CHECK_INT(before, ROUNDS);
}

/* Two threads, one ring: as kernel and owner, with release and acquire on the head. */
static void *produce(void *argument)
{
	(void)argument;
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		struct plain record = plain(i, i * 3);

		while (page.data_head + sizeof(record) -
			       __atomic_load_n(&page.data_tail, __ATOMIC_ACQUIRE) >
		       BYTES)
			;
		write_record(&record);
	}
	return NULL;
}

static void check_order(void *ctx, const struct perf_event_header *record)
{
	struct kernel_sample sample;
	uint64_t *next = ctx;

	CHECK(kernel_event_parse(record, &with_address, &sample));
	CHECK_INT(sample.ip, *next);
	CHECK_INT(sample.address, *next * 3);
	++*next;
}

TEST(ring__nothing_is_overtaken_or_lost_between_two_threads)
{
	uint64_t next = 1;
	pthread_t producer;

	pthread_create(&producer, NULL, produce, NULL);
	while (next <= ROUNDS)
		CHECK(ring_drain(&ring, check_order, &next));
	pthread_join(producer, NULL);
	CHECK_INT(ring_pending(&ring), 0);
}
