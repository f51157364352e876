/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_UNWIND_H
#define MEMSEARCH_CLONES_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/code/bounds.h"

/*
 * Unwind information for clones: the original's call-frame instructions (DWARF 5, 6.4) with the
 * locations of the copy, and a function's table of call sites, landing pads, actions and types, if
 * any (LSDA; as libgcc's unwind-dw2 and libsupc++'s eh_personality read it), rewritten for the
 * copy. Personality routines are those of the program. A function with unsupported tables is
 * refused.
 *
 * It is exact at every instruction of the original and after every call. It does not describe
 * pushes of probes: within a probe, in its callees and in code after the last place, unwinding is
 * wrong. So probes must not throw, and a signal handler that unwinds may miss a frame.
 *
 * One thread at a time; not in callbacks (iterates modules).
 */

/*
 * Offsets, sorted by both: of every instruction's begin, in the copy that of its probes, and of
 * both ends. Between an original call and the next place there is only code of that place.
 */
struct unwind_place {
	uint32_t original, copy;
};

struct unwind_function {
	const struct code_bounds *bounds;
	uintptr_t copy, copy_end;
	const struct unwind_place *places;
	size_t nr;
};

/* A function's call-frame information, if it has an FDE. False: unsupported (*why_out). */
struct cfi;
bool unwind_cfi(const struct code_bounds *bounds, struct cfi *out, const char **why_out);

/* Landing pads of the original, sorted, in the arena. False: unsupported table (*why_out). */
struct arena;
bool unwind_landing_pads(struct arena *arena, const struct code_bounds *bounds,
			 const uintptr_t **pads_out, size_t *nr_out, const char **why_out);

/*
 * One section (.eh_frame followed by its LSDAs) for many functions, because unwinders search
 * registered sections linearly. `place`: its final address, a multiple of 16; needed bytes in
 * *bytes_out (call with place NULL first). Pointers in it are absolute. Copies more than a page
 * apart (near different modules) get separate sections in the same memory, because unwinders
 * require that address ranges of sections do not overlap; so allocate copies at ascending
 * addresses. False: a function is unsupported: *bad_out is its index, *why_out the reason; remove
 * it and call again. *bad_out is nr for other errors.
 */
bool unwind_write(const struct unwind_function *functions, size_t nr, unsigned char *place,
		  size_t room, size_t *bytes_out, size_t *bad_out, const char **why_out);

/*
 * Registers the result of unwind_write with all unwinders of the process, permanently:
 * __register_frame of every libgcc_s or libunwind, found by name, because the program's may differ
 * from ours. Without any it loads libgcc_s, as the C library does when it unwinds. Registers
 * earlier sections with unwinders loaded since. The memory must not change. For libgcc before 13,
 * which searches sections linearly, adjacent sections are joined (unwinders.h). False: the
 * program's unwinder is statically linked, or the address range overlaps an earlier section; the
 * section's functions must not be run.
 */
bool unwind_register(const unsigned char *section);

#endif
