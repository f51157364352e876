/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the fuzz target of unwind tables over libstdc++'s and mutations of them, each in front of a
 * page that must not be touched: see fuzz.h.
 */
#define _GNU_SOURCE
#include "tests/fuzz/unwind.c"

#include "tests/unit/fuzz.h"
#include "tests/unit/unwind_tables.h"

#include <sys/mman.h>

#define ROOM 16384
#define SEEDS 4000

struct seed {
	uint8_t *bytes;
	size_t length;
};

static struct seed seeds[SEEDS];
static size_t nr_seeds;
static uint8_t *wall; /* ROOM bytes before it can be used */

static void add_seed(uint8_t kind, const void *bytes, size_t length)
{
	struct seed *seed = &seeds[nr_seeds];

	if (nr_seeds == SEEDS || 1 + length > ROOM)
		return;
	*seed = (struct seed){ malloc(1 + length), 1 + length };
	seed->bytes[0] = kind;
	memcpy(seed->bytes + 1, bytes, length);
	nr_seeds++;
}

/* The two records next to each other; the FDE's way back to its CIE is set anew. */
static void add_records(const struct tables_frame *frame)
{
	static uint8_t records[ROOM];
	uint32_t cie = 4 + tables_word(frame->cie), fde = 4 + tables_word(frame->fde),
		 back = cie + 4;

	if (cie + fde > ROOM)
		return;
	memcpy(records, frame->cie, cie);
	memcpy(records + cie, frame->fde, fde);
	memcpy(records + cie + 4, &back, 4);
	add_seed(0, records, cie + fde);
}

static void add_table(struct arena *arena, const struct tables_frame *frame)
{
	struct bytes in = { .at = frame->lsda, .end = frame->lsda + ROOM };
	const char *why = "";
	struct lsda lsda;

	if (!lsda_read(arena, in, frame->start, frame->end, &lsda, &why))
		test_fail(__FILE__, __LINE__, "%s", why);
	add_seed(1, frame->lsda,
		 (size_t)((lsda.types_end ? lsda.lists.end : lsda.actions.end) - frame->lsda));
}

static void make_seeds(void)
{
	struct arena *arena = arena_new();
	struct tables_library library;
	size_t nr = tables_open("libstdc++.so.6", &library);

	for (size_t i = 0; i < nr; i += 3) {
		struct tables_frame frame = tables_function(&library, i);

		add_records(&frame);
		if (frame.lsda)
			add_table(arena, &frame);
	}
	arena_free(arena);
	wall = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(wall != MAP_FAILED);
	wall += ROOM;
	CHECK(!mprotect(wall, 4096, PROT_NONE));
}

/* As its last bytes, of which `length` are kept. */
static uint8_t *at_wall(const struct seed *seed, size_t length)
{
	return memcpy(wall - length, seed->bytes, length);
}

TEST(unwind_fuzz__seeds_are_translated)
{
	make_seeds();
	CHECK_THAT(nr_seeds, >, 1500);
	for (size_t i = 0; i < nr_seeds; i++)
		LLVMFuzzerTestOneInput(at_wall(&seeds[i], seeds[i].length), seeds[i].length);
	/* the others are longer than the target's function */
	CHECK_THAT(fuzz_translated, >, nr_seeds * 9 / 10);
}

TEST(unwind_fuzz__cut_at_every_byte)
{
	size_t runs = 0;

	make_seeds();
	for (size_t i = 0; i < nr_seeds; i += 7)
		for (size_t length = 0; length < seeds[i].length; length++, runs++)
			LLVMFuzzerTestOneInput(at_wall(&seeds[i], length), length);
	CHECK_THAT(runs, >, 10000);
}

TEST(unwind_fuzz__mutations)
{
	static const uint8_t odd[] = { 0, 1, 7, 8, 0x40, 0x7f, 0x80, 0xff };

	make_seeds();
	FUZZ_EACH(20000)
	{
		const struct seed *seed = &seeds[pick(nr_seeds)];
		size_t length = pick(4) ? seed->length : pick(seed->length) + 1;
		uint8_t *bytes = at_wall(seed, length);

		for (size_t i = 1 + pick(6); i > 0; i--)
			bytes[pick(length)] = pick(2) ? odd[pick(sizeof(odd))] : (uint8_t)pick(256);
		LLVMFuzzerTestOneInput(bytes, length);
	}
	CHECK(getenv("FUZZ_ONLY") || (fuzz_translated > 0 && fuzz_translated < fuzz_inputs));
	fuzz_tell("mutated unwind tables");
}

TEST(unwind_fuzz__noise)
{
	make_seeds();
	for (size_t i = 0; i < 100000; i++) {
		size_t length = pick(200) + 1;

		for (size_t k = 1; k <= length; k++)
			wall[-(ptrdiff_t)k] = pick(3) ? (uint8_t)pick(8) : (uint8_t)pick(256);
		LLVMFuzzerTestOneInput(wall - length, length);
	}
}
