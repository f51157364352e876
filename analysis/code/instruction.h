/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_INSTRUCTION_H
#define MEMSEARCH_CODE_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/stretches.h"

/* One decoded instruction: what it does to control flow, registers, flags and memory. */
enum code_kind {
	/* continues with the next instruction (syscall, cpuid, int3 and int1 included) */
	CODE_PLAIN,
	CODE_JUMP, /* direct */
	/*
	 * direct and conditional: jcc, loop, jrcxz; xbegin, whose target is reached with all
	 * registers but rax restored
	 */
	CODE_BRANCH,
	CODE_CALL, /* direct */
	CODE_RETURN,
	CODE_JUMP_INDIRECT,
	CODE_CALL_INDIRECT,
	/* control does not continue: ud2, hlt; int3 or int1 as the last instruction */
	CODE_STOP,
	/* cannot be copied: far transfers, undecodable bytes …; see code->refusal */
	CODE_REFUSED,
};

/*
 * General registers are bits 0 (rax) … 15 (r15) in the encoding's order; writes that keep bits, or
 * may keep all, count as reads, too.
 */
#define CODE_NO_REGISTER 0xff
#define CODE_RIP 0xfe
enum { CODE_RSP = 4, CODE_RBP = 5 };

/*
 * One memory operand; lea, prefetches and nops have none. Its address comes from the registers as
 * they are before the instruction.
 */
struct code_access {
	uint8_t kind; /* enum code_access_kind */
	bool read, write;
	/* the instruction uses a vector or x87 register */
	bool is_float;
	/* a write that bypasses the caches; loads with such a hint are ordinary loads */
	bool non_temporal;
	/* reads and writes as one, before all later accesses: x86 with LOCK, and xchg */
	bool atomic;
	/* registers or CODE_NO_REGISTER; base CODE_RIP: displacement is the absolute address */
	uint8_t base, index, scale; /* scale: 1, 2, 4, 8 */
	uint8_t segment;            /* 0: none, 'f', 'g' */
	uint8_t lanes;              /* LANES, MASKED, PACKED: number of elements */
	/*
	 * LANES, MASKED, PACKED: number of the opmask or (vector_mask) vector register, whose
	 * elements' top bits count
	 */
	uint8_t mask;
	bool vector_mask;
	uint8_t index_vector; /* LANES: number of the vector register with the indices */
	uint8_t index_size;   /* LANES: 4 or 8 bytes, signed */
	/* LANES: of the index register, MASKED: of a vector with the mask: 16, 32, 64 */
	uint16_t vector_bytes;
	bool address_32; /* address-size prefix: the sum is cut to 32 bits */
	uint32_t size;   /* bytes, of one element where there are several */
	int64_t displacement;
};

/* the instruction's only effect is to set the one register it writes to … */
enum code_loads {
	CODE_LOADS_NOTHING,  /* none of these */
	CODE_LOADS_ADDRESS,  /* `target`, by lea */
	CODE_LOADS_CONSTANT, /* decode_constant, without its sign */
};

/*
 * The instruction's only effect is to set the one register it writes to base + index * scale +
 * displacement (64 bits, flags apart); scale 0: another instruction.
 */
struct code_sum {
	uint8_t base, index, scale;
	int32_t displacement;
};

struct code_instruction {
	/* from the function's start; ascending, but for rows of length 0 */
	uint32_t offset;
	uint8_t length; /* 0: a jump that is not in the code */
	uint8_t kind;   /* enum code_kind */
	/* position of the 4-byte displacement of a RIP-relative operand; 0: none */
	uint8_t rip_offset;
	uint8_t nr_accesses;
	uint8_t loads;         /* enum code_loads */
	uint32_t first_access; /* in code->accesses */
	/* general registers among `reads` that are operands by name, not parts of addresses */
	uint16_t values;
	/*
	 * general registers; calls and returns: effect of the instruction itself, not of the
	 * callee; syscall: including the kernel's
	 */
	uint16_t reads, writes;
	/*
	 * CF PF AF ZF SF OF DF as enum code_flag; left undefined counts as written, not written for
	 * certain (shift by cl) does not
	 */
	uint16_t flags_read, flags_written;
	struct code_sum sum;
	/*
	 * the instruction's only effect is to add this value to the one register it writes (64
	 * bits, flags apart); 0: another instruction
	 */
	int32_t step;
	/*
	 * the instruction's only effect is to set one register to a register plus a constant (32 or
	 * 64 bits, flags apart)
	 */
	bool counts;
	/* JUMP, BRANCH, CALL: where to; with rip_offset: the operand's address */
	uint64_t target;
};

enum code_flag {
	CODE_CF = 1,
	CODE_PF = 2,
	CODE_AF = 4,
	CODE_ZF = 8,
	CODE_SF = 16,
	CODE_OF = 32,
	CODE_DF = 64,
	CODE_FLAGS_STATUS = 63
};

/*
 * Whether the access is to a word of the function's frame, where compilers keep values without a
 * register.
 */
static inline bool code_is_in_frame(const struct code_access *access)
{
	return access->kind == CODE_ACCESS_PLAIN &&
	       (access->base == CODE_RSP || access->base == CODE_RBP) &&
	       access->index == CODE_NO_REGISTER && !access->segment;
}

static inline bool code_ends_block(const struct code_instruction *instruction)
{
	return instruction->kind != CODE_PLAIN;
}

#endif
