/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_WRITING_H
#define MEMSEARCH_CODE_WRITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writing into the program's protected memory: tables of addresses that the linker made
 * read-only (RELRO). Two ways, as systems refuse one or the other: mprotect and back,
 * and /proc/self/mem. No malloc; needs a file descriptor for a moment. Errno is kept.
 */

/*
 * PROT_… of the page at an address, by /proc/self/maps; -1: nothing is mapped there, or it cannot
 * be read.
 */
int writing_protection(uintptr_t address);

/*
 * A word of a table, aligned, in one store where the page can be made writable, so that threads
 * that call through it see one or the other.
 */
bool writing_word(uintptr_t *place, uintptr_t value);
/*
 * The same where the page's protection is known (PROT_…; -1: not mapped): for many words, as maps
 * is not read for each.
 */
bool writing_known_word(uintptr_t *place, uintptr_t value, int protection);

#endif
