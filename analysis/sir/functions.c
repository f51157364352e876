/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a file: symbols first, then unwind information. */
#include "analysis/sir/functions.h"

#include <gelf.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"
#include "analysis/code/memory.h"
#include "analysis/elf/binary.h"

/*
 * .eh_frame_hdr and a record of .eh_frame in the encodings that GNU ld, gold and lld write (LSB
 * Core 5.0, 10.6): 4 bytes, relative to the header, and to themselves.
 */
enum { HEADER_BYTES = 12, TABLE_ENCODING = 0x3b, COUNT_ENCODING = 0x03, ENTRY_BYTES = 8 };
enum { RANGE_OFFSET = 12, RECORD_BYTES = 16 };

struct reading {
	struct arena *arena;
	const struct binary *binary;
	const struct code_memory *memory;
	struct functions out;
	size_t room;
	uint64_t text_low, text_high; /* section .text */
	uint64_t entry;
};

static bool is_added_by_compilers(const char *name)
{
	static const char *const names[] = { "_start",
					     "_init",
					     "_fini",
					     "deregister_tm_clones",
					     "register_tm_clones",
					     "__do_global_dtors_aux",
					     "frame_dummy",
					     "_dl_relocate_static_pie",
					     "__libc_csu_init",
					     "__libc_csu_fini",
					     "__clang_call_terminate" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void add(struct reading *reading, uint64_t low, uint64_t high, const char *symbol)
{
	struct functions *out = &reading->out;

	if (high <= low || !code_memory_at(reading->memory, low, high - low) ||
	    !ARENA_GROW(reading->arena, out->items, out->nr, reading->room))
		return;
	out->items[out->nr++] = (struct function){ low, high, symbol };
}

static void add_symbols(struct reading *reading)
{
	for (size_t i = 0; i < reading->binary->nr_symbols; i++) {
		const struct symbol *symbol = &reading->binary->symbols[i];

		if (!is_added_by_compilers(symbol->name))
			add(reading, symbol->low, symbol->high, symbol->name);
	}
}

static uint32_t word(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint64_t relative(uint64_t base, const unsigned char *bytes)
{
	return base + (uint64_t)(int64_t)(int32_t)word(bytes);
}

static void add_unwound(struct reading *reading, uint64_t header)
{
	const unsigned char *bytes = code_memory_at(reading->memory, header, HEADER_BYTES), *table;
	uint32_t nr;

	if (!bytes || bytes[2] != COUNT_ENCODING || bytes[3] != TABLE_ENCODING)
		return;
	nr = word(bytes + 8);
	table = code_memory_at(reading->memory, header + HEADER_BYTES, (uint64_t)nr * ENTRY_BYTES);
	for (uint32_t i = 0; table && i < nr; i++) {
		uint64_t low = relative(header, table + (size_t)i * ENTRY_BYTES);
		uint64_t record = relative(header, table + (size_t)i * ENTRY_BYTES + 4);
		const unsigned char *fde = code_memory_at(reading->memory, record, RECORD_BYTES);

		if (fde && low >= reading->text_low && low < reading->text_high &&
		    low != reading->entry && !binary_symbol(reading->binary, low))
			add(reading, low, low + word(fde + RANGE_OFFSET), "");
	}
}

static void find_text(struct reading *reading)
{
	Elf *elf = reading->binary->file.elf;
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (name && !strcmp(name, ".text")) {
			reading->text_low = header.sh_addr;
			reading->text_high = header.sh_addr + header.sh_size;
		}
	}
}

/* Of one address the named ones first, then the longest. */
static int by_address(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	if (left->low != right->low)
		return left->low < right->low ? -1 : 1;
	if (!*left->symbol != !*right->symbol)
		return *left->symbol ? -1 : 1;
	return (left->high < right->high) - (left->high > right->high);
}

static void keep_one_of_each(struct functions *functions)
{
	size_t nr = 0;

	for (size_t i = 0; i < functions->nr; i++)
		if (!nr || functions->items[nr - 1].low != functions->items[i].low)
			functions->items[nr++] = functions->items[i];
	functions->nr = nr;
}

struct functions functions_read(struct arena *arena, const struct binary *binary,
				const struct code_memory *memory)
{
	struct reading reading = { .arena = arena, .binary = binary, .memory = memory };
	GElf_Ehdr file;
	GElf_Phdr segment;
	size_t nr = 0;

	if (gelf_getehdr(binary->file.elf, &file))
		reading.entry = file.e_entry;
	find_text(&reading);
	add_symbols(&reading);
	elf_getphdrnum(binary->file.elf, &nr);
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(binary->file.elf, (int)i, &segment) &&
		    segment.p_type == PT_GNU_EH_FRAME)
			add_unwound(&reading, segment.p_vaddr);
	if (reading.out.nr)
		sort(reading.out.items, reading.out.nr, sizeof(*reading.out.items), by_address);
	keep_one_of_each(&reading.out);
	return reading.out;
}

size_t functions_at(const struct functions *functions, uint64_t address)
{
	size_t at = BISECT(i, functions->nr, functions->items[i].low < address);

	return at < functions->nr && functions->items[at].low == address ? at : SIZE_MAX;
}
