/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_LINKAGE_H
#define MEMSEARCH_CLONES_LINKAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { LINKAGE_BYTES = 16 }; /* of an entry, at most */

/*
 * The slot that the linkage table's entry at `code` (LINKAGE_BYTES are there) jumps through; 0:
 * this is no such entry. The architecture's.
 */
uintptr_t linkage_slot(uintptr_t code);
/* The code is what a slot leads to before its first use: it asks the dynamic linker. */
bool linkage_is_lazy(uintptr_t code);

#endif
