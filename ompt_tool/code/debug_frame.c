/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .debug_frame of loaded files, and brings its records into the form of .eh_frame. */
#define _GNU_SOURCE
#include "ompt_tool/code/debug_frame.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "analysis/base/own_memory.h"
#include "analysis/base/spin.h"
#include "ompt_tool/code/symbols.h"

#define FILES_MOST 32
#define BYTES_MOST ((size_t)64 << 20)
#define NOT_READ UINT32_MAX   /* in the place of a pointer to the CIE: as stored, a CIE */
#define LENGTH_64 0xfffffff0u /* from here on: 64-bit DWARF, or reserved */
enum { WORD = 4, ADDRESS = 8, VERSION_4 = 4 };

/* The section of one file; `memory` NULL: it has none that can be read. */
struct section {
	uintptr_t bias;
	unsigned long long unloads; /* modules unloaded until it was read */
	unsigned char *memory;
	size_t bytes;
};

static struct {
	int lock;
	struct section sections[FILES_MOST];
	size_t nr;
} kept;

static uint32_t word_at(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void put_word(unsigned char *at, uint32_t word)
{
	memcpy(at, &word, sizeof(word));
}

/* Behind the record; NULL: the section ends before, or it is of a form that is not read. */
static unsigned char *behind(unsigned char *at, const unsigned char *end)
{
	uint32_t length;

	if ((size_t)(end - at) < 2 * WORD)
		return NULL;
	length = word_at(at);
	return length >= LENGTH_64 || length < WORD || length > (size_t)(end - at) - WORD
		       ? NULL
		       : at + WORD + length;
}

/*
 * Version 4 has two bytes behind the (empty) augmentation, which .eh_frame has not. What cannot be
 * read keeps its number.
 */
static void convert_cie(unsigned char *at, const unsigned char *next)
{
	unsigned char *version = at + 2 * WORD;

	if (next - version < 8 || version[1]) /* with an augmentation */
		return;
	if (*version == VERSION_4) {
		if (version[2] != ADDRESS || version[3])
			return;
		*version = 3;
		memmove(version + 2, version + 4, (size_t)(next - version) - 4);
		memset(at + (next - at) - 2, 0, 2); /* DW_CFA_nop */
	}
	put_word(at + WORD, 0);
}

/* False: it cannot be read, or its CIE. */
static bool convert_fde(const struct section *section, unsigned char *at, const unsigned char *next)
{
	uint32_t pointer = word_at(at + WORD);
	const unsigned char *cie = section->memory + pointer;
	uint64_t start;

	if (next - at < 2 * WORD + 2 * ADDRESS || pointer >= (size_t)(at - section->memory) ||
	    word_at(cie + WORD))
		return false;
	memcpy(&start, at + 2 * WORD, sizeof(start));
	start += section->bias;
	memcpy(at + 2 * WORD, &start, sizeof(start));
	put_word(at + WORD, (uint32_t)(at + WORD - cie));
	return true;
}

/* In the order of the file, in which a CIE stands before its FDEs. */
static void convert(const struct section *section)
{
	unsigned char *at = section->memory, *end = at + section->bytes, *next;

	for (; (next = behind(at, end)); at = next)
		if (word_at(at + WORD) == NOT_READ)
			convert_cie(at, next);
		else if (!convert_fde(section, at, next))
			put_word(at + WORD, NOT_READ);
}

static bool find_in(const struct section *section, uintptr_t start, uintptr_t end,
		    struct debug_frame *out)
{
	unsigned char *at = section->memory, *behind_all = at + section->bytes, *next;

	for (; (next = behind(at, behind_all)); at = next) {
		uint32_t back = word_at(at + WORD);
		uint64_t range[2];

		if (!back || back == NOT_READ)
			continue;
		memcpy(range, at + 2 * WORD, sizeof(range));
		if (range[0] != start || range[1] != end - start)
			continue;
		*out = (struct debug_frame){ at, at + WORD - back, behind_all };
		return true;
	}
	return false;
}

static struct section read_section(const struct dl_phdr_info *module)
{
	struct section section = { .bias = module->dlpi_addr, .unloads = module->dlpi_subs };

	section.memory = symbols_section(module, ".debug_frame", BYTES_MOST, &section.bytes);
	if (section.memory)
		convert(&section);
	return section;
}

/* Another file may have been loaded in the place of an unloaded one. */
static bool is_of(const struct section *section, const struct dl_phdr_info *module)
{
	return section->bias == module->dlpi_addr && section->unloads == module->dlpi_subs;
}

/*
 * Sections stay in memory, as clones refer to their records; those below kept.nr do not change.
 * NULL: there is no room for more.
 */
static const struct section *section_of(const struct dl_phdr_info *module)
{
	struct section section;
	size_t nr, i = 0;

	spin_lock(&kept.lock);
	nr = kept.nr;
	spin_unlock(&kept.lock);
	for (; i < nr; i++)
		if (is_of(&kept.sections[i], module))
			return &kept.sections[i];
	if (nr == FILES_MOST)
		return NULL;
	section = read_section(module);
	spin_lock(&kept.lock);
	if (kept.nr == nr)
		kept.sections[kept.nr++] = section;
	else if (section.memory)
		own_memory_give_back(section.memory, section.bytes);
	spin_unlock(&kept.lock);
	return section_of(module);
}

bool debug_frame_find(const struct dl_phdr_info *module, uintptr_t start, uintptr_t end,
		      struct debug_frame *out)
{
	const struct section *section = section_of(module);

	return section && section->memory && find_in(section, start, end, out);
}
