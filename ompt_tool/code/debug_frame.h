/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_DEBUG_FRAME_H
#define MEMSEARCH_CODE_DEBUG_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Call frame information for debuggers (.debug_frame; DWARF 5, 6.4.1) of functions without .eh_frame:
 * flang's procedures of modules have no other. Unwinders do not know it: no stack walk of the program
 * passes such a function.
 *
 * The section is read from the file once and kept, with its records in the form of .eh_frame (cfi.h).
 * Compressed ones, and files of debugging information apart from the code, are not read. Any thread;
 * not in callbacks (opens files). No malloc.
 */
struct dl_phdr_info;

/* An FDE, its CIE, and the end of the memory they lie in. */
struct debug_frame {
	const unsigned char *fde, *cie, *end;
};
/* The record of the function at [start, end). False: there is none. */
bool debug_frame_find(const struct dl_phdr_info *module, uintptr_t start, uintptr_t end,
		      struct debug_frame *out);

#endif
