/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the program to run and reads what its ELF headers tell of it. */
#define _GNU_SOURCE /* memmem, secure_getenv */
#include "analysis/cmds/launch_elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "analysis/base/arena.h"

/* Strings are looked for up to here: runtimes have some MB at most. */
#define SEARCHED_BYTES_MAX ((size_t)64 << 20)
#define STRING_BYTES_MAX 4096 /* more than a path or a name that is looked for */

struct image {
	const unsigned char *bytes;
	size_t nr;
};

/* -- finding it */

static int why_not_runnable(const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return errno;
	if (!S_ISREG(info.st_mode))
		return EACCES;
	return access(path, X_OK) == 0 ? 0 : errno;
}

/*
 * Like execvp: the first file in PATH that can be run; an unreadable one is remembered, in case
 * there is no other.
 */
static void find_in_path(struct arena *arena, const char *program, struct launch_file *file)
{
	const char *folders = secure_getenv("PATH");

	file->error = ENOENT;
	for (folders = folders ? folders : "/bin:/usr/bin";; folders++) {
		size_t nr = strcspn(folders, ":");
		const char *path = arena_printf(arena, "%.*s%s%s", (int)nr, folders, nr ? "/" : "",
						program);
		int error = path ? why_not_runnable(path) : ENOMEM;

		if (!error || (error == EACCES && file->error != EACCES)) {
			file->path = path;
			file->error = error;
		}
		folders += nr;
		if (!error || !*folders)
			return;
	}
}

/* False: errno says why. An empty file is a file of no bytes. */
static bool map_file(const char *path, struct image *image)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info = { 0 };
	void *bytes = NULL;
	int error;

	if (fd < 0)
		return false;
	error = fstat(fd, &info)        ? errno
		: S_ISREG(info.st_mode) ? 0
		: S_ISDIR(info.st_mode) ? EISDIR
					: EINVAL;
	if (!error && info.st_size > 0)
		bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		error = errno;
	close(fd);
	errno = error;
	if (!error)
		*image = (struct image){ bytes, (size_t)info.st_size };
	return !error;
}

static void unmap_file(const struct image *image)
{
	if (image->nr)
		munmap((void *)image->bytes, image->nr);
}

/* -- reading it */

/*
 * `nr` bytes at `offset`, or NULL if they are not all there or not aligned as the format demands.
 */
static const void *at(const struct image *image, uint64_t offset, uint64_t nr)
{
	return offset % 8 == 0 && offset <= image->nr && nr <= image->nr - offset
		       ? image->bytes + offset
		       : NULL;
}

/*
 * NULL for longer strings, so that a crafted file does not cost a scan to its end for each symbol.
 */
static const char *string_at(const struct image *image, uint64_t offset)
{
	uint64_t left = offset < image->nr ? image->nr - offset : 0;

	return left && memchr(image->bytes + offset, 0,
			      left < STRING_BYTES_MAX ? left : STRING_BYTES_MAX)
		       ? (const char *)image->bytes + offset
		       : NULL;
}

static const Elf64_Ehdr *elf_header(const struct image *image)
{
	const Elf64_Ehdr *header = at(image, 0, sizeof(*header));

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	return header;
}

/* Machine and word size of this very program. */
static bool is_like_us(const Elf64_Ehdr *header)
{
	const Elf64_Ehdr *own;
	struct image self;
	bool same = true;

	if (!map_file("/proc/self/exe", &self))
		return true;
	own = elf_header(&self);
	if (own)
		same = own->e_machine == header->e_machine &&
		       own->e_ident[EI_CLASS] == header->e_ident[EI_CLASS] &&
		       own->e_ident[EI_DATA] == header->e_ident[EI_DATA];
	unmap_file(&self);
	return same;
}

static bool in_file(const struct image *image, uint64_t offset, uint64_t nr)
{
	return offset <= image->nr && nr <= image->nr - offset;
}

static const Elf64_Phdr *segment_at(const struct image *image, const Elf64_Ehdr *header,
				    unsigned int i)
{
	return i < header->e_phnum
		       ? at(image, header->e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr))
		       : NULL;
}

/* Where in the file an address of the loaded program lies; UINT64_MAX: nowhere. */
static uint64_t offset_of(const struct image *image, const Elf64_Ehdr *header, uint64_t address)
{
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = segment_at(image, header, i);

		if (segment && segment->p_type == PT_LOAD &&
		    address - segment->p_vaddr < segment->p_filesz)
			return segment->p_offset + (address - segment->p_vaddr);
	}
	return UINT64_MAX;
}

struct dynamic {
	const struct image *image;
	uint64_t offset, nr; /* of its entries */
	uint64_t strings;    /* offset of its string table; UINT64_MAX: none */
};

static const Elf64_Dyn *dynamic_at(const struct dynamic *dynamic, uint64_t i)
{
	const Elf64_Dyn *entry = i < dynamic->nr
					 ? at(dynamic->image, dynamic->offset + i * sizeof(*entry),
					      sizeof(*entry))
					 : NULL;

	return entry && entry->d_tag != DT_NULL ? entry : NULL;
}

static const char *dynamic_string(struct arena *arena, const struct dynamic *dynamic,
				  const Elf64_Dyn *entry)
{
	const char *string = dynamic->strings == UINT64_MAX
				     ? NULL
				     : string_at(dynamic->image,
						 dynamic->strings + entry->d_un.d_val);

	return arena_strdup(arena, string);
}

static void read_entry(struct arena *arena, const struct dynamic *dynamic, const Elf64_Dyn *entry,
		       struct launch_file *file)
{
	const char *string;

	if (entry->d_tag != DT_RPATH && entry->d_tag != DT_RUNPATH && entry->d_tag != DT_NEEDED)
		return;
	string = dynamic_string(arena, dynamic, entry);
	if (entry->d_tag == DT_RPATH)
		file->rpath = string;
	else if (entry->d_tag == DT_RUNPATH)
		file->runpath = string;
	else if (string && ARENA_GROW(arena, file->needed, file->nr_needed, file->room_needed))
		file->needed[file->nr_needed++] = string;
}

static void read_dynamic(struct arena *arena, const struct image *image, const Elf64_Ehdr *header,
			 const Elf64_Phdr *segment, struct launch_file *file)
{
	struct dynamic dynamic = { image, segment->p_offset, segment->p_filesz / sizeof(Elf64_Dyn),
				   UINT64_MAX };
	const Elf64_Dyn *entry;

	for (uint64_t i = 0; (entry = dynamic_at(&dynamic, i)); i++)
		if (entry->d_tag == DT_STRTAB)
			dynamic.strings = offset_of(image, header, entry->d_un.d_ptr);
	for (uint64_t i = 0; (entry = dynamic_at(&dynamic, i)); i++)
		read_entry(arena, &dynamic, entry, file);
	/* DT_RPATH counts only where there is no DT_RUNPATH, ld.so(8). */
	if (file->runpath)
		file->rpath = NULL;
}

static void read_segments(struct arena *arena, const struct image *image, const Elf64_Ehdr *header,
			  struct launch_file *file)
{
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = segment_at(image, header, i);

		if (!segment || !in_file(image, segment->p_offset, segment->p_filesz)) {
			file->damaged = true;
			continue;
		}
		if (segment->p_type == PT_INTERP)
			file->loader = arena_strdup(arena, string_at(image, segment->p_offset));
		if (segment->p_type == PT_DYNAMIC)
			read_dynamic(arena, image, header, segment, file);
	}
	file->is_static = !file->loader;
}

/*
 * libomp has these, but for some of what gcc passes to them (reductions with inscan, conditional
 * lastprivate) it ends the program: "does not support OpenMP feature" (kmp_gsupport.cpp of LLVM
 * 19).
 */
static bool is_unlike_libomp(const char *name)
{
	static const char *const names[] = {
		"GOMP_loop_start",          "GOMP_loop_ull_start",
		"GOMP_loop_ordered_start",  "GOMP_loop_ull_ordered_start",
		"GOMP_loop_doacross_start", "GOMP_loop_ull_doacross_start",
		"GOMP_sections2_start",     "GOMP_scope_start"
	};
	size_t length = strcspn(name, "@");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length && !strncmp(name, names[i], length))
			return true;
	return false;
}

static void read_import(struct arena *arena, const char *name, struct launch_file *file)
{
	if (name && !file->unlike_libomp && is_unlike_libomp(name))
		file->unlike_libomp = arena_strdup(arena, name);
}

static void read_symbols(struct arena *arena, const struct image *image, const Elf64_Shdr *table,
			 const Elf64_Shdr *strings, struct launch_file *file)
{
	for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = at(image, table->sh_offset + i * sizeof(*symbol),
					     sizeof(*symbol));
		const char *name = symbol ? string_at(image, strings->sh_offset + symbol->st_name)
					  : NULL;

		if (!symbol)
			return;
		if (symbol->st_shndx == SHN_UNDEF) {
			read_import(arena, name, file);
			continue;
		}
		file->contains_libomp |= name && !strcmp(name, "__kmpc_fork_call");
		file->contains_libgomp |= name && !strcmp(name, "GOMP_parallel");
		file->has_dispatch_deinit |= name && !strcmp(name, "__kmpc_dispatch_deinit");
	}
}

static void read_sections(struct arena *arena, const struct image *image, const Elf64_Ehdr *header,
			  struct launch_file *file)
{
	bool seen[2] = { false, false }; /* an ELF file has one table of each kind, gABI */

	for (unsigned int i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *section = at(image, header->e_shoff + i * sizeof(*section),
					       sizeof(*section));
		const Elf64_Shdr *strings = section ? at(image,
							 header->e_shoff + section->sh_link *
										   sizeof(*section),
							 sizeof(*section))
						    : NULL;

		if (!strings ||
		    (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) ||
		    seen[section->sh_type == SHT_DYNSYM])
			continue;
		seen[section->sh_type == SHT_DYNSYM] = true;
		read_symbols(arena, image, section, strings, file);
	}
	file->damaged |= header->e_shoff &&
			 !in_file(image, header->e_shoff,
				  (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
}

static bool holds(const struct image *image, const char *text)
{
	size_t nr = image->nr < SEARCHED_BYTES_MAX ? image->nr : SEARCHED_BYTES_MAX;

	return nr && memmem(image->bytes, nr, text, strlen(text));
}

/* Messages and names that are there even when symbols were stripped. */
static void read_strings(const struct image *image, struct launch_file *file)
{
	file->contains_libomp |= holds(image, "__KMP_REGISTERED_LIB_");
	file->contains_libgomp |= holds(image, "GOMP_SPINCOUNT") && holds(image, "libgomp: ");
	file->has_tools = file->contains_libomp && holds(image, "OMP_TOOL_LIBRARIES");
	file->flang = holds(image, "_FortranAProgramStart") ||
		      holds(image, "Fortran runtime: NO_STOP_MESSAGE=");
	/* libomp answers GOMP_parallel too; alone it is libgomp's. */
	file->contains_libgomp &= !file->contains_libomp;
}

static const char *machine_name(struct arena *arena, const Elf64_Ehdr *header)
{
	static const struct {
		unsigned int machine;
		const char *name;
	} names[] = {
		{ EM_X86_64, "x86-64" }, { EM_386, "x86" },     { EM_AARCH64, "aarch64" },
		{ EM_ARM, "arm" },       { EM_PPC64, "ppc64" }, { EM_RISCV, "riscv" },
		{ EM_S390, "s390" },     { EM_IA_64, "ia64" },
	};
	const char *bits = header->e_ident[EI_CLASS] == ELFCLASS32 ? " (32-bit)" : "";
	unsigned int machine = header->e_ident[EI_DATA] == ELFDATA2MSB
				       ? (unsigned int)((header->e_machine & 0xff) << 8 |
							header->e_machine >> 8)
				       : header->e_machine;

	if (machine == EM_PPC64 && header->e_ident[EI_DATA] == ELFDATA2LSB)
		return "ppc64le";
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].machine == machine)
			return arena_printf(arena, "%s%s", names[i].name, bits);
	return arena_printf(arena, "ELF machine %u%s", machine, bits);
}

static void read_script(struct arena *arena, const struct image *image, struct launch_file *file)
{
	const char *line = at(image, 0, 2);
	size_t start = 2, end;

	if (!line || memcmp(line, "#!", 2) != 0)
		return;
	while (start < image->nr && (line[start] == ' ' || line[start] == '\t'))
		start++;
	for (end = start; end < image->nr && !memchr(" \t\r\n", line[end], 4);)
		end++;
	file->interpreter = arena_strndup(arena, line + start, end - start);
}

static void read_image(struct arena *arena, const struct image *image, struct launch_file *file)
{
	const Elf64_Ehdr *header = elf_header(image);

	if (!header) {
		file->damaged = image->nr >= SELFMAG && !memcmp(image->bytes, ELFMAG, SELFMAG);
		read_script(arena, image, file);
		return;
	}
	file->elf = true;
	file->machine = machine_name(arena, header);
	file->foreign = !is_like_us(header);
	if (file->foreign || header->e_ident[EI_CLASS] != ELFCLASS64)
		return;
	read_segments(arena, image, header, file);
	read_sections(arena, image, header, file);
	read_strings(image, file);
}

/* Of root they change nothing. */
static bool gives_capabilities(const char *path)
{
	return geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

bool launch_read(struct arena *arena, const char *path, struct launch_file *file)
{
	struct image image;
	struct stat info;

	*file = (struct launch_file){ .path = path };
	file->set_id = stat(path, &info) == 0 && info.st_mode & (S_ISUID | S_ISGID) &&
		       (info.st_uid != geteuid() || info.st_gid != getegid());
	file->capabilities = gives_capabilities(path);
	if (!map_file(path, &image))
		return false;
	read_image(arena, &image, file);
	unmap_file(&image);
	return true;
}

void launch_examine(struct arena *arena, const char *program, struct launch_file *file)
{
	*file = (struct launch_file){ 0 };
	if (strchr(program, '/')) {
		file->path = program;
		file->error = why_not_runnable(program);
	} else {
		find_in_path(arena, program, file);
	}
	if (!file->error && file->path)
		launch_read(arena, file->path, file);
}

/* -- preload */

/*
 * gcc's sanitizers, and clang's where they are libraries, refuse to start behind another library.
 */
static bool has_sanitizer(const struct launch_file *file)
{
	static const char *const names[] = { "libasan.", "liblsan.", "libtsan.", "libhwasan.",
					     "libclang_rt." };

	for (size_t i = 0; i < file->nr_needed; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
			if (!strncmp(file->needed[i], names[j], strlen(names[j])))
				return true;
	return false;
}

/*
 * The loader of another architecture could not preload, and would say so; a sanitizer would not
 * start.
 */
bool launch_is_harmed_by_preload(const struct launch_file *file)
{
	return file->foreign || has_sanitizer(file);
}

bool launch_refuses_preload(const struct launch_file *file)
{
	return launch_is_harmed_by_preload(file) || file->is_static;
}
