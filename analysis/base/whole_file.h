/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_WHOLE_FILE_H
#define MEMSEARCH_BASE_WHOLE_FILE_H

#include <stddef.h>

/*
 * All bytes of a regular file of at most `most` bytes, and a zero behind them. NULL: errno; EISDIR
 * and EINVAL where it is no regular file, EFBIG where it is longer. No malloc, no stdio; never
 * waits for a pipe. Any thread, for its own arena.
 */
struct arena;

const char *whole_file_read(struct arena *arena, const char *path, size_t most, size_t *length_out);

#endif
