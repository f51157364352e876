/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by the symbol table of a loaded file. */
#define _GNU_SOURCE
#include "ompt_tool/code/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#define JUMP_BYTES 5                     /* of a jump that clones/entry.h may have put at a function's begin */
#define PART 4096

/* Addresses in the file. */
struct extent { uint64_t start, end; };

static bool is_function(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF && symbol->st_size &&
	       symbol->st_value + symbol->st_size > symbol->st_value;
}

/* The narrowest function around the address. */
static void narrow(struct extent *extent, const GElf_Sym *symbol, uint64_t address)
{
	uint64_t end = symbol->st_value + symbol->st_size;

	if (address < symbol->st_value || address >= end)
		return;
	if (extent->end && end - symbol->st_value >= extent->end - extent->start)
		return;
	*extent = (struct extent){ symbol->st_value, end };
}

static bool begins_inside(const struct extent *extent, const GElf_Sym *symbol)
{
	return symbol->st_value > extent->start && symbol->st_value < extent->end;
}

/* Calls `visit` for every function's symbol until it returns false. */
static bool each_function(Elf *elf, bool (*visit)(void *ctx, const GElf_Sym *symbol), void *ctx)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
			if (is_function(&symbol) && !visit(ctx, &symbol))
				return false;
	}
	return true;
}

struct search {
	uint64_t address;
	struct extent extent;
};

static bool look_at(void *ctx, const GElf_Sym *symbol)
{
	struct search *search = ctx;

	narrow(&search->extent, symbol, search->address);
	return true;
}

static bool stays_alone(void *ctx, const GElf_Sym *symbol)
{
	return !begins_inside(ctx, symbol);
}

static bool find(int fd, uint64_t address, struct extent *extent_out)
{
	struct search search = { .address = address };
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	bool found = elf && each_function(elf, look_at, &search) && search.extent.end && each_function(elf, stays_alone, &search.extent);

	elf_end(elf);
	*extent_out = search.extent;
	return found;
}

static bool is_same(int fd, off_t offset, const unsigned char *memory, size_t bytes)
{
	unsigned char file[PART];

	while (bytes) {
		size_t nr = bytes < PART ? bytes : PART;

		if (pread(fd, file, nr, offset) != (ssize_t)nr || memcmp(file, memory, nr) != 0)
			return false;
		offset += (off_t)nr;
		memory += nr;
		bytes -= nr;
	}
	return true;
}

/* The code is in one segment, and is what the file has there. */
static bool is_loaded(const struct dl_phdr_info *module, int fd, const struct extent *extent)
{
	uint64_t skipped = extent->end - extent->start < JUMP_BYTES ? 0 : JUMP_BYTES;

	for (unsigned int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || extent->start < segment->p_vaddr ||
		    extent->end > segment->p_vaddr + segment->p_filesz)
			continue;
		return is_same(fd, (off_t)(segment->p_offset + (extent->start - segment->p_vaddr) + skipped),
			       (const unsigned char *)module->dlpi_addr + extent->start + skipped, extent->end - extent->start - skipped);
	}
	return false;
}

bool symbols_function(const struct dl_phdr_info *module, uintptr_t address, uintptr_t *start_out, uintptr_t *end_out)
{
	const char *path = module->dlpi_name && *module->dlpi_name ? module->dlpi_name : "/proc/self/exe";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct extent extent;
	bool found;

	if (fd < 0)
		return false;
	found = find(fd, address - module->dlpi_addr, &extent) && is_loaded(module, fd, &extent);
	close(fd);
	*start_out = module->dlpi_addr + extent.start;
	*end_out = module->dlpi_addr + extent.end;
	return found;
}
