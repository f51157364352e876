/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the fuzz target of program files over a small one and mutations of it. See fuzz.h. */
#include "tests/fuzz/elf.c"

#include "tests/unit/fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <time.h>

/* A program with all that is read: loader, libraries, RPATH, symbols. Byte for byte a file. */
struct small {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	Elf64_Dyn dynamic[6];
	char strings[96];
	Elf64_Sym symbols[3];
	Elf64_Shdr sections[3];
};

#define LOADER 0
#define NEEDED 32
#define RPATH 48
#define SYMBOL 64

static void set_headers(struct small *file)
{
	file->header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_phoff = offsetof(struct small, segments),
		.e_phnum = 3,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shoff = offsetof(struct small, sections),
		.e_shnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
#if defined(__x86_64__)
	file->header.e_machine = EM_X86_64;
#elif defined(__aarch64__)
	file->header.e_machine = EM_AARCH64;
#else
	file->header.e_machine = EM_PPC64;
#endif
	file->segments[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
					  .p_vaddr = 0x1000,
					  .p_filesz = sizeof(*file) };
	file->segments[1] = (Elf64_Phdr){ .p_type = PT_INTERP,
					  .p_offset = offsetof(struct small, strings) + LOADER,
					  .p_filesz = 31 };
	file->segments[2] = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
					  .p_offset = offsetof(struct small, dynamic),
					  .p_filesz = sizeof(file->dynamic) };
	file->sections[1] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
					  .sh_offset = offsetof(struct small, symbols),
					  .sh_size = sizeof(file->symbols),
					  .sh_link = 2 };
	file->sections[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					  .sh_offset = offsetof(struct small, strings),
					  .sh_size = sizeof(file->strings) };
}

static void set_contents(struct small *file)
{
	static const struct {
		size_t at;
		const char *text;
	} strings[] = {
		{ LOADER, "/lib64/ld.so" },
		{ NEEDED, "libomp.so.5" },
		{ RPATH, "/opt/lib" },
		{ SYMBOL, "__kmpc_fork_call" },
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		memcpy(file->strings + strings[i].at, strings[i].text, strlen(strings[i].text));
	file->dynamic[0] = (Elf64_Dyn){ DT_STRTAB, { 0x1000 + offsetof(struct small, strings) } };
	file->dynamic[1] = (Elf64_Dyn){ DT_NEEDED, { NEEDED } };
	file->dynamic[2] = (Elf64_Dyn){ DT_RPATH, { RPATH } };
	file->dynamic[3] = (Elf64_Dyn){ DT_FLAGS, { DF_BIND_NOW } };
	file->symbols[1] = (Elf64_Sym){ .st_name = SYMBOL, .st_shndx = 1 };
}

static struct small make_file(void)
{
	struct small file = { .strings = "" };

	set_headers(&file);
	set_contents(&file);
	return file;
}

TEST(elf_fuzz__the_small_file_is_read_whole)
{
	struct small small = make_file();
	struct arena *arena = arena_new();
	int fd = memfd_create("small", MFD_CLOEXEC);
	struct launch_file file;

	CHECK_INT(write(fd, &small, sizeof(small)), sizeof(small));
	CHECK(launch_read(arena, arena_printf(arena, "/proc/self/fd/%d", fd), &file));
	CHECK(file.elf && !file.damaged && !file.foreign && file.contains_libomp &&
	      !file.is_static);
	CHECK_STR(file.loader, "/lib64/ld.so");
	CHECK_STR(file.rpath, "/opt/lib");
	CHECK_INT(file.nr_needed, 1);
	CHECK_STR(file.needed[0], "libomp.so.5");
}

TEST(elf_fuzz__mutations)
{
	static const uint8_t odd[] = { 0, 1, 7, 8, 0x7f, 0x80, 0xff };

	FUZZ_EACH(20000)
	{
		struct small changed = make_file();
		uint8_t *bytes = (uint8_t *)&changed;

		for (size_t i = 1 + pick(6); i > 0; i--)
			bytes[pick(sizeof(changed))] = pick(2) ? odd[pick(sizeof(odd))]
							       : (uint8_t)pick(256);
		LLVMFuzzerTestOneInput(bytes, pick(4) ? sizeof(changed) : pick(sizeof(changed)));
	}
	fuzz_tell("mutated headers of programs");
}

/* Symbol tables without number over a file without an end of a string: read in no time. */
TEST(elf_fuzz__a_file_made_to_cost_time)
{
	enum { SECTIONS = 4000, BYTES = 17 << 20 };
	uint8_t *bytes = malloc(BYTES);
	struct small small = make_file();
	Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + sizeof(small));
	clock_t begin = clock();

	CHECK(bytes);
	memset(bytes, 1, BYTES); /* read as a symbol its name lies at 0x01010101 */
	small.header.e_shoff = sizeof(small);
	small.header.e_shnum = SECTIONS;
	memcpy(bytes, &small, sizeof(small));
	for (int i = 0; i < SECTIONS; i++)
		sections[i] = (Elf64_Shdr){
			.sh_type = SHT_SYMTAB, .sh_size = BYTES, .sh_link = 1, .sh_offset = 0
		};
	LLVMFuzzerTestOneInput(bytes, BYTES);
	CHECK_THAT((double)(clock() - begin) / CLOCKS_PER_SEC, <, 10);
	free(bytes);
}
