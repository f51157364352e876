/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_SOURCE_TEXT_H
#define MEMSEARCH_DEBUGINFO_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * A source file as it lies on this machine, for what debug information does not say. The caller
 * compares its modification time with the binary's: a newer file is another text.
 */
struct arena;

/*
 * All of it and a 0 behind it, in the arena; NULL: no file, not readable, or larger than 16 MiB.
 * `modified_out`: seconds.
 */
const char *source_text_read(struct arena *arena, const char *path, size_t *bytes_out,
			     int64_t *modified_out);

#endif
