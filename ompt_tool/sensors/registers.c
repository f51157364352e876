/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled user registers, one table an architecture. */
#include "ompt_tool/sensors/registers.h"

#if defined(__x86_64__)
#include <asm/perf_regs.h>

/*
 * What CFI rules of compiled code start from: the stack pointer, the registers a callee
 * keeps, and r10, from which gcc finds the frame of a function that realigns its stack.
 * The kernel writes them in the order of their bits.
 */
#define BIT(name) (1ull << PERF_REG_X86_##name)
const struct register_map register_map = {
	.mask = BIT(BX) | BIT(BP) | BIT(SP) | BIT(R10) | BIT(R12) | BIT(R13) | BIT(R14) | BIT(R15),
	.nr = 8,
	.dwarf = { 3, 6, 7, 10, 12, 13, 14, 15 },
};
#else
const struct register_map register_map = { 0 };
#endif
