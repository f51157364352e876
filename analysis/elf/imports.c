/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of calls and jumps, through the tables of the dynamic linker. */
#include "analysis/elf/imports.h"

#include <elf.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/own_heap.h"
#include "analysis/elf/binary.h"

#define PLT_ENTRY_BYTES 16

static void add_relocations(struct binary *binary, Elf_Scn *section, const GElf_Shdr *header,
			    size_t *room)
{
	Elf *elf = binary->file.elf;
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
	Elf_Data *symbol_data = symbols ? elf_getdata(symbols, NULL) : NULL;
	size_t nr = data && symbol_data && header->sh_entsize ? header->sh_size / header->sh_entsize
							      : 0;
	GElf_Shdr symbols_header;

	if (!symbols || !gelf_getshdr(symbols, &symbols_header))
		return;
	for (size_t i = 0; i < nr && i < INT_MAX; i++) {
		GElf_Rela relocation;
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getrela(data, (int)i, &relocation))
			return;
		if (GELF_R_TYPE(relocation.r_info) != R_X86_64_JUMP_SLOT &&
		    GELF_R_TYPE(relocation.r_info) != R_X86_64_GLOB_DAT)
			continue;
		if (!gelf_getsym(symbol_data, (int)GELF_R_SYM(relocation.r_info), &symbol))
			continue;
		name = elf_strptr(elf, symbols_header.sh_link, symbol.st_name);
		if (!name || !*name ||
		    !ARENA_GROW(binary->arena, binary->imports, binary->nr_imports, *room))
			continue;
		binary->imports[binary->nr_imports++] = (struct import){
			relocation.r_offset, symbol.st_shndx == SHN_UNDEF ? 0 : symbol.st_value,
			name
		};
	}
}

static int by_slot(const void *a, const void *b)
{
	const struct import *left = a, *right = b;

	return (left->slot > right->slot) - (left->slot < right->slot);
}

static void read_imports(struct binary *binary)
{
	Elf_Scn *section = NULL;
	size_t room = 0;

	binary->imports_read = true;
	while (binary->machine == EM_X86_64 && (section = elf_nextscn(binary->file.elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    (header.sh_flags & SHF_ALLOC))
			add_relocations(binary, section, &header, &room);
	}
	if (binary->nr_imports)
		own_heap_sort(binary->imports, binary->nr_imports, sizeof(*binary->imports),
			      by_slot);
}

static const struct import *import_of(struct binary *binary, uint64_t slot)
{
	const struct import key = { .slot = slot };

	if (!binary->imports_read)
		read_imports(binary);
	return binary->nr_imports
		       ? bsearch(&key, binary->imports, binary->nr_imports, sizeof(key), by_slot)
		       : NULL;
}

static uint64_t displaced(uint64_t behind, const unsigned char *bytes)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return behind + (uint64_t)(int64_t)distance;
}

/* [endbr64] [bnd] jmp *slot(%rip) */
static const struct import *linkage_entry(struct binary *binary, uint64_t address)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t bytes = PLT_ENTRY_BYTES, at = 0;
	const unsigned char *code = binary_code(binary, address, &bytes);

	if (!code || bytes < PLT_ENTRY_BYTES)
		return NULL;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	at += code[at] == 0xf2;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return NULL;
	return import_of(binary, displaced(address + at + 6, code + at + 2));
}

static bool is_import(const struct import *import, struct target *out)
{
	if (import)
		*out = (struct target){ import->name, import->code };
	return import != NULL;
}

static bool leads_to(struct binary *binary, uint64_t address, struct target *out)
{
	const struct symbol *symbol;

	if (address < binary->code_low || address >= binary->code_high)
		return false;
	if (is_import(linkage_entry(binary, address), out))
		return true;
	symbol = binary_symbol(binary, address);
	if (!symbol || symbol->low != address)
		return false;
	*out = (struct target){ symbol->name, address };
	return true;
}

uint32_t imports_call(struct binary *binary, const unsigned char *code, uint64_t left,
		      uint64_t address, struct target *target_out)
{
	if (binary->machine != EM_X86_64)
		return 0;
	if (left >= 5 && code[0] == 0xe8)
		return leads_to(binary, displaced(address + 5, code + 1), target_out) ? 5 : 0;
	if (left >= 6 && code[0] == 0xff && code[1] == 0x15)
		return is_import(import_of(binary, displaced(address + 6, code + 2)), target_out)
			       ? 6
			       : 0;
	return 0;
}

/* jmp near, short or through a slot; jumps on a condition, near */
uint32_t imports_jump(struct binary *binary, const unsigned char *code, uint64_t left,
		      uint64_t address, struct target *target_out)
{
	if (binary->machine != EM_X86_64)
		return 0;
	if (left >= 5 && code[0] == 0xe9)
		return leads_to(binary, displaced(address + 5, code + 1), target_out) ? 5 : 0;
	if (left >= 6 && code[0] == 0xff && code[1] == 0x25)
		return is_import(import_of(binary, displaced(address + 6, code + 2)), target_out)
			       ? 6
			       : 0;
	if (left >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		return leads_to(binary, displaced(address + 6, code + 2), target_out) ? 6 : 0;
	if (left >= 2 && code[0] == 0xeb)
		return leads_to(binary, address + 2 + (uint64_t)(int64_t)(int8_t)code[1],
				target_out)
			       ? 2
			       : 0;
	return 0;
}

/* mov slot(%rip),%reg */
const struct import *imports_load(struct binary *binary, const unsigned char *code, uint64_t left,
				  uint64_t address, unsigned int reg)
{
	if (binary->machine != EM_X86_64 || left < 7 || (code[0] & 0xfb) != 0x48 ||
	    code[1] != 0x8b || (code[2] & 0xc7) != 0x05 ||
	    (((code[0] & 4u) << 1) | ((code[2] >> 3) & 7u)) != reg)
		return NULL;
	return import_of(binary, displaced(address + 7, code + 3));
}

static uint64_t exported_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; i < nr && i < INT_MAX; i++) {
		GElf_Sym symbol;
		const char *found;

		if (!gelf_getsym(data, (int)i, &symbol))
			return 0;
		found = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    found && !strcmp(found, name))
			return symbol.st_value;
	}
	return 0;
}

uint64_t imports_exported(const struct binary *binary, const char *name)
{
	Elf_Scn *section = NULL;
	uint64_t found = 0;

	while (!found && (section = elf_nextscn(binary->file.elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			found = exported_in(binary->file.elf, section, &header, name);
	}
	return found;
}
