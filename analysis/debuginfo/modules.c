/* SPDX-License-Identifier: Apache-2.0 */
/* The files loaded into this process: path, build-id, addresses. */
#define _GNU_SOURCE
#include "analysis/debuginfo/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/memory_map.h"

/*
 * System libraries: a hot line in them is reported at the caller's line. A name
 * matches up to its version: "libm" is libm.so.6 and libm-2.31.so, not libmpi.so.
 */
static const char *const foreign_libraries[] = {
	"libc",    "libm",      "libmvec",         "libpthread",        "libdl",       "librt",
	"ld",      "ld-linux",  "ld-linux-x86-64", "ld-linux-aarch64",  "ld64",        "libgomp",
	"libomp",  "libiomp5",  "libgfortran",     "libquadmath",       "libgcc_s",    "libstdc++",
	"libc++",  "libc++abi", "libunwind",       "libFortranRuntime", "libflang_rt", "libasan",
	"libtsan", "libubsan",  "libmemsearch",    "memsearch-core",
};

struct gathering {
	struct arena *arena;
	struct module *modules;
	size_t nr, room;
	bool failed;
};

static char *hex(struct arena *arena, const unsigned char *bytes, size_t nr)
{
	char *text = arena_alloc(arena, 2 * nr + 1);

	for (size_t i = 0; text && i < nr; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

/* The GNU build-id among the notes of one segment, as hex; NULL: none. */
static char *build_id_in(struct arena *arena, const unsigned char *notes, size_t bytes)
{
	size_t at = 0;

	while (bytes - at >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		size_t name, desc, end;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		desc = name + padded(note.n_namesz);
		end = desc + padded(note.n_descsz);
		if (end > bytes || end < at + sizeof(note))
			return NULL;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4))
			return hex(arena, notes + desc, note.n_descsz);
		at = end;
	}
	return NULL;
}

struct search {
	struct arena *arena;
	uint64_t low, high;
	char *path;
};

static bool look_at(void *ctx, const struct memory_mapping *mapping)
{
	struct search *search = ctx;

	if (mapping->low >= search->low && mapping->low < search->high && mapping->name[0] == '/')
		search->path = arena_strdup(search->arena, mapping->name);
	return !search->path;
}

/* The kernel's absolute name of the file mapped at an address; NULL: none. */
static char *mapped_path(struct arena *arena, uint64_t low, uint64_t high)
{
	struct search search = { arena, low, high, NULL };

	memory_map_visit(look_at, &search);
	return search.path;
}

static char *program_path(struct arena *arena)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));

	return length > 0 && (size_t)length < sizeof(path)
		       ? arena_strndup(arena, path, (size_t)length)
		       : NULL;
}

/*
 * `memsearch run` gives libomp to gcc's programs under the name libgomp.so.1, by a link in a folder
 * that is removed at the end. Links of a system's own libraries are relative, and their names are
 * those that people know.
 */
static char *link_target(struct arena *arena, const char *name)
{
	char path[PATH_MAX];
	ssize_t length = readlink(name, path, sizeof(path));

	return length > 0 && (size_t)length < sizeof(path) && path[0] == '/'
		       ? arena_strndup(arena, path, (size_t)length)
		       : NULL;
}

static char *module_path(struct gathering *all, const char *name, const struct module *module)
{
	char *path = NULL;

	if (name[0] == '/') {
		path = link_target(all->arena, name);
		return path ? path : arena_strdup(all->arena, name);
	}
	if (!strncmp(name, "linux-vdso", 10) || !strncmp(name, "linux-gate", 10))
		return arena_strdup(all->arena, "[vdso]");
	if (!name[0] && !all->nr)
		path = program_path(all->arena);
	if (!path && strchr(name, '/'))
		path = mapped_path(all->arena, module->low, module->high);
	return path ? path : arena_strdup(all->arena, "");
}

static void scan_segments(const struct dl_phdr_info *info, struct module *module)
{
	module->low = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && start < module->low)
			module->low = start;
		if (segment->p_type == PT_LOAD && start + segment->p_memsz > module->high)
			module->high = start + segment->p_memsz;
	}
}

static bool is_loaded(const struct dl_phdr_info *info, const ElfW(Phdr) * part)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
		    part->p_vaddr >= segment->p_vaddr && part->p_memsz <= segment->p_memsz &&
		    part->p_vaddr - segment->p_vaddr <= segment->p_memsz - part->p_memsz)
			return true;
	}
	return false;
}

static const char *build_id_of(struct gathering *all, const struct dl_phdr_info *info)
{
	char *found = NULL;

	for (int i = 0; i < info->dlpi_phnum && !found; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE && is_loaded(info, segment))
			found = build_id_in(
				all->arena,
				(const unsigned char *)(info->dlpi_addr + segment->p_vaddr),
				segment->p_memsz);
	}
	return found ? found : arena_strdup(all->arena, "");
}

static int gather(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct gathering *all = context;
	struct module module = { .bias = info->dlpi_addr };

	(void)bytes;
	scan_segments(info, &module);
	if (module.high <= module.low)
		return 0;
	module.path = module_path(all, info->dlpi_name ? info->dlpi_name : "", &module);
	module.build_id = build_id_of(all, info);
	if (!module.path || !module.build_id ||
	    !ARENA_GROW(all->arena, all->modules, all->nr, all->room)) {
		all->failed = true;
		return 1;
	}
	all->modules[all->nr++] = module;
	return 0;
}

enum ms_status modules_of_process(struct arena *arena, struct module **modules_out, size_t *nr_out)
{
	struct gathering all = { .arena = arena };

	dl_iterate_phdr(gather, &all);
	*modules_out = all.modules;
	*nr_out = all.nr;
	return all.failed ? MS_ERR_MEMORY : MS_OK;
}

static int read_count(struct dl_phdr_info *info, size_t bytes, void *count)
{
	(void)bytes;
	*(struct modules_count *)count = (struct modules_count){ info->dlpi_adds, info->dlpi_subs };
	return 1;
}

struct modules_count modules_count(void)
{
	struct modules_count count = { 0 };

	dl_iterate_phdr(read_count, &count);
	return count;
}

struct code_address modules_find(const struct module *modules, size_t nr_modules, uint64_t address)
{
	for (size_t i = 0; i < nr_modules; i++)
		if (address >= modules[i].low && address < modules[i].high)
			return (struct code_address){ (uint32_t)i, address - modules[i].bias };
	return (struct code_address){ UINT32_MAX, address };
}

bool module_is_foreign(const char *path)
{
	const char *name = base_name(path);

	if (!*name || *name == '[')
		return true; /* the vdso */
	for (size_t i = 0; i < sizeof(foreign_libraries) / sizeof(foreign_libraries[0]); i++) {
		size_t length = strlen(foreign_libraries[i]);

		if (!strncmp(name, foreign_libraries[i], length) &&
		    (name[length] == '.' || name[length] == '-'))
			return true;
	}
	return false;
}
