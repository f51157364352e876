/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampled user registers, one table per architecture: those that CFI rules of compiled code use.
 * These are the stack pointer, the callee-saved registers, and, if the return address is in a
 * register, that one. The kernel writes them in the order of their bits.
 */
#include "ompt_tool/sampling/registers.h"

#if defined(__x86_64__) || defined(__aarch64__) || defined(__powerpc64__)
#include <asm/perf_regs.h>
#endif

#if defined(__x86_64__)
/*
 * r10: gcc addresses the frame of a function that realigns its stack by it. The CFI rule of a PLT
 * depends on the position in its entry. Numbers: psABI, figure 3.36.
 */
#define BIT(name) (1ull << PERF_REG_X86_##name)
const struct register_map register_map = {
	.mask = BIT(BX) | BIT(BP) | BIT(SP) | BIT(R10) | BIT(R12) | BIT(R13) | BIT(R14) | BIT(R15),
	.nr = 8,
	.stack_pointer = 2,
	.dwarf_ip = 16,
	.dwarf = { 3, 6, 7, 10, 12, 13, 14, 15 },
};
#elif defined(__aarch64__)
/*
 * x19 … x28, the frame pointer x29, the link register x30, sp. Numbers: DWARF for the Arm 64-bit
 * Architecture, 4.1.
 */
#define BITS(first, last) ((2ull << PERF_REG_ARM64_##last) - (1ull << PERF_REG_ARM64_##first))
const struct register_map register_map = {
	.mask = BITS(X19, SP),
	.nr = 13,
	.stack_pointer = 12,
	.dwarf = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
};
#elif defined(__powerpc64__)
/* The stack pointer r1, r14 … r31, the link register. Numbers: ELF V2 ABI for Power, table 2.26. */
#define BITS(first, last) ((2ull << PERF_REG_POWERPC_##last) - (1ull << PERF_REG_POWERPC_##first))
const struct register_map register_map = {
	.mask = BITS(R1, R1) | BITS(R14, R31) | BITS(LINK, LINK),
	.nr = 20,
	.stack_pointer = 0,
	.dwarf = { 1, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 65 },
};
#else
const struct register_map register_map = { 0 };
#endif
