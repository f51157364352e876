/* SPDX-License-Identifier: Apache-2.0 */
/* One ELF file: symbols, machine code, and where its debug information is. */
#include "analysis/elf/binary.h"

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
#include "analysis/base/bisect.h"
#include "analysis/base/own_heap.h"
#include "analysis/base/own_memory.h"
#include "analysis/base/transfer.h"
#include "analysis/elf/function_names.h"

#define BUILD_ID_MAX 64
#define DEBUG_FOLDER "/usr/lib/debug"
/* Larger files are not read into the user's program: their lines stay unknown. */
#define FILE_BYTES_MAX ((int64_t)1 << 30)
/* Zeros behind the file: libdw 0.188 looks for the end of a string behind a damaged line table. */
#define PADDING_BYTES 4096

static const char *section_name(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
	size_t names;
	const char *name;

	if (!gelf_getshdr(section, header) || elf_getshdrstrndx(elf, &names))
		return "";
	name = elf_strptr(elf, names, header->sh_name);
	return name ? name : "";
}

static bool has_debug_info(Elf *elf)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = section_name(elf, section, &header);

		if (header.sh_type != SHT_NOBITS &&
		    (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			return true;
	}
	return false;
}

static void image_close(struct image *image)
{
	elf_end(image->elf);
	if (image->bytes)
		own_memory_give_back(image->bytes, image->size + PADDING_BYTES);
	if (image->fd >= 0)
		close(image->fd);
	*image = (struct image){ .fd = -1 };
}

/*
 * Read, not mapped: the file may be cut or overwritten while the program runs
 * (it is being rebuilt), and a mapping would then kill it with SIGBUS.
 */
static bool image_load(struct image *image)
{
	size_t size = image->size + PADDING_BYTES;
	void *bytes = own_memory_for_work(size, 0);
	Elf *elf = NULL;

	if (!bytes)
		return false;
	if (transfer_pread(image->fd, bytes, image->size, 0) == image->size)
		elf = elf_memory(bytes, image->size);
	if (!elf) {
		own_memory_give_back(bytes, size);
		return false;
	}
	elf_end(image->elf);
	image->bytes = bytes;
	image->elf = elf;
	return true;
}

/*
 * Without debug information only headers and symbols are read: libraries of hundreds of megabytes
 * exist.
 */
static bool image_open(struct image *image, const char *path, int64_t *modified_out)
{
	struct stat status;

	*image = (struct image){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (image->fd < 0 || fstat(image->fd, &status) || !S_ISREG(status.st_mode))
		goto out_close;
	*modified_out = status.st_mtime;
	image->size = (size_t)status.st_size;
	image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
		goto out_close;
	if (!has_debug_info(image->elf) || status.st_size > FILE_BYTES_MAX || image_load(image))
		return true;
out_close:
	image_close(image);
	return false;
}

/* What is needed was read; keep no descriptor of a program that may be short of them. */
static void image_detach(struct image *image)
{
	if (image->fd < 0)
		return;
	elf_cntl(image->elf, ELF_C_FDDONE);
	close(image->fd);
	image->fd = -1;
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

static bool try_debug_file(struct binary *binary, const char *path, const char *build_id)
{
	char have[2 * BUILD_ID_MAX + 1];
	int64_t modified;

	if (!image_open(&binary->debug, path, &modified))
		return false;
	build_id_text(binary->debug.elf, have);
	if (!strcmp(have, build_id) && binary->debug.bytes)
		return true;
	image_close(&binary->debug);
	return false;
}

static bool find_by_build_id(struct binary *binary, const char *build_id)
{
	char path[sizeof(DEBUG_FOLDER) + 2 * BUILD_ID_MAX + 32];

	if (strlen(build_id) < 4)
		return false;
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", DEBUG_FOLDER, build_id,
		 build_id + 2);
	return try_debug_file(binary, path, build_id);
}

/* .gnu_debuglink: in the binary's folder, its .debug folder, or below the system's. */
static bool find_by_link(struct binary *binary, const char *build_id)
{
	static const char *const forms[] = { "%s%.*s/%s", "%s%.*s/.debug/%s" };
	const char *slash = strrchr(binary->path, '/');
	int folder = slash ? (int)(slash - binary->path) : 0;
	GElf_Word checksum;
	const char *link = dwelf_elf_gnu_debuglink(binary->file.elf, &checksum);
	char path[PATH_MAX];

	if (!link || !slash || strchr(link, '/'))
		return false;
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), forms[i % 2], i == 2 ? DEBUG_FOLDER : "", folder,
			 binary->path, link);
		if (strcmp(path, binary->path) && try_debug_file(binary, path, build_id))
			return true;
	}
	return false;
}

const char *binary_build_id(struct arena *arena, const struct binary *binary)
{
	char text[2 * BUILD_ID_MAX + 1];

	build_id_text(binary->file.elf, text);
	return arena_strdup(arena, text);
}

bool binary_is_system_library(const char *path)
{
	return strstr(path, ".so") && (!strncmp(path, "/lib", 4) || !strncmp(path, "/usr/lib", 8));
}

static void open_dwarf(struct binary *binary, const char *build_id)
{
	Elf *elf = binary->file.elf;

	if (!binary->file.bytes || !has_debug_info(elf)) {
		if (binary_is_system_library(binary->path))
			return;
		if (!find_by_build_id(binary, build_id) && !find_by_link(binary, build_id))
			return;
		if (!binary->file.bytes)
			image_load(&binary->file); /* its code will be asked for */
		elf = binary->debug.elf;
	}
	binary->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}

static void find_code(struct binary *binary)
{
	Elf_Scn *section = NULL;

	binary->code_low = UINT64_MAX;
	while ((section = elf_nextscn(binary->file.elf, section))) {
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

static void add_symbols(struct binary *binary, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			size_t *room)
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
		if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    !symbol.st_value)
			continue;
		binary->gcc_outlined |= name_is_gcc_outlined(name);
		if (!ARENA_GROW(binary->arena, binary->symbols, binary->nr_symbols, *room))
			return;
		binary->symbols[binary->nr_symbols++] = (struct symbol){
			symbol.st_value, symbol.st_value + symbol.st_size, name
		};
	}
}

/* Where the section around an address ends; 0: there is none. */
static uint64_t section_end(const struct binary *binary, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(binary->file.elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
		    address - header.sh_addr < header.sh_size)
			return header.sh_addr + header.sh_size;
	return 0;
}

/*
 * Symbols without a size reach to the next one, in the same section: the linkage table behind _fini
 * is not _fini.
 */
static void close_gaps(struct binary *binary)
{
	for (size_t i = 0; i < binary->nr_symbols; i++) {
		struct symbol *symbol = &binary->symbols[i];

		if (symbol->high > symbol->low)
			continue;
		symbol->high = section_end(binary, symbol->low);
		if (i + 1 < binary->nr_symbols && symbol[1].low < symbol->high)
			symbol->high = symbol[1].low;
	}
}

static void read_symbols(struct binary *binary)
{
	Elf *const files[] = { binary->file.elf, binary->debug.elf };
	size_t room = 0;

	for (size_t i = 0; i < 2; i++) {
		Elf_Scn *section = NULL;

		while (files[i] && (section = elf_nextscn(files[i], section))) {
			GElf_Shdr header;

			if (!gelf_getshdr(section, &header))
				continue;
			if (header.sh_type == SHT_SYMTAB ||
			    (header.sh_type == SHT_DYNSYM && i == 0))
				add_symbols(binary, files[i], section, &header, &room);
		}
	}
	if (binary->nr_symbols)
		own_heap_sort(binary->symbols, binary->nr_symbols, sizeof(*binary->symbols),
			      by_address);
	close_gaps(binary);
}

static enum ms_status open_binary(struct binary *binary, struct arena *arena, const char *path,
				  const char *build_id, bool whole)
{
	char have[2 * BUILD_ID_MAX + 1];
	GElf_Ehdr header;

	own_heap_enter();
	*binary = (struct binary){ .arena = arena, .path = path, .file.fd = -1, .debug.fd = -1 };
	elf_version(EV_CURRENT);
	if (!image_open(&binary->file, path, &binary->modified) ||
	    !gelf_getehdr(binary->file.elf, &header)) {
		binary_close(binary);
		return MS_ERR_NOT_FOUND;
	}
	build_id_text(binary->file.elf, have);
	if (build_id[0] && strcmp(have, build_id)) {
		binary_close(binary);
		return MS_ERR_VERSION;
	}
	binary->machine = header.e_machine;
	if (whole && !binary->file.bytes && !image_load(&binary->file)) {
		binary_close(binary);
		return MS_ERR_MEMORY;
	}
	find_code(binary);
	open_dwarf(binary, have);
	read_symbols(binary);
	image_detach(&binary->file);
	image_detach(&binary->debug);
	return MS_OK;
}

enum ms_status binary_open(struct binary *binary, struct arena *arena, const char *path,
			   const char *build_id)
{
	return open_binary(binary, arena, path, build_id, false);
}

enum ms_status binary_open_whole(struct binary *binary, struct arena *arena, const char *path)
{
	return open_binary(binary, arena, path, "", true);
}

void binary_close(struct binary *binary)
{
	dwarf_end(binary->dwarf);
	image_close(&binary->debug);
	image_close(&binary->file);
	*binary = (struct binary){ .file.fd = -1, .debug.fd = -1 };
	own_heap_leave();
}

size_t binary_bytes(const struct binary *binary)
{
	return (binary->file.bytes ? binary->file.size : 0) +
	       (binary->debug.bytes ? binary->debug.size : 0);
}

const struct symbol *binary_symbol(const struct binary *binary, uint64_t address)
{
	size_t low = BISECT(i, binary->nr_symbols, binary->symbols[i].low <= address);
	uint64_t start;

	if (!low)
		return NULL;
	start = binary->symbols[low - 1].low;
	while (low > 1 && binary->symbols[low - 2].low == start)
		low--; /* of several names for one address, the longest body */
	return address < binary->symbols[low - 1].high ? &binary->symbols[low - 1] : NULL;
}

const unsigned char *binary_code(const struct binary *binary, uint64_t address, size_t *bytes)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(binary->file.elf, section))) {
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
