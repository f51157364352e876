/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_ENTER_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_ENTER_H

/*
 * A function called with every register as prescribed, and what it leaves in them. x86-64. In
 * globals, as no register is free to point anywhere. One call at a time.
 */
#include <stdbool.h>
#include <stdint.h>

enum {
	ENTER_RAX,
	ENTER_RCX,
	ENTER_RDX,
	ENTER_RBX,
	ENTER_RSP,
	ENTER_RBP,
	ENTER_RSI,
	ENTER_RDI,
	ENTER_R8,
	ENTER_R9
};
/* XSAVE, the standard form; 2,696 bytes with AVX-512 (Intel SDM 1, 13.4) */
enum { ENTER_VECTORS = 4096 };
/* x87, SSE, AVX, opmasks, upper halves of ZMM, ZMM16 to 31 */
#define ENTER_COMPONENTS 0xe7u

extern uint64_t enter_registers[16]; /* in the encoding's order; rsp: before the call */
extern unsigned char enter_vectors[ENTER_VECTORS];
extern uint64_t enter_left[16], enter_left_flags;
extern unsigned char enter_left_vectors[ENTER_VECTORS];

/* Components of ENTER_COMPONENTS that this machine has; where one of them lies. */
uint32_t enter_components(void);
uint32_t enter_component_offset(unsigned int component);

/*
 * `step`: with a trap behind each instruction. Its own registers and control words are as before
 * afterwards.
 */
void enter_function(uintptr_t function, bool step);

#endif
