/* SPDX-License-Identifier: Apache-2.0 */
/* Segments of loaded modules, their personality routines and their unwinder. */
#define _GNU_SOURCE
#include "ompt_tool/clones/module_segments.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#define REMEMBERED 8

struct question {
	uintptr_t address;
	uintptr_t start, end; /* of the segment; 0: not found */
	uintptr_t base;       /* of the module */
	const ElfW(Dyn) * dynamic;
	const unsigned char *frame_header;
	unsigned long long loaded, unloaded; /* modules, so far */
};

/*
 * Cache of the last segments: a function's tables are in one or two, and there may be a hundred
 * modules.
 */
static struct {
	struct question items[4];
	size_t next;
} recent;

static bool is_recent(struct question *question)
{
	for (size_t i = 0; i < sizeof(recent.items) / sizeof(*recent.items); i++) {
		const struct question *item = &recent.items[i];

		if (item->loaded == question->loaded && item->unloaded == question->unloaded &&
		    question->address >= item->start && question->address < item->end) {
			*question = *item;
			return true;
		}
	}
	return false;
}

static bool is_in_module(const struct dl_phdr_info *module, struct question *question)
{
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R) ||
		    question->address - start >= segment->p_memsz)
			continue;
		question->start = start;
		question->end = start + segment->p_memsz;
	}
	return question->end != 0;
}

static int ask(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct question *question = ctx;

	(void)size;
	if (!question->loaded) { /* the first module; the numbers are the same in all */
		question->loaded = module->dlpi_adds;
		question->unloaded = module->dlpi_subs;
		if (is_recent(question))
			return 1; /* 1 ends the iteration */
	}
	if (!is_in_module(module, question))
		return 0;
	question->base = module->dlpi_addr;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];

		if (segment->p_type == PT_DYNAMIC)
			question->dynamic = (const ElfW(Dyn) *)(module->dlpi_addr +
								segment->p_vaddr);
		else if (segment->p_type == PT_GNU_EH_FRAME)
			question->frame_header = (const unsigned char *)(module->dlpi_addr +
									 segment->p_vaddr);
	}
	return 1;
}

static struct question answer_for(uintptr_t address)
{
	struct question question = { .address = address };

	dl_iterate_phdr(ask, &question);
	if (question.end && !is_recent(&question))
		recent.items[recent.next++ % (sizeof(recent.items) / sizeof(*recent.items))] =
			question;
	return question;
}

bool modules_memory(const void *address, struct bytes *out)
{
	struct question question = answer_for((uintptr_t)address);

	*out = (struct bytes){ .at = address,
			       .end = (const unsigned char *)question.end,
			       .bad = !question.end };
	return question.end != 0;
}

/* Cache of results that need a scan of a module's tables, until a module is unloaded. */
struct answers {
	struct {
		uintptr_t about;
		int answer;
	} items[REMEMBERED];
	unsigned long long unloaded;
	size_t nr;
};

static int *remembered(struct answers *answers, uintptr_t about, unsigned long long unloaded,
		       bool *new_out)
{
	size_t place;

	if (answers->unloaded != unloaded)
		answers->nr = 0;
	answers->unloaded = unloaded;
	*new_out = false;
	for (size_t i = 0; i < answers->nr && i < REMEMBERED; i++)
		if (answers->items[i].about == about)
			return &answers->items[i].answer;
	*new_out = true;
	place = answers->nr++ % REMEMBERED;
	answers->items[place].about = about;
	return &answers->items[place].answer;
}

/* -- personality routines */

static bool has_known_name(uintptr_t routine)
{
	Dl_info info;

	if (!dladdr((void *)routine, &info) || !info.dli_sname || info.dli_saddr != (void *)routine)
		return false;
	return !strcmp(info.dli_sname, "__gxx_personality_v0") ||
	       !strcmp(info.dli_sname, "__gcc_personality_v0");
}

static bool is_c_library(const struct question *module)
{
	void *function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");

	return function && answer_for((uintptr_t)function).base == module->base;
}

enum modules_personality modules_personality(uintptr_t routine)
{
	static struct answers answers;
	struct question module = answer_for(routine);
	bool new;
	int *known = remembered(&answers, routine, module.unloaded, &new);

	if (new)
		*known = has_known_name(routine)               ? MODULES_PERSONALITY_KNOWN
			 : module.end && is_c_library(&module) ? MODULES_PERSONALITY_CLEANUPS
							       : MODULES_PERSONALITY_UNKNOWN;
	return (enum modules_personality) * known;
}

/* -- unwinders */

/* The memory that an entry of the dynamic section points to, up to the end of its segment. */
static struct bytes dynamic_table(const struct question *module, ElfW(Sxword) tag)
{
	struct bytes table = { .bad = true };
	const ElfW(Dyn) *row = module->dynamic;

	while (row && row->d_tag != DT_NULL && row->d_tag != tag)
		row++;
	/* the loader has added the base, but not where the section is read-only */
	if (row && row->d_tag == tag)
		modules_memory((const void *)(row->d_un.d_ptr < module->base
						      ? row->d_un.d_ptr + module->base
						      : row->d_un.d_ptr),
			       &table);
	return table;
}

/* Symbols that can be undefined: those before the first in the GNU hash table, or all. */
static uint64_t nr_imports(const struct question *module)
{
	struct bytes gnu = dynamic_table(module, DT_GNU_HASH),
		     sysv = dynamic_table(module, DT_HASH);
	struct bytes *table = gnu.bad ? &sysv : &gnu;

	bytes_fixed(table, 4); /* buckets */
	return bytes_fixed(table, 4);
}

static bool is_named(struct bytes strings, uint32_t offset, const char *name)
{
	bytes_take(&strings, offset);
	strings = bytes_take(&strings, strlen(name) + 1);
	return !strings.bad && !memcmp(strings.at, name, strlen(name) + 1);
}

static bool imports(const struct question *module, const char *name)
{
	struct bytes symbols = dynamic_table(module, DT_SYMTAB),
		     strings = dynamic_table(module, DT_STRTAB);
	ElfW(Sym) symbol;

	for (uint64_t nr = nr_imports(module); nr; nr--) {
		struct bytes row = bytes_take(&symbols, sizeof(symbol));

		if (row.bad)
			return false;
		memcpy(&symbol, row.at, sizeof(symbol));
		if (symbol.st_shndx == SHN_UNDEF && is_named(strings, symbol.st_name, name))
			return true;
	}
	return false;
}

/*
 * Whether a record, from behind its length on, is a CIE with a personality routine: version, then
 * the augmentation's letters.
 */
static bool names_personality(struct bytes record)
{
	char letter;

	if (bytes_fixed(&record, 4) != 0)
		return false;
	bytes_fixed(&record, 1);
	while ((letter = (char)bytes_fixed(&record, 1)))
		if (letter == 'P')
			return true;
	return false;
}

static bool has_personalities(const struct question *module)
{
	struct bytes header = { .bad = true }, records;
	unsigned int encoding;
	uint32_t length;

	if (module->frame_header)
		modules_memory(module->frame_header, &header);
	bytes_fixed(&header, 1);
	encoding = (unsigned int)bytes_fixed(&header, 1);
	bytes_fixed(&header, 2);
	if (!modules_memory((const void *)bytes_pointer(&header, encoding), &records) || header.bad)
		return false;
	while ((length = (uint32_t)bytes_fixed(&records, 4)))
		if (names_personality(bytes_take(&records, length)))
			return true;
	return false;
}

/* All unwinders, gcc's and LLVM's, find tables by one of these functions of the loader. */
static bool may_hold_unwinder(const struct question *module)
{
	return imports(module, "dl_iterate_phdr") || imports(module, "_dl_find_object");
}

bool modules_own_unwinder(uintptr_t function)
{
	static struct answers answers;
	struct question module = answer_for(function);
	bool new;
	int *own;

	if (!module.end)
		return false; /* no module's; it has no records that are read, either */
	own = remembered(&answers, module.base, module.unloaded, &new);
	if (new)
		*own = !imports(&module, "_Unwind_Resume") && may_hold_unwinder(&module) &&
		       has_personalities(&module) && !is_c_library(&module);
	return *own;
}
