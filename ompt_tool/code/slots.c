/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relocations of a loaded module, by the names of their symbols (System V ABI, chapter 5, and each
 * processor's supplement).
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "ompt_tool/code/slots.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ompt_tool/code/writing.h"

#if defined(__x86_64__)
enum {
	CALL = R_X86_64_JUMP_SLOT,
	ADDRESS = R_X86_64_GLOB_DAT,
	POINTER = R_X86_64_64,
	CHOSEN = R_X86_64_IRELATIVE
};
#elif defined(__aarch64__)
enum {
	CALL = R_AARCH64_JUMP_SLOT,
	ADDRESS = R_AARCH64_GLOB_DAT,
	POINTER = R_AARCH64_ABS64,
	CHOSEN = R_AARCH64_IRELATIVE
};
#elif defined(__powerpc64__)
enum {
	CALL = R_PPC64_JMP_SLOT,
	ADDRESS = R_PPC64_GLOB_DAT,
	POINTER = R_PPC64_ADDR64,
	CHOSEN = R_PPC64_IRELATIVE
};
#else /* no relocation has such a type: nothing is found */
enum { CALL = -1, ADDRESS = -1, POINTER = -1, CHOSEN = -1 };
#endif

#define VERSION_NUMBER 0x7fffu /* the other bit: hidden */

struct slots_tables {
	const struct dl_phdr_info *module;
	const ElfW(Rela) * calls, *others;
	size_t nr_calls, nr_others;
	const ElfW(Sym) * symbols;
	const char *strings;
	size_t strings_bytes;
	const ElfW(Half) * versions; /* by symbol */
	const ElfW(Verneed) * needed_versions;
	size_t nr_needed_versions; /* one for each file */
	uintptr_t read_only, read_only_end;
};

bool slots_module_has(const struct dl_phdr_info *module, uintptr_t address)
{
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    address - (module->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

static bool has_all(const struct dl_phdr_info *module, const void *first, size_t bytes)
{
	uintptr_t address = (uintptr_t)first;

	return bytes && slots_module_has(module, address) && address + bytes > address &&
	       slots_module_has(module, address + bytes - 1);
}

static bool has_table(const struct dl_phdr_info *module, const void *first, size_t bytes)
{
	return (uintptr_t)first % sizeof(uintptr_t) == 0 && has_all(module, first, bytes);
}

/*
 * glibc replaces offsets in the dynamic section by addresses when it loads a module, unless the
 * section cannot be written.
 */
static uintptr_t pointed_to(const struct dl_phdr_info *module, uint64_t value)
{
	return slots_module_has(module, value) ? value : module->dlpi_addr + value;
}

static void read_entry(struct slots_tables *tables, const ElfW(Dyn) * entry)
{
	uint64_t value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_JMPREL:
		tables->calls = (const ElfW(Rela) *)pointed_to(tables->module, value);
		break;
	case DT_PLTRELSZ: tables->nr_calls = value / sizeof(ElfW(Rela)); break;
	case DT_RELA: tables->others = (const ElfW(Rela) *)pointed_to(tables->module, value); break;
	case DT_RELASZ: tables->nr_others = value / sizeof(ElfW(Rela)); break;
	case DT_SYMTAB:
		tables->symbols = (const ElfW(Sym) *)pointed_to(tables->module, value);
		break;
	case DT_STRTAB: tables->strings = (const char *)pointed_to(tables->module, value); break;
	case DT_STRSZ: tables->strings_bytes = value; break;
	case DT_VERSYM:
		tables->versions = (const ElfW(Half) *)pointed_to(tables->module, value);
		break;
	case DT_VERNEED:
		tables->needed_versions = (const ElfW(Verneed) *)pointed_to(tables->module, value);
		break;
	case DT_VERNEEDNUM: tables->nr_needed_versions = value; break;
	default: break;
	}
}

static void read_dynamic(struct slots_tables *tables, const ElfW(Dyn) * entries, size_t bytes)
{
	if (!has_table(tables->module, entries, bytes))
		return;
	for (size_t i = 0; i < bytes / sizeof(*entries) && entries[i].d_tag != DT_NULL; i++)
		read_entry(tables, &entries[i]);
}

/* Whole pages only, like the linker. */
static void read_read_only(struct slots_tables *tables, uintptr_t start, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	tables->read_only = start & -page;
	tables->read_only_end = (start + bytes) & -page;
}

static bool read_tables(const struct dl_phdr_info *module, struct slots_tables *out)
{
	*out = (struct slots_tables){ .module = module };
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_DYNAMIC)
			read_dynamic(out, (const ElfW(Dyn) *)start, segment->p_memsz);
		else if (segment->p_type == PT_GNU_RELRO)
			read_read_only(out, start, segment->p_memsz);
	}
	return out->symbols && out->strings && has_all(module, out->strings, out->strings_bytes) &&
	       !out->strings[out->strings_bytes - 1];
}

static bool is_read_only(const struct slots_tables *tables, uintptr_t place)
{
	return place >= tables->read_only && place < tables->read_only_end;
}

static bool read_slot(const struct slots_tables *tables, const ElfW(Rela) * relocation,
		      struct slot *out)
{
	int type = (int)ELF64_R_TYPE(relocation->r_info);
	uint32_t number = (uint32_t)ELF64_R_SYM(relocation->r_info);
	const ElfW(Sym) *symbol = tables->symbols + number;
	uintptr_t place = tables->module->dlpi_addr + relocation->r_offset;

	if (type == CHOSEN && has_table(tables->module, (void *)place, sizeof(uintptr_t))) {
		*out = (struct slot){ .place = (uintptr_t *)place,
				      .name = "",
				      .kind = SLOT_CHOSEN,
				      .read_only = is_read_only(tables, place),
				      .defined = true };
		return true;
	}
	if ((type != CALL && type != ADDRESS && type != POINTER) ||
	    (type == POINTER && relocation->r_addend))
		return false;
	if (!has_table(tables->module, (void *)place, sizeof(uintptr_t)) ||
	    !has_table(tables->module, symbol, sizeof(*symbol)) ||
	    symbol->st_name >= tables->strings_bytes)
		return false;
	*out = (struct slot){ .place = (uintptr_t *)place,
			      .name = tables->strings + symbol->st_name,
			      .kind = type == CALL      ? SLOT_CALL
				      : type == ADDRESS ? SLOT_ADDRESS
							: SLOT_POINTER,
			      .read_only = is_read_only(tables, place),
			      .defined = symbol->st_shndx != SHN_UNDEF,
			      .tables = tables,
			      .symbol = number };
	if (!out->defined && symbol->st_value)
		out->linkage = tables->module->dlpi_addr + symbol->st_value;
	return true;
}

static void visit_all(const struct slots_tables *tables, const ElfW(Rela) * relocations, size_t nr,
		      void (*visit)(void *ctx, const struct slot *slot), void *ctx)
{
	struct slot slot;

	if (!has_table(tables->module, relocations, nr * sizeof(*relocations)))
		return;
	for (size_t i = 0; i < nr; i++)
		if (read_slot(tables, &relocations[i], &slot))
			visit(ctx, &slot);
}

void slots_of_module(const struct dl_phdr_info *module,
		     void (*visit)(void *ctx, const struct slot *slot), void *ctx)
{
	struct slots_tables tables;

	if (!read_tables(module, &tables))
		return;
	visit_all(&tables, tables.calls, tables.nr_calls, visit, ctx);
	visit_all(&tables, tables.others, tables.nr_others, visit, ctx);
}

/* NULL: not of this file, or a broken table */
static const char *version_in(const struct slots_tables *tables, const ElfW(Verneed) * file,
			      unsigned int number)
{
	const char *at = (const char *)file + file->vn_aux;

	for (unsigned int i = 0; i < file->vn_cnt; i++) {
		const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)at;

		if (!has_all(tables->module, version, sizeof(*version)))
			return NULL;
		if ((version->vna_other & VERSION_NUMBER) == number)
			return version->vna_name < tables->strings_bytes
				       ? tables->strings + version->vna_name
				       : NULL;
		at += version->vna_next;
	}
	return NULL;
}

const char *slots_version(const struct slot *slot)
{
	const struct slots_tables *tables = slot->tables;
	const ElfW(Half) *number = tables && tables->versions ? tables->versions + slot->symbol
							      : NULL;
	const char *at = tables ? (const char *)tables->needed_versions : NULL, *found = NULL;

	if (!number || !at || !has_all(tables->module, number, sizeof(*number)))
		return NULL;
	for (size_t i = 0; i < tables->nr_needed_versions && !found; i++) {
		const ElfW(Verneed) *file = (const ElfW(Verneed) *)at;

		if (!has_all(tables->module, file, sizeof(*file)))
			return NULL;
		found = version_in(tables, file, *number & VERSION_NUMBER);
		if (!file->vn_next)
			break;
		at += file->vn_next;
	}
	return found;
}

/* ------------------------------------------------------------- changed by name */

struct changing {
	const struct slots_change *changes;
	size_t nr;
	slots_chooser *choose;
	const struct dl_phdr_info *module; /* being changed */
	struct dl_phdr_info own;           /* the module that contains this code; zero: not found */
	struct slots_changed done;
};

static const struct slots_change *wanted(const struct changing *changing, const char *name)
{
	for (size_t i = 0; i < changing->nr; i++)
		if (!strcmp(changing->changes[i].name, name))
			return &changing->changes[i];
	return NULL;
}

static bool leads_to_us(const struct changing *changing, const struct slot *slot, uintptr_t now)
{
	return slots_module_has(&changing->own, now) &&
	       !slots_module_has(&changing->own, (uintptr_t)slot->place);
}

static bool is_meant(const struct changing *changing, const struct slots_change *change,
		     const struct slot *slot, uintptr_t now)
{
	bool unbound = slot->kind == SLOT_CALL && slots_module_has(changing->module, now);

	return !change->from || now == change->from || (change->unbound && unbound);
}

static void change_slot(void *ctx, const struct slot *slot)
{
	struct changing *changing = ctx;
	const struct slots_change *change = slot->kind == SLOT_POINTER
						    ? NULL
						    : wanted(changing, slot->name);

	uintptr_t now = change ? __atomic_load_n(slot->place, __ATOMIC_ACQUIRE) : 0;

	if (!change || now == change->with || leads_to_us(changing, slot, now) ||
	    !is_meant(changing, change, slot, now))
		return;
	if (writing_known_word(slot->place, change->with,
			       slot->read_only ? PROT_READ : PROT_READ | PROT_WRITE))
		changing->done.nr++;
	else
		changing->done.refused++;
}

static int change_module(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	struct changing *changing = ctx;

	(void)bytes;
	changing->module = module;
	if (changing->choose(module->dlpi_name ? module->dlpi_name : ""))
		slots_of_module(module, change_slot, changing);
	return 0;
}

static int note_own(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	bool own = slots_module_has(module, (uintptr_t)note_own);

	(void)bytes;
	if (own)
		*(struct dl_phdr_info *)ctx = *module;
	return own;
}

struct slots_changed slots_change(const struct slots_change *changes, size_t nr,
				  slots_chooser *choose)
{
	struct changing changing = { .changes = changes, .nr = nr, .choose = choose };

	dl_iterate_phdr(note_own, &changing.own);
	dl_iterate_phdr(change_module, &changing);
	return changing.done;
}
