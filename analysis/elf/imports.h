/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ELF_IMPORTS_H
#define MEMSEARCH_ELF_IMPORTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The target of a call or jump: a function of this file, or one that the dynamic linker
 * finds by name. The names are in the relocations of the table of addresses that the
 * linkage table (PLT) and indirect calls read. x86-64 only: no targets on other architectures.
 *
 *     call f@plt ─▶ jmp *slot(%rip) ─▶ slot ─relocation─▶ "f"
 */
struct binary;

struct import {
	uint64_t slot; /* where the address of the function is put */
	uint64_t code; /* of the function, if this file has it, else 0 */
	const char *name;
};

struct target {
	const char *name; /* symbol; "" unknown */
	/* where a function of this file begins; 0: in another file, or unknown */
	uint64_t code;
};

/*
 * Target of the direct or linked call or jump in `code`, which `left` bytes of the same
 * function follow, the first of them at `address`. Returns the length of the instruction;
 * 0: it is none of these, or does not lead to the begin of a function.
 */
uint32_t imports_call(struct binary *binary, const unsigned char *code, uint64_t left,
		      uint64_t address, struct target *target_out);
uint32_t imports_jump(struct binary *binary, const unsigned char *code, uint64_t left,
		      uint64_t address, struct target *target_out);

/*
 * The function whose address the instruction reads from its slot into a register; NULL: another
 * instruction.
 */
const struct import *imports_load(struct binary *binary, const unsigned char *code, uint64_t left,
				  uint64_t address, unsigned int reg);

/* Where an exported function of that name begins; 0: there is none. */
uint64_t imports_exported(const struct binary *binary, const char *name);

#endif
