/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CHANGING_H
#define MEMSEARCH_CLONES_CHANGING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Code that the program may change while it runs: code in writable memory. One thread at a time, at phase boundaries; opens a file.
 */

/* Reads which code is writable now; again after the program changed protections. */
void changing_look(void);
/* Whether some of [start, end) was then. */
bool changing_may(uintptr_t start, uintptr_t end);

#endif
