/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_MEMORY_MAP_H
#define MEMSEARCH_BASE_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What is mapped into this process, as /proc/self/maps shows it. No stdio, no malloc, errno is
 * kept; needs a file descriptor and some 8 KiB of stack meanwhile. Other threads may map and unmap
 * at the same time.
 */
struct memory_mapping {
	uintptr_t low, high;
	int protection; /* PROT_… */
	bool is_private;
	uint64_t inode; /* 0: no file */
	/* a path, "[heap]" and the like, or ""; cut after 4095 bytes; lives during the visit */
	const char *name;
};

/* Upwards, until `visit` says false. Returns 0, or the errno with which it could not be read. */
int memory_map_visit(bool (*visit)(void *ctx, const struct memory_mapping *mapping), void *ctx);

#endif
