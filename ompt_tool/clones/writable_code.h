/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_WRITABLE_CODE_H
#define MEMSEARCH_CLONES_WRITABLE_CODE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Code that the program may change while it runs: code in writable memory. One thread at a time, at
 * phase boundaries; opens a file.
 */

/* Reads which code is writable now; again after the program changed protections. */
void writable_code_update(void);
/* Whether any of [start, end) was writable then. */
bool writable_code_meets(uintptr_t start, uintptr_t end);

#endif
