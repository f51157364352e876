/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address samples as the kernel writes them into a ring, made by hand: what becomes of them, and of
 * all else that may stand there.
 */
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/sampling/address_tally.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/ring.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/mman.h>

#define BYTES 4096
#define PERIOD 1000
#define FIRST 0x10000000ull
#define SECOND 0x20000000ull
#define NOWHERE 0x7000ull

#define OP(name) ((uint64_t)PERF_MEM_OP_##name << PERF_MEM_OP_SHIFT)
#define LVL(name) ((uint64_t)PERF_MEM_LVL_##name << PERF_MEM_LVL_SHIFT)
#define NUM(name) ((uint64_t)PERF_MEM_LVLNUM_##name << PERF_MEM_LVLNUM_SHIFT)
#define REMOTE ((uint64_t)PERF_MEM_REMOTE_REMOTE << PERF_MEM_REMOTE_SHIFT)
#define HITM ((uint64_t)PERF_MEM_SNOOP_HITM << PERF_MEM_SNOOP_SHIFT)
#define IN_L1 (OP(LOAD) | LVL(HIT) | LVL(L1) | NUM(L1))
#define IN_L3_OLD (OP(LOAD) | LVL(HIT) | LVL(L3) | HITM) /* bits alone */
#define REMOTE_OLD (OP(LOAD) | LVL(HIT) | LVL(REM_RAM1))
#define REMOTE_NEW (OP(LOAD) | NUM(RAM) | REMOTE) /* numbers alone */
#define LOCAL_NEW (OP(LOAD) | NUM(RAM))
#define A_STORE (OP(STORE) | LVL(MISS) | LVL(L1))

static struct perf_event_mmap_page page;
static uint8_t data[BYTES];
static struct ring ring = { &page, data, BYTES };
static struct address_tally tally;
static const struct kernel_event_spec by_pmu = {
	.type = 4, .period = PERIOD, .address = true, .data_source = true
};
static const struct kernel_event_spec by_fault = { .period = 1, .address = true, .page = true };

/* perf_event_open(2): with IDENTIFIER, IP, TID, TIME, ADDR, WEIGHT and DATA_SRC. */
struct sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, address, weight, source;
};

struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
};
struct lost_samples {
	struct perf_event_header header;
	uint64_t lost;
};
struct throttle {
	struct perf_event_header header;
	uint64_t time, id, stream;
};

/* Appends as the kernel does, byte by byte around the end. */
static void write_record(const void *record)
{
	const struct perf_event_header *header = record;

	CHECK_THAT(page.data_head + header->size - page.data_tail, <=, BYTES);
	for (unsigned int i = 0; i < header->size; i++)
		data[(page.data_head + i) % BYTES] = ((const uint8_t *)record)[i];
	__atomic_store_n(&page.data_head, page.data_head + header->size, __ATOMIC_RELEASE);
}

static struct sample sample_of(uint64_t address, uint64_t source, uint32_t latency)
{
	return (struct sample){ { .type = PERF_RECORD_SAMPLE,
				  .misc = PERF_RECORD_MISC_USER,
				  .size = sizeof(struct sample) },
				7,
				0x401000,
				10,
				11,
				12345,
				address,
				latency,
				source };
}

static void write_sample(uint64_t address, uint64_t source, uint32_t latency)
{
	struct sample sample = sample_of(address, source, latency);

	write_record(&sample);
}

struct reading {
	const struct kernel_event_spec *spec;
	struct address_moment moment;
	uint64_t counted;
};

static void take(void *ctx, const struct perf_event_header *record)
{
	struct reading *reading = ctx;
	struct kernel_sample sample;

	if (kernel_event_parse(record, reading->spec, &sample))
		reading->counted += address_tally_add(&tally, &sample, reading->spec,
						      &reading->moment);
	else
		address_tally_note(&tally, record);
}

static uint64_t drain(const struct kernel_event_spec *spec, uint64_t weight)
{
	struct reading reading = { spec, { 0, array_time(), weight }, 0 };

	CHECK(ring_drain(&ring, take, &reading));
	CHECK_INT(ring_pending(&ring), 0);
	return reading.counted;
}

struct wanted {
	uint32_t array;
	struct address_sum sum;
	uint32_t found, all;
};

static void pick(void *ctx, const struct address_sum *sum)
{
	struct wanted *wanted = ctx;

	wanted->all++;
	if (sum->array != wanted->array)
		return;
	wanted->sum = *sum;
	wanted->found++;
}

static uint32_t new_array(const char *name, uintptr_t start)
{
	uint32_t id = array_new(&(struct array){ .kind = ARRAY_STATIC, .name = name });

	CHECK(id != ARRAY_NONE && array_block_add(id, start, 1 << 16));
	return id;
}

/* All of what is kept of a reading is kept together: three arrays at most are asked for. */
static struct address_sum sums[3];

static void keep(void *ctx, const struct address_sum *sum)
{
	const uint32_t *ids = ctx;

	for (int i = 0; i < 3; i++)
		if (ids[i] == sum->array)
			sums[i] = *sum;
}

TEST(address_tally__both_layouts_by_array)
{
	uint32_t ids[3] = { new_array("first", FIRST), new_array("second", SECOND), ARRAY_NONE };

	write_sample(FIRST, IN_L1, 5);
	write_sample(FIRST + 8, IN_L3_OLD, 60);
	write_sample(FIRST + 0xffff, REMOTE_OLD, 300);
	write_sample(FIRST + 0x10000, LOCAL_NEW, 200); /* just behind it */
	write_sample(SECOND, REMOTE_NEW, 400);
	write_sample(SECOND + 64, LOCAL_NEW, 200);
	write_sample(SECOND + 128, A_STORE, 0);
	write_sample(NOWHERE, IN_L1, 4);
	CHECK_INT(drain(&by_pmu, 2), 8);
	address_tally_each(&tally, keep, ids);
	CHECK_INT(sums[0].samples, 3);
	CHECK_INT(sums[0].loads, 3 * 2 * PERIOD);
	CHECK_INT(sums[0].l1_misses, 2 * 2 * PERIOD);
	CHECK_INT(sums[0].l2_misses, 2 * 2 * PERIOD);
	CHECK_INT(sums[0].l3_misses, 2 * PERIOD);
	CHECK_INT(sums[0].modified, 2 * PERIOD);
	CHECK_INT(sums[0].remote, 2 * PERIOD);
	CHECK_INT(sums[0].local, 0);
	CHECK_INT(sums[0].cycles, (60 + 300) * 2 * PERIOD); /* what hits waits for no memory */
	CHECK_INT(sums[1].samples, 3);
	CHECK_INT(sums[1].loads, 2 * 2 * PERIOD);
	CHECK_INT(sums[1].stores, 2 * PERIOD);
	CHECK_INT(sums[1].l1_misses, 3 * 2 * PERIOD);
	CHECK_INT(sums[1].l3_misses, 2 * 2 * PERIOD);
	CHECK_INT(sums[1].remote, 2 * PERIOD);
	CHECK_INT(sums[1].local, 2 * PERIOD);
	CHECK_INT(sums[2].samples, 2);
	CHECK_INT(sums[2].local, 2 * PERIOD);
	address_tally_each(&tally, keep, (uint32_t[3]){ ids[0], ids[1], ids[2] });
	CHECK_INT(tally.nr, 0); /* told once */
}

/*
 * The latency is the lower half of the weight: above it newer kernels have other times
 * (WEIGHT_STRUCT).
 */
TEST(address_tally__latency_of_both_kinds_of_weight)
{
	struct sample sample = sample_of(FIRST, LOCAL_NEW, 0);
	struct wanted wanted = { .array = new_array("first", FIRST) };

	sample.weight = 250 | 17ull << 32 | 3ull << 48;
	write_record(&sample);
	CHECK_INT(drain(&by_pmu, 1), 1);
	address_tally_each(&tally, pick, &wanted);
	CHECK_INT(wanted.sum.cycles, 250 * PERIOD);
}

TEST(address_tally__a_ring_that_wraps_at_every_offset)
{
	struct wanted wanted = { .array = new_array("first", FIRST) };
	uint64_t all = 0, rounds = 500;

	for (uint64_t round = 0; round < rounds; round++) {
		struct {
			struct perf_event_header header;
			uint64_t word;
		} odd = { { .type = 4242, .size = sizeof(odd) }, 0 };

		for (uint64_t i = 0; i <= round % 40; i++, all++)
			write_sample(FIRST + all % 1000, LOCAL_NEW, 100);
		if (round % 3)
			write_record(&odd); /* so that records begin everywhere */
		CHECK_INT(drain(&by_pmu, 1), round % 40 + 1);
	}
	address_tally_each(&tally, pick, &wanted);
	CHECK_THAT(page.data_head, >, 100 * BYTES);
	CHECK_INT(wanted.sum.samples, all);
	CHECK_INT(wanted.sum.cycles, all * 100 * PERIOD);
	CHECK_INT(wanted.all, 1);
	CHECK_INT(tally.unreadable, 0);
}

TEST(address_tally__what_is_no_sample_is_left_alone)
{
	struct lost lost = { { .type = PERF_RECORD_LOST, .size = sizeof(lost) }, 7, 100 };
	struct lost_samples in_pmu = { { .type = 13, .size = sizeof(in_pmu) }, 40 };
	struct throttle throttle = {
		{ .type = PERF_RECORD_THROTTLE, .size = sizeof(throttle) }, 1, 7, 7
	};
	struct throttle unthrottle = {
		{ .type = PERF_RECORD_UNTHROTTLE, .size = sizeof(throttle) }, 2, 7, 7
	};
	struct lost_samples unknown = { { .type = 999, .size = sizeof(unknown) }, 1 };
	struct perf_event_header short_lost = { .type = 13, .size = sizeof(short_lost) };
	struct wanted wanted = { .array = new_array("first", FIRST) };

	write_sample(FIRST, IN_L1, 5);
	write_record(&lost);
	write_record(&in_pmu);
	write_record(&throttle);
	write_record(&unthrottle);
	write_record(&throttle);
	write_record(&unknown);
	write_record(&short_lost);
	write_sample(FIRST, IN_L1, 5);
	CHECK_INT(drain(&by_pmu, 1), 2);
	address_tally_each(&tally, pick, &wanted);
	CHECK_INT(wanted.sum.samples, 2);
	CHECK_INT(tally.lost, 40);
	CHECK_INT(tally.throttled, 2);
	CHECK_INT(tally.unreadable, 0);
}

/*
 * A sample is cut at every length; a longer one, as two events of one config make them
 * (kernel_event.h), is read.
 */
TEST(address_tally__cut_samples_are_counted_and_nothing_else)
{
	struct {
		struct sample sample;
		uint64_t more[4];
	} record = { sample_of(FIRST, LOCAL_NEW, 100), { 1, 2, 3, 4 } };
	struct wanted wanted = { .array = new_array("first", FIRST) };
	unsigned int whole = sizeof(struct sample), cut = 0;

	for (unsigned int size = sizeof(struct perf_event_header); size <= sizeof(record);
	     size += 8) {
		record.sample.header.size = (uint16_t)size;
		write_record(&record);
		cut += size < whole;
		CHECK_INT(drain(&by_pmu, 1), size >= whole);
	}
	address_tally_each(&tally, pick, &wanted);
	CHECK_INT(cut, 7);
	CHECK_INT(tally.unreadable, cut);
	CHECK_INT(wanted.sum.samples, 5);
	CHECK_INT(wanted.all, 1);
}

TEST(address_tally__only_accesses_of_user_code)
{
	struct sample kernel = sample_of(FIRST, LOCAL_NEW, 100),
		      no_access = sample_of(FIRST, OP(NA), 0),
		      no_address = sample_of(0, LOCAL_NEW, 9);
	struct wanted wanted = { .array = new_array("first", FIRST) };

	kernel.header.misc = PERF_RECORD_MISC_KERNEL;
	write_record(&kernel);
	write_record(&no_access);
	write_record(&no_address);
	CHECK_INT(drain(&by_pmu, 1), 0);
	write_sample(FIRST, OP(STORE) | LVL(HIT) | LVL(L1), 0);
	CHECK_INT(drain(&by_pmu, 1), 1);
	address_tally_each(&tally, pick, &wanted);
	CHECK_INT(wanted.sum.samples, 1);
	CHECK_INT(wanted.sum.stores, PERIOD);
	CHECK_INT(wanted.sum.loads, 0);
}

/* Page faults are in user code, have an address and no source of data. */
TEST(address_tally__page_faults_are_samples_that_tell_no_more)
{
	struct {
		struct perf_event_header header;
		uint64_t id, ip, time, address, bytes;
	} fault = { { .type = PERF_RECORD_SAMPLE,
		      .misc = PERF_RECORD_MISC_USER,
		      .size = sizeof(fault) },
		    7,
		    0x401000,
		    5,
		    FIRST + 4096,
		    4096 };
	struct wanted wanted = { .array = new_array("first", FIRST) };

	write_record(&fault);
	CHECK_INT(drain(&by_fault, 1), 1);
	address_tally_each(&tally, pick, &wanted);
	CHECK_INT(wanted.sum.samples, 1);
	CHECK_INT(wanted.sum.loads + wanted.sum.stores + wanted.sum.l1_misses + wanted.sum.local +
			  wanted.sum.remote + wanted.sum.cycles,
		  0);
}

TEST(address_tally__more_arrays_than_room)
{
	enum { ARRAYS = ADDRESS_TALLY_ARRAYS + 100 };
	struct wanted none = { .array = ARRAY_NONE };

	for (uint32_t i = 0; i < ARRAYS; i++)
		new_array("one", FIRST + ((uint64_t)i << 20));
	for (int twice = 0; twice < 2; twice++)
		for (uint32_t i = 0; i < ARRAYS; i++) {
			write_sample(FIRST + ((uint64_t)i << 20), LOCAL_NEW, 1);
			CHECK_INT(drain(&by_pmu, 1), 1);
		}
	CHECK_INT(tally.crowded, 2 * 101);
	address_tally_each(&tally, pick, &none);
	CHECK_INT(none.all, ADDRESS_TALLY_ARRAYS);
	CHECK_INT(none.found, 1);
	CHECK_INT(none.sum.samples, 2 * 101);
}
