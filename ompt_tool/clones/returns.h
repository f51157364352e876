/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_RETURNS_H
#define MEMSEARCH_CLONES_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Replaces return addresses, for any pair of original and copy; switching_return and
 * switching_frames do this for clones. Callbacks allowed, to the same extent as those two
 * functions.
 */
struct return_places {
	uintptr_t (*after_call)(uintptr_t address); /* clone_after_call */
	uintptr_t (*original)(uintptr_t address);   /* clone_original */
};

bool return_move(const struct return_places *places, uintptr_t *slot, uintptr_t expected, bool on);
unsigned int return_move_frames(const struct return_places *places, bool on);

/*
 * Whether the calling thread has a shadow stack of return addresses (x86: CET). Returning to any
 * other address than the recorded one then terminates the process.
 */
bool return_shadow_stack(void);

#endif
