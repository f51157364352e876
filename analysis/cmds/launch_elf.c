/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the program to run and reads what its ELF headers tell of it. */
#include "analysis/cmds/launch_elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"

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

/* Like execvp: the first file in PATH that can be run; an unreadable one is remembered, in case there is no other. */
static void find_in_path(struct arena *arena, const char *program, struct launch_file *file)
{
	const char *folders = getenv("PATH");

	file->error = ENOENT;
	for (folders = folders ? folders : "/bin:/usr/bin";; folders++) {
		size_t nr = strcspn(folders, ":");
		const char *path = arena_printf(arena, "%.*s%s%s", (int)nr, folders, nr ? "/" : "", program);
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

static bool map_file(const char *path, struct image *image)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	void *bytes = MAP_FAILED;

	if (fd < 0)
		return false;
	if (fstat(fd, &info) == 0 && info.st_size > 0)
		bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	*image = (struct image){ bytes, (size_t)info.st_size };
	return true;
}

/* -- reading it */

/* `nr` bytes at `offset`, or NULL if they are not all there or not aligned as the format demands. */
static const void *at(const struct image *image, uint64_t offset, uint64_t nr)
{
	return offset % 8 == 0 && offset <= image->nr && nr <= image->nr - offset ? image->bytes + offset : NULL;
}

static const char *string_at(const struct image *image, uint64_t offset)
{
	return offset < image->nr && memchr(image->bytes + offset, 0, image->nr - offset) ? (const char *)image->bytes + offset : NULL;
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
		same = own->e_machine == header->e_machine && own->e_ident[EI_CLASS] == header->e_ident[EI_CLASS] &&
			own->e_ident[EI_DATA] == header->e_ident[EI_DATA];
	munmap((void *)self.bytes, self.nr);
	return same;
}

static void read_dynamic(const struct image *image, const Elf64_Phdr *segment, struct launch_file *file)
{
	for (uint64_t i = 0; i < segment->p_filesz / sizeof(Elf64_Dyn); i++) {
		const Elf64_Dyn *entry = at(image, segment->p_offset + i * sizeof(*entry), sizeof(*entry));

		if (!entry || entry->d_tag == DT_NULL)
			return;
		file->bind_now |= entry->d_tag == DT_BIND_NOW || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_BIND_NOW) ||
			(entry->d_tag == DT_FLAGS_1 && entry->d_un.d_val & DF_1_NOW);
	}
}

static void read_segments(struct arena *arena, const struct image *image, const Elf64_Ehdr *header, struct launch_file *file)
{
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = at(image, header->e_phoff + i * sizeof(*segment), sizeof(*segment));

		if (segment && segment->p_type == PT_INTERP)
			file->loader = arena_strdup(arena, string_at(image, segment->p_offset));
		if (segment && segment->p_type == PT_DYNAMIC)
			read_dynamic(image, segment, file);
	}
	file->is_static = !file->loader;
}

static void read_symbols(const struct image *image, const Elf64_Shdr *table, const Elf64_Shdr *strings, struct launch_file *file)
{
	for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = at(image, table->sh_offset + i * sizeof(*symbol), sizeof(*symbol));
		const char *name = symbol && symbol->st_shndx != SHN_UNDEF ? string_at(image, strings->sh_offset + symbol->st_name) : NULL;

		if (!symbol)
			return;
		file->contains_libomp |= name && !strcmp(name, "__kmpc_fork_call");
		file->contains_libgomp |= name && !strcmp(name, "GOMP_parallel");
	}
}

static void read_sections(const struct image *image, const Elf64_Ehdr *header, struct launch_file *file)
{
	for (unsigned int i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *section = at(image, header->e_shoff + i * sizeof(*section), sizeof(*section));
		const Elf64_Shdr *strings = section ? at(image, header->e_shoff + section->sh_link * sizeof(*section), sizeof(*section)) : NULL;

		if (strings && (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM))
			read_symbols(image, section, strings, file);
	}
	/* libomp answers GOMP_parallel too; alone it is libgomp's. */
	file->contains_libgomp &= !file->contains_libomp;
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
		read_script(arena, image, file);
		return;
	}
	file->elf = true;
	file->foreign = !is_like_us(header);
	if (file->foreign || header->e_ident[EI_CLASS] != ELFCLASS64)
		return;
	read_segments(arena, image, header, file);
	read_sections(image, header, file);
}

void launch_examine(struct arena *arena, const char *program, struct launch_file *file)
{
	struct image image;
	struct stat info;

	*file = (struct launch_file){ 0 };
	if (strchr(program, '/')) {
		file->path = program;
		file->error = why_not_runnable(program);
	} else {
		find_in_path(arena, program, file);
	}
	if (file->error || !file->path)
		return;
	file->set_id = stat(file->path, &info) == 0 && info.st_mode & (S_ISUID | S_ISGID) &&
		(info.st_uid != geteuid() || info.st_gid != getegid());
	if (!map_file(file->path, &image))
		return;
	read_image(arena, &image, file);
	munmap((void *)image.bytes, image.nr);
}
