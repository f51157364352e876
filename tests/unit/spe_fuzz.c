/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the fuzz target of SPE's packets over records made by hand and mutations of them. See
 * fuzz.h.
 */
#include "tests/fuzz/spe.c"

#include "tests/host/random_run.h"
#include "tests/unit/fuzz.h"
#include "tests/unit/spe_packets.h"

#define ROOM (FUZZ_AREA - 160)

/* Records as a CPU writes them, with some packets left out, added and cut. */
static void make_records(uint64_t *state, struct spe_bytes *out)
{
	static const uint8_t sources[] = { 0x0, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd, 0xe, 0x5 };

	out->nr = 0;
	spe_put(out, (uint8_t)random_next(state), random_next(state), 1);
	while (out->nr < ROOM && random_next(state) % 16) {
		struct spe_record record = {
			.events = (uint32_t)random_next(state) | SPE_RETIRED,
			.operation = (uint8_t)random_next(state),
			.latency = (uint16_t)random_next(state),
			.source = sources[random_next(state) % sizeof(sources)],
			.pc = random_next(state),
			.address = random_next(state) % 8 ? random_next(state) : 0,
		};

		spe_put_record(out, &record);
		if (!(random_next(state) % 16))
			spe_put(out, (uint8_t)random_next(state), random_next(state),
				random_next(state) % 8);
		if (random_next(state) % 2)
			spe_put_end(out);
		else
			spe_put_timestamp(out);
		out->nr -= random_next(state) % 16 ? 0 : random_next(state) % 12;
		spe_put(out, 0, 0, random_next(state) % 4);
	}
}

TEST(spe_fuzz__records_and_mutations)
{
	uint64_t with_samples = 0;
	static struct spe_bytes bytes;

	LLVMFuzzerTestOneInput(bytes.data, 0);
	FUZZ_EACH(20000)
	{
		make_records(&pick_state, &bytes);
		for (uint64_t changes = pick(4); changes; changes--)
			bytes.data[pick(bytes.nr)] ^= (uint8_t)(1 << pick(8));
		with_samples += LLVMFuzzerTestOneInput(bytes.data, bytes.nr) > 0;
	}
	CHECK(getenv("FUZZ_ONLY") || with_samples > fuzz_inputs / 2);
	fuzz_tell("mutated areas of SPE");
}
