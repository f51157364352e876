/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the fuzz target of rings over records made by hand and mutations of them. See fuzz.h. */
#include "tests/fuzz/ring.c"

#include "tests/host/random_run.h"
#include "tests/unit/fuzz.h"

/* Records as a kernel writes them, most of them samples, of one way to open an event. */
static size_t make_records(uint64_t *state, uint8_t *out)
{
	static const uint16_t sizes[] = { 64, 48, 40, 24, 16, 8, 408 };
	static const uint32_t types[] = { PERF_RECORD_SAMPLE,
					  PERF_RECORD_SAMPLE,
					  PERF_RECORD_SAMPLE,
					  PERF_RECORD_LOST,
					  PERF_RECORD_THROTTLE,
					  13,
					  77 };
	size_t nr = 1;

	out[0] = (uint8_t)random_next(state);
	while (nr < FUZZ_RING - 512 && random_next(state) % 16) {
		struct perf_event_header header = { types[random_next(state) % 7],
						    PERF_RECORD_MISC_USER,
						    sizes[random_next(state) % 7] };

		memcpy(out + nr, &header, sizeof(header));
		for (size_t i = sizeof(header); i < header.size; i++)
			out[nr + i] = (uint8_t)random_next(state);
		nr += header.size;
	}
	return nr;
}

static void mutate(uint64_t *state, uint8_t *bytes, size_t nr)
{
	for (uint64_t changes = random_next(state) % 4; changes; changes--)
		bytes[random_next(state) % nr] ^= (uint8_t)(1 << random_next(state) % 8);
}

TEST(ring_fuzz__records_and_mutations)
{
	uint64_t with_samples = 0;
	uint8_t bytes[FUZZ_RING];

	LLVMFuzzerTestOneInput(bytes, 0);
	FUZZ_EACH(20000)
	{
		size_t nr = make_records(&pick_state, bytes);

		mutate(&pick_state, bytes, nr);
		with_samples += LLVMFuzzerTestOneInput(bytes, nr) > 0;
	}
	CHECK(getenv("FUZZ_ONLY") || with_samples > fuzz_inputs / 4);
	fuzz_tell("mutated rings of the kernel");
}
