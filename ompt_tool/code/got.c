/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the loaded files' tables of addresses, found through their relocations. */
#define _GNU_SOURCE              /* dl_iterate_phdr, mremap */
#include "ompt_tool/code/got.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Relocations that put a function's address into a table: psABI of each processor. */
#if defined(__x86_64__)
enum { RELOCATION_CALL = R_X86_64_JUMP_SLOT, RELOCATION_ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { RELOCATION_CALL = R_AARCH64_JUMP_SLOT, RELOCATION_ADDRESS = R_AARCH64_GLOB_DAT };
#elif defined(__powerpc64__)
enum { RELOCATION_CALL = R_PPC64_JMP_SLOT, RELOCATION_ADDRESS = R_PPC64_GLOB_DAT };
#else
enum { RELOCATION_CALL = -1, RELOCATION_ADDRESS = -1 };
#endif

struct work {
	const struct got_change *changes;
	size_t nr;
	got_chooser *choose;
	struct got_changes *done;
	bool restore;
	unsigned int changed;
};

/* One file, as its dynamic section tells. */
struct file {
	uintptr_t bias, read_only, read_only_end;
	const ElfW(Sym) *symbols;
	const char *names;
	const ElfW(Rela) *tables[2];     /* of calls, of addresses */
	size_t bytes[2];
};

/* glibc has added the bias to these addresses on most processors, not in the vdso. */
static uintptr_t absolute(const struct file *file, ElfW(Addr) address)
{
	return address < file->bias ? address + file->bias : address;
}

static void read_dynamic(struct file *file, const ElfW(Dyn) *entry)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_SYMTAB:
			file->symbols = (const ElfW(Sym) *)absolute(file, entry->d_un.d_ptr);
			break;
		case DT_STRTAB:
			file->names = (const char *)absolute(file, entry->d_un.d_ptr);
			break;
		case DT_JMPREL:
			file->tables[0] = (const ElfW(Rela) *)absolute(file, entry->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			file->bytes[0] = entry->d_un.d_val;
			break;
		case DT_RELA:
			file->tables[1] = (const ElfW(Rela) *)absolute(file, entry->d_un.d_ptr);
			break;
		case DT_RELASZ:
			file->bytes[1] = entry->d_un.d_val;
			break;
		}
	}
}

static bool read_file(struct file *file, const struct dl_phdr_info *info)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const ElfW(Dyn) *dynamic = NULL;

	*file = (struct file){ .bias = info->dlpi_addr };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)start;
		if (part->p_type == PT_GNU_RELRO) {      /* whole pages only, as the linker does it */
			file->read_only = start & -page;
			file->read_only_end = (start + part->p_memsz) & -page;
		}
	}
	if (dynamic)
		read_dynamic(file, dynamic);
	return file->symbols && file->names;
}

/* Another thread sees the one address or the other. */
static bool put(const struct file *file, uintptr_t slot, uintptr_t value)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	bool read_only = slot >= file->read_only && slot < file->read_only_end;

	if (read_only && mprotect((void *)(slot & -page), page, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n((uintptr_t *)slot, value, __ATOMIC_RELEASE);
	if (read_only)
		mprotect((void *)(slot & -page), page, PROT_READ);
	return true;
}

static bool grow(struct got_changes *done)
{
	size_t room = done->room ? 2 * done->room : 4096 / sizeof(*done->slots);
	void *slots = mmap(NULL, room * sizeof(*done->slots), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (slots == MAP_FAILED)
		return false;
	if (done->nr) {
		memcpy(slots, done->slots, done->nr * sizeof(*done->slots));
		munmap(done->slots, done->room * sizeof(*done->slots));
	}
	done->slots = slots;
	done->room = room;
	return true;
}

static void change_slot(struct work *work, const struct file *file, uintptr_t slot, uintptr_t with)
{
	struct got_changes *done = work->done;
	uintptr_t before = __atomic_load_n((uintptr_t *)slot, __ATOMIC_ACQUIRE);

	if (before == with)
		return;
	if ((done->nr == done->room && !grow(done)) || !put(file, slot, with)) {
		done->refused++;
		return;
	}
	done->slots[done->nr++] = (struct got_slot){ slot, before };
	work->changed++;
}

/* The last change counts: where a file was unloaded, another may have come to the same place. */
static void restore_slot(struct work *work, const struct file *file, uintptr_t slot, uintptr_t with)
{
	if (__atomic_load_n((uintptr_t *)slot, __ATOMIC_ACQUIRE) != with)
		return;
	for (size_t i = work->done->nr; i-- > 0;) {
		if (work->done->slots[i].slot != slot)
			continue;
		if (put(file, slot, work->done->slots[i].before))
			work->changed++;
		return;
	}
}

static const struct got_change *wanted(const struct work *work, const char *name)
{
	for (size_t i = 0; i < work->nr; i++)
		if (!strcmp(work->changes[i].name, name))
			return &work->changes[i];
	return NULL;
}

static void visit_table(struct work *work, const struct file *file, const ElfW(Rela) *relocations, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		int type = (int)ELF64_R_TYPE(relocations[i].r_info);
		const ElfW(Sym) *symbol = &file->symbols[ELF64_R_SYM(relocations[i].r_info)];
		uintptr_t slot = file->bias + relocations[i].r_offset;
		const struct got_change *change;

		if (type != RELOCATION_CALL && type != RELOCATION_ADDRESS)
			continue;
		change = wanted(work, file->names + symbol->st_name);
		if (change && work->restore)
			restore_slot(work, file, slot, change->with);
		else if (change)
			change_slot(work, file, slot, change->with);
	}
}

static int visit_file(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct work *work = context;
	struct file file;

	(void)bytes;
	if (!work->choose(info->dlpi_name ? info->dlpi_name : "") || !read_file(&file, info))
		return 0;
	for (int i = 0; i < 2; i++)
		if (file.tables[i])
			visit_table(work, &file, file.tables[i], file.bytes[i] / sizeof(ElfW(Rela)));
	return 0;
}

unsigned int got_change(const struct got_change *changes, size_t nr, got_chooser *choose, struct got_changes *done)
{
	struct work work = { .changes = changes, .nr = nr, .choose = choose, .done = done };

	dl_iterate_phdr(visit_file, &work);
	return work.changed;
}

void got_restore(const struct got_change *changes, size_t nr, got_chooser *choose, struct got_changes *done)
{
	struct work work = { .changes = changes, .nr = nr, .choose = choose, .done = done, .restore = true };

	dl_iterate_phdr(visit_file, &work);
	if (done->room)
		munmap(done->slots, done->room * sizeof(*done->slots));
	*done = (struct got_changes){ 0 };
}
