/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/numa/strip.h"

#include <inttypes.h>

#include "analysis/base/arena.h"
#include "analysis/numa/print_map.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"

#define COLOURS 8 /* classes node0 … of the style sheet */
#define BLOCK ((NUMA_WIDTH - 2 * NUMA_MARGIN - NUMA_NAMED) / NUMA_MAP_BLOCKS)
#define NUMBERED 12.0 /* least width of a rectangle with its number … */
#define WORDY 48.0    /* … and with a word */

const char *numa_class(struct text *out, uint32_t number)
{
	return number == NUMA_NOBODY ? "same"
	       : number == NUMA_SEVERAL || number == NUMA_UNKNOWN
		       ? "unknown"
		       : arena_printf(out->arena, "node%d", (int)(number % COLOURS));
}

static uint32_t value_of(const struct numa_block *block, enum numa_row row)
{
	return row == NUMA_ROW_SITES     ? block->site
	       : row == NUMA_ROW_HOMES   ? block->home
	       : row == NUMA_ROW_THREADS ? block->thread
					 : block->user;
}

static const char *class_of(struct text *out, uint32_t value, enum numa_row row)
{
	return row == NUMA_ROW_SITES && value < NUMA_UNKNOWN ? value % 2 ? "less1" : "less2"
							     : numa_class(out, value);
}

static const char *words_of(struct text *out, uint32_t value, enum numa_row row)
{
	return value == NUMA_SEVERAL   ? "several"
	       : value == NUMA_UNKNOWN ? "unknown"
	       : row == NUMA_ROW_SITES ? arena_printf(out->arena, "%c", numa_site_letter(value))
				       : arena_printf(out->arena, "%" PRIu32, value);
}

static const char *class_of_words(uint32_t value, enum numa_row row)
{
	return value >= NUMA_UNKNOWN ? "small dim" : row == NUMA_ROW_SITES ? "small" : "small on";
}

void numa_strip(struct text *out, double y, const char *label, const struct numa_map *map,
		enum numa_row row, numa_tip *tip, const void *ctx)
{
	double begin = NUMA_MARGIN + NUMA_NAMED;

	svg_text(out, begin - 8, y + NUMA_STRIP - 3, SVG_END, "small dim", label);
	for (size_t i = 0, next; i < map->nr; i = next) {
		uint32_t value = value_of(&map->blocks[i], row);
		double x = begin + BLOCK * (double)i, width;

		for (next = i + 1; next < map->nr && value_of(&map->blocks[next], row) == value;)
			next++;
		width = BLOCK * (double)(next - i);
		svg_rect(out, x, y, width, NUMA_STRIP, class_of(out, value, row),
			 tip(ctx, out, value, row, map->block_pages * (double)(next - i)));
		if (value != NUMA_NOBODY && width >= (value < NUMA_UNKNOWN ? NUMBERED : WORDY))
			svg_text(out, x + width / 2, y + NUMA_STRIP - 3, SVG_MIDDLE,
				 class_of_words(value, row), words_of(out, value, row));
	}
}
