/* SPDX-License-Identifier: Apache-2.0 */
/* zstd with memory from an arena. */
#include "analysis/trace/compress.h"

#include "analysis/base/arena.h"

#ifdef HAVE_ZSTD
#define ZSTD_STATIC_LINKING_ONLY /* contexts in the caller's memory */
#include <zstd.h>

#define LEVEL 1
#define WINDOW_BITS 15

struct compressor {
	ZSTD_CCtx *context;
};
struct decompressor {
	ZSTD_DCtx *context;
};

/*
 * Set explicitly: for small inputs zstd chooses parameters that need more memory. No checksum: the
 * record has its own.
 */
static bool configure(ZSTD_CCtx *context, const ZSTD_compressionParameters *of)
{
	const struct {
		ZSTD_cParameter parameter;
		int value;
	} all[] = {
		{ ZSTD_c_compressionLevel, LEVEL },
		{ ZSTD_c_windowLog, (int)of->windowLog },
		{ ZSTD_c_hashLog, (int)of->hashLog },
		{ ZSTD_c_chainLog, (int)of->chainLog },
		{ ZSTD_c_searchLog, (int)of->searchLog },
		{ ZSTD_c_minMatch, (int)of->minMatch },
		{ ZSTD_c_targetLength, (int)of->targetLength },
		{ ZSTD_c_strategy, (int)of->strategy },
		{ ZSTD_c_contentSizeFlag, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (ZSTD_isError(ZSTD_CCtx_setParameter(context, all[i].parameter, all[i].value)))
			return false;
	return true;
}

struct compressor *compressor_new(struct arena *arena)
{
	ZSTD_compressionParameters of = ZSTD_getCParams(LEVEL, (size_t)1 << WINDOW_BITS, 0);
	size_t bytes = ZSTD_estimateCCtxSize_usingCParams(of);
	struct compressor *compressor = arena_alloc(arena, sizeof(*compressor));
	void *memory = compressor ? arena_alloc(arena, bytes) : NULL;

	if (!memory)
		return NULL;
	compressor->context = ZSTD_initStaticCCtx(memory, bytes);
	return compressor->context && configure(compressor->context, &of) ? compressor : NULL;
}

size_t compressor_run(struct compressor *compressor, const uint8_t *from, size_t nr, uint8_t *to)
{
	size_t bytes = nr ? ZSTD_compress2(compressor->context, to, nr - 1, from, nr) : 0;

	return ZSTD_isError(bytes) ? 0 : bytes;
}

struct decompressor *decompressor_new(struct arena *arena)
{
	size_t bytes = ZSTD_estimateDCtxSize();
	struct decompressor *decompressor = arena_alloc(arena, sizeof(*decompressor));
	void *memory = decompressor ? arena_alloc(arena, bytes) : NULL;

	if (!memory)
		return NULL;
	decompressor->context = ZSTD_initStaticDCtx(memory, bytes);
	return decompressor->context ? decompressor : NULL;
}

bool decompressor_run(struct decompressor *decompressor, const uint8_t *from, size_t nr_from,
		      uint8_t *to, size_t nr_to)
{
	return ZSTD_decompressDCtx(decompressor->context, to, nr_to, from, nr_from) == nr_to;
}

#else

struct compressor *compressor_new(struct arena *arena)
{
	(void)arena;
	return NULL;
}

size_t compressor_run(struct compressor *compressor, const uint8_t *from, size_t nr, uint8_t *to)
{
	(void)compressor, (void)from, (void)nr, (void)to;
	return 0;
}

struct decompressor *decompressor_new(struct arena *arena)
{
	(void)arena;
	return NULL;
}

bool decompressor_run(struct decompressor *decompressor, const uint8_t *from, size_t nr_from,
		      uint8_t *to, size_t nr_to)
{
	(void)decompressor, (void)from, (void)nr_from, (void)to, (void)nr_to;
	return false;
}

#endif
