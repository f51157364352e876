/* libzstd-dev: -lzstd */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
int main(void) { return ZSTD_versionNumber() < 10400 || ZSTD_initStaticCCtx == 0 || ZSTD_initStaticDCtx == 0; }
