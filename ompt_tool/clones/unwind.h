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
 * It is right at every instruction of the original and after every call. It does not know what probes push: within a probe,
 * in what a probe calls and in code behind the last place, unwinding is wrong. So probes must not throw, and what
 * unwinds at any instruction (a signal handler that prints the stack) may see a frame too few.
 *
 * One thread at a time; not in callbacks (walks the loaded modules).
 */

/*
 * Offsets, sorted by both: of every instruction's begin, in the copy that of its probes, and of both ends. Nothing
 * stands between an original call and the place of what follows it but what belongs to that.
 */
struct unwind_place { uint32_t original, copy; };

struct unwind_function {
	const struct code_bounds *bounds;
	uintptr_t copy, copy_end;
	const struct unwind_place *places;
	size_t nr;
};

/* A function's call frame information, for functions with an FDE. False: it is not understood (*why_out). */
struct cfi;
bool unwind_cfi(const struct code_bounds *bounds, struct cfi *out, const char **why_out);

/* Addresses in the original where the unwinder may enter, sorted, in the arena. False: the table is not understood (*why_out). */
struct arena;
bool unwind_landing_pads(struct arena *arena, const struct code_bounds *bounds, const uintptr_t **pads_out, size_t *nr_out, const char **why_out);

/*
 * A section (.eh_frame with its LSDAs behind it) for many functions, in one piece, because registered sections
 * are searched one after another. `place`: where it will lie, a multiple of 16; bytes needed in *bytes_out
 * (call with place NULL first). Pointers in it are absolute. Copies that do not follow each other closely (more than a page apart: in
 * arenas of several modules) get sections of their own in the piece, because unwinders expect that the functions of two sections do
 * not lie in each other's midst; take memory for copies in ascending order, therefore. False: a function is not understood: *bad_out
 * is its index, *why_out the reason; leave it out and call again. *bad_out is nr where no function is to blame.
 */
bool unwind_write(const struct unwind_function *functions, size_t nr, unsigned char *place, size_t room, size_t *bytes_out,
		  size_t *bad_out, const char **why_out);

/*
 * Registers what unwind_write wrote with the program's unwinder(s), permanently: __register_frame of every libgcc_s (or libunwind) loaded in the
 * process, found by name, because the program's may be another than ours; a process without any gets libgcc_s, which the C library
 * would open at its first need. Registers earlier sections with unwinders loaded since. The memory must not change.
 * Libgcc before 13 searches sections linearly; adjacent ones are joined for it (unwinders.h), so that
 * their number of functions matters little.
 * False: the program's unwinder is out of reach (linked statically), or code of an earlier section lies inside
 * this one's; then the section's functions must not be run.
 */
bool unwind_register(const unsigned char *section);

#endif
