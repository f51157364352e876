/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what stands behind the kernel's rings: any bytes are read to their end, as records that
 * wrap, and no more samples come out than there is room for. The first byte says where in the ring
 * they begin and how their event was opened.
 *     clang-19 -fsanitize=fuzzer,address,undefined … tests/fuzz/ring.c, or the unit test ring_fuzz
 */
#include "ompt_tool/sampling/address_tally.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/ring.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define FUZZ_RING 1024
#define FUZZ_LEAST 32 /* bytes of the shortest sample that counts */

struct fuzz_reading {
	struct address_tally *tally;
	const struct kernel_event_spec *spec;
	struct address_moment moment;
	uint64_t counted;
};

static void fuzz_take(void *ctx, const struct perf_event_header *record)
{
	struct fuzz_reading *reading = ctx;
	struct kernel_sample sample;

	if (kernel_event_parse(record, reading->spec, &sample))
		reading->counted += address_tally_add(reading->tally, &sample, reading->spec,
						      &reading->moment);
	else
		address_tally_note(reading->tally, record);
}

static void fuzz_add(void *ctx, const struct address_sum *sum)
{
	*(uint64_t *)ctx += sum->samples;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const struct kernel_event_spec specs[] = {
		{ .type = 4, .period = 7, .address = true, .data_source = true },
		{ .period = 1, .address = true, .page = true },
		{ .address = true, .stack = true },
	};
	static struct address_tally tally;
	struct perf_event_mmap_page page = { 0 };
	_Alignas(8) uint8_t data[FUZZ_RING];
	struct ring ring = { &page, data, FUZZ_RING };
	struct fuzz_reading reading = {
		&tally, &specs[length ? bytes[0] % 3 : 0], { 0, UINT64_MAX, 1 }, 0
	};
	uint64_t added = 0, unreadable = tally.unreadable;

	length = length > FUZZ_RING ? FUZZ_RING : length;
	page.data_tail = length ? (uint64_t)bytes[0] / 3 * 8 : 0;
	memset(data, 0xa5, sizeof(data));
	for (size_t i = 1; i < length; i++)
		data[(page.data_tail + i - 1) % FUZZ_RING] = bytes[i];
	page.data_head = page.data_tail + (length ? length - 1 : 0);
	ring_drain(&ring, fuzz_take, &reading);
	address_tally_each(&tally, fuzz_add, &added);
	if (ring_pending(&ring) || added != reading.counted || tally.nr ||
	    (reading.counted + tally.unreadable - unreadable) * sizeof(struct perf_event_header) >
		    length ||
	    reading.counted * FUZZ_LEAST > length)
		__builtin_trap();
	return (int)(reading.counted > 0);
}
