/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIR_FUNCTIONS_H
#define MEMSEARCH_SIR_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The functions of a file, by its symbols, and by its unwind information (.eh_frame_hdr), which
 * stripped files have, too. Without what compilers and linkers add to every program.
 */
struct arena;
struct binary;
struct code_memory;

struct function {
	uint64_t low, high;
	const char *symbol; /* "" none */
};

struct functions {
	struct function *items; /* by address, each address once */
	size_t nr;
};

struct functions functions_read(struct arena *arena, const struct binary *binary,
				const struct code_memory *memory);
/* Index of the function that begins there; SIZE_MAX: none. */
size_t functions_at(const struct functions *functions, uint64_t address);

#endif
