/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_CFI_H
#define MEMSEARCH_CODE_CFI_H

#include "ompt_tool/code/bytes.h"

/*
 * Call frame information of one function: a CIE and an FDE of .eh_frame (LSB Core 5.0, 10.6.1). Instructions
 * that libgcc's unwinder does not execute are errors. Any thread; allocates nothing.
 */
/*
 * Call frame instructions (DWARF 5, 6.4.2); the upper two bits of the first three leave the lower
 * six for an operand.
 */
enum {
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_PACKED = 0xc0,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_1 = 0x02,
	CFA_ADVANCE_2 = 0x03,
	CFA_ADVANCE_4 = 0x04,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEFINE = 0x0c,
	CFA_DEFINE_REGISTER = 0x0d,
	CFA_DEFINE_OFFSET = 0x0e,
	CFA_DEFINE_EXPRESSION = 0x0f,
};

/* Columns of rbp and of the return address: psABI x86-64 1.0, table 3.36. */
enum { CFI_FRAME_POINTER = 6, CFI_RETURN_ADDRESS = 16 };

struct cfi {
	uint64_t code_alignment;
	int64_t data_alignment;
	uint8_t version;
	uint8_t pointer_encoding; /* of locations */
	uint8_t personality_encoding, lsda_encoding;
	bool augmented, signal_frame;
	struct bytes initial, instructions;
	uintptr_t start, end;
	/* as stored: with BYTES_INDIRECT the address of a pointer to it; 0: none */
	uintptr_t personality;
	uintptr_t lsda; /* 0: none */
};

/* Reads no further than `memory_end`. False: *why_out is the unsupported feature. */
bool cfi_read(const unsigned char *fde, const unsigned char *cie, const unsigned char *memory_end,
	      struct cfi *out, const char **why_out);

/*
 * Operands of an instruction that does not advance the location: u ULEB128, s SLEB128, e
 * expression. NULL: unknown, or it advances.
 */
const char *cfi_operands(unsigned char code);

#endif
