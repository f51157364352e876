/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_SLOTS_H
#define MEMSEARCH_CODE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The words of a loaded module into which the dynamic linker puts addresses of functions
 * by name. Reads the module's own tables in memory, not its file.
 */
struct dl_phdr_info;

enum slot_kind {
	SLOT_CALL,    /* JUMP_SLOT: before the first call it may lead to the linker */
	SLOT_ADDRESS, /* GLOB_DAT, for calls and pointers */
	SLOT_POINTER, /* in the module's data: on x86-64 R_X86_64_64 */
	/*
	 * IRELATIVE: chosen by the module for this CPU when it was loaded, mostly a function of its
	 * own; the name is ""
	 */
	SLOT_CHOSEN,
};

struct slot {
	uintptr_t *place;
	const char *name;
	enum slot_kind kind;
	bool read_only; /* protected by the linker after it was filled (RELRO) */
	bool defined;   /* the module has a function of that name itself */
	/* the module's own linkage entry (PLT), if it is used as the function's address; 0: none */
	uintptr_t linkage;
	const struct slots_tables *tables; /* of the module */
	uint32_t symbol;                   /* in them */
};

/*
 * Within a callback of dl_iterate_phdr; name and place are valid while the module is loaded. Tables
 * that point outside of the module yield nothing.
 */
void slots_of_module(const struct dl_phdr_info *module,
		     void (*visit)(void *ctx, const struct slot *slot), void *ctx);

/*
 * The version of its symbol that the module requires (LSB Core 5.0, 10.7 "Symbol Versioning"); NULL:
 * none. Within the visit; valid while the module is loaded.
 */
const char *slots_version(const struct slot *slot);

/*
 * Redirected calls: slots of a name, but not pointers in data, get another address. No text is
 * written.
 *
 *     call f@plt ─▶ jmp *slot ─▶ f              call f@plt ─▶ jmp *slot ─▶ wrapper ─▶ f
 */
struct slots_change {
	const char *name; /* symbol */
	uintptr_t with;   /* new value of its slots */
	uintptr_t from;   /* only slots with this value; 0: all */
	/* with `from`: also slots that the linker has not bound yet */
	bool unbound;
};

struct slots_changed {
	unsigned int nr;
	unsigned int refused; /* could not be written */
};

/* Whether the slots of the file at `path` are to be changed; "" is the program itself. */
typedef bool slots_chooser(const char *path);

/*
 * Changes the slots of every loaded file that is chosen; call again after dlopen. Already changed
 * slots and slots with addresses in memsearch's code, which forwards calls (clones/guard.h), stay.
 * One thread at a time; others may call through the slots meanwhile. Not in callbacks: takes the
 * dynamic linker's lock. No malloc.
 */
struct slots_changed slots_change(const struct slots_change *changes, size_t nr,
				  slots_chooser *choose);

/* Whether the address is in memory of the module's segments. */
bool slots_module_has(const struct dl_phdr_info *module, uintptr_t address);

#endif
