/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_ENTRY_BYTES_H
#define MEMSEARCH_CLONES_ENTRY_BYTES_H

#include <stdint.h>

/*
 * Whether the first bytes of a function can be replaced by a jump: they must belong to it alone, and nobody may
 * come to the middle of them, be it by a jump of its own, of its cold part, through a table, as an exception, or by returning
 * from a call.
 */
#define ENTRY_BYTES 5                    /* jmp rel32 */

/* NULL: they can. Else why not, in words that live for ever. Not in callbacks. */
const char *entry_bytes_refusal(uintptr_t function);

#endif
