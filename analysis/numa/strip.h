/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_STRIP_H
#define MEMSEARCH_NUMA_STRIP_H

#include <stdint.h>

#include "analysis/numa/page_map.h"

/* One row of a page map in a picture (report/svg.h), and the sizes of such pictures. */
struct text;

#define NUMA_WIDTH 760.0
#define NUMA_MARGIN 16.0
#define NUMA_NAMED 200.0 /* width of the names of arrays */
#define NUMA_STRIP 14.0  /* height of a row */
#define NUMA_GAP 4.0     /* below it */

/* Class of the style sheet: colour of a node, or of a thread. */
const char *numa_class(struct text *out, uint32_t number);

/* Text beside the pointer: `pages` neighbours with one value. In the text's arena. */
typedef const char *numa_tip(const void *ctx, struct text *out, uint32_t value, enum numa_row row,
			     double pages);

/* Draws one rectangle for neighbours with one value. */
void numa_strip(struct text *out, double y, const char *label, const struct numa_map *map,
		enum numa_row row, numa_tip *tip, const void *ctx);

#endif
