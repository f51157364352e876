/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_BISECT_H
#define MEMSEARCH_BASE_BISECT_H

#include <stddef.h>

/*
 * The number of `nr` sorted items for which `before` holds, an expression of the index `at` that
 * holds for a prefix of the items. So it is the index of the first item for which it does not hold;
 * `nr`: it holds for all.
 *
 *     size_t first = BISECT(i, symbols->nr, symbols->items[i].address < address);
 */
#define BISECT(at, nr, before) \
	({ \
		size_t bisect_low_ = 0, bisect_high_ = (nr); \
		while (bisect_low_ < bisect_high_) { \
			size_t at = bisect_low_ + (bisect_high_ - bisect_low_) / 2; \
			if (before) \
				bisect_low_ = at + 1; \
			else \
				bisect_high_ = at; \
		} \
		bisect_low_; \
	})

#endif
