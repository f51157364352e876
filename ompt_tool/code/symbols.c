/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by the symbol table of a loaded file, which is read in pieces: calls no malloc. */
#define _GNU_SOURCE
#include "ompt_tool/code/symbols.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/own_memory.h"
#include "ompt_tool/code/slots.h"

#define PART 4096

/* Addresses in the file. */
struct extent {
	uint64_t start, end;
};

static bool is_function(const ElfW(Sym) * symbol)
{
	int type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_size && symbol->st_value + symbol->st_size > symbol->st_value;
}

/* Narrows the extent to the smallest function around the address. */
static void narrow(struct extent *extent, const ElfW(Sym) * symbol, uint64_t address)
{
	uint64_t end = symbol->st_value + symbol->st_size;

	if (address < symbol->st_value || address >= end)
		return;
	if (extent->end && end - symbol->st_value >= extent->end - extent->start)
		return;
	*extent = (struct extent){ symbol->st_value, end };
}

static bool begins_inside(const struct extent *extent, const ElfW(Sym) * symbol)
{
	return symbol->st_value > extent->start && symbol->st_value < extent->end;
}

/* An open file, and its table of sections. */
struct file {
	int fd;
	uint64_t sections, nr_sections, section_names;
	ElfW(Shdr) names; /* section of the names of the symbols being read; size 0: none */
};

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX - bytes && pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/*
 * The file was loaded into this process, so that its class and byte order are this process's unless
 * it was replaced.
 */
static bool read_header(struct file *file)
{
	ElfW(Ehdr) header;

	if (!read_at(file->fd, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    header.e_shentsize != sizeof(ElfW(Shdr)))
		return false;
	file->sections = header.e_shoff;
	file->nr_sections = header.e_shnum;
	file->section_names = header.e_shstrndx;
	return true;
}

/* Calls `visit` for every function's symbol until it returns false. */
static bool each_of_section(const struct file *file, const ElfW(Shdr) * section,
			    bool (*visit)(void *ctx, const ElfW(Sym) * symbol), void *ctx)
{
	ElfW(Sym) symbols[PART / sizeof(ElfW(Sym))];
	uint64_t room = sizeof(symbols) / sizeof(symbols[0]),
		 nr = section->sh_size / sizeof(symbols[0]);

	for (uint64_t first = 0; first < nr; first += room) {
		uint64_t now = nr - first < room ? nr - first : room;

		if (!read_at(file->fd, symbols, now * sizeof(symbols[0]),
			     section->sh_offset + first * sizeof(symbols[0])))
			return true;
		for (uint64_t i = 0; i < now; i++)
			if (is_function(&symbols[i]) && !visit(ctx, &symbols[i]))
				return false;
	}
	return true;
}

static bool read_section(const struct file *file, uint64_t number, ElfW(Shdr) * out)
{
	return number < file->nr_sections &&
	       read_at(file->fd, out, sizeof(*out), file->sections + number * sizeof(*out));
}

static bool each_function(struct file *file, bool (*visit)(void *ctx, const ElfW(Sym) * symbol),
			  void *ctx)
{
	ElfW(Shdr) section;

	for (uint64_t i = 0; i < file->nr_sections; i++) {
		if (!read_section(file, i, &section))
			return true;
		if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
			continue;
		if (!read_section(file, section.sh_link, &file->names))
			file->names.sh_size = 0;
		if (!each_of_section(file, &section, visit, ctx))
			return false;
	}
	return true;
}

struct search {
	uint64_t address;
	struct extent extent;
};

static bool look_at(void *ctx, const ElfW(Sym) * symbol)
{
	struct search *search = ctx;

	narrow(&search->extent, symbol, search->address);
	return true;
}

static bool stays_alone(void *ctx, const ElfW(Sym) * symbol)
{
	return !begins_inside(ctx, symbol);
}

static bool find(int fd, uint64_t address, struct extent *extent_out)
{
	struct search search = { .address = address };
	struct file file = { .fd = fd };
	bool found = read_header(&file) && each_function(&file, look_at, &search) &&
		     search.extent.end && each_function(&file, stays_alone, &search.extent);

	*extent_out = search.extent;
	return found;
}

static bool is_same(int fd, uint64_t offset, const unsigned char *memory, size_t bytes)
{
	unsigned char file[PART];

	while (bytes) {
		size_t nr = bytes < PART ? bytes : PART;

		if (!read_at(fd, file, nr, offset) || memcmp(file, memory, nr) != 0)
			return false;
		offset += nr;
		memory += nr;
		bytes -= nr;
	}
	return true;
}

/* Whether the code is in one segment, and equals the file's. */
static bool is_loaded(const struct dl_phdr_info *module, int fd, const struct extent *extent)
{
	for (unsigned int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    extent->start < segment->p_vaddr ||
		    extent->end > segment->p_vaddr + segment->p_filesz)
			continue;
		return is_same(fd, segment->p_offset + (extent->start - segment->p_vaddr),
			       (const unsigned char *)module->dlpi_addr + extent->start,
			       extent->end - extent->start);
	}
	return false;
}

static int open_module(const struct dl_phdr_info *module)
{
	return open(module->dlpi_name && *module->dlpi_name ? module->dlpi_name : "/proc/self/exe",
		    O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

enum symbols_result symbols_function(const struct dl_phdr_info *module, uintptr_t address,
				     uintptr_t *start_out, uintptr_t *end_out)
{
	int fd = open_module(module);
	struct extent extent;
	bool found;

	if (fd < 0)
		return SYMBOLS_NOT_READ;
	found = find(fd, address - module->dlpi_addr, &extent) && is_loaded(module, fd, &extent);
	close(fd);
	*start_out = module->dlpi_addr + extent.start;
	*end_out = module->dlpi_addr + extent.end;
	return found ? SYMBOLS_FOUND : SYMBOLS_NONE;
}

static bool has_name(const struct file *file, const ElfW(Shdr) * section, const ElfW(Shdr) * names,
		     const char *name)
{
	char text[32];
	size_t bytes = strlen(name) + 1;

	return bytes <= sizeof(text) && section->sh_name <= names->sh_size &&
	       bytes <= names->sh_size - section->sh_name &&
	       read_at(file->fd, text, bytes, names->sh_offset + section->sh_name) &&
	       !memcmp(text, name, bytes);
}

static void *read_named(struct file *file, const char *name, size_t most, size_t *bytes_out)
{
	ElfW(Shdr) section, names;
	void *memory;

	if (!read_header(file) || !read_section(file, file->section_names, &names))
		return NULL;
	for (uint64_t i = 0; i < file->nr_sections && read_section(file, i, &section); i++) {
		if (section.sh_type != SHT_PROGBITS || section.sh_flags & SHF_COMPRESSED ||
		    !section.sh_size || section.sh_size > most ||
		    !has_name(file, &section, &names, name))
			continue;
		*bytes_out = section.sh_size;
		memory = own_memory_for_work(section.sh_size, 0);
		if (memory && read_at(file->fd, memory, section.sh_size, section.sh_offset))
			return memory;
		if (memory)
			own_memory_give_back(memory, section.sh_size);
		return NULL;
	}
	return NULL;
}

void *symbols_section(const struct dl_phdr_info *module, const char *name, size_t most,
		      size_t *bytes_out)
{
	struct file file = { .fd = open_module(module) };
	void *memory;

	if (file.fd < 0)
		return NULL;
	memory = read_named(&file, name, most, bytes_out);
	close(file.fd);
	return memory;
}

struct question {
	struct extent extent;
	bool is_files;
};

static int compare_with_file(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	struct question *question = ctx;
	struct extent extent = { question->extent.start - module->dlpi_addr,
				 question->extent.end - module->dlpi_addr };
	int fd;

	(void)bytes;
	if (!slots_module_has(module, question->extent.start))
		return 0;
	fd = open_module(module);
	question->is_files = fd >= 0 && is_loaded(module, fd, &extent);
	if (fd >= 0)
		close(fd);
	return 1;
}

bool symbols_code_is_files(uintptr_t start, uintptr_t end)
{
	struct question question = { { start, end }, false };

	dl_iterate_phdr(compare_with_file, &question);
	return question.is_files;
}

/* State of a search by name, with all of a string table: symbols are in no order of their names. */
struct naming {
	struct file file;
	uintptr_t bias;
	const char *prefix;
	size_t length;
	void (*visit)(void *ctx, uintptr_t begin);
	void *ctx;
	uint64_t from; /* position of the table */
	size_t bytes;
	char *table; /* of own memory; NULL: none, or no memory */
};

static void give_back_table(struct naming *naming)
{
	if (naming->table)
		own_memory_give_back(naming->table, naming->bytes);
	naming->table = NULL;
}

static bool read_table(struct naming *naming)
{
	const ElfW(Shdr) *names = &naming->file.names;

	if (naming->from == names->sh_offset && naming->bytes == names->sh_size)
		return naming->table;
	give_back_table(naming);
	naming->from = names->sh_offset;
	naming->bytes = names->sh_size;
	naming->table = naming->bytes ? own_memory_for_work(naming->bytes, 0) : NULL;
	if (naming->table && !read_at(naming->file.fd, naming->table, naming->bytes, naming->from))
		give_back_table(naming);
	return naming->table;
}

static bool look_at_name(void *ctx, const ElfW(Sym) * symbol)
{
	struct naming *naming = ctx;

	if (read_table(naming) && symbol->st_name + naming->length <= naming->bytes &&
	    !memcmp(naming->table + symbol->st_name, naming->prefix, naming->length))
		naming->visit(naming->ctx, naming->bias + symbol->st_value);
	return true;
}

void symbols_named(const struct dl_phdr_info *module, const char *prefix,
		   void (*visit)(void *ctx, uintptr_t begin), void *ctx)
{
	struct naming naming = { .bias = module->dlpi_addr,
				 .prefix = prefix,
				 .length = strlen(prefix),
				 .visit = visit,
				 .ctx = ctx };

	naming.file.fd = open_module(module);
	if (naming.file.fd < 0)
		return;
	if (read_header(&naming.file))
		each_function(&naming.file, look_at_name, &naming);
	give_back_table(&naming);
	close(naming.file.fd);
}
