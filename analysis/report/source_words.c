/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines and hot spots in words. */
#include "analysis/report/source_words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/emitter.h"
#include "memsearch/host.h"

static const char *or_else(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

#define FUNCTION_COLUMNS 60 /* longer names of C++ lose the arguments of their templates */

const char *source_function(struct arena *arena, const char *function)
{
	size_t nr = function ? strlen(function) : 0, to = 0, depth = 0;
	char *text = nr > FUNCTION_COLUMNS ? arena_alloc(arena, nr + 4) : NULL;

	for (size_t i = 0; text && i < nr; i++) {
		bool is_operator = i >= 8 && !strncmp(function + i - 8, "operator", 8);

		if (is_operator || !strchr("<>", function[i])) {
			if (!depth)
				text[to++] = function[i];
		} else if (function[i] == '<' && !depth++) {
			memcpy(text + to, "<…", strlen("<…"));
			to += strlen("<…");
		} else if (function[i] == '>' && depth && !--depth) {
			text[to++] = '>';
		}
	}
	if (!text || depth)
		return function;
	text[to] = '\0';
	return text;
}

const char *source_place(struct arena *arena, const struct source *source)
{
	const char *function = or_else(source_function(arena, source->function), NULL);

	if (!function && !source->line)
		return arena_printf(arena, "address 0x%" PRIx64 " of %s", source->offset,
				    or_else(source->module, "an unknown module"));
	if (!source->line)
		return arena_printf(arena, "%s (0x%" PRIx64 " of %s)", function, source->offset,
				    or_else(source->module, "an unknown module"));
	return arena_printf(arena, "%s (%s%s:%d)", or_else(function, "?"),
			    source->approximate ? "near " : "", or_else(source->file, "?"),
			    source->line);
}

const char *source_loop(struct arena *arena, const struct source *source)
{
	if (!source->line || !or_else(source->function, NULL))
		return arena_printf(arena, "loop in %s", source_place(arena, source));
	return arena_printf(arena, "loop %s %s:%d in %s", source->approximate ? "near" : "at",
			    or_else(source->file, "?"), source->line,
			    source_function(arena, source->function));
}

static bool is_runtime(const char *module)
{
	static const char *const names[] = { "libomp.", "libomp5.", "libomp-", "libgomp.",
					     "libiomp5." };

	for (size_t i = 0; module && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(module, names[i], strlen(names[i])))
			return true;
	return false;
}

bool hotspot_waits(const struct run_hotspot *spot)
{
	return spot->metric == MS_METRIC_SAMPLES &&
	       (is_runtime(spot->source.module) || is_runtime(spot->leaf_source.module));
}

double hotspot_in_library(const struct run_hotspot *spot)
{
	return spot->metric == MS_METRIC_SAMPLES && spot->count && !hotspot_waits(spot)
		       ? spot->share * (double)spot->in_library / (double)spot->count
		       : 0;
}

const struct run_hotspot *hotspot_of(const struct run *run, uint32_t region, uint32_t metric)
{
	const struct run_hotspot *best = NULL;

	for (size_t i = 0; i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];

		if (spot->region == region && spot->metric == metric && !hotspot_waits(spot) &&
		    (!best || spot->count > best->count))
			best = spot;
	}
	return best;
}

bool source_is_approximate(const struct source *source)
{
	return source->approximate && (source->line || (source->module && *source->module));
}

/* clang-format off */
#define SOURCE_FIELDS(X) \
	X(STRING, "function", "function", NULL, NULL, row->function) \
	X(STRING, "file", "file", NULL, NULL, row->file) \
	X(NUMBER, "line", "line", NULL, NULL, row->line > 0 ? row->line : NAN) \
	X(BOOL, "approximate", NULL, NULL, NULL, source_is_approximate(row))
/* clang-format on */

EMIT_SHARED_LIST(source_fields, struct source, SOURCE_FIELDS)
