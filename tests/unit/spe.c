/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of Arm's SPE and the kernel's records of them, made by hand: what becomes of them, whole,
 * in pieces, damaged and lost.
 */
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/sampling/address_tally.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/spe.h"
#include "tests/unit/spe_packets.h"
#include "tests/unit/test.h"

#define PC 0x0000aaaadeadbee0ull
#define AT 0x0000ffff80001238ull
#define SAMPLES 4096

struct taken {
	struct kernel_sample samples[SAMPLES];
	size_t nr;
};

static struct taken taken;

static void keep(void *ctx, const struct kernel_sample *sample)
{
	struct taken *to = ctx;

	CHECK_THAT(to->nr, <, SAMPLES);
	to->samples[to->nr++] = *sample;
}

/* Of a decoder that saw nothing before; returns its unreadable records. */
static uint64_t decode(enum spe_packets packets, const struct spe_bytes *bytes)
{
	struct spe_decoder decoder = { 0 };

	taken.nr = 0;
	spe_decoder_feed(&decoder, packets, bytes->data, bytes->nr, keep, &taken);
	return decoder.unreadable;
}

#define RECORD(set, does, from) \
	{ .events = SPE_RETIRED | (set), \
	  .operation = (does), \
	  .source = (from), \
	  .pc = PC, \
	  .address = AT, \
	  .latency = 40 }
#define MISS (SPE_L1 | SPE_L1_REFILL)

static const struct {
	int line;
	struct spe_record record;
	/* the second where sources are known; nothing in it: the same */
	struct data_source want, by_packet;
} cases[] = {
	{ __LINE__,
	  RECORD(SPE_L1 | SPE_TLB, SPE_LOAD, SPE_NO_SOURCE),
	  { .load = true, .by = SERVED_L1 },
	  { 0 } },
	{ __LINE__, RECORD(MISS, SPE_LOAD, SPE_NO_SOURCE), { .load = true, .missed = 1 }, { 0 } },
	{ __LINE__,
	  RECORD(MISS | SPE_TLB | SPE_WALK, SPE_LOAD, SPE_NO_SOURCE),
	  { .load = true, .missed = 1, .walked = true },
	  { 0 } },
	{ __LINE__,
	  RECORD(MISS | SPE_LLC, SPE_LOAD, SPE_NO_SOURCE),
	  { .load = true, .by = SERVED_L3, .missed = 2 },
	  { 0 } },
	{ __LINE__,
	  RECORD(MISS | SPE_LLC | SPE_LLC_REFILL, SPE_LOAD, SPE_NO_SOURCE),
	  { .load = true, .by = SERVED_MEMORY, .missed = 3 },
	  { 0 } },
	{ __LINE__,
	  RECORD(MISS | SPE_LLC | SPE_LLC_REFILL | SPE_REMOTE, SPE_LOAD, SPE_NO_SOURCE),
	  { .load = true, .by = SERVED_MEMORY, .missed = 3, .remote = true },
	  { 0 } },
	/* since FEAT_SPEv1p4 */
	{ __LINE__,
	  RECORD(MISS | SPE_L2, SPE_LOAD, SPE_NO_SOURCE),
	  { .load = true, .by = SERVED_L2, .missed = 1 },
	  { 0 } },
	{ __LINE__,
	  RECORD(MISS | SPE_L2 | SPE_L2_REFILL, SPE_LOAD, SPE_NO_SOURCE),
	  { .load = true, .missed = 2 },
	  { 0 } },
	/* operations */
	{ __LINE__, RECORD(MISS, SPE_STORE, SPE_NO_SOURCE), { .store = true, .missed = 1 }, { 0 } },
	{ __LINE__,
	  RECORD(SPE_L1, SPE_SIMD_LOAD, SPE_NO_SOURCE),
	  { .load = true, .by = SERVED_L1 },
	  { 0 } },
	{ __LINE__,
	  RECORD(SPE_L1, SPE_SWAP, SPE_NO_SOURCE),
	  { .load = true, .store = true, .by = SERVED_L1 },
	  { 0 } },
	{ __LINE__,
	  RECORD(SPE_L1, SPE_EXCLUSIVE_LOAD, SPE_NO_SOURCE),
	  { .load = true, .by = SERVED_L1 },
	  { 0 } },
	/* sources of Neoverse; stores have none; 5 and 0x100 mean nothing there */
	{ __LINE__, RECORD(SPE_L1, SPE_LOAD, 0x0), { .load = true, .by = SERVED_L1 }, { 0 } },
	{ __LINE__,
	  RECORD(MISS, SPE_LOAD, 0x8),
	  { .load = true, .missed = 1 },
	  { .load = true, .by = SERVED_L2, .missed = 1 } },
	{ __LINE__,
	  RECORD(MISS, SPE_LOAD, 0x9),
	  { .load = true, .missed = 1 },
	  { .load = true, .by = SERVED_CACHE, .missed = 3 } },
	{ __LINE__,
	  RECORD(MISS, SPE_LOAD, 0xa),
	  { .load = true, .missed = 1 },
	  { .load = true, .by = SERVED_L3, .missed = 2 } },
	{ __LINE__,
	  RECORD(MISS, SPE_LOAD, 0xb),
	  { .load = true, .missed = 1 },
	  { .load = true, .by = SERVED_L3, .missed = 2 } },
	{ __LINE__,
	  RECORD(MISS | SPE_LLC_REFILL, SPE_LOAD, 0xc),
	  { .load = true, .by = SERVED_MEMORY, .missed = 3 },
	  { .load = true, .by = SERVED_CACHE, .missed = 3 } },
	{ __LINE__,
	  RECORD(MISS, SPE_LOAD, 0xd),
	  { .load = true, .missed = 1 },
	  { .load = true, .by = SERVED_MEMORY, .missed = 3, .remote = true } },
	{ __LINE__,
	  RECORD(MISS, SPE_LOAD, 0xe),
	  { .load = true, .missed = 1 },
	  { .load = true, .by = SERVED_MEMORY, .missed = 3 } },
	{ __LINE__, RECORD(MISS, SPE_STORE, 0xe), { .store = true, .missed = 1 }, { 0 } },
	{ __LINE__, RECORD(MISS, SPE_LOAD, 0x5), { .load = true, .missed = 1 }, { 0 } },
	{ __LINE__, RECORD(MISS, SPE_LOAD, 0x100), { .load = true, .missed = 1 }, { 0 } },
};
#define NR_CASES (sizeof(cases) / sizeof(cases[0]))

static bool is_same(const struct data_source *one, const struct data_source *other)
{
	return one->load == other->load && one->store == other->store && one->by == other->by &&
	       one->missed == other->missed && one->remote == other->remote &&
	       one->modified == other->modified && one->walked == other->walked;
}

TEST(spe__loads_and_stores)
{
	for (size_t i = 0; i < NR_CASES; i++)
		for (enum spe_packets packets = SPE_EVENTS; packets <= SPE_SOURCES; packets++) {
			const struct data_source *want = packets == SPE_SOURCES &&
									 cases[i].by_packet.load
								 ? &cases[i].by_packet
								 : &cases[i].want;
			struct spe_bytes bytes = { .nr = 0 };

			spe_put_record(&bytes, &cases[i].record);
			if (i % 2)
				spe_put_end(&bytes);
			else
				spe_put_timestamp(&bytes);
			if (decode(packets, &bytes) || taken.nr != 1 ||
			    !is_same(&taken.samples[0].source, want))
				test_fail(__FILE__, cases[i].line, "%zu samples, by %d, missed %u",
					  taken.nr, (int)taken.samples[0].source.by,
					  taken.samples[0].source.missed);
			CHECK_INT(taken.samples[0].ip, PC);
			CHECK_INT(taken.samples[0].address, AT);
			CHECK_INT(taken.samples[0].latency, 40);
			CHECK(taken.samples[0].in_user);
		}
}

/*
 * A tag in the highest byte of an address is not part of it; other levels than 0 are no user code.
 */
TEST(spe__tags_and_exception_levels)
{
	for (unsigned int level = 0; level < 4; level++) {
		struct spe_record record = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE);
		struct spe_bytes bytes = { .nr = 0 };

		record.address |= 0xa5ull << 56;
		record.pc |= SPE_EL(level);
		spe_put_record(&bytes, &record);
		spe_put_end(&bytes);
		CHECK_INT(decode(SPE_EVENTS, &bytes), 0);
		CHECK_INT(taken.nr, 1);
		CHECK_INT(taken.samples[0].address, AT);
		CHECK_INT(taken.samples[0].ip, PC);
		CHECK_INT(taken.samples[0].in_user, level == 0);
	}
}

/* What one record tells is not the next one's. */
TEST(spe__a_record_without_a_latency)
{
	struct spe_record record = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE);
	struct spe_bytes bytes = { .nr = 0 };

	spe_put_record(&bytes, &record);
	spe_put_end(&bytes);
	record.latency = 0;
	spe_put_record(&bytes, &record);
	spe_put_end(&bytes);
	CHECK_INT(decode(SPE_EVENTS, &bytes), 0);
	CHECK_INT(taken.nr, 2);
	CHECK_INT(taken.samples[0].latency, 40);
	CHECK_INT(taken.samples[1].latency, 0);
}

TEST(spe__what_is_no_access_is_left_out)
{
	struct spe_record whole = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE), given_up = whole,
			  no_pc = whole, no_address = whole;
	struct spe_bytes bytes = { .nr = 0 };

	given_up.events = SPE_L1; /* on a path that was not taken */
	no_pc.pc = 0;
	no_address.address = 0;
	spe_put_record(&bytes, &given_up);
	spe_put_end(&bytes);
	spe_put_record(&bytes, &no_pc);
	spe_put_end(&bytes);
	spe_put_record(&bytes, &no_address);
	spe_put_end(&bytes);
	spe_put(&bytes, 0xb0, PC, 8); /* a branch, and where it went */
	spe_put(&bytes, 0xb1, PC + 64, 8);
	spe_put(&bytes, 0x42, SPE_RETIRED, 1);
	spe_put(&bytes, 0x4a, 0x01, 1);
	spe_put_timestamp(&bytes);
	memset(bytes.data + bytes.nr, 0, 100); /* the kernel's padding */
	bytes.nr += 100;
	CHECK_INT(decode(SPE_EVENTS, &bytes), 0);
	CHECK_INT(taken.nr, 0);
	spe_put_record(&bytes, &whole);
	spe_put_end(&bytes);
	CHECK_INT(decode(SPE_EVENTS, &bytes), 0);
	CHECK_INT(taken.nr, 1);
}

/*
 * Two bytes of header, counters and addresses beyond those asked for, and packets that fill up to
 * an alignment.
 */
TEST(spe__extended_headers)
{
	struct spe_record record = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE);

	for (unsigned int power = 0; power < 4; power++) {
		struct spe_bytes bytes = { .nr = 0 };
		size_t from;

		spe_put_record(&bytes, &record);
		/* extended address 8 + 2, of eight bytes: 0xb2 and … */
		spe_put(&bytes, 0x21, 0xb2, 1);
		spe_put(&bytes, 0x5a, 0x5a5a5a5a5a5a5aull, 7);
		spe_put(&bytes, 0x20, 0x9b, 1); /* counter 3 */
		bytes.data[bytes.nr++] = 1;
		bytes.data[bytes.nr++] = 1;
		spe_put(&bytes, 0xb3, 0x40000000, 8); /* a physical address */
		spe_put_end(&bytes);
		from = bytes.nr;
		spe_put(&bytes, (uint8_t)(0x20 | power), 0, 1);
		while (bytes.nr % (2u << power))
			bytes.data[bytes.nr++] = 0xff;
		CHECK_THAT(bytes.nr, >=, from + 2);
		spe_put_record(&bytes, &record);
		spe_put_end(&bytes);
		CHECK_INT(decode(SPE_EVENTS, &bytes), 0);
		CHECK_INT(taken.nr, 2);
		CHECK_INT(taken.samples[1].address, AT);
	}
}

/* Counted as unreadable, and what comes behind it is read. */
TEST(spe__unknown_headers_and_lost_ends)
{
	static const struct {
		int line;
		uint8_t header;
		size_t bytes;
	} unknown[] = {
		{ __LINE__, 0x02, 1 }, { __LINE__, 0x80, 1 }, { __LINE__, 0xd0, 2 },
		{ __LINE__, 0xe0, 4 }, { __LINE__, 0xf0, 8 }, { __LINE__, 0x30, 8 },
	};
	struct spe_record record = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE);
	struct spe_bytes bytes;

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		bytes.nr = 0;
		spe_put_record(&bytes, &record);
		spe_put(&bytes, unknown[i].header, 0x0101010101010101, unknown[i].bytes);
		spe_put_timestamp(&bytes);
		record.address = AT + 64;
		spe_put_record(&bytes, &record);
		spe_put_end(&bytes);
		record.address = AT;
		if (decode(SPE_EVENTS, &bytes) != 1 || taken.nr != 1 ||
		    taken.samples[0].address != AT + 64)
			test_fail(__FILE__, unknown[i].line, "%zu samples", taken.nr);
	}
	bytes.nr = 0;
	spe_put_record(&bytes, &record);
	spe_put_record(&bytes, &record);
	spe_put_end(&bytes);
	spe_put_record(&bytes, &record);
	spe_put_end(&bytes);
	CHECK_INT(decode(SPE_EVENTS, &bytes), 1);
	CHECK_INT(taken.nr, 1);
}

static void put_all(struct spe_bytes *bytes)
{
	bytes->nr = 0;
	for (size_t i = 0; i < NR_CASES; i++) {
		spe_put_record(bytes, &cases[i].record);
		spe_put(bytes, 0, 0, i % 5);
		if (i % 3)
			spe_put_end(bytes);
		else
			spe_put_timestamp(bytes);
	}
}

TEST(spe__pieces_that_end_anywhere)
{
	static struct spe_bytes bytes;
	static struct taken whole;

	put_all(&bytes);
	CHECK_INT(decode(SPE_SOURCES, &bytes), 0);
	whole = taken;
	CHECK_INT(whole.nr, NR_CASES);
	for (size_t piece = 1; piece < 70; piece++) {
		struct spe_decoder decoder = { 0 };

		taken.nr = 0;
		for (size_t at = 0; at < bytes.nr; at += piece)
			spe_decoder_feed(&decoder, SPE_SOURCES, bytes.data + at,
					 at + piece < bytes.nr ? piece : bytes.nr - at, keep,
					 &taken);
		CHECK_INT(taken.nr, whole.nr);
		CHECK_INT(decoder.unreadable, 0);
		for (size_t i = 0; i < whole.nr; i++)
			CHECK(is_same(&taken.samples[i].source, &whole.samples[i].source) &&
			      taken.samples[i].address == whole.samples[i].address);
	}
}

/* Of records cut at every length none counts, and the next is read. */
TEST(spe__cut_records)
{
	struct spe_record record = RECORD(SPE_L1, SPE_LOAD, 0xe);
	struct spe_bytes bytes = { .nr = 0 };

	spe_put_record(&bytes, &record);
	for (size_t cut = 0; cut <= bytes.nr; cut++) {
		struct spe_decoder decoder = { 0 };

		taken.nr = 0;
		spe_decoder_feed(&decoder, SPE_EVENTS, bytes.data, cut, keep, &taken);
		spe_decoder_cut(&decoder);
		CHECK_INT(decoder.unreadable, cut > 0);
		spe_decoder_feed(&decoder, SPE_EVENTS, bytes.data, bytes.nr, keep, &taken);
		spe_decoder_feed(&decoder, SPE_EVENTS, (const uint8_t[]){ 1 }, 1, keep, &taken);
		CHECK_INT(taken.nr, 1);
	}
}

/* ----------------------------------------------------------------- the kernel's part */

#define AREA 4096

static struct perf_event_mmap_page page;
static uint8_t area[AREA];
static struct spe_stream stream;

static void begin_stream(void)
{
	page = (struct perf_event_mmap_page){ 0 };
	stream = (struct spe_stream){ .area = { &page, area, AREA, 0 } };
	taken.nr = 0;
}

/* What a CPU and the kernel do: bytes around the end of the area, and a record of them. */
static struct spe_aux written(const struct spe_bytes *bytes, uint64_t flags)
{
	uint64_t from = page.aux_head;

	CHECK_THAT(from + bytes->nr - page.aux_tail, <=, AREA);
	for (size_t i = 0; i < bytes->nr; i++)
		area[(from + i) % AREA] = bytes->data[i];
	page.aux_head += bytes->nr;
	return spe_aux_of(from, bytes->nr, flags);
}

static bool take(const struct spe_aux *record)
{
	bool whole = spe_stream_take(&stream, SPE_SOURCES, &record->header, keep, &taken);

	aux_area_consumed(&stream.area);
	return whole;
}

TEST(spe__an_area_that_wraps_at_every_offset)
{
	static struct spe_bytes bytes;
	uint64_t rounds = 2 * AREA, all = 0;

	begin_stream();
	for (uint64_t round = 0; round < rounds; round++) {
		struct spe_record record = RECORD(MISS, SPE_LOAD, 0xe);
		struct spe_aux aux;

		bytes.nr = 0;
		for (uint64_t i = 0; i <= round % 7; i++, all++) {
			record.address = AT + 8 * all;
			spe_put_record(&bytes, &record);
			spe_put_end(&bytes);
		}
		if (round % 2)
			spe_put(&bytes, 0, 0, round % 13);
		aux = written(&bytes, 0);
		taken.nr = 0;
		CHECK(take(&aux));
		CHECK_INT(taken.nr, round % 7 + 1);
		CHECK_INT(taken.samples[taken.nr - 1].address, AT + 8 * (all - 1));
		CHECK_INT(page.aux_tail, page.aux_head);
	}
	CHECK_THAT(page.aux_head, >, 100 * AREA);
	CHECK_INT(stream.decoder.unreadable, 0);
}

/* What does not end with a record of the kernel's goes on with the next. */
TEST(spe__records_over_two_of_the_kernels)
{
	struct spe_record record = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE);
	struct spe_bytes bytes = { .nr = 0 }, part;
	struct spe_aux aux;

	spe_put_record(&bytes, &record);
	spe_put_end(&bytes);
	begin_stream();
	for (size_t at = 0; at < bytes.nr; at += 7) {
		part.nr = bytes.nr - at < 7 ? bytes.nr - at : 7;
		memcpy(part.data, bytes.data + at, part.nr);
		aux = written(&part, 0);
		CHECK(take(&aux));
	}
	CHECK_INT(taken.nr, 1);
	CHECK_INT(stream.decoder.unreadable, 0);
}

/*
 * The area was full, or the CPU lost the end of a record: what is whole counts, and more is missing
 * than anyone knows.
 */
TEST(spe__truncated)
{
	static const uint64_t flags[] = { PERF_AUX_FLAG_TRUNCATED,
					  PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL,
					  PERF_AUX_FLAG_PARTIAL };
	struct spe_record record = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE);

	for (size_t i = 0; i < 3; i++) {
		struct spe_bytes bytes = { .nr = 0 };
		struct spe_aux aux;

		begin_stream();
		spe_put_record(&bytes, &record);
		spe_put_end(&bytes);
		spe_put_record(&bytes, &record);
		bytes.nr -= 5;
		aux = written(&bytes, flags[i]);
		CHECK(!take(&aux));
		CHECK_INT(taken.nr, 1);
		CHECK_INT(stream.decoder.unreadable, 1);
		bytes.nr = 0;
		spe_put_record(&bytes, &record);
		spe_put_end(&bytes);
		aux = written(&bytes, 0);
		CHECK(take(&aux));
		CHECK_INT(taken.nr, 2);
	}
}

/*
 * One of the kernel's records was lost: its bytes lie between what the others tell of, and what
 * began before it has no end.
 */
TEST(spe__gaps)
{
	struct spe_record record = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE);
	struct spe_bytes bytes = { .nr = 0 }, begun;
	struct spe_aux first, lost, third;

	begin_stream();
	spe_put_record(&bytes, &record);
	spe_put_end(&bytes);
	begun = bytes;
	spe_put_record(&begun, &record);
	first = written(&begun, 0);
	lost = written(&bytes, 0);
	third = written(&bytes, 0);
	CHECK(take(&first));
	CHECK(!take(&third));
	CHECK_INT(taken.nr, 2);
	CHECK_INT(lost.offset, first.size);
	CHECK_INT(stream.decoder.unreadable, 1);
	CHECK_INT(page.aux_tail, page.aux_head);
	first = written(&bytes, 0);
	CHECK(take(&first));
	CHECK_INT(taken.nr, 3);
}

TEST(spe__records_of_the_kernel_that_lie)
{
	struct spe_aux too_large = spe_aux_of(0, AREA + 1, 0),
		       far = spe_aux_of(UINT64_MAX - 3, 8, 0), short_one = spe_aux_of(0, 0, 0),
		       other = spe_aux_of(0, 64, 0);

	begin_stream();
	memset(area, 0, sizeof(area));
	CHECK(!take(&too_large));
	CHECK(!take(&far));
	short_one.header.size = 16;
	CHECK(!take(&short_one));
	other.header.type = PERF_RECORD_ITRACE_START;
	CHECK(take(&other));
	CHECK_INT(taken.nr, 0);
	stream.area = (struct aux_area){ 0 };
	other.header.type = PERF_RECORD_AUX;
	CHECK(!spe_stream_take(&stream, SPE_EVENTS, &other.header, keep, &taken));
}

TEST(spe__what_nobody_wants_is_thrown_away)
{
	struct spe_record record = RECORD(SPE_L1, SPE_LOAD, SPE_NO_SOURCE);
	struct spe_bytes bytes = { .nr = 0 };
	struct spe_aux aux;

	begin_stream();
	spe_put_record(&bytes, &record);
	aux = written(&bytes, 0);
	CHECK(take(&aux));
	spe_put_end(&bytes);
	written(&bytes, 0);
	spe_stream_discard(&stream);
	CHECK_INT(page.aux_tail, page.aux_head);
	aux = written(&bytes, 0);
	CHECK(take(&aux));
	CHECK_INT(taken.nr, 1);
	CHECK_INT(stream.decoder.unreadable, 0);
}

/* ----------------------------------------------------------------- by data structure */

#define PERIOD 1024
#define FIRST 0x10000000ull
#define SECOND 0x20000000ull

static struct address_tally tally;
static const struct kernel_event_spec spec = {
	.type = 8, .period = PERIOD, .address = true, .data_source = true, .packets = SPE_SOURCES
};
static struct address_sum sums[2];

static void add(void *ctx, const struct kernel_sample *sample)
{
	struct address_moment moment = { 0, array_time(), 1 };

	*(uint64_t *)ctx += address_tally_add(&tally, sample, &spec, &moment);
}

static void pick(void *ctx, const struct address_sum *sum)
{
	const uint32_t *ids = ctx;

	for (int i = 0; i < 2; i++)
		if (sum->array == ids[i])
			sums[i] = *sum;
}

static uint32_t new_array(const char *name, uintptr_t start)
{
	uint32_t id = array_new(&(struct array){ .kind = ARRAY_STATIC, .name = name });

	CHECK(id != ARRAY_NONE && array_block_add(id, start, 1 << 16));
	return id;
}

TEST(spe__by_array_and_node)
{
	static struct spe_bytes bytes;
	uint32_t ids[2] = { new_array("first", FIRST), new_array("second", SECOND) };
	struct spe_record local = RECORD(MISS, SPE_LOAD, 0xe), remote = local,
			  hit = RECORD(SPE_L1, SPE_STORE, SPE_NO_SOURCE), kernels = hit;
	struct spe_aux aux;
	uint64_t counted = 0;

	begin_stream();
	bytes.nr = 0;
	remote.source = 0xd;
	kernels.pc |= SPE_EL(1);
	for (int i = 0; i < 10; i++) {
		local.address = FIRST + 8 * (uint64_t)i;
		remote.address = SECOND + 8 * (uint64_t)i;
		hit.address = kernels.address = SECOND + 4096;
		spe_put_record(&bytes, i < 6 ? &local : i < 8 ? &hit : i < 9 ? &remote : &kernels);
		spe_put_end(&bytes);
	}
	aux = written(&bytes, PERF_AUX_FLAG_COLLISION);
	address_tally_note(&tally, &aux.header);
	CHECK(spe_stream_take(&stream, SPE_SOURCES, &aux.header, add, &counted));
	CHECK_INT(counted, 9);
	address_tally_each(&tally, pick, ids);
	CHECK_INT(sums[0].samples, 6);
	CHECK_INT(sums[0].local, 6 * PERIOD);
	CHECK_INT(sums[0].l3_misses, 6 * PERIOD);
	CHECK_INT(sums[0].remote, 0);
	CHECK_INT(sums[0].cycles, 6 * 40 * PERIOD);
	CHECK_INT(sums[1].samples, 3);
	CHECK_INT(sums[1].stores, 2 * PERIOD);
	CHECK_INT(sums[1].remote, PERIOD);
	CHECK_INT(sums[1].l1_misses, PERIOD);
	CHECK_INT(tally.lost, 1); /* a collision, or more */
	aux = spe_aux_of(0, 0, PERF_AUX_FLAG_TRUNCATED);
	address_tally_note(&tally, &aux.header);
	aux.flags = PERF_AUX_FLAG_COLLISION;
	aux.header.size -= 8;
	address_tally_note(&tally, &aux.header);
	CHECK_INT(tally.lost, 1);
}
