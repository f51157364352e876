/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_OWN_IMPORTS_H
#define MEMSEARCH_BASE_OWN_IMPORTS_H

/*
 * What memsearch's libraries import in the user's process. The dynamic linker searches the program
 * and its libraries before libc, so that a variable `time`, a function `read`, or another version of
 * libzstd there would take the place of what memsearch means. Such slots are led to libc, or to a
 * library that was loaded for memsearch; malloc and related functions stay those of the program.
 *
 *     program: double time;        memsearch-core.so: call time@plt ─▶ jmp *slot ─▶ libc: time
 *
 * Not under sanitizers, whose functions know what libc's do. No malloc but in dlopen, and until a
 * file's imports are bound no call of a function that could be replaced.
 */

/*
 * Of libmemsearch.so or libmemsearch-gomp.so, which contains this code; once. Before another thread
 * calls functions of the file.
 */
void own_imports_bind(void);
/*
 * dlopen of a library for memsearch, with RTLD_NOW and RTLD_LOCAL: binds what it and the libraries
 * loaded with it import. NULL: dlerror has why.
 */
void *own_imports_open(const char *path);

#endif
