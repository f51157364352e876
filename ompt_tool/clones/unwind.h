/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_UNWIND_H
#define MEMSEARCH_CLONES_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/code/bounds.h"

/*
 * Unwind information for clones: the original's call frame instructions (DWARF 5, 6.4) with the
 * locations of the copy, and, where a function has one, its table of call sites, landing pads, actions and types
 * (LSDA; as libgcc's unwind-dw2 and libsupc++'s eh_personality read it), rewritten for the copy. Personality
 * routines stay the program's own. A function whose tables are not wholly understood is refused.
 *
 * One thread at a time.
 */
struct unwind_place { uint32_t original, copy; };        /* offsets; sorted by both: every instruction's begin, and the ends */

struct unwind_function {
	const struct code_bounds *bounds;
	uintptr_t copy, copy_end;
	const struct unwind_place *places;
	size_t nr;
};

/* Addresses in the original where the unwinder may enter, sorted, in the arena. False: the table is not understood (*why_out). */
struct arena;
bool unwind_landing_pads(struct arena *arena, const struct code_bounds *bounds, const uintptr_t **pads_out, size_t *nr_out, const char **why_out);

/*
 * A section (.eh_frame with its LSDAs behind it) for many functions, in one piece, because registered sections
 * are searched one after another. `place`: where it will lie; within 2 GiB of all copies; bytes needed in *bytes_out
 * (call with place NULL first). Pointers in it are absolute or relative to `place`. False: a function is not understood: *bad_out
 * is its index, *why_out the reason; leave it out and call again.
 */
bool unwind_write(const struct unwind_function *functions, size_t nr, unsigned char *place, size_t room, size_t *bytes_out,
		  size_t *bad_out, const char **why_out);

/*
 * Makes the program's unwinder(s) know the section, for good: __register_frame of every libgcc_s (or libunwind) loaded in the
 * process, found by name, because the program's may be another than ours. False: none has it; then nothing of the
 * program can throw, either.
 */
bool unwind_register(const unsigned char *section);

#endif
