/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_COMPRESS_H
#define MEMSEARCH_TRACE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Compression of trace pieces with zstd, level 1, window 32 KiB. All memory comes from the arena:
 * 180 KB to compress, 100 KB to decompress; zstd never calls malloc. Without zstd or memory the
 * functions return NULL, 0 or false. One thread at a time per context.
 */
struct arena;
struct compressor;
struct decompressor;

/* NULL: not available. */
struct compressor *compressor_new(struct arena *arena);
/*
 * Writes fewer than `nr` bytes to `to`, which has space for `nr`. Returns their number; 0:
 * incompressible.
 */
size_t compressor_run(struct compressor *compressor, const uint8_t *from, size_t nr, uint8_t *to);

struct decompressor *decompressor_new(struct arena *arena);
/* The input is untrusted. False: it does not decompress to exactly `nr_to` bytes. */
bool decompressor_run(struct decompressor *decompressor, const uint8_t *from, size_t nr_from,
		      uint8_t *to, size_t nr_to);

#endif
