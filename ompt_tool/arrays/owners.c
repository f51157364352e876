/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot of the loaded modules, and of the ranges in them that belong to libraries. */
#define _GNU_SOURCE /* dl_iterate_phdr, strcasestr */
#include "ompt_tool/arrays/owners.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/bisect.h"
#include "analysis/base/own_heap.h"
#include "analysis/base/reserve.h"
#include "analysis/base/sort.h"
#include "analysis/debuginfo/modules.h"

#define NEIGHBOURS_BYTES 64 /* between two functions of one library: padding */

struct range {
	uintptr_t low, high;
	enum owner owner;
};
struct ranges {
	struct range *items;
	size_t nr, room;
};

/*
 * Immutable and never freed after it is published, because a thread may be reading it. Replaced
 * after dlopen, which is rare.
 */
struct snapshot {
	unsigned long long loads;    /* the dynamic linker's count */
	struct ranges files, pieces; /* sorted */
};

static struct snapshot *current;
static uintptr_t allocator;

/*
 * In addition to module_is_foreign: libraries that the tool calls, and libraries that allocate for
 * others.
 */
static const char *const libraries[] = { "libdw", "libelf",  "libpfm", "libpapi", "libZydis",
					 "libz",  "libzstd", "libbz2", "liblzma" };
static const char *const runtimes[] = { "libomp", "libgomp", "libiomp5" };
static const char *const closed[] = { "memsearch-core", "libmemsearch",    "ld",
				      "ld-linux",       "ld-linux-x86-64", "ld-linux-aarch64",
				      "ld64",           "libgcc_s",        "libunwind" };

/*
 * flang's run-time library, and C++'s standard library (Itanium C++ ABI, 5.1): std::, __gnu_cxx::,
 * operator new.
 */
static const char *const library_symbols[] = {
	"_FortranA",
	"_ZN7Fortran",
	"_ZNK7Fortran",
	"CFI_",
	"AllocateValidatedPointerPayload",
	"_ZNSt",
	"_ZNKSt",
	"_ZSt",
	"_ZN9__gnu_cxx",
	"_ZNK9__gnu_cxx",
	"_Znwm",
	"_Znam",
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Compares names up to the version: "libz" is libz.so.1, not libzmq.so. */
static bool is_named(const char *path, const char *const *names, size_t nr)
{
	const char *name = base_name(path);

	for (size_t i = 0; i < nr; i++) {
		size_t length = strlen(names[i]);

		if (!strncmp(name, names[i], length) &&
		    (name[length] == '.' || name[length] == '-'))
			return true;
	}
	return false;
}

static enum owner owner_of_file(const char *path, const struct range *range)
{
	static const char *const libc[] = { "libc" };

	if (!*path)
		return OWNER_PROGRAM;
	if (is_named(path, closed, COUNT(closed)))
		return OWNER_CLOSED;
	if (allocator >= range->low && allocator < range->high && !is_named(path, libc, 1))
		return OWNER_CLOSED;
	if (is_named(path, runtimes, COUNT(runtimes)))
		return OWNER_RUNTIME;
	return module_is_foreign(path) || is_named(path, libraries, COUNT(libraries))
		       ? OWNER_LIBRARY
		       : OWNER_PROGRAM;
}

static void read_range(const struct dl_phdr_info *info, struct range *range)
{
	*range = (struct range){ .low = UINTPTR_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
			  end = start + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		range->low = start < range->low ? start : range->low;
		range->high = end > range->high ? end : range->high;
	}
}

static int count_file(struct dl_phdr_info *info, size_t bytes, void *nr)
{
	(void)info, (void)bytes;
	++*(size_t *)nr;
	return 0;
}

static int add_file(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct snapshot *snapshot = context;
	struct ranges *files = &snapshot->files;
	struct range range;
	size_t at = files->nr;

	(void)bytes;
	snapshot->loads = info->dlpi_adds;
	read_range(info, &range);
	if (range.high <= range.low || files->nr == files->room)
		return 0;
	range.owner = owner_of_file(info->dlpi_name ? info->dlpi_name : "", &range);
	for (; at && files->items[at - 1].low > range.low; at--)
		files->items[at] = files->items[at - 1];
	files->items[at] = range;
	files->nr++;
	return 0;
}

/* What is loaded now, with the pieces given. No malloc. NULL: no memory. */
static struct snapshot *take_snapshot(struct ranges pieces)
{
	struct snapshot *snapshot;
	size_t nr = 0;

	dl_iterate_phdr(count_file, &nr);
	nr += 16; /* margin for modules loaded meanwhile */
	snapshot = reserve_kept(sizeof(*snapshot) + nr * sizeof(struct range));
	if (!snapshot)
		return NULL;
	*snapshot = (struct snapshot){ .files = { (struct range *)(snapshot + 1), 0, nr },
				       .pieces = pieces };
	dl_iterate_phdr(add_file, snapshot);
	return snapshot;
}

/* -- pieces */

struct symbols {
	struct arena *arena;
	struct ranges pieces;
};

static bool is_library_symbol(const char *name)
{
	for (size_t i = 0; i < COUNT(library_symbols); i++)
		if (!strncmp(name, library_symbols[i], strlen(library_symbols[i])))
			return true;
	return false;
}

/* OWNER_PROGRAM: nothing to record. */
static enum owner owner_of_symbol(const char *name)
{
	if (is_library_symbol(name))
		return OWNER_LIBRARY;
	return strcasestr(name, "alloc") ? OWNER_WRAPPER : OWNER_PROGRAM;
}

static void read_symbols(struct symbols *symbols, Elf *elf, Elf_Scn *section,
			 const GElf_Shdr *header, uintptr_t bias)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	struct ranges *pieces = &symbols->pieces;

	for (size_t i = 0; i < nr && i < INT_MAX; i++) {
		GElf_Sym symbol;
		enum owner owner;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol))
			return;
		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		owner = name ? owner_of_symbol(name) : OWNER_PROGRAM;
		if (owner == OWNER_PROGRAM ||
		    !ARENA_GROW(symbols->arena, pieces->items, pieces->nr, pieces->room))
			continue;
		pieces->items[pieces->nr++] = (struct range){
			bias + symbol.st_value, bias + symbol.st_value + symbol.st_size, owner
		};
	}
}

static void read_elf(struct symbols *symbols, const char *path, uintptr_t bias)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf_Scn *section = NULL;
	Elf *elf;

	own_heap_enter();
	elf = fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ_MMAP, NULL)
							    : NULL;
	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			read_symbols(symbols, elf, section, &header, bias);
	}
	elf_end(elf);
	own_heap_leave();
	if (fd >= 0)
		close(fd);
}

static int by_low(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	return (left->low > right->low) - (left->low < right->low);
}

/* Joins adjacent functions of one owner. */
static void merge(struct ranges *pieces)
{
	size_t nr = 0;

	if (pieces->nr)
		sort(pieces->items, pieces->nr, sizeof(*pieces->items), by_low);
	for (size_t i = 0; i < pieces->nr; i++) {
		struct range *last = nr ? &pieces->items[nr - 1] : NULL, piece = pieces->items[i];

		if (!last || piece.low > last->high + NEIGHBOURS_BYTES ||
		    piece.owner != last->owner)
			pieces->items[nr++] = piece;
		else if (piece.high > last->high)
			last->high = piece.high;
	}
	pieces->nr = nr;
}

/* In permanent memory. Empty if memory is short. */
static struct ranges pieces_read(void)
{
	struct symbols symbols = { .arena = arena_new() };
	struct ranges kept = { 0 };
	struct module *modules = NULL;
	size_t nr = 0;

	if (!symbols.arena)
		return kept;
	modules_of_process(symbols.arena, &modules, &nr);
	for (size_t i = 0; i < nr; i++)
		if (!i || owner_of_file(modules[i].path,
					&(struct range){ modules[i].low, modules[i].high, 0 }) ==
				  OWNER_PROGRAM)
			read_elf(&symbols, modules[i].path, modules[i].bias);
	merge(&symbols.pieces);
	kept.items = symbols.pieces.nr ? reserve_kept(symbols.pieces.nr * sizeof(*kept.items))
				       : NULL;
	if (kept.items) {
		memcpy(kept.items, symbols.pieces.items, symbols.pieces.nr * sizeof(*kept.items));
		kept.nr = symbols.pieces.nr;
	}
	arena_free(symbols.arena);
	return kept;
}

/* -- queries */

static int note_loads(struct dl_phdr_info *info, size_t bytes, void *loads)
{
	(void)bytes;
	*(unsigned long long *)loads = info->dlpi_adds;
	return 1;
}

static bool is_old(const struct snapshot *snapshot)
{
	unsigned long long loads = 0;

	dl_iterate_phdr(note_loads, &loads);
	return !snapshot || loads != snapshot->loads;
}

static bool publish(struct snapshot *snapshot)
{
	if (snapshot)
		__atomic_store_n(&current, snapshot, __ATOMIC_RELEASE);
	return snapshot != NULL;
}

bool owners_start(const void *of_malloc)
{
	allocator = (uintptr_t)of_malloc;
	return publish(take_snapshot(pieces_read()));
}

bool owners_update(void)
{
	return is_old(current) && publish(take_snapshot(pieces_read()));
}

static const struct range *find(const struct ranges *ranges, uintptr_t address)
{
	size_t low = BISECT(i, ranges->nr, ranges->items[i].low <= address);

	return low && address < ranges->items[low - 1].high ? &ranges->items[low - 1] : NULL;
}

enum owner owners_of(uintptr_t address)
{
	const struct snapshot *snapshot = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	const struct range *file = snapshot ? find(&snapshot->files, address) : NULL;

	if (!file && snapshot && is_old(snapshot) && publish(take_snapshot(snapshot->pieces))) {
		snapshot = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		file = find(&snapshot->files, address);
	}
	if (!file || file->owner != OWNER_PROGRAM)
		return file ? file->owner : OWNER_PROGRAM;
	file = find(&snapshot->pieces, address);
	return file ? file->owner : OWNER_PROGRAM;
}
