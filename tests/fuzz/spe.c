/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the packets of SPE: any bytes are read to their end, in pieces as at once, and no more
 * samples come out than there is room for. The first two bytes say how long pieces are, where in
 * the AUX area they begin and what is done with data sources.
 *     clang-19 -fsanitize=fuzzer,address,undefined … tests/fuzz/spe.c, or the unit test spe_fuzz
 */
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/spe.h"

#include <linux/perf_event.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define FUZZ_AREA 1024
/* bytes of the shortest sample: events, operation, two addresses, end */
#define FUZZ_LEAST 23

struct fuzz_samples {
	uint64_t nr, sum;
};

static void fuzz_take(void *ctx, const struct kernel_sample *sample)
{
	struct fuzz_samples *samples = ctx;

	samples->nr++;
	samples->sum = samples->sum * 31 + (sample->ip ^ sample->address ^ sample->latency) +
		       (uint64_t)sample->source.by;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct {
		struct perf_event_header header;
		uint64_t offset, size, flags;
	} record = { { .type = PERF_RECORD_AUX, .size = sizeof(record) }, 0, 0, 0 };
	enum spe_packets packets = length > 1 && bytes[1] & 1 ? SPE_SOURCES : SPE_EVENTS;
	uint64_t piece = length ? bytes[0] % 64 + 1u : 1,
		 begin = length > 1 ? bytes[1] / 2 * 16u : 0;
	struct fuzz_samples whole = { 0, 0 }, in_pieces = { 0, 0 };
	struct perf_event_mmap_page page = { 0 };
	uint8_t area[FUZZ_AREA];
	struct spe_stream stream = { .area = { &page, area, FUZZ_AREA, begin } };
	struct spe_decoder decoder = { .at = begin };

	length = length > FUZZ_AREA ? FUZZ_AREA : length;
	for (size_t i = 2; i < length; i++)
		area[(begin + i - 2) % FUZZ_AREA] = bytes[i];
	length = length > 2 ? length - 2 : 0;
	spe_decoder_feed(&decoder, packets, bytes + 2, length, fuzz_take, &whole);
	for (uint64_t at = 0; at < length; at += piece) {
		record.offset = begin + at;
		record.size = at + piece < length ? piece : length - at;
		if (!spe_stream_take(&stream, packets, &record.header, fuzz_take, &in_pieces))
			__builtin_trap();
	}
	if (whole.nr != in_pieces.nr || whole.sum != in_pieces.sum ||
	    decoder.unreadable != stream.decoder.unreadable ||
	    (whole.nr + decoder.unreadable) > length || whole.nr * FUZZ_LEAST > length)
		__builtin_trap();
	return (int)(whole.nr > 0);
}
