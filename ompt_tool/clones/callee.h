/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CALLEE_H
#define MEMSEARCH_CLONES_CALLEE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Target of a call in the running process: directly or through the linkage table (PLT), and its
 * name. Modules and their imports are cached until others are loaded. One thread at a time, not in
 * callbacks.
 */
/* memcpy, memmove: to, from, bytes; memset: to, value, bytes */
enum callee_range { CALLEE_OTHER, CALLEE_COPIES, CALLEE_SETS };

struct callee {
	uintptr_t function; /* begin of its code; 0: known at run time only */
	/*
	 * of an import; NULL: no import, or the module's own IFUNC. Valid while the module is
	 * loaded
	 */
	const char *name;
	const char *version; /* of an unbound import's symbol; NULL: none */
	enum callee_range range;
	uintptr_t slot; /* the word that the linkage table reads; 0: direct call */
};

struct code_instruction;

/* Updates the list of loaded modules; before the functions below. False: no memory. */
bool callee_look(void);
/* A direct call or jump to `target`. */
struct callee callee_of(uintptr_t target);
/*
 * A call through the word at `slot` of a module's table of imports; any other: `name` is NULL and
 * `function` 0.
 */
struct callee callee_through(uintptr_t slot);
/* The name of what an instruction calls, directly or through a table of imports; "": unknown. */
const char *callee_name(const struct code_instruction *in);
/*
 * Its function; of an unbound import the first definition of that name in the linker's order; 0:
 * unknown.
 */
uintptr_t callee_resolved(const struct callee *callee);
/*
 * The function to which an unbound import will be bound; 0: unknown, as of a symbol without version
 * in a library with versions.
 */
uintptr_t callee_bound_first(const struct callee *callee);
/*
 * Whether a function, by its symbol, implements input and output statements of a Fortran runtime.
 * Each calls most of that library: of flang's, which is linked into the program, half a megabyte of
 * code.
 */
bool callee_is_statement(uintptr_t function);
/* Begin of the module at an address; 0: none. */
uintptr_t callee_module(uintptr_t address);
/* The module's file and address as one number; 0: none. */
uint64_t callee_identity(uintptr_t address);
/*
 * Whether code is of an OpenMP runtime or of memsearch: both use return addresses, and translate
 * them (clone_original).
 */
bool callee_is_runtimes(uintptr_t function);
/*
 * Whether code is of a library whose functions with use of return addresses are listed (outside.c):
 * libc, libm, libgcc_s, libstdc++, libgfortran, and of the kernel's vDSO, which has none.
 */
bool callee_is_surveyed(uintptr_t function);
/* Numbers of modules loaded and unloaded until callee_look. */
unsigned long long callee_loaded(void);
unsigned long long callee_unloaded(void);

#endif
