/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ELF_FUNCTION_NAMES_H
#define MEMSEARCH_ELF_FUNCTION_NAMES_H

#include <stdbool.h>

/*
 * From a linker symbol to the function as its author wrote it: without what
 * compilers append when they split functions (`._omp_fn.0`, `.omp_outlined`,
 * `..omp_par.1`, `.constprop.0`), C++ demangled and without parameters, Fortran
 * modules as `module::name`. Knows symbols only, no debug information.
 */
struct arena;

#define NAME_OF_FORTRAN_MAIN "main program"

/*
 * `fortran`: a trailing underscore is the compiler's. "" where the symbol hides the name; NULL: no
 * memory.
 */
const char *name_user(struct arena *arena, const char *symbol, bool fortran);

/* Does the symbol belong to the body of an OpenMP construct made by the compiler? */
bool name_is_outlined(const char *symbol);
/* The host's version of a target construct, as clang names it. */
bool name_is_of_target(const char *symbol);
bool name_is_gcc_outlined(const char *symbol);

/* Does a linkage name say more than the plain name: a scope, in C++ or a Fortran module? */
bool name_has_scope(const char *linkage_name);

#endif
