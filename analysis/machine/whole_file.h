/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_WHOLE_FILE_H
#define MEMSEARCH_MACHINE_WHOLE_FILE_H

#include <stddef.h>

/* All bytes of a regular file of at most `most` bytes. NULL: errno tells why. No malloc, no stdio; never waits for a pipe. */
struct arena;

const char *whole_file_read(struct arena *arena, const char *path, size_t most, size_t *length_out);

#endif
