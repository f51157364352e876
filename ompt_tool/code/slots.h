/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_SLOTS_H
#define MEMSEARCH_CODE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The words of a loaded module into which the dynamic linker puts addresses of functions
 * by name: for calls (JUMP_SLOT), for calls and pointers (GLOB_DAT), and pointers in the
 * module's data (on x86-64 R_X86_64_64). Reads the module's own tables in memory, not its file.
 */
struct dl_phdr_info;

struct slot {
	uintptr_t *place;
	const char *name;
	bool call;               /* JUMP_SLOT: before the first call it may lead to the linker */
	bool defined;            /* the module has a function of that name itself */
	uintptr_t linkage;       /* where the module's own linkage entry (PLT) stands for the function's address; 0: nowhere */
};

/* Within a callback of dl_iterate_phdr; name and place live as long as the module. Tables that lead out of the module yield nothing. */
void slots_of_module(const struct dl_phdr_info *module, void (*visit)(void *ctx, const struct slot *slot), void *ctx);

/* Is the address in memory that the module was given when it was loaded? */
bool slots_module_has(const struct dl_phdr_info *module, uintptr_t address);

#endif
