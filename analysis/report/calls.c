/* SPDX-License-Identifier: Apache-2.0 */
/* Names the calls in which a construct accesses an array. */
#include "analysis/report/calls.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/report/array_facts.h"
#include "analysis/report/array_names.h"
#include "analysis/report/cause.h"
#include "analysis/report/text.h"

/* The calls named have this part of the accesses; more than CALLS_NAMED are no help. */
#define NEARLY_ALL 0.9
#define CALLS_NAMED 3
#define ARRAYS_MOST 4 /* of a cause */

struct call_part {
	const struct run_region *call;
	double accesses;
};

struct call_parts {
	struct call_part most[CALLS_NAMED]; /* the one with most first */
	uint32_t nr;                        /* all calls of the construct */
	double all;
};

const struct array_facts *calls_facts(struct arena *arena, const struct run *run)
{
	for (size_t i = 0; i < run->nr_regions; i++)
		if (run->regions[i].kind == MS_DATA_STRUCTURE &&
		    run->regions[run->regions[i].parent].kind == MS_CALL_REGION)
			return array_facts_of(arena, run);
	return NULL;
}

/* Regions have smaller numbers than what is below them. */
static double accesses_in(const struct run *run, const struct array_facts *facts, uint32_t call,
			  uint32_t array)
{
	for (uint32_t i = call + 1; i < run->nr_regions; i++)
		if (run->regions[i].parent == call && run_region_array(&run->regions[i]) == array)
			return fmax(0, facts[i].reads) + fmax(0, facts[i].writes);
	return 0;
}

static void insert(struct call_parts *parts, struct call_part part)
{
	parts->nr++;
	parts->all += part.accesses;
	for (size_t i = 0; i < CALLS_NAMED; i++)
		if (part.accesses > parts->most[i].accesses) {
			struct call_part less = parts->most[i];

			parts->most[i] = part;
			part = less;
		}
}

static struct call_parts parts_of(const struct run *run, const struct array_facts *facts,
				  uint32_t construct, uint32_t array)
{
	struct call_parts parts = { .nr = 0 };

	for (uint32_t i = construct; i < run->nr_regions; i++)
		if (run->regions[i].kind == MS_CALL_REGION && run->regions[i].parent == construct)
			insert(&parts, (struct call_part){ &run->regions[i],
							   accesses_in(run, facts, i, array) });
	return parts;
}

/* How many of them make nearly all of the accesses; 0: more than are named, or all calls. */
static size_t calls_needed(const struct call_parts *parts)
{
	double accesses = 0;
	size_t nr = 0;

	while (nr < CALLS_NAMED && accesses < NEARLY_ALL * parts->all)
		accesses += parts->most[nr++].accesses;
	return parts->all > 0 && accesses >= NEARLY_ALL * parts->all && nr < parts->nr ? nr : 0;
}

static void add_call(struct text *text, const struct source *source)
{
	if (source->function && *source->function)
		text_printf(text, "%s (", source->function);
	text_printf(text, "%s:%u", source->file ? base_name(source->file) : "?", source->line);
	if (source->function && *source->function)
		text_add(text, ")");
}

const char *calls_of_array(struct arena *arena, const struct run *run,
			   const struct array_facts *facts, uint32_t construct, uint32_t array)
{
	struct call_parts parts = facts ? parts_of(run, facts, construct, array)
					: (struct call_parts){ .nr = 0 };
	size_t nr = calls_needed(&parts);
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < nr; i++) {
		if (!parts.most[i].call->source.line)
			return NULL;
		if (i)
			text_printf(&text, "%s", i + 1 < nr ? ", " : " and ");
		add_call(&text, &parts.most[i].call->source);
	}
	return nr ? text.bytes : NULL;
}

/* Those of one call together; each of the cause's arrays once. */
static size_t add_arrays(struct text *text, struct arena *arena, const struct run *run,
			 const struct cause *cause, const char *const calls[], size_t first)
{
	size_t named = 0;

	for (size_t i = first; i < cause->nr_arrays && i < ARRAYS_MOST; i++)
		if (calls[i] && !strcmp(calls[i], calls[first]))
			text_printf(
				text, "%s%s", named++ ? ", " : "",
				arrays_short_name(
					arena, arrays_name(arena, run,
							   &run->arrays[cause->arrays[i].array])));
	return named;
}

static bool is_said(const char *const calls[], size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (calls[i] && !strcmp(calls[i], calls[nr]))
			return true;
	return false;
}

const char *calls_of_cause(struct arena *arena, const struct run *run, const struct cause *cause)
{
	const struct array_facts *facts = calls_facts(arena, run);
	const char *calls[ARRAYS_MOST] = { NULL };
	size_t named = 0;
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < cause->nr_arrays && i < ARRAYS_MOST; i++)
		calls[i] = calls_of_array(arena, run, facts,
					  run_construct(run, cause->arrays[i].region),
					  cause->arrays[i].array);
	for (size_t i = 0; i < cause->nr_arrays && i < ARRAYS_MOST; i++) {
		if (!calls[i] || is_said(calls, i))
			continue;
		text_printf(&text, "%s", named ? "; " : "");
		named += add_arrays(&text, arena, run, cause, calls, i);
		text_printf(&text, " when called by %s", calls[i]);
	}
	return named ? text.bytes : NULL;
}
