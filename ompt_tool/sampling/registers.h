/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_REGISTERS_H
#define MEMSEARCH_SAMPLING_REGISTERS_H

#include <stdint.h>

/*
 * Which user registers a sample carries so that its stack can be followed by CFI, for
 * the architecture this was built for. To add one: a file section in registers.c.
 */
#define SAMPLE_REGISTERS 24 /* room for what any architecture samples */

struct register_map {
	/* attr.sample_regs_user; 0: stacks are not sampled on this architecture */
	uint64_t mask;
	uint32_t nr;
	uint32_t stack_pointer; /* which of the sampled registers it is */
	/* DWARF number of the instruction pointer, where CFI computes with it; 0: it does not */
	uint32_t dwarf_ip;
	uint8_t dwarf[SAMPLE_REGISTERS]; /* DWARF number of the n-th sampled register */
};

extern const struct register_map register_map;

#endif
