/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relocations, symbols and versions of loaded files, by their dynamic sections: System V ABI,
 * chapter 5; LSB Core 5.0, 10.7 "Symbol Versioning"; GNU hash tables as binutils write them. Not by
 * ompt_tool/code/slots.h, which calls functions of libc that are not bound yet.
 */
#define _GNU_SOURCE
#include "analysis/base/own_imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#if defined(__x86_64__)
enum { CALL = R_X86_64_JUMP_SLOT, ADDRESS = R_X86_64_GLOB_DAT, POINTER = R_X86_64_64 };
#elif defined(__aarch64__)
enum { CALL = R_AARCH64_JUMP_SLOT, ADDRESS = R_AARCH64_GLOB_DAT, POINTER = R_AARCH64_ABS64 };
#elif defined(__powerpc64__)
enum { CALL = R_PPC64_JMP_SLOT, ADDRESS = R_PPC64_GLOB_DAT, POINTER = R_PPC64_ADDR64 };
#else /* no relocation has such a type */
enum { CALL = -1, ADDRESS = -1, POINTER = -1 };
#endif

#define VERSION_NUMBER 0x7fffu /* the other bit: hidden, not the default */
#define FILES_MOST 32

struct file {
	const struct link_map *map;
	uintptr_t low, high;                /* of its segments */
	uintptr_t read_only, read_only_end; /* after its relocation (RELRO) */
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *hash;
	const ElfW(Half) * versions; /* by symbol */
	const ElfW(Verneed) * needed;
	const ElfW(Verdef) * defined;
	const ElfW(Rela) * calls, *others;
	size_t nr_calls, nr_others;
	bool is_bound; /* its imports are to be bound */
};

/* The files that may define what memsearch imports: libc and its parts, then its own ones. */
struct files {
	struct file files[FILES_MOST];
	size_t nr;
};

/* Of ASan, MSan and TSan: NULL without them. */
extern void __sanitizer_start_switch_fiber(void **, const void *, size_t) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

static bool has_sanitizer(void)
{
	return __sanitizer_start_switch_fiber || __tsan_init;
}

/* ------------------------------------------------------------------ strings */

static bool equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static bool begins(const char *string, const char *with)
{
	while (*with && *string == *with)
		string++, with++;
	return !*with;
}

static const char *last_part(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		name = *path == '/' ? path + 1 : name;
	return name;
}

static bool is_any(const char *string, const char *const *of, size_t nr, bool whole)
{
	for (size_t i = 0; i < nr; i++)
		if (whole ? equal(string, of[i]) : begins(string, of[i]))
			return true;
	return false;
}

/* Blocks pass between memsearch's libraries and libc, which both use the program's. */
static bool is_heap(const char *name)
{
	static const char *const names[] = {
		"malloc",
		"calloc",
		"realloc",
		"free",
		"memalign",
		"aligned_alloc",
		"posix_memalign",
		"valloc",
		"pvalloc",
		"reallocarray",
		"malloc_usable_size",
	};

	return is_any(name, names, sizeof(names) / sizeof(*names), true);
}

static bool is_of_libc(const char *name)
{
	static const char *const names[] = { "libc.so.",       "ld-linux",    "ld64.so.",
					     "libm.so.",       "libdl.so.",   "librt.so.",
					     "libpthread.so.", "libgcc_s.so." };

	return is_any(name, names, sizeof(names) / sizeof(*names), false);
}

/* ------------------------------------------------------------------ one file */

/* glibc replaces offsets in the dynamic section by addresses where it can write there. */
static uintptr_t pointed_to(const struct file *file, uint64_t value)
{
	return value < file->map->l_addr ? file->map->l_addr + value : value;
}

static void read_entry(struct file *file, const ElfW(Dyn) * entry)
{
	uint64_t value = entry->d_un.d_val;
	uintptr_t at = pointed_to(file, value);

	switch (entry->d_tag) {
	case DT_SYMTAB: file->symbols = (const ElfW(Sym) *)at; break;
	case DT_STRTAB: file->strings = (const char *)at; break;
	case DT_GNU_HASH: file->hash = (const uint32_t *)at; break;
	case DT_VERSYM: file->versions = (const ElfW(Half) *)at; break;
	case DT_VERNEED: file->needed = (const ElfW(Verneed) *)at; break;
	case DT_VERDEF: file->defined = (const ElfW(Verdef) *)at; break;
	case DT_JMPREL: file->calls = (const ElfW(Rela) *)at; break;
	case DT_PLTRELSZ: file->nr_calls = value / sizeof(ElfW(Rela)); break;
	case DT_RELA: file->others = (const ElfW(Rela) *)at; break;
	case DT_RELASZ: file->nr_others = value / sizeof(ElfW(Rela)); break;
	default: break;
	}
}

/* A library begins with its ELF header, at its load address. */
static void read_segments(struct file *file)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file->map->l_addr;
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(file->map->l_addr + header->e_phoff);

	file->low = file->map->l_addr;
	for (int i = 0; i < header->e_phnum; i++) {
		uintptr_t start = file->map->l_addr + segments[i].p_vaddr,
			  end = start + segments[i].p_memsz;

		if (segments[i].p_type == PT_LOAD && end > file->high)
			file->high = end;
		if (segments[i].p_type == PT_GNU_RELRO) {
			file->read_only = start;
			file->read_only_end = end;
		}
	}
}

/* In place, as compilers copy structs by memcpy. */
static bool read_file(struct file *file, const struct link_map *map)
{
	file->map = map;
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		read_entry(file, entry);
	if (!map->l_addr || !file->symbols || !file->strings || !file->hash)
		return false;
	read_segments(file);
	return true;
}

/* ------------------------------------------------------------------ symbols */

/* The version of the symbol that the file requires; NULL: none. */
static const char *version_needed(const struct file *file, uint32_t symbol)
{
	const char *at = (const char *)file->needed;
	unsigned int number = file->versions ? file->versions[symbol] & VERSION_NUMBER : 0;

	while (at && number > VER_NDX_GLOBAL) {
		const ElfW(Verneed) *of = (const ElfW(Verneed) *)at;
		const char *aux = at + of->vn_aux;

		for (unsigned int i = 0; i < of->vn_cnt; i++) {
			const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)aux;

			if ((version->vna_other & VERSION_NUMBER) == number)
				return file->strings + version->vna_name;
			aux += version->vna_next;
		}
		at = of->vn_next ? at + of->vn_next : NULL;
	}
	return NULL;
}

/* Whether the definition has the version; NULL: is the default one. */
static bool has_version(const struct file *file, uint32_t symbol, const char *wanted)
{
	const char *at = (const char *)file->defined;
	unsigned int number = file->versions ? file->versions[symbol] : 0;

	if (!file->versions || !at)
		return true;
	if (!wanted)
		return !(number & ~VERSION_NUMBER);
	while (at) {
		const ElfW(Verdef) *of = (const ElfW(Verdef) *)at;

		if (of->vd_ndx == (number & VERSION_NUMBER))
			return equal(wanted,
				     file->strings +
					     ((const ElfW(Verdaux) *)(at + of->vd_aux))->vda_name);
		at = of->vd_next ? at + of->vd_next : NULL;
	}
	return false;
}

/*
 * 0: it cannot be chosen here, or is no function: of a variable (stdout) the program may have the
 * only copy, which libc uses, too.
 */
static uintptr_t address_of(const struct file *file, const ElfW(Sym) * symbol)
{
	uintptr_t at = file->map->l_addr + symbol->st_value;

	if (symbol->st_shndx == SHN_UNDEF)
		return 0;
	switch (ELF64_ST_TYPE(symbol->st_info)) {
	case STT_FUNC: return at;
#if defined(__x86_64__) /* on other CPUs the resolver has arguments */
	case STT_GNU_IFUNC: return ((uintptr_t (*)(void))at)();
#endif
	default: return 0;
	}
}

static uintptr_t find_in(const struct file *file, const char *name, const char *version)
{
	const uint32_t nr_buckets = file->hash[0], first = file->hash[1], words = file->hash[2];
	const uint32_t *buckets = (const uint32_t *)((const ElfW(Addr) *)(file->hash + 4) + words),
		       *chain = buckets + nr_buckets;
	uint32_t hash = 5381, symbol;

	for (const char *at = name; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	symbol = nr_buckets ? buckets[hash % nr_buckets] : 0;
	for (; symbol >= first && symbol; symbol++) {
		uint32_t other = chain[symbol - first];

		if ((other | 1) == (hash | 1) &&
		    equal(name, file->strings + file->symbols[symbol].st_name) &&
		    has_version(file, symbol, version))
			return address_of(file, &file->symbols[symbol]);
		if (other & 1)
			break;
	}
	return 0;
}

static uintptr_t find(const struct files *files, const char *name, const char *version)
{
	uintptr_t found = 0;

	for (size_t i = 0; i < files->nr && !found; i++)
		found = find_in(&files->files[i], name, version);
	return found;
}

/* ------------------------------------------------------------------ slots */

static void write_slot(const struct files *files, const struct file *file, uintptr_t *place,
		       uintptr_t value)
{
	int (*protect)(void *, size_t, int) = (int (*)(void *, size_t, int))find(files, "mprotect",
										 NULL);
	int (*page_bytes)(void) = (int (*)(void))find(files, "getpagesize", NULL);
	uintptr_t at = (uintptr_t)place, bytes = page_bytes ? (uintptr_t)page_bytes() : 0;
	bool closed = at >= file->read_only && at < file->read_only_end;
	void *page = bytes ? (void *)(at & -bytes) : NULL;

	if (!page || !protect || (closed && protect(page, bytes, PROT_READ | PROT_WRITE)))
		return;
	__atomic_store_n(place, value, __ATOMIC_RELEASE);
	if (closed)
		protect(page, bytes, PROT_READ);
}

static bool is_in_any(const struct files *files, uintptr_t address)
{
	for (size_t i = 0; i < files->nr; i++)
		if (address >= files->files[i].low && address < files->files[i].high)
			return true;
	return false;
}

static void bind_slot(const struct files *files, const struct file *file,
		      const ElfW(Rela) * relocation)
{
	int type = (int)ELF64_R_TYPE(relocation->r_info);
	uint32_t symbol = (uint32_t)ELF64_R_SYM(relocation->r_info);
	uintptr_t *place = (uintptr_t *)(file->map->l_addr + relocation->r_offset), found;
	const char *name = file->strings + file->symbols[symbol].st_name;

	if ((type != CALL && type != ADDRESS && type != POINTER) || relocation->r_addend ||
	    !*place || is_in_any(files, *place) || is_heap(name))
		return;
	found = find(files, name, version_needed(file, symbol));
	if (found)
		write_slot(files, file, place, found);
}

static void bind_all(const struct files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		const struct file *file = &files->files[i];

		for (size_t k = 0; file->is_bound && k < file->nr_calls; k++)
			bind_slot(files, file, &file->calls[k]);
		for (size_t k = 0; file->is_bound && k < file->nr_others; k++)
			bind_slot(files, file, &file->others[k]);
	}
}

/* ------------------------------------------------------------------ files */

static void add(struct files *files, const struct link_map *map, bool is_bound)
{
	if (files->nr < FILES_MOST && read_file(&files->files[files->nr], map))
		files->files[files->nr++].is_bound = is_bound;
}

/*
 * libc and its parts first, as memsearch replaces some functions of libc for the program. Parts that
 * come after `last` were loaded for memsearch. NULL: none.
 */
static void add_libc(struct files *files, const struct link_map *last)
{
	bool is_new = false;

	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (is_of_libc(last_part(map->l_name)))
			add(files, map, is_new);
		is_new |= map == last;
	}
}

static bool is_ours(const struct link_map *map)
{
	return begins(last_part(map->l_name), "libmemsearch");
}

static bool contains(const struct link_map *map, uintptr_t address)
{
	struct file file = { .map = map };

	if (!map->l_addr || address < map->l_addr)
		return false;
	read_segments(&file);
	return address < file.high;
}

void own_imports_bind(void)
{
	static struct files files;
	static bool begun;
	const struct link_map *own = _r_debug.r_map;

	if (__atomic_exchange_n(&begun, true, __ATOMIC_ACQ_REL))
		return;
	while (own && !(is_ours(own) && contains(own, (uintptr_t)own_imports_bind)))
		own = own->l_next;
	if (has_sanitizer() || !own)
		return;
	add_libc(&files, NULL);
	add(&files, own, true);
	bind_all(&files);
}

static bool needs(const struct file *file, const char *name)
{
	for (const ElfW(Dyn) *entry = file->map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED && equal(file->strings + entry->d_un.d_val, name))
			return true;
	return false;
}

static bool is_needed(const struct files *files, const char *name)
{
	for (size_t i = 0; i < files->nr; i++)
		if (files->files[i].is_bound && needs(&files->files[i], name))
			return true;
	return false;
}

struct opening {
	const struct link_map *last; /* before */
	const struct link_map *library;
};

static int note_last(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct opening *opening = ctx;

	(void)info, (void)bytes;
	for (opening->last = _r_debug.r_map; opening->last && opening->last->l_next;)
		opening->last = opening->last->l_next;
	return 1;
}

/*
 * Libraries stand before those that they need. What else is new another thread of the program has
 * loaded meanwhile. `last` may be gone, and is compared only.
 */
static int bind_new(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	const struct opening *opening = ctx;
	struct files list = { 0 }, *files = &list; /* not on the stack of dlopen, which may be small */
	bool is_new = false;

	(void)info, (void)bytes;
	add_libc(files, opening->last);
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		const char *name = last_part(map->l_name);

		if (!is_new && is_ours(map))
			add(files, map, false);
		else if (is_new && !is_of_libc(name) &&
			 (map == opening->library || is_needed(files, name)))
			add(files, map, true);
		is_new |= map == opening->last;
	}
	bind_all(files);
	return 1;
}

/* The list of files is read within dl_iterate_phdr, whose lock keeps it as it is. */
void *own_imports_open(const char *path)
{
	struct opening opening = { .last = NULL };
	void *library;

	dl_iterate_phdr(note_last, &opening);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	opening.library = library; /* glibc: a handle is the file's link_map */
	if (library && !has_sanitizer())
		dl_iterate_phdr(bind_new, &opening);
	return library;
}
