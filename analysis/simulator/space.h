/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SPACE_H
#define MEMSEARCH_SIMULATOR_SPACE_H

#include <stddef.h>

/*
 * Memory of the modelled caches: some large mappings, in huge pages where the system has them, as
 * every miss accesses many distant places. Untouched parts take no memory.
 */
#define SPACE_MAPPINGS 4096

struct space {
	struct mapping {
		unsigned char *start;
		size_t bytes;
	} mappings[SPACE_MAPPINGS];
	size_t nr, used, bytes; /* used: of the last one; bytes: of all */
};

/* Zeroed, aligned to 64 bytes. NULL: no memory. */
void *space_take(struct space *space, size_t bytes);
void space_release(struct space *space);

#endif
