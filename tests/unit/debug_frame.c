/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that only debuggers know, from files made here: as gcc and clang write them, and damaged. */
#define _GNU_SOURCE
#include "ompt_tool/code/debug_frame.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ompt_tool/code/cfi.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

#define NAMES "\0.debug_frame\0.shstrtab"
enum { BIAS = 0x10000, FRAME_BYTES = 256, SEEDS = 3000, GROUP = 30 };

/* Of version 1 (gcc) or 4 (clang); then an FDE of [0x1000, 0x1040): rsp + 8, after a push rsp + 16. */
static size_t make_section(unsigned char *out, unsigned char version)
{
	static const unsigned char rules[] = { 0x0c, 7, 8, 0x90, 1 }, push[] = { 0x41, 0x0e, 16 };
	unsigned char *at = out + 4;
	uint64_t range[] = { 0x1000, 0x40 };
	uint32_t length;

	memcpy(at, "\xff\xff\xff\xff", 4);
	at += 4;
	*at++ = version;
	*at++ = 0;
	if (version == 4) {
		*at++ = 8;
		*at++ = 0;
	}
	*at++ = 1;
	*at++ = 0x78; /* -8 */
	*at++ = 16;
	memcpy(at, rules, sizeof(rules));
	at += sizeof(rules) + 3;
	length = (uint32_t)(at - out) - 4;
	memcpy(out, &length, 4);
	length = 4 + sizeof(range) + sizeof(push) + 1;
	memcpy(at, &length, 4);
	memset(at + 4, 0, 4); /* the CIE's offset */
	memcpy(at + 8, range, sizeof(range));
	memcpy(at + 8 + sizeof(range), push, sizeof(push));
	return (size_t)(at - out) + 4 + length;
}

static void make_file(const char *path, const unsigned char *section, size_t bytes)
{
	unsigned char file[sizeof(Elf64_Ehdr) + FRAME_BYTES + 64 + 3 * sizeof(Elf64_Shdr)] = { 0 };
	size_t frames = sizeof(Elf64_Ehdr), names = frames + FRAME_BYTES, table = names + 64;
	Elf64_Ehdr header = { .e_ident = ELFMAG,
			      .e_shoff = table,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = 3,
			      .e_shstrndx = 2 };
	Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = frames, .sh_size = bytes },
		{ .sh_name = 14,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = names,
		  .sh_size = sizeof(NAMES) }
	};

	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(file, &header, sizeof(header));
	memcpy(file + frames, section, bytes);
	memcpy(file + names, NAMES, sizeof(NAMES));
	memcpy(file + table, sections, sizeof(sections));
	file_write(path, file, sizeof(file));
}

TEST(debug_frame__of_each_version)
{
	static const unsigned char versions[] = { 1, 3, 4 };

	scratch_enter();
	for (size_t i = 0; i < sizeof(versions); i++) {
		struct dl_phdr_info module = { .dlpi_addr = BIAS * (i + 1), .dlpi_name = "x.so" };
		unsigned char section[FRAME_BYTES] = { 0 };
		uintptr_t start = module.dlpi_addr + 0x1000;
		struct debug_frame found;
		struct cfi cfi;
		const char *why;

		make_file("x.so", section, make_section(section, versions[i]));
		CHECK(debug_frame_find(&module, start, start + 0x40, &found));
		CHECK(cfi_read(found.fde, found.cie, found.end, &cfi, &why));
		CHECK_INT(cfi.start, start);
		CHECK_INT(cfi.end, start + 0x40);
		CHECK_INT(cfi.code_alignment, 1);
		CHECK_INT(cfi.data_alignment, -8);
		CHECK_INT(cfi.initial.at[0], 0x0c);
		CHECK_INT(cfi.instructions.at[2], 16);
		CHECK(!debug_frame_find(&module, start, start + 0x3f, &found));
		CHECK(!debug_frame_find(&module, start + 1, start + 0x40, &found));
	}
}

TEST(debug_frame__none_in_a_file_without)
{
	struct dl_phdr_info module = { .dlpi_addr = 99 * BIAS, .dlpi_name = "none.so" };
	struct debug_frame found;

	scratch_enter();
	CHECK(!debug_frame_find(&module, 99 * BIAS + 0x1000, 99 * BIAS + 0x1040, &found));
	file_write("text.so", "text", 4);
	module.dlpi_name = "text.so";
	module.dlpi_subs++;
	CHECK(!debug_frame_find(&module, 99 * BIAS + 0x1000, 99 * BIAS + 0x1040, &found));
}

static void damage(int seed)
{
	/* one place, so that each is read anew: modules were unloaded meanwhile */
	struct dl_phdr_info module = { .dlpi_addr = BIAS,
				       .dlpi_name = "x.so",
				       .dlpi_subs = (unsigned long long)seed + 1 };
	unsigned char section[FRAME_BYTES] = { 0 };
	size_t bytes = make_section(section, seed & 1 ? 4 : 1);
	struct debug_frame found;
	struct cfi cfi;
	const char *why;

	srand((unsigned int)seed);
	for (int i = 0; i < 1 + rand() % 4; i++)
		section[(size_t)rand() % bytes] = (unsigned char)rand();
	make_file("x.so", section, bytes - (size_t)rand() % 8);
	if (debug_frame_find(&module, BIAS + 0x1000, BIAS + 0x1040, &found) &&
	    cfi_read(found.fde, found.cie, found.end, &cfi, &why))
		CHECK(found.fde > found.cie && found.fde < found.end);
}

/* Whatever the section holds, what is found lies in it. A process keeps the sections of a few files. */
TEST(debug_frame__damaged)
{
	scratch_enter();
	for (int group = 0; group < SEEDS / GROUP; group++) {
		pid_t child = fork();
		int status;

		for (int i = 0; !child && i < GROUP; i++)
			damage(group * GROUP + i);
		if (!child)
			_exit(0);
		CHECK_INT(waitpid(child, &status, 0), child);
		CHECK_INT(status, 0);
	}
}
