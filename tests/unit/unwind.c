/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables of whole libraries, translated for copies that grew at random, and compared with
 * the originals by a second reader.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/unwind.h"

#include "tests/unit/pick.h"
#include "tests/unit/unwind_tables.h"

#include <sys/mman.h>
#if HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>
#endif

#include "analysis/base/arena.h"

#define BATCH 64
#define FIRST_COPY 0x1000000000u /* nothing is there: only tables are read */

/* -- copies */

struct batch {
	struct code_bounds bounds[BATCH];
	struct tables_frame frames[BATCH];
	struct unwind_function functions[BATCH];
	size_t nr;
	uintptr_t next_copy;
};

/*
 * Mostly a few bytes more each, now and then so many that a location needs one, two or four bytes
 * to say.
 */
static uint32_t growth(void)
{
	uint64_t dice = pick(1000);

	return dice < 900   ? (uint32_t)pick(8)
	       : dice < 980 ? (uint32_t)pick(300)
	       : dice < 998 ? (uint32_t)pick(70000)
			    : 0;
}

/* As if every byte were an instruction. */
static void set_places(struct unwind_function *function)
{
	size_t size = function->bounds->end - function->bounds->start;
	struct unwind_place *places = malloc((size + 1) * sizeof(*places));
	uint32_t copy = (uint32_t)pick(30);

	for (size_t i = 0; i <= size; i++) {
		places[i] = (struct unwind_place){ (uint32_t)i, copy };
		copy += 1 + (size < 30000 || pick(100) == 0 ? growth() : 0);
	}
	function->places = places;
	function->nr = size + 1;
	function->copy_end = function->copy + places[size].copy + pick(40);
}

static void add_function(struct batch *batch, const struct tables_frame *frame)
{
	struct unwind_function *function = &batch->functions[batch->nr];

	batch->frames[batch->nr] = *frame;
	batch->bounds[batch->nr] = tables_bounds(frame);
	*function = (struct unwind_function){ .bounds = &batch->bounds[batch->nr],
					      .copy = batch->next_copy };
	set_places(function);
	batch->next_copy = function->copy_end + (pick(10) ? pick(64) : 100000 + pick(100000));
	batch->nr++;
}

static void drop_function(struct batch *batch, size_t index)
{
	free((void *)batch->functions[index].places);
	batch->nr--;
	for (size_t i = index; i < batch->nr; i++) {
		batch->frames[i] = batch->frames[i + 1];
		batch->bounds[i] = batch->bounds[i + 1];
		batch->functions[i] = batch->functions[i + 1];
		batch->functions[i].bounds = &batch->bounds[i];
	}
}

static uint32_t copy_of(const struct unwind_function *function, size_t original)
{
	return function->places[original].copy;
}

/* -- comparing rules */

struct stretch {
	uintptr_t start, end;
	uint64_t rules;
};
struct stretches {
	struct stretch *items;
	size_t nr, room;
};

static void add_stretch(void *ctx, const struct tables_row *row)
{
	struct stretches *all = ctx;
	const unsigned char *bytes = (const unsigned char *)&row->cfa;
	uint64_t hash = 1469598103934665603u;

	for (size_t i = 0; i < sizeof(*row) - offsetof(struct tables_row, cfa); i++)
		hash = (hash ^ bytes[i]) * 1099511628211u;
	if (all->nr == all->room)
		all->items = realloc(all->items,
				     (all->room = all->room * 2 + 16) * sizeof(*all->items));
	all->items[all->nr++] = (struct stretch){ row->start, row->end, hash };
}

/* Rules at an address, which must not be before those asked for last. */
static uint64_t rules_at(const struct stretches *all, size_t *last, uintptr_t address)
{
	while (*last < all->nr && all->items[*last].end <= address)
		++*last;
	CHECK(*last < all->nr && all->items[*last].start <= address);
	return all->items[*last].rules;
}

static void check_rules(const struct tables_frame *original, const struct tables_frame *copy,
			const struct unwind_function *function)
{
	struct stretches have = { 0 }, want = { 0 };
	size_t in_copy = 0, in_original = 0, size = original->end - original->start;

	tables_rows(original, add_stretch, &want);
	tables_rows(copy, add_stretch, &have);
	CHECK_THAT(rules_at(&have, &in_copy, function->copy), ==, want.items[0].rules);
	for (size_t i = 0; i < size; i++) {
		uint64_t rules = rules_at(&want, &in_original, original->start + i);

		CHECK_THAT(rules_at(&have, &in_copy, function->copy + copy_of(function, i)), ==,
			   rules);
		CHECK_THAT(rules_at(&have, &in_copy, function->copy + copy_of(function, i + 1) - 1),
			   ==, rules);
	}
	free(have.items);
	free(want.items);
}

/* -- comparing exception tables */

struct edges {
	uint64_t *items;
	size_t nr, room;
};

static void add_edge(struct edges *edges, uint64_t offset)
{
	if (edges->nr == edges->room)
		edges->items = realloc(edges->items, (edges->room = edges->room * 2 + 16) *
							     sizeof(*edges->items));
	edges->items[edges->nr++] = offset;
}

static void add_edges(void *ctx, uint64_t begin, uint64_t end)
{
	add_edge(ctx, begin);
	add_edge(ctx, end);
	if (begin)
		add_edge(ctx, begin - 1);
	if (end)
		add_edge(ctx, end - 1);
}

static void check_handling(const struct tables_frame *original, const struct tables_frame *copy,
			   const struct unwind_function *function, uint64_t offset)
{
	struct tables_handling want = tables_handling(original, offset, NULL, NULL);
	uint64_t places[2] = { copy_of(function, offset), copy_of(function, offset + 1) - 1 };

	for (size_t i = 0; i < 2; i++) {
		struct tables_handling have = tables_handling(copy, places[i], NULL, NULL);

		CHECK_INT(have.listed, want.listed);
		CHECK_INT(have.pad,
			  want.pad ? function->copy + copy_of(function, want.pad - original->start)
				   : 0);
		CHECK(have.nr == want.nr &&
		      !memcmp(have.what, want.what, have.nr * sizeof(*have.what)));
	}
}

/* At both sides of every edge of a call site; returns how many there are. */
static size_t check_exceptions(const struct tables_frame *original, const struct tables_frame *copy,
			       const struct unwind_function *function)
{
	struct edges edges = { 0 };
	size_t size = original->end - original->start, nr, step;

	tables_handling(original, 0, add_edges, &edges);
	nr = edges.nr;
	/* long tables are looked at every now and then: each look reads all of it */
	step = nr / 400 + 1;
	for (size_t i = 0; i < nr; i += step)
		if (edges.items[i] < size)
			check_handling(original, copy, function, edges.items[i]);
	free(edges.items);
	return nr / 4;
}

static size_t check_landing_pads(const struct tables_frame *frame, const struct code_bounds *bounds)
{
	struct arena *arena = arena_new();
	struct edges edges = { 0 };
	const uintptr_t *pads;
	const char *why;
	size_t nr;

	CHECK(unwind_landing_pads(arena, bounds, &pads, &nr, &why));
	for (size_t i = 1; i < nr; i++)
		CHECK_THAT(pads[i - 1], <, pads[i]);
	if (frame->lsda)
		tables_handling(frame, 0, add_edges, &edges);
	for (size_t i = 0; i < edges.nr; i += edges.nr / 100 + 1) {
		struct tables_handling handling = tables_handling(frame, edges.items[i], NULL,
								  NULL);
		size_t found = 0;

		for (size_t k = 0; k < nr; k++)
			found += pads[k] == handling.pad;
		CHECK_THAT(found, ==, (handling.pad != 0));
	}
	free(edges.items);
	arena_free(arena);
	return nr;
}

/* -- whole libraries */

struct totals {
	size_t functions, refused, sites, pads, sections;
};

static bool reason_is_right(const char *why, const struct tables_frame *frame)
{
	if (!strcmp(why, "it is the frame of a signal handler"))
		return frame->signal_frame;
	return !strcmp(why, "its CFI computes with the place of its code");
}

/* Writes what can be written; who is refused is left out. */
static unsigned char *write_batch(struct batch *batch, struct totals *totals)
{
	unsigned char *place;
	size_t bytes, again, bad;
	const char *why;

	while (!unwind_write(batch->functions, batch->nr, NULL, 0, &bytes, &bad, &why)) {
		CHECK_THAT(bad, <, batch->nr);
		if (!reason_is_right(why, &batch->frames[bad]))
			test_fail(__FILE__, __LINE__, "%#lx refused: %s", batch->frames[bad].start,
				  why);
		totals->refused++;
		drop_function(batch, bad);
	}
	place = aligned_alloc(16, (bytes + 15) & ~(size_t)15);
	CHECK(!unwind_write(batch->functions, batch->nr, place, bytes - 1, &again, &bad, &why));
	CHECK_INT(bad, batch->nr);
	CHECK(unwind_write(batch->functions, batch->nr, place, bytes, &again, &bad, &why));
	CHECK_INT(again, bytes);
	return place;
}

static void check_function(const struct batch *batch, size_t index, const struct tables_frame *copy,
			   struct totals *totals)
{
	const struct unwind_function *function = &batch->functions[index];
	const struct tables_frame *original = &batch->frames[index];

	CHECK_INT(copy->start, function->copy);
	CHECK_INT(copy->end, function->copy_end);
	CHECK_INT(copy->personality, original->personality);
	CHECK_INT(copy->lsda != NULL, original->lsda != NULL);
	check_rules(original, copy, function);
	if (original->lsda)
		totals->sites += check_exceptions(original, copy, function);
	totals->pads += check_landing_pads(original, &batch->bounds[index]);
	totals->functions++;
}

/* Every function once, in the order of the copies; sections are apart where copies are. */
static void check_batch(const struct batch *batch, tables_at place, struct totals *totals)
{
	size_t index = 0;
	uintptr_t end = batch->functions[0].copy;
	bool begun = false; /* a section has functions */

	for (tables_at at = place;; at += 4 + tables_word(at)) {
		struct tables_frame copy;

		if (tables_word(at) == 0) {
			totals->sections++;
			if (!tables_word(at + 4))
				break;
			begun = false;
			at += 8;
		}
		if (tables_word(at + 4) == 0)
			continue;
		copy = tables_frame(at);
		CHECK(index < batch->nr && (index == 0 || begun == (copy.start <= end + 4096)));
		check_function(batch, index++, &copy, totals);
		end = copy.end;
		begun = true;
	}
	CHECK_INT(index, batch->nr);
}

static void finish_batch(struct batch *batch, struct totals *totals)
{
	unsigned char *place = write_batch(batch, totals);

	if (batch->nr)
		check_batch(batch, place, totals);
	free(place);
	while (batch->nr)
		drop_function(batch, batch->nr - 1);
}

/* Every `every`th function of a library. */
static struct totals check_library(const char *name, size_t every)
{
	static struct batch batch;
	struct tables_library library;
	struct totals totals = { 0 };
	size_t nr = tables_open(name, &library);

	batch = (struct batch){ .next_copy = FIRST_COPY };
	if (!nr)
		test_skip("%s is not installed", name);
	for (size_t i = 0; i < nr; i += every) {
		struct tables_frame frame = tables_function(&library, i);

		add_function(&batch, &frame);
		if (batch.nr == BATCH)
			finish_batch(&batch, &totals);
	}
	finish_batch(&batch, &totals);
	printf("%s: %zu functions, %zu refused, %zu call sites, %zu landing pads, %zu sections\n",
	       name, totals.functions, totals.refused, totals.sites, totals.pads, totals.sections);
	return totals;
}

TEST(unwind__libstdcxx)
{
	struct totals totals = check_library("libstdc++.so.6", 1);

	CHECK(totals.functions > 3000 && totals.sites > 4000 && totals.pads > 1000 &&
	      totals.sections > 100);
	CHECK_THAT(totals.refused, <=, 2); /* its PLT */
}

/* libc's own personality routine is not exported. */
TEST(unwind__libc)
{
	struct totals totals = check_library("libc.so.6", 1);

	CHECK(totals.functions > 2000 && totals.sites > 100 && totals.pads > 20);
	CHECK_THAT(totals.refused, <=, 3); /* its PLT, the frame of a signal handler */
}

TEST(unwind__libm)
{
	struct totals totals = check_library("libm.so.6", 1);

	CHECK(totals.functions > 500 && totals.refused <= 2);
}

TEST(unwind__libgfortran)
{
	struct totals totals = check_library("libgfortran.so.5", 1);

	CHECK(totals.functions > 1500 && totals.refused <= 2);
}

TEST(unwind__libomp)
{
	struct totals totals = check_library("libomp.so.5", 1);

	CHECK(totals.functions > 1000 && totals.refused <= 2);
}

TEST(unwind__libllvm)
{
	struct totals totals = check_library("libLLVM.so.19.1", 61);

	CHECK(totals.functions > 1500 && totals.refused <= 2);
}

/* -- registering */

/* A piece for some functions of libstdc++, many of which are short, and what is in it. */
static unsigned char *write_some(struct batch *batch, size_t first, size_t nr, uintptr_t copies)
{
	struct tables_library library;
	struct totals totals = { 0 };

	CHECK_THAT(tables_open("libstdc++.so.6", &library), >, first + nr);
	while (batch->nr)
		drop_function(batch, batch->nr - 1);
	batch->next_copy = copies;
	for (size_t i = first; i < first + nr; i++) {
		struct tables_frame frame = tables_function(&library, i);

		add_function(batch, &frame);
	}
	return write_batch(batch, &totals);
}

typedef const void *find_fde(void *address, void *bases);

static find_fde *libgcc_find(void)
{
	void *libgcc = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
	find_fde *find = libgcc ? (find_fde *)dlsym(libgcc, "_Unwind_Find_FDE") : NULL;

	CHECK(find);
	return find;
}

/* Asks libgcc's unwinder itself. */
TEST(unwind__registered_copies_are_found)
{
	static struct batch first, second, amidst;
	static unsigned char *pieces[3]; /* the unwinder keeps them */
	const unsigned char *record;
	uintptr_t bases[3] = { 0 };
	find_fde *find;

	pieces[0] = write_some(&first, 10, 3, FIRST_COPY);
	pieces[1] = write_some(&second, 20, 3, FIRST_COPY + (64 << 20));
	pieces[2] = write_some(&amidst, 30, 3, first.functions[1].copy);
	CHECK(unwind_register(pieces[0]) && unwind_register(pieces[1]) &&
	      !unwind_register(pieces[2]));
	find = libgcc_find();
	record = find((void *)(second.functions[2].copy_end - 1), bases);
	CHECK(record && tables_frame(record).start == second.functions[2].copy &&
	      bases[2] == second.functions[2].copy);
	record = find((void *)first.functions[0].copy, bases);
	CHECK(record && tables_frame(record).start == first.functions[0].copy);
	CHECK(!find((void *)(FIRST_COPY - 1), bases));
}

static void check_found(find_fde *find, const struct batch *batch)
{
	for (size_t i = 0; i < batch->nr; i++) {
		const struct unwind_function *function = &batch->functions[i];
		uintptr_t bases[3] = { 0 };
		const unsigned char *record = find((void *)(function->copy_end - 1), bases);

		CHECK(record && bases[2] == function->copy &&
		      tables_frame(record).end == function->copy_end);
	}
}

/*
 * Sections of one to `most` functions, in two arenas in turn: what was registered is found from
 * then on, however sections are joined.
 */
static void register_little_by_little(size_t most)
{
	enum { PIECES = 300 };
	static struct batch batches[PIECES];
	static unsigned char *pieces[PIECES];
	find_fde *find = NULL;

	for (size_t i = 0; i < PIECES; i++) {
		uintptr_t arena = FIRST_COPY + (i % 2) * (4ull << 30);

		pieces[i] = write_some(&batches[i], 1 + most * i, 1 + pick(most),
				       i < 2 ? arena : batches[i - 2].next_copy);
		CHECK(unwind_register(pieces[i]));
		find = find ? find : libgcc_find();
		for (size_t k = 0; k <= i; k++)
			check_found(find, &batches[k]);
	}
}

/*
 * Two functions with a gap between them were joined: a third one in the gap would hide the second.
 */
TEST(unwind__registered_in_a_gap)
{
	static struct batch batches[3];
	static unsigned char *pieces[3];
	find_fde *find;

	pieces[0] = write_some(&batches[0], 1, 1, FIRST_COPY);
	pieces[1] = write_some(&batches[1], 2, 1, batches[0].functions[0].copy_end + 4000);
	for (size_t i = 3;
	     i == 3 || batches[2].functions[0].copy_end > batches[1].functions[0].copy; i++) {
		free(pieces[2]);
		pieces[2] = write_some(&batches[2], i, 1, batches[0].functions[0].copy_end);
	}
	CHECK(unwind_register(pieces[0]) && unwind_register(pieces[1]));
	find = libgcc_find();
	check_found(find, &batches[0]);
	CHECK(!unwind_register(pieces[2]));
	check_found(find, &batches[0]);
	check_found(find, &batches[1]);
}

TEST(unwind__registered_one_by_one)
{
	register_little_by_little(1);
}

TEST(unwind__registered_few_by_few)
{
	register_little_by_little(5);
}

#if HAVE_LIBDW
/* -- the second reader itself, against a third */

struct third {
	Dwarf_CFI *cfi;
	uintptr_t base;
	size_t rows, saved;
};

/* Where a register was saved, as libdw says it: at CFA + value. */
static void check_register(struct third *third, Dwarf_Frame *frame, int number,
			   const struct tables_rule *rule)
{
	Dwarf_Op memory[3], *ops;
	size_t nr;

	if (rule->kind != RULE_AT)
		return;
	CHECK_INT(dwarf_frame_register(frame, number, memory, &ops, &nr), 0);
	CHECK(nr >= 1 && ops[0].atom == DW_OP_call_frame_cfa);
	CHECK_INT(nr > 1 ? (int64_t)ops[1].number : 0, rule->value);
	third->saved++;
}

static void check_third(void *ctx, const struct tables_row *row)
{
	struct third *third = ctx;
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t nr;

	CHECK_INT(dwarf_cfi_addrframe(third->cfi, row->start - third->base, &frame), 0);
	CHECK_INT(dwarf_frame_cfa(frame, &ops, &nr), 0);
	if (!row->cfa.expression) {
		CHECK(nr == 1 && ops[0].atom == DW_OP_bregx);
		CHECK_INT(ops[0].number, row->cfa.reg);
		CHECK_INT(ops[0].number2, row->cfa.offset);
	}
	for (int i = 0; i <= 16; i++)
		check_register(third, frame, i, &row->rules[i]);
	free(frame);
	third->rows++;
}

TEST(unwind__second_reader_agrees_with_libdw)
{
	static const char *const names[] = { "libstdc++.so.6", "libc.so.6", "libm.so.6" };
	struct third third = { 0 };

	elf_version(EV_CURRENT);
	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
		struct tables_library library;
		size_t nr = tables_open(names[n], &library);
		int fd = open(library.path, O_RDONLY);
		Elf *elf = elf_begin(fd, ELF_C_READ, NULL);

		third.cfi = dwarf_getcfi_elf(elf);
		third.base = library.base;
		CHECK(nr && third.cfi);
		for (size_t i = 0; i < nr; i += 3) {
			struct tables_frame frame = tables_function(&library, i);

			if (!frame.signal_frame)
				tables_rows(&frame, check_third, &third);
		}
		dwarf_cfi_end(third.cfi);
		elf_end(elf);
		close(fd);
	}
	printf("%zu rows, %zu registers\n", third.rows, third.saved);
	CHECK(third.rows > 10000 && third.saved > 30000);
}
#endif
