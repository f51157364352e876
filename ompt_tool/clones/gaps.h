/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_GAPS_H
#define MEMSEARCH_CLONES_GAPS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Free addresses of this process (memory_map.h). Another thread may map something there before the
 * caller does; the caller therefore maps without replacing.
 */

/*
 * Begin of `bytes` free bytes within `reach` of `address`, the nearest that leave their neighbours
 * room to grow; 0: none.
 */
uintptr_t gaps_near(uintptr_t address, size_t bytes, uintptr_t reach);

#endif
