/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIR_FILE_MEMORY_H
#define MEMSEARCH_SIR_FILE_MEMORY_H

#include "analysis/code/memory.h"

/* A file as the memory of code: its loadable segments as far as the file has their bytes. */
struct binary;

struct file_memory {
	struct code_memory memory; /* pass its address */
	const struct binary *binary;
};

/* `binary` must be opened whole, and live as long. */
void file_memory_init(struct file_memory *out, const struct binary *binary);

#endif
