/* SPDX-License-Identifier: Apache-2.0 */
/* One ELF file: symbols, machine code, and where its debug information is. */
#include "ompt_tool/regions/binary.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "ompt_tool/regions/names.h"

#define BUILD_ID_MAX 64
#define DEBUG_FOLDER "/usr/lib/debug"
/* More debug information than this is not read into the user's program; symbols still are. */
#define DEBUG_BYTES_MAX ((uint64_t)1 << 30)

/*
 * Read, not mapped: the file may be cut or overwritten while the program runs
 * (it is being rebuilt), and a mapping would then kill it with SIGBUS.
 */
static Elf *elf_open(const char *path, int *fd_out)
{
	struct stat status;
	Elf *elf = NULL;

	*fd_out = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd_out >= 0 && !fstat(*fd_out, &status) && S_ISREG(status.st_mode))
		elf = elf_begin(*fd_out, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	if (*fd_out >= 0)
		close(*fd_out);
	*fd_out = -1;
	return NULL;
}

static void elf_close(Elf *elf, int fd)
{
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

/* Hex of the build-id; "" where there is none. */
static void build_id_text(Elf *elf, char text[2 * BUILD_ID_MAX + 1])
{
	const void *bytes;
	ssize_t nr = dwelf_elf_gnu_build_id(elf, &bytes);

	text[0] = 0;
	for (ssize_t i = 0; i < nr && i < BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
}

static const char *section_name(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
	size_t names;
	const char *name;

	if (!gelf_getshdr(section, header) || elf_getshdrstrndx(elf, &names))
		return "";
	name = elf_strptr(elf, names, header->sh_name);
	return name ? name : "";
}

/* Has the file debug information, of a size we are willing to read? */
static bool has_debug_info(Elf *elf)
{
	Elf_Scn *section = NULL;
	uint64_t bytes = 0;
	bool found = false;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = section_name(elf, section, &header);

		if (strncmp(name, ".debug_", 7) && strncmp(name, ".zdebug_", 8))
			continue;
		if (header.sh_type == SHT_NOBITS)
			continue;
		bytes += header.sh_size;
		found |= strstr(name, "debug_info") != NULL;
	}
	return found && bytes <= DEBUG_BYTES_MAX;
}

static bool try_debug_file(struct binary *binary, const char *path, const char *build_id)
{
	char have[2 * BUILD_ID_MAX + 1];

	binary->debug_elf = elf_open(path, &binary->debug_fd);
	if (!binary->debug_elf)
		return false;
	build_id_text(binary->debug_elf, have);
	if (!strcmp(have, build_id) && has_debug_info(binary->debug_elf))
		return true;
	elf_close(binary->debug_elf, binary->debug_fd);
	binary->debug_elf = NULL;
	binary->debug_fd = -1;
	return false;
}

static bool find_by_build_id(struct binary *binary, const char *build_id)
{
	char path[sizeof(DEBUG_FOLDER) + 2 * BUILD_ID_MAX + 32];

	if (strlen(build_id) < 4)
		return false;
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", DEBUG_FOLDER, build_id, build_id + 2);
	return try_debug_file(binary, path, build_id);
}

/* .gnu_debuglink: in the binary's folder, its .debug folder, or below the system's. */
static bool find_by_link(struct binary *binary, const char *build_id)
{
	static const char *const forms[] = { "%s%.*s/%s", "%s%.*s/.debug/%s" };
	const char *slash = strrchr(binary->path, '/');
	int folder = slash ? (int)(slash - binary->path) : 0;
	GElf_Word checksum;
	const char *link = dwelf_elf_gnu_debuglink(binary->elf, &checksum);
	char path[PATH_MAX];

	if (!link || !slash || strchr(link, '/'))
		return false;
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), forms[i % 2], i == 2 ? DEBUG_FOLDER : "", folder, binary->path, link);
		if (strcmp(path, binary->path) && try_debug_file(binary, path, build_id))
			return true;
	}
	return false;
}

static void open_dwarf(struct binary *binary, const char *build_id)
{
	Elf *elf = binary->elf;

	if (!has_debug_info(elf)) {
		if (!find_by_build_id(binary, build_id) && !find_by_link(binary, build_id))
			return;
		elf = binary->debug_elf;
	}
	binary->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}

static void find_code(struct binary *binary)
{
	Elf_Scn *section = NULL;

	binary->code_low = UINT64_MAX;
	while ((section = elf_nextscn(binary->elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
			continue;
		if (header.sh_addr < binary->code_low)
			binary->code_low = header.sh_addr;
		if (header.sh_addr + header.sh_size > binary->code_high)
			binary->code_high = header.sh_addr + header.sh_size;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	if (left->low != right->low)
		return left->low < right->low ? -1 : 1;
	if (left->high != right->high)
		return left->high > right->high ? -1 : 1;
	return strcmp(left->name, right->name);
}

static void add_symbols(struct binary *binary, Elf *elf, Elf_Scn *section, const GElf_Shdr *header, size_t *room)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; i < nr && i < INT_MAX; i++) {
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol))
			return;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name)
			continue;
		if (!strncmp(name, "_gfortran_", 10) || !strncmp(name, "_FortranA", 9))
			binary->fortran = true;
		if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_value)
			continue;
		binary->gcc_outlined |= name_is_gcc_outlined(name);
		if (!ARENA_GROW(binary->arena, binary->symbols, binary->nr_symbols, *room))
			return;
		binary->symbols[binary->nr_symbols++] = (struct symbol){
			symbol.st_value, symbol.st_value + symbol.st_size, name
		};
	}
}

/* Symbols without a size reach to the next one, in the same page at least. */
static void close_gaps(struct binary *binary)
{
	for (size_t i = 0; i < binary->nr_symbols; i++) {
		struct symbol *symbol = &binary->symbols[i];

		if (symbol->high > symbol->low)
			continue;
		symbol->high = i + 1 < binary->nr_symbols ? symbol[1].low : symbol->low + 4096;
	}
}

static void read_symbols(struct binary *binary)
{
	Elf *const files[] = { binary->elf, binary->debug_elf };
	size_t room = 0;

	for (size_t i = 0; i < 2; i++) {
		Elf_Scn *section = NULL;

		while (files[i] && (section = elf_nextscn(files[i], section))) {
			GElf_Shdr header;

			if (!gelf_getshdr(section, &header))
				continue;
			if (header.sh_type == SHT_SYMTAB || (header.sh_type == SHT_DYNSYM && i == 0))
				add_symbols(binary, files[i], section, &header, &room);
		}
	}
	if (binary->nr_symbols)
		qsort(binary->symbols, binary->nr_symbols, sizeof(*binary->symbols), by_address);
	close_gaps(binary);
}

enum ms_status binary_open(struct binary *binary, struct arena *arena, const char *path, const char *build_id)
{
	char have[2 * BUILD_ID_MAX + 1];
	struct stat status;
	GElf_Ehdr header;

	*binary = (struct binary){ .arena = arena, .path = path, .fd = -1, .debug_fd = -1 };
	elf_version(EV_CURRENT);
	binary->elf = elf_open(path, &binary->fd);
	if (!binary->elf || !gelf_getehdr(binary->elf, &header) || fstat(binary->fd, &status)) {
		binary_close(binary);
		return MS_ERR_NOT_FOUND;
	}
	build_id_text(binary->elf, have);
	if (build_id[0] && strcmp(have, build_id)) {
		binary_close(binary);
		return MS_ERR_VERSION;
	}
	binary->machine = header.e_machine;
	binary->modified = status.st_mtime;
	find_code(binary);
	open_dwarf(binary, have);
	read_symbols(binary);
	return MS_OK;
}

void binary_close(struct binary *binary)
{
	dwarf_end(binary->dwarf);
	elf_close(binary->debug_elf, binary->debug_fd);
	elf_close(binary->elf, binary->fd);
	*binary = (struct binary){ .fd = -1, .debug_fd = -1 };
}

const struct symbol *binary_symbol(const struct binary *binary, uint64_t address)
{
	size_t low = 0, high = binary->nr_symbols;
	uint64_t start;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (binary->symbols[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	start = binary->symbols[low - 1].low;
	while (low > 1 && binary->symbols[low - 2].low == start)
		low--;                  /* of several names for one address, the longest body */
	return address < binary->symbols[low - 1].high ? &binary->symbols[low - 1] : NULL;
}

const unsigned char *binary_code(const struct binary *binary, uint64_t address, size_t *bytes)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(binary->elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		uint64_t at;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		    header.sh_type != SHT_PROGBITS || address < header.sh_addr)
			continue;
		at = address - header.sh_addr;
		data = at < header.sh_size ? elf_getdata(section, NULL) : NULL;
		if (!data || !data->d_buf || at >= data->d_size)
			continue;
		if (*bytes > data->d_size - at)
			*bytes = data->d_size - at;
		return (const unsigned char *)data->d_buf + at;
	}
	return NULL;
}
