/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_WRITING_H
#define MEMSEARCH_CODE_WRITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes to the program's protected memory: tables of addresses that the linker made read-only
 * (RELRO). Two methods, because systems may forbid either: mprotect and back, and /proc/self/mem.
 * No malloc; uses a file descriptor temporarily. Preserves errno.
 */

/*
 * Protection (PROT_…) of the page at an address, from /proc/self/maps; -1: not mapped, or it cannot
 * be read.
 */
int writing_protection(uintptr_t address);

/*
 * Of several addresses, without those that are 0, reading the file once. `out`: the same number.
 */
void writing_protections(const uintptr_t *addresses, size_t nr, int *out);

/*
 * Writes an aligned word of a table, by one store if the page can be made writable, so that threads
 * that call through it read either the old or the new value. False: it could not be written.
 */
bool writing_word(uintptr_t *place, uintptr_t value);
/*
 * The same if the page's protection is known (PROT_…; -1: not mapped): for many words, without
 * reading /proc/self/maps for each.
 */
bool writing_known_word(uintptr_t *place, uintptr_t value, int protection);

#endif
