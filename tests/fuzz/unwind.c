/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the translation of unwind tables. The first byte says what the rest is: a CIE and its FDE,
 * or an exception table. Any bytes are translated or refused with a reason; nothing outside of them
 * is read, and no more is written than was counted. The corpus is made by the unit test unwind_fuzz
 * from libstdc++, which runs this too.
 *     clang-19 -fsanitize=fuzzer,address,undefined … tests/fuzz/unwind.c
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/cfi_copy.h"
#include "ompt_tool/clones/lsda.h"

#define FUZZ_START 0x10000u /* of the function an exception table is for */
#define FUZZ_PLACES 4096

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static size_t fuzz_translated; /* inputs that were not refused */

/* Every byte begins an instruction, and is copied to thrice its size. */
static struct unwind_function fuzz_function(void)
{
	static struct unwind_place places[FUZZ_PLACES];
	static struct code_bounds bounds = { .start = FUZZ_START,
					     .end = FUZZ_START + FUZZ_PLACES - 1 };

	for (uint32_t i = 0; i < FUZZ_PLACES; i++)
		places[i] = (struct unwind_place){ i, 3 * i };
	return (struct unwind_function){ .bounds = &bounds,
					 .copy = 2 * FUZZ_START,
					 .copy_end = 2 * FUZZ_START + 3 * FUZZ_PLACES,
					 .places = places,
					 .nr = FUZZ_PLACES };
}

static bool fuzz_frame_once(const unsigned char *records, size_t length, struct packing *out,
			    const char **why_out)
{
	struct unwind_function function = fuzz_function();
	uint32_t size = 0;
	struct cfi cfi;
	size_t slot;

	memcpy(&size, records, length < 4 ? length : 4);
	if (size > length - 4) {
		*why_out = "there is no FDE";
		return false;
	}
	if (!cfi_read(records + 4 + size, records, records + length, &cfi, why_out))
		return false;
	cfi_write_cie(&cfi, cfi.personality, out);
	return cfi_write_fde(&cfi, &function, 0, cfi.personality != 0, out, &slot, why_out);
}

static bool fuzz_lsda_once(const unsigned char *table, size_t length, struct packing *out,
			   const char **why_out)
{
	struct unwind_function function = fuzz_function();
	struct arena *arena = arena_new();
	struct bytes in = { .at = table, .end = table + length };
	struct lsda lsda;
	bool good = lsda_read(arena, in, function.bounds->start, function.bounds->end, &lsda,
			      why_out) &&
		    lsda_write(&lsda, &function, out, why_out);

	arena_free(arena);
	return good;
}

static bool fuzz_once(const uint8_t *bytes, size_t length, struct packing *out)
{
	const char *why = NULL;
	bool good = bytes[0] & 1 ? fuzz_lsda_once(bytes + 1, length - 1, out, &why)
				 : fuzz_frame_once(bytes + 1, length - 1, out, &why);

	if (!good && (!why || strlen(why) < 10))
		__builtin_trap();
	return good;
}

/* Counted first, then written into memory of that size. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct packing counted = { 0 }, written = { 0 };

	if (length < 5 || !fuzz_once(bytes, length, &counted))
		return 0;
	written.room = counted.nr;
	written.bytes = malloc(written.room + 1);
	written.bytes[written.room] = 0xa5;
	if (!fuzz_once(bytes, length, &written) || written.nr != counted.nr ||
	    written.bytes[written.room] != 0xa5)
		__builtin_trap();
	free(written.bytes);
	fuzz_translated++;
	return 0;
}
