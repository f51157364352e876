/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_LINKAGE_H
#define MEMSEARCH_CLONES_LINKAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { LINKAGE_BYTES = 16 }; /* of an entry, at most */

/*
 * The slot through which the linkage table's entry at `code` jumps (LINKAGE_BYTES must be
 * readable); 0: no such entry. Implemented per architecture.
 */
uintptr_t linkage_slot(uintptr_t code);
/*
 * Whether the code is the target of a slot before its first use, which calls the dynamic linker's
 * lazy binding.
 */
bool linkage_is_lazy(uintptr_t code);

#endif
