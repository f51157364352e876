/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_PAGE_USE_CODING_H
#define MEMSEARCH_SIMULATION_PAGE_USE_CODING_H

#include <stdbool.h>

/* Pages of a modelled machine as bytes of a kept result; result_cache.h has the format. */
struct arena;
struct buffer;
struct cursor;
struct page_uses;

/* `uses` NULL: none. */
void page_uses_put(struct buffer *buffer, const struct page_uses *uses);
/* In the arena, without the model; nodes 0: none were kept. False: damaged, or no memory. */
bool page_uses_get(struct cursor *from, struct arena *arena, struct page_uses *out);

#endif
