/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CALLEE_H
#define MEMSEARCH_CLONES_CALLEE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a call leads to, in the running process: through an entry of the linkage table (PLT), and
 * by which name. Modules and their imports are remembered until others are loaded. One thread at a time, not in callbacks.
 */
enum callee_range { CALLEE_OTHER, CALLEE_COPIES, CALLEE_SETS };       /* memcpy, memmove: to, from, bytes; memset: to, value, bytes */

struct callee {
	uintptr_t function;              /* where the code begins; 0: not known before it runs */
	const char *name;                /* of an import; NULL: it is none, or the module's own for this CPU. Lives as long as its module */
	enum callee_range range;
	uintptr_t slot;                  /* the word that the linkage table reads on the way; 0: it leads there directly */
};

/* Looks which modules are loaded; before the others below. False: no memory. */
bool callee_look(void);
/* A direct call or jump to `target`. */
struct callee callee_of(uintptr_t target);
/* A call through the word at `slot`, if this is a module's table of imports; else `name` is NULL and `function` 0. */
struct callee callee_through(uintptr_t slot);
/* Its function, or of an import not called yet what the dynamic linker finds first by that name; 0: neither is known. */
uintptr_t callee_resolved(const struct callee *callee);
/* Of an import not called yet: what it will be bound to, where no versions of symbols decide; else 0. */
uintptr_t callee_bound_first(const struct callee *callee);
/*
 * Whether a function is what Fortran compilers call for statements of input and output, or for an item of one, by its symbol. Each leads to most of
 * such a library: of flang's, which is linked into the program, half a megabyte of code.
 */
bool callee_is_statement(uintptr_t function);
/* Where the module around an address begins; 0: there is none. */
uintptr_t callee_module(uintptr_t address);
/* The module's file and place as a number; 0: there is none. */
uint64_t callee_identity(uintptr_t address);
/*
 * Whether code is an OpenMP runtime's or memsearch's own: they report return addresses, which are led back (clone_original), or keep them for
 * the allocations of the program.
 */
bool callee_is_runtimes(uintptr_t function);
/*
 * Whether code is of a library whose functions that use return addresses are known by name (outside.c): libc, libm, libgcc_s, libstdc++,
 * libgfortran.
 */
bool callee_is_surveyed(uintptr_t function);
/* How many modules were loaded and unloaded until callee_look. */
unsigned long long callee_loaded(void);
unsigned long long callee_unloaded(void);

#endif
