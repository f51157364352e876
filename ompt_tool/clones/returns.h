/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_RETURNS_H
#define MEMSEARCH_CLONES_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return addresses replaced, for any pair of original and copy; switching_return and
 * switching_frames are these for clones. Callbacks allowed, as far as the two functions are.
 */
struct return_places {
	uintptr_t (*after_call)(uintptr_t address); /* clone_after_call */
	uintptr_t (*original)(uintptr_t address);   /* clone_original */
};

bool return_move(const struct return_places *places, uintptr_t *slot, uintptr_t expected, bool on);
unsigned int return_move_frames(const struct return_places *places, bool on);

/*
 * Has the calling thread a second stack of return addresses that the processor compares (x86: CET)?
 * A return to any other address than the one called from then ends the process.
 */
bool return_shadow_stack(void);

#endif
