/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_MEMORY_H
#define MEMSEARCH_CODE_MEMORY_H

#include <stdint.h>

/*
 * The memory that code is in, where its jump tables are: of the running process
 * (ompt_tool/code/running_code.h), or of a file (analysis/sir/file_memory.h).
 */
struct code_memory {
	/*
	 * The bytes of the readable segment around an address, the first of them at *start_out; NULL:
	 * none.
	 */
	const unsigned char *(*segment)(const struct code_memory *self, uintptr_t address,
					uintptr_t *start_out, uintptr_t *end_out);
};

/* Where the bytes at an address are; NULL: they are not all in one segment. */
static inline const unsigned char *code_memory_at(const struct code_memory *memory,
						  uintptr_t address, uint64_t nr)
{
	uintptr_t start, end;
	const unsigned char *bytes = memory ? memory->segment(memory, address, &start, &end) : 0;

	return bytes && nr <= end - address ? bytes + (address - start) : 0;
}

#endif
