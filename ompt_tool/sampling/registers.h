/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_REGISTERS_H
#define MEMSEARCH_SAMPLING_REGISTERS_H

#include <stdint.h>

/*
 * User registers in a sample that are needed to unwind its stack by CFI, for the architecture of
 * this build. To add one: a section in registers.c.
 */
#define SAMPLE_REGISTERS 24 /* maximum of all architectures */

struct register_map {
	/* attr.sample_regs_user; 0: stacks are not sampled on this architecture */
	uint64_t mask;
	uint32_t nr;
	uint32_t stack_pointer; /* its index among the sampled registers */
	/* DWARF number of the instruction pointer, if CFI rules use it; 0: they do not */
	uint32_t dwarf_ip;
	uint8_t dwarf[SAMPLE_REGISTERS]; /* DWARF number of the n-th sampled register */
};

extern const struct register_map register_map;

#endif
