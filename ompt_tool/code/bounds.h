/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_BOUNDS_H
#define MEMSEARCH_CODE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Begin and end of a function of the running process, by its unwind information (.eh_frame through
 * .eh_frame_hdr; LSB Core 5.0, 10.6): it exists in stripped binaries, too, and unlike a symbol's
 * size it is exact. A function without unwind information cannot be unwound by exceptions; its
 * bounds come from its symbol (symbols.h), which is cached until modules are loaded or unloaded, its
 * frames from .debug_frame (debug_frame.h) where the file has this section.
 *
 * Any thread; not in callbacks (iterates loaded modules, opens files). Allocates nothing. Returned
 * pointers are valid while the module is loaded.
 */
struct code_bounds {
	uintptr_t start, end; /* machine code is at [start, end) */
	/* records from their length field on, NULL: none, bounds are from the symbol alone */
	const unsigned char *fde, *cie;
	/* end of the copy of .debug_frame that has them; NULL: they are in .eh_frame */
	const unsigned char *debug_end;
	uintptr_t personality; /* personality routine of exceptions; 0: none */
	uintptr_t lsda;        /* the routine's table (.gcc_except_table); 0: none */
	bool signal_frame;
};

enum code_bounds_result {
	CODE_BOUNDS_FOUND,
	CODE_BOUNDS_NO_MODULE, /* no loaded file has code there */
	/* no unwind information for this address, and no reliable symbol */
	CODE_BOUNDS_NONE,
	/* the information points outside of the module or contradicts itself */
	CODE_BOUNDS_BROKEN,
};

enum code_bounds_result code_bounds_find(uintptr_t address, struct code_bounds *out);
/* By the unwind information of one module (dl_iterate_phdr(3)) alone. */
struct dl_phdr_info;
enum code_bounds_result code_bounds_find_in(const struct dl_phdr_info *module, uintptr_t address,
					    struct code_bounds *out);
/* The readable segment of a loaded file around an address. False: there is none. */
bool code_segment_around(uintptr_t address, uintptr_t *start_out, uintptr_t *end_out);
/* Constant text for reports. */
const char *code_bounds_text(enum code_bounds_result result);

#endif
