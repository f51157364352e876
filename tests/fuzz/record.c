/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record's reader fed with anything: it may refuse, never crash, and every index and string of
 * what it yields is sound. With libFuzzer: clang -fsanitize=fuzzer,address -I. -Iinclude
 * tests/fuzz/record.c and the sources of analysis/base and analysis/record. Without it:
 * tests/unit/record_fuzz.c. Checksums are made right first, or nothing would get past them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/coding.h"
#include "analysis/record/crc32c.h"
#include "analysis/record/fields.h"
#include "analysis/record/format.h"
#include "analysis/record/record.h"
#include "analysis/record/run_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend_checksums(uint8_t *bytes, size_t nr)
{
	size_t at = RECORD_HEADER_BYTES;

	if (nr < at)
		return;
	memcpy(bytes, RECORD_MAGIC, 8);
	store_u32(bytes + 8, RECORD_VERSION);
	store_u32(bytes + 28, crc32c_update(0, bytes, 28));
	while (nr - at >= RECORD_ENTRY_BYTES) {
		uint32_t length = load_u32(bytes + at);

		if (length > nr - at - RECORD_ENTRY_BYTES)
			return;
		store_u32(bytes + at + 8, crc32c_update(crc32c_update(0, bytes + at, 8),
							bytes + at + RECORD_ENTRY_BYTES, length));
		at += RECORD_ENTRY_BYTES + length;
	}
}

static size_t touch(const struct fields *fields, const char *row)
{
	size_t sum = 0;

	for (size_t i = 0; i < fields->nr; i++) {
		const struct field *field = &fields->list[i];

		if (field->type == FIELD_STRING && *(const char *const *)(row + field->offset))
			sum += strlen(*(const char *const *)(row + field->offset));
		else if (field->type == FIELD_STRUCT)
			sum += touch(field->of, row + field->offset);
		else if (field->type == FIELD_ARRAY && *(const char *const *)(row + field->offset))
			for (size_t k = 0; k < *(const size_t *)(row + field->count_offset); k++)
				sum += touch(field->of,
					     *(const char *const *)(row + field->offset) +
						     k * field->of->bytes);
	}
	return sum;
}

/* Everything a run refers to is there. */
static size_t touch_run(const struct run *run)
{
	size_t sum = touch(&run_fields, (const char *)run);

	for (size_t i = 0; i < nr_run_tables; i++) {
		struct run_table_view view = run_table_of(&run_tables[i], run);

		for (size_t k = 0; k < *view.nr; k++)
			sum += touch(run_tables[i].fields,
				     (const char *)*view.items + k * run_tables[i].fields->bytes);
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	uint8_t *bytes = malloc(size + 1); /* exactly so large, for AddressSanitizer */
	uint64_t ignored = 0;
	struct run_fault fault;
	struct run run;
	size_t removed;

	memcpy(bytes, data, size);
	mend_checksums(bytes, size);
	if (record_parse(arena, "fuzz", bytes, size, &run, &ignored) == MS_OK) {
		if (ignored > size)
			abort();
		touch_run(&run);
		if (!run_check(&run, &removed, &fault) || removed)
			abort();
	}
	free(bytes);
	arena_free(arena);
	return 0;
}
