/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CFI_COPY_H
#define MEMSEARCH_CLONES_CFI_COPY_H

#include "ompt_tool/clones/unwind.h"
#include "ompt_tool/code/cfi.h"

/*
 * Call frame information of a copy: only locations change; what the rules say of registers and the
 * stack is kept byte for byte.
 */

/*
 * Offset in the copy of the instruction at offset `original`; false: no instruction begins there.
 * O(log n).
 */
bool cfi_place(const struct unwind_function *function, uint64_t original, uint32_t *copy_out);

/*
 * A CIE for copies: as the original's, but with pointers in 8 bytes; and its FDE.
 * Records begin and end at multiples of 8 in `out`, and so does its memory.
 */
void cfi_write_cie(const struct cfi *cfi, uintptr_t personality, struct packing *out);
/* *lsda_slot_out: place of the 8 bytes of the LSDA's address, set later; 0: none. */
bool cfi_write_fde(const struct cfi *cfi, const struct unwind_function *function, size_t cie,
		   bool personality, struct packing *out, size_t *lsda_slot_out,
		   const char **why_out);

#endif
