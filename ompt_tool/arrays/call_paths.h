/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_CALL_PATHS_H
#define MEMSEARCH_ARRAYS_CALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Call paths of allocations that were unwound before. The distance on the stack from a return
 * address to the caller's is mostly constant, so that the caller's return address can be read at
 * that distance. A path is used only if unwinding found exactly its return addresses before. A
 * frame whose distance varies (alloca) or is large is never followed.
 *
 * No malloc; any thread; readers take no lock.
 */
/* of the program's original code; the stack pointer before the call that returns there */
struct path_frame {
	uintptr_t address;
	uintptr_t stack;
};

/* False: no memory. `original`: as heap_translate's, NULL: none. */
bool paths_start(uintptr_t (*original)(uintptr_t address));
/* The value stored for the path that returns to `address`; false: it must be unwound. */
bool paths_find(uintptr_t address, const void *stack, uint32_t *value_out);
/* Stores the frames of an unwound path, innermost first, and the value to return for it later. */
void paths_learn(const struct path_frame *frames, size_t nr, uint32_t value);
/* Whether the distance from that frame of the path to the next was found to vary. */
bool paths_vary(const struct path_frame *frames, size_t nr);

#endif
