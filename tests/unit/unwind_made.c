/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind records made by hand: what compilers seldom write, and what must be refused, with which
 * reason.
 */
#define _GNU_SOURCE
#include "tests/unit/unwind_tables.h"

#include "analysis/base/arena.h"
#include "ompt_tool/clones/cfi_copy.h"
#include "ompt_tool/clones/lsda.h"

#define START 0x400000u
#define SIZE 100u /* bytes of the function */
/* version, zR, alignments, rip; CFA rsp + 8, rip at CFA - 8 */
#define ORDINARY \
	"\x01zR\0\x01\x78\x10\x01\x00" \
	"\x0c\x07\x08\x90\x01"
#define BYTES(text) text, sizeof(text) - 1

/* Every tenth byte begins an instruction, whose copy is twice as far. */
static struct unwind_function make_function(void)
{
	static struct unwind_place places[SIZE / 10 + 1];
	static struct code_bounds bounds = { .start = START, .end = START + SIZE };

	for (uint32_t i = 0; i <= SIZE / 10; i++)
		places[i] = (struct unwind_place){ 10 * i, 20 * i };
	return (struct unwind_function){ .bounds = &bounds,
					 .copy = 0x800000,
					 .copy_end = 0x800000 + 2 * SIZE,
					 .places = places,
					 .nr = SIZE / 10 + 1 };
}

struct records {
	unsigned char bytes[512];
	size_t fde, end;
};

/* A CIE and an FDE behind it with START and SIZE in 8 bytes. */
static struct records make_records(const char *cie, size_t cie_size, const char *program,
				   size_t program_size)
{
	struct records records = { .bytes = "" };
	struct packing out = { .bytes = records.bytes, .room = sizeof(records.bytes) };

	pack_fixed(&out, 4 + cie_size, 4);
	pack_fixed(&out, 0, 4);
	pack_copy(&out, cie, cie_size);
	records.fde = out.nr;
	pack_fixed(&out, 4 + 16 + 1 + program_size, 4);
	pack_fixed(&out, out.nr, 4);
	pack_fixed(&out, START, 8);
	pack_fixed(&out, SIZE, 8);
	pack_fixed(&out, 0, 1);
	pack_copy(&out, program, program_size);
	records.end = out.nr;
	return records;
}

/* The reason of refusal, or "" and the copy's records in *out. */
static const char *translate(const struct records *records, struct records *out)
{
	struct unwind_function function = make_function();
	struct packing packing = { .bytes = out->bytes, .room = sizeof(out->bytes) };
	const char *why = NULL;
	struct cfi cfi;
	size_t slot;

	if (!cfi_read(records->bytes + records->fde, records->bytes, records->bytes + records->end,
		      &cfi, &why))
		return why;
	cfi_write_cie(&cfi, 0, &packing);
	out->fde = packing.nr;
	if (!cfi_write_fde(&cfi, &function, 0, false, &packing, &slot, &why))
		return why;
	out->end = packing.nr;
	CHECK(packing.nr <= packing.room && packing.nr % 8 == 0 && slot == 0);
	return "";
}

struct seen {
	size_t nr;
	uintptr_t starts[16];
	int64_t offsets[16];
	struct tables_row last;
};

static void see(void *ctx, const struct tables_row *row)
{
	struct seen *seen = ctx;

	CHECK_THAT(seen->nr, <, 16);
	seen->starts[seen->nr] = row->start;
	seen->offsets[seen->nr++] = row->cfa.offset;
	seen->last = *row;
}

static struct seen rows_of(const struct records *records)
{
	struct tables_frame frame = tables_frame(records->bytes + records->fde);
	struct seen seen = { 0 };

	tables_rows(&frame, see, &seen);
	return seen;
}

/*
 * By steps of each size and to an absolute place; CFA offsets 16, 24, 32, 40 from 10, 20, 40, 60
 * on.
 */
TEST(unwind_made__locations)
{
	struct records out,
		records = make_records(BYTES(ORDINARY),
				       BYTES("\x4a\x0e\x10"
					     "\x02\x0a\x0e\x18"
					     "\x03\x14\x00\x0e\x20"
					     "\x01\x3c\x00\x40\x00\x00\x00\x00\x00\x0e\x28"
					     "\x04\x0a\x00\x00\x00\x0e\x30"));
	static const struct {
		uintptr_t start;
		int64_t offset;
	} want[] = {
		{ 0x800000, 8 },       { 0x800000 + 20, 16 },  { 0x800000 + 40, 24 },
		{ 0x800000 + 80, 32 }, { 0x800000 + 120, 40 }, { 0x800000 + 140, 48 },
	};
	struct seen seen;

	CHECK_STR(translate(&records, &out), "");
	seen = rows_of(&out);
	CHECK_INT(seen.nr, 6);
	for (size_t i = 0; i < 6; i++) {
		CHECK_INT(seen.starts[i], want[i].start);
		CHECK_INT(seen.offsets[i], want[i].offset);
	}
	CHECK_INT(seen.last.end, 0x800000 + 2 * SIZE);
}

/* Locations are counted in units of the CIE's code alignment. */
TEST(unwind_made__code_alignment)
{
	struct records out, records = make_records(BYTES("\x01zR\0\x0a\x78\x10\x01\x00"
							 "\x0c\x07\x08\x90\x01"),
						   BYTES("\x41\x0e\x10\x42\x0e\x18"));
	struct seen seen;

	CHECK_STR(translate(&records, &out), "");
	seen = rows_of(&out);
	CHECK_INT(seen.nr, 3);
	CHECK_INT(seen.starts[1], 0x800000 + 20);
	CHECK_INT(seen.starts[2], 0x800000 + 60);
}

/* Each instruction that says something of registers, compared by the second reader. */
TEST(unwind_made__everything_else_is_kept)
{
	struct records out,
		records = make_records(BYTES(ORDINARY),
				       BYTES("\x0a\x4a"
					     "\x86\x02"
					     "\x05\x03\x04"
					     "\x07\x0c"
					     "\x08\x0d"
					     "\x09\x0e\x03"
					     "\x2e\x10"
					     "\x11\x0f\x7e"
					     "\x14\x01\x02"
					     "\x15\x02\x7d"
					     "\x10\x06\x03\x77\x08\x06"
					     "\x16\x05\x02\x76\x10"
					     "\x2f\x04\x02"
					     "\x4a\x0f\x05\x77\xf8\x00\x06\x1c"
					     "\x4a\x12\x06\x7e"
					     "\x4a\xc6\x06\x03\x13\x7c\x0d\x07\x0b\x00\x00"));
	struct seen have, want;

	CHECK_STR(translate(&records, &out), "");
	have = rows_of(&out);
	want = rows_of(&records);
	CHECK_INT(want.nr, 5);
	CHECK_INT(have.nr, 5);
	for (size_t i = 0; i < 5; i++) {
		CHECK_INT(have.starts[i] - 0x800000, 2 * (want.starts[i] - START));
		CHECK_INT(have.offsets[i], want.offsets[i]);
	}
	CHECK(tables_same_rules(&have.last, &want.last));
}

static const struct {
	int line;
	const char *why;
	const char *cie;
	size_t cie_size;
	const char *program;
	size_t program_size;
} refused[] = {
	{ __LINE__, "its CFI changes within an instruction", BYTES(ORDINARY),
	  BYTES("\x4b\x0e\x10") },
	{ __LINE__, "its CFI changes within an instruction", BYTES(ORDINARY),
	  BYTES("\x02\x6e\x0e\x10") },
	{ __LINE__, "its CFI goes back", BYTES(ORDINARY),
	  BYTES("\x4a\x01\x00\x00\x40\x00\x00\x00\x00\x00") },
	{ __LINE__, "its CFI ends within an instruction", BYTES(ORDINARY), BYTES("\x4a\x0c\x07") },
	{ __LINE__, "its CFI ends within an instruction", BYTES(ORDINARY),
	  BYTES("\x0f\x05\x77\x08") },
	{ __LINE__, "its CFI has an instruction not known", BYTES(ORDINARY), BYTES("\x2d") },
	{ __LINE__, "its CFI has an instruction not known", BYTES(ORDINARY), BYTES("\x3f") },
	{ __LINE__, "its CFI restores a state it has not saved", BYTES(ORDINARY),
	  BYTES("\x0a\x0b\x0b") },
	{ __LINE__, "its CFI computes with the place of its code", BYTES(ORDINARY),
	  BYTES("\x0f\x09\x03\x00\x00\x40\x00\x00\x00\x00\x00") },
	/* The PLT's: rsp + 8 + (((rip & 15) >= 11) << 3) */
	{ __LINE__, "its CFI computes with the place of its code", BYTES(ORDINARY),
	  BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22") },
	{ __LINE__, "its CFI computes with the place of its code", BYTES(ORDINARY),
	  BYTES("\x16\x06\x03\x92\x10\x08") },
	{ __LINE__, "its CFI computes with the place of its code", BYTES(ORDINARY),
	  BYTES("\x10\x06\x01\x9c") },
	{ __LINE__, "its CFI changes within an instruction",
	  BYTES("\x01zR\0\x01\x78\x10\x01\x00\x41"), BYTES("") },
	{ __LINE__, "it is the frame of a signal handler", BYTES("\x01zRS\0\x01\x78\x10\x01\x00"),
	  BYTES("") },
	{ __LINE__, "its CIE has an augmentation not known", BYTES("\x01zRB\0\x01\x78\x10\x01\x00"),
	  BYTES("") },
	{ __LINE__, "its CIE has an augmentation not known",
	  BYTES("\x01"
		"eh\0\x01\x78\x10\x01\x00"),
	  BYTES("") },
	{ __LINE__, "its CIE has an augmentation not known",
	  BYTES("\x01zRP\0\x01\x78\x10\x03\x00\x00\x01"), BYTES("") },
	{ __LINE__, "its CIE has a version not known", BYTES("\x04zR\0\x01\x78\x10\x01\x00"),
	  BYTES("") },
	{ __LINE__, "its CIE ends too early", BYTES("\x01zR\0\x01\x78\x10\x21\x00"), BYTES("") },
	{ __LINE__, "its return address is not in the usual place",
	  BYTES("\x01zR\0\x01\x78\x1e\x01\x00"), BYTES("") },
	{ __LINE__, "its FDE has pointers to pointers", BYTES("\x01zR\0\x01\x78\x10\x01\x80"),
	  BYTES("") },
	{ __LINE__, "its FDE ends too early", BYTES("\x01zR\0\x01\x78\x10\x01\x30"), BYTES("") },
};

TEST(unwind_made__refused_frames)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct records out,
			records = make_records(refused[i].cie, refused[i].cie_size,
					       refused[i].program, refused[i].program_size);
		const char *why = translate(&records, &out);

		if (strcmp(why, refused[i].why))
			test_fail(__FILE__, refused[i].line, "refused for \"%s\"", why);
	}
}

/* -- exception tables */

static const char *translate_lsda(const char *bytes, size_t size, unsigned char *out, size_t room)
{
	struct unwind_function function = make_function();
	struct arena *arena = arena_new();
	struct bytes in = { .at = (const unsigned char *)bytes,
			    .end = (const unsigned char *)bytes + size };
	struct packing packing = { .bytes = out, .room = room };
	const char *why = "";
	struct lsda lsda;

	if (lsda_read(arena, in, START, START + SIZE, &lsda, &why) &&
	    lsda_write(&lsda, &function, &packing, &why))
		why = "";
	CHECK_THAT(packing.nr, <=, room);
	arena_free(arena);
	return why;
}

/*
 * A call with a pad and two handlers, one without, a gap, one with a list of types; the pad's start
 * is said.
 */
TEST(unwind_made__exception_table)
{
	static const char table[] = "\x03\x00\x00\x40\x00"
				    "\x03\x1f"
				    "\x01\x0c"
				    "\x00\x0a\x50\x03"
				    "\x0a\x14\x00\x00"
				    "\x28\x0a\x5a\x05"
				    "\x02\x00\x01\x7d\x7f\x00"
				    "\x00\x00\x00"
				    "\x22\x22\x00\x00\x11\x11\x00\x00"
				    "\x01\x02\x00";
	unsigned char copy[256] __attribute__((aligned(16)));
	struct tables_frame frame = { .lsda = copy, .start = 0x800000, .end = 0x800000 + 2 * SIZE };
	struct tables_handling handling;

	CHECK_STR(translate_lsda(BYTES(table), copy, sizeof(copy)), "");
	handling = tables_handling(&frame, 19, NULL, NULL);
	CHECK(handling.listed && handling.pad == 0x800000 + 160);
	CHECK(handling.nr == 4 && handling.what[0] == 1 && handling.what[1] == 0x1111 &&
	      handling.what[2] == 2 && handling.what[3] == 0x2222);
	handling = tables_handling(&frame, 20, NULL, NULL);
	CHECK(handling.listed && !handling.pad);
	CHECK(!tables_handling(&frame, 60, NULL, NULL).listed &&
	      !tables_handling(&frame, 79, NULL, NULL).listed);
	handling = tables_handling(&frame, 80, NULL, NULL);
	CHECK(handling.listed && handling.pad == 0x800000 + 180);
	CHECK(handling.nr == 4 && handling.what[0] == -1 && handling.what[1] == 0x1111 &&
	      handling.what[2] == 0x2222 && handling.what[3] == 0);
	CHECK(!tables_handling(&frame, 100, NULL, NULL).listed);
}

static const struct {
	int line;
	const char *why;
	const char *table;
	size_t size;
} refused_tables[] = {
	{ __LINE__, "its exception table ends too early", BYTES("\xff\xff\x01") },
	{ __LINE__, "its exception table ends too early",
	  BYTES("\xff\xff\x01\x05\x00\x0a\x00\x00") },
	{ __LINE__, "its exception table ends within a call site",
	  BYTES("\xff\xff\x01\x03\x00\x0a\x00\x00") },
	{ __LINE__, "its exception table ends within a call site",
	  BYTES("\xff\xff\x0f\x04\x00\x0a\x00\x00") },
	{ __LINE__, "its exception table has call sites that are not offsets",
	  BYTES("\xff\xff\x13\x00") },
	{ __LINE__, "its exception table has a call site outside of it",
	  BYTES("\xff\xff\x01\x04\x5a\x14\x00\x00") },
	{ __LINE__, "its exception table leads into an instruction",
	  BYTES("\xff\xff\x01\x04\x05\x05\x00\x00") },
	{ __LINE__, "its exception table leads into an instruction",
	  BYTES("\xff\xff\x01\x04\x00\x05\x00\x00") },
	{ __LINE__, "its exception table leads into an instruction",
	  BYTES("\xff\xff\x01\x04\x00\x0a\x15\x00") },
	{ __LINE__, "it has a landing pad outside of it",
	  BYTES("\xff\xff\x01\x05\x00\x0a\xe4\x00\x00") },
	{ __LINE__, "it has a landing pad outside of it",
	  BYTES("\x03\x00\x00\x50\x00\xff\x01\x04\x00\x0a\x14\x00") },
	{ __LINE__, "its exception table has a start behind a pointer",
	  BYTES("\x83\x00\x00\x40\x00\xff\x01\x00") },
	{ __LINE__, "its exception table's actions lie outside of it",
	  BYTES("\xff\xff\x01\x04\x00\x0a\x14\x01") },
	{ __LINE__, "its exception table's actions lie outside of it",
	  BYTES("\xff\xff\x01\x04\x00\x0a\x14\x01\x00\x64") },
	{ __LINE__, "its exception table has actions in a circle",
	  BYTES("\xff\xff\x01\x04\x00\x0a\x14\x01\x00\x7f") },
	{ __LINE__, "its exception table has types not understood",
	  BYTES("\xff\xff\x01\x04\x00\x0a\x14\x01\x01\x00") },
	{ __LINE__, "its exception table has types not understood",
	  BYTES("\xff\x01\x09\x01\x04\x00\x0a\x14\x01\x01\x00\x00") },
	{ __LINE__, "its exception table's types lie outside of it",
	  BYTES("\xff\x03\x20\x01\x04\x00\x0a\x14\x01\x01\x00") },
	{ __LINE__, "its exception table's types lie outside of it",
	  BYTES("\xff\x03\x02\x01\x04\x00\x0a\x14\x01\x01\x00") },
	{ __LINE__, "its exception table's types lie outside of it",
	  BYTES("\xff\x03\x0c\x01\x04\x00\x0a\x14\x01\x02\x00\x00\x00\x00\x00") },
	{ __LINE__, "its exception table's types and actions overlap",
	  BYTES("\xff\x03\x0a\x01\x04\x00\x0a\x14\x01\x01\x00\x00\x00") },
	{ __LINE__, "its exception table's lists of types lie outside of it",
	  BYTES("\xff\x03\x08\x01\x04\x00\x0a\x14\x01\x7f\x00") },
};

TEST(unwind_made__refused_exception_tables)
{
	unsigned char copy[256];

	for (size_t i = 0; i < sizeof(refused_tables) / sizeof(*refused_tables); i++) {
		const char *why = translate_lsda(refused_tables[i].table, refused_tables[i].size,
						 copy, sizeof(copy));

		if (strcmp(why, refused_tables[i].why))
			test_fail(__FILE__, refused_tables[i].line, "refused for \"%s\"", why);
	}
}
