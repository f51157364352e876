/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/numa/picture_writes.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/numa/print.h"
#include "analysis/numa/strip.h"
#include "analysis/numa/written_map.h"
#include "analysis/numa/written_pages.h"
#include "analysis/report/array_names.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define HEADING 72.0 /* height */
#define ARRAY 50.0   /* height of an array's part */

static size_t shown(const struct numa_writes *writes, const struct numa_options *options)
{
	size_t most = options->most;

	return writes->run->writing.why ? 0 : most && writes->nr > most ? most : writes->nr;
}

double numa_writes_height(const struct numa_writes *writes, const struct numa_options *options)
{
	return writes ? HEADING + ARRAY * (double)shown(writes, options) : 0;
}

/* ------------------------------------------------------------------ an array */

static const char *who(struct text *out, uint32_t value, enum numa_row row)
{
	const char *name = row == NUMA_ROW_THREADS ? "thread" : "node";

	return value == NUMA_SEVERAL   ? arena_printf(out->arena, "several %ss", name)
	       : value == NUMA_UNKNOWN ? arena_printf(out->arena, "an unknown %s", name)
				       : arena_printf(out->arena, "%s %" PRIu32, name, value);
}

static const char *tip(const void *ctx, struct text *out, uint32_t value, enum numa_row row,
		       double pages)
{
	(void)ctx;
	if (value == NUMA_NOBODY)
		return arena_printf(out->arena, "not written: %.0f pages", pages);
	return arena_printf(out->arena, "written by %s: %.0f pages", who(out, value, row), pages);
}

static const char *size_words(struct text *out, const struct numa_writes *writes,
			      const struct numa_written *of)
{
	uint64_t watched = of->written + of->unwritten;
	struct arena *arena = out->arena;

	return watched ? arena_printf(
				 arena, "%s of %s written",
				 units_share_text(arena, (double)of->written / (double)watched),
				 units_bytes_text(arena,
						  (double)watched *
							  (double)writes->run->writing.page_bytes))
		       : "not watched";
}

static void put_array(struct text *out, const struct numa_writes *writes,
		      const struct numa_written *of, double y)
{
	const struct run *run = writes->run;
	struct numa_map map;

	svg_name(out, NUMA_MARGIN, y + 12, NUMA_NAMED - 70, "name",
		 arrays_name(out->arena, run, &run->arrays[of->array]));
	svg_text(out, NUMA_MARGIN, y + 28, SVG_START, "small dim", size_words(out, writes, of));
	numa_written_map(writes, of, &map);
	numa_strip(out, y, "by thread", &map, NUMA_ROW_THREADS, tip, NULL);
	if (run->machine.nodes > 1)
		numa_strip(out, y + NUMA_STRIP + NUMA_GAP, "by node", &map, NUMA_ROW_USERS, tip,
			   NULL);
}

/* ------------------------------------------------------------------ all */

/* NULL: nothing is missing. */
static const char *missing(struct text *out, const struct run_writing *writing)
{
	if (writing->why)
		return arena_printf(out->arena, "Page writes are not measured: %s", writing->why);
	return writing->threads
		       ? arena_printf(out->arena, "Writers are not measured: %s", writing->threads)
		       : NULL;
}

static void put_heading(struct text *out, const struct run_writing *writing, double y)
{
	const char *words = missing(out, writing);

	svg_text(out, NUMA_MARGIN, y + 22, SVG_START, "head",
		 arena_printf(out->arena, "Pages written in %" PRIu64 " execution%s of the phase",
			      writing->executions, writing->executions == 1 ? "" : "s"));
	if (words)
		svg_name(out, NUMA_MARGIN, y + 42, NUMA_WIDTH - 2 * NUMA_MARGIN, "name", words);
	else
		svg_text(
			out, NUMA_MARGIN, y + 42, SVG_START, "dim",
			"By the thread of the first write; later writers and reads are not measured");
}

void numa_writes_put(struct text *out, const struct numa_writes *writes,
		     const struct numa_options *options, double y)
{
	if (!writes)
		return;
	put_heading(out, &writes->run->writing, y);
	for (size_t i = 0; i < shown(writes, options); i++)
		put_array(out, writes, &writes->arrays[i], y + HEADING + ARRAY * (double)i);
}

void numa_svg_writes(struct text *out, const struct numa_writes *writes,
		     const struct numa_options *options)
{
	svg_begin(out, NUMA_WIDTH, numa_writes_height(writes, options),
		  "Pages of arrays and the threads that write them");
	numa_writes_put(out, writes, options, 0);
	svg_end(out);
}
