/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_BOUNDS_H
#define MEMSEARCH_CODE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where a function of the running process begins and ends, as its unwind information says
 * (.eh_frame through .eh_frame_hdr; LSB Core 5.0, 10.6): it is there in stripped binaries, too, and
 * unlike a symbol's size it is never a guess. Where a function has none, nothing can be thrown
 * through it, and its symbol tells (symbols.h); what symbols said last is kept until modules come
 * or go.
 *
 * Any thread; not in callbacks (walks the loaded modules, opens files). No memory is taken. What is
 * handed out lives as long as the module is loaded.
 */
struct code_bounds {
	uintptr_t start, end; /* machine code is at [start, end) */
	/* records in .eh_frame, from their length on; NULL: known by its symbol */
	const unsigned char *fde, *cie;
	uintptr_t personality; /* routine that exceptions ask; 0: none */
	uintptr_t lsda;        /* what it reads (.gcc_except_table); 0: none */
	bool signal_frame;
};

enum code_bounds_result {
	CODE_BOUNDS_FOUND,
	CODE_BOUNDS_NO_MODULE, /* no loaded file has code there */
	/* no unwind information for this address, nor a symbol to believe */
	CODE_BOUNDS_NONE,
	/* what it has leads out of the module or contradicts itself */
	CODE_BOUNDS_BROKEN,
};

enum code_bounds_result code_bounds_find(uintptr_t address, struct code_bounds *out);
/* By the unwind information of one module (dl_iterate_phdr(3)) alone. */
struct dl_phdr_info;
enum code_bounds_result code_bounds_find_in(const struct dl_phdr_info *module, uintptr_t address,
					    struct code_bounds *out);
/* Whether a loaded file has these bytes in a readable segment; the segment around an address. */
bool code_is_loaded(uintptr_t address, size_t bytes);
bool code_segment_around(uintptr_t address, uintptr_t *start_out, uintptr_t *end_out);
/* In words, for reports. */
const char *code_bounds_text(enum code_bounds_result result);

#endif
