/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_ENCODE_H
#define MEMSEARCH_CLONES_X86_64_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Encodes the few instructions that probes consist of (Intel SDM 2, chapter 2 and the instructions'
 * pages). None of them changes a flag except those with `test`, `cmp` or `sub` in their name.
 * Registers: 0 rax … 15 r15.
 */
struct encoder {
	/* where the next byte is written; when there is no room `full` is set and nothing is */
	unsigned char *at, *end;
	uintptr_t run; /* address of `at` for execution */
	bool full;
	bool out_of_reach; /* a displacement did not fit into 32 bits */
};

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* memory: base + index * scale + displacement (+ segment) */
struct operand {
	uint8_t base, index, scale; /* CODE_NO_REGISTER, CODE_RIP as in instruction.h */
	uint8_t segment;
	bool address_32;
	int64_t displacement;
};
struct operand operand_at(uint8_t base, int64_t displacement);
struct operand operand_thread(int64_t offset); /* fs:[offset] */

void encode_bytes(struct encoder *out, const void *bytes, size_t nr);
#define ENCODE(out, text) encode_bytes((out), (text), sizeof(text) - 1)
void encode_8(struct encoder *out, uint8_t value);
void encode_32(struct encoder *out, int32_t value);
void encode_64(struct encoder *out, uint64_t value);

/* 64 bits */
void encode_load(struct encoder *out, uint8_t reg, const struct operand *from);
/* zero-extended */
void encode_load_byte(struct encoder *out, uint8_t reg, const struct operand *from);
void encode_store(struct encoder *out, const struct operand *to, uint8_t reg);
/* the low 32 bits */
void encode_store_low(struct encoder *out, const struct operand *to, uint8_t reg);
/* 64 bits, sign-extended */
void encode_store_value(struct encoder *out, const struct operand *to, int32_t value);
void encode_lea(struct encoder *out, uint8_t reg, const struct operand *from);
void encode_move(struct encoder *out, uint8_t to, uint8_t from);
void encode_value(struct encoder *out, uint8_t reg, uint64_t value);
void encode_push(struct encoder *out, uint8_t reg);
void encode_pop(struct encoder *out, uint8_t reg);
void encode_push_operand(struct encoder *out, const struct operand *from);
void encode_call_operand(struct encoder *out, const struct operand *from);
void encode_read_fs_base(struct encoder *out, uint8_t reg);
/* FSGSBASE */
void encode_read_gs_base(struct encoder *out, uint8_t reg);
/* kmovq, or kmovw */
void encode_store_mask(struct encoder *out, const struct operand *to, uint8_t mask, bool wide);
void encode_store_vector(struct encoder *out, const struct operand *to, uint8_t vector,
			 unsigned int bytes);

/* 64 bits, as the next */
void encode_compare(struct encoder *out, const struct operand *with, uint8_t reg);
void encode_compare_64(struct encoder *out, const struct operand *with, int8_t value);
void encode_compare_byte(struct encoder *out, const struct operand *with, uint8_t value);
/* low 32 bits */
void encode_test_value(struct encoder *out, uint8_t reg, uint32_t value);

/* With 32-bit displacements. Return the address of the displacement, which encode_patch changes. */
unsigned char *encode_jump(struct encoder *out, uintptr_t target);
unsigned char *encode_call(struct encoder *out, uintptr_t target);
enum { WHEN_BELOW = 2, WHEN_NOT_BELOW = 3, WHEN_ZERO = 4, WHEN_NOT_ZERO = 5 };
unsigned char *encode_branch(struct encoder *out, uint8_t condition, uintptr_t target);
/* xbegin */
unsigned char *encode_transaction(struct encoder *out, uintptr_t fallback);
/* Sets the displacement at `field`, which is executed at `field_run`; false: out of reach. */
bool encode_patch(unsigned char *field, uintptr_t field_run, uintptr_t target);

#endif
