/* SPDX-License-Identifier: Apache-2.0 */
/* The intervals of a run, and what was found in them. */
#include "analysis/report/intervals.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"

#define WHOLE "entire execution"

/* ------------------------------------------------------------------ rows */

struct rows {
	struct arena *arena;
	struct interval_row *items;
	size_t nr;
};

static const char *phase_name(struct arena *arena, uint32_t number)
{
	return arena_printf(arena, "phase %" PRIu32, number);
}

static void add_phase(struct rows *rows, uint32_t number, uint64_t executions, double wall_ns,
		      bool complete)
{
	rows->items[rows->nr++] = (struct interval_row){
		.name = phase_name(rows->arena, number),
		.in = WHOLE,
		.kind = "phase",
		.born = "run",
		.executions = (double)executions,
		.first = executions ? 1 : NAN,
		.last = executions ? (double)executions : NAN,
		.wall_ns = wall_ns,
		.state = complete ? "ended" : "open",
	};
}

static bool has_phase(const struct run *run)
{
	return run->phase.method != PHASE_WHOLE_PROGRAM && run->phase.executions;
}

static void add_phases(struct rows *rows, const struct run *run)
{
	for (size_t i = 0; i < run->nr_phases; i++)
		add_phase(rows, run->phases[i].number, run->phases[i].executions,
			  run->phases[i].wall_ns, run->complete);
	if (!run->nr_phases && has_phase(run))
		add_phase(rows, 1, run->phase.executions, run->phase.wall_ns, run->complete);
}

/* What the intervals of the run are parts of. */
static const char *outermost(struct arena *arena, const struct run *run)
{
	uint32_t number = run_phase_here(run);

	return has_phase(run) ? phase_name(arena, number ? number : 1) : WHOLE;
}

static const char *names_of(struct arena *arena, const struct run *run, uint64_t parents)
{
	const char *names = NULL;

	for (uint32_t number = 1; number <= run->nr_intervals && number < MS_INTERVALS_MOST;
	     number++)
		if (parents >> number & 1)
			names = arena_printf(arena, "%s%s%s", names ? names : "", names ? ", " : "",
					     run->intervals[number - 1].name);
	return names ? names : outermost(arena, run);
}

static double or_nan(uint64_t value)
{
	return value ? (double)value : NAN;
}

static void add_interval(struct rows *rows, const struct run *run,
			 const struct run_interval *interval)
{
	rows->items[rows->nr++] = (struct interval_row){
		.name = interval->name,
		.in = names_of(rows->arena, run, interval->parents),
		.kind = ms_interval_kind_name(interval->kind),
		.born = interval->kind == MS_INTERVAL_MARKED ? "run" : "start",
		.executions = (double)interval->executions,
		.first = or_nan(interval->first),
		.last = or_nan(interval->last),
		.wall_ns = interval->wall_ns,
		.state = interval->open && !run->complete ? "open" : "ended",
	};
}

size_t interval_rows(struct arena *arena, const struct run *run, const struct interval_row **out)
{
	size_t room = 2 + run->nr_phases + run->nr_intervals;
	struct rows rows = { arena, arena_alloc(arena, room * sizeof(*rows.items)), 0 };

	*out = rows.items;
	if (!rows.items)
		return 0;
	rows.items[rows.nr++] = (struct interval_row){
		.name = WHOLE,
		.kind = "run",
		.born = "static",
		.executions = NAN,
		.first = NAN,
		.last = NAN,
		.wall_ns = run->cost.program_wall_ns,
		.state = run->complete ? "ended" : "open",
	};
	add_phases(&rows, run);
	for (size_t i = 0; i < run->nr_intervals; i++)
		add_interval(&rows, run, &run->intervals[i]);
	return rows.nr;
}

/* ------------------------------------------------------------------ what was found */

static void add_steps(struct text *text, const struct run *run, const struct run_interval *interval)
{
	if (!has_phase(run) || !interval->first)
		return;
	text_printf(text, " (%" PRIu64 " step%s of %" PRIu64 " to %" PRIu64 ")",
		    interval->executions, interval->executions == 1 ? "" : "s", interval->first,
		    interval->last);
}

static void add_verdict(struct text *text, const struct run *run, const struct run_node *node)
{
	const struct run_interval *interval = run_interval(run, node->interval);
	bool is_true = node->state == MS_NODE_TRUE;

	if (!interval ||
	    (!is_true && node->state != MS_NODE_FALSE && node->state != MS_NODE_MISSED))
		return;
	if (text->length)
		text_add(text, "; ");
	if (is_true) {
		units_share(text, node->severity);
		text_printf(text, " of the time of '%s'", interval->name);
	} else if (node->state == MS_NODE_FALSE) {
		text_printf(text, "not in '%s'", interval->name);
	} else {
		text_printf(text, "missed '%s'", interval->name);
	}
	add_steps(text, run, interval);
}

/* The same question, in an interval of this one or of one that is in it. */
static bool is_same_in_interval(const struct run *run, const struct run_node *node,
				const struct run_node *other)
{
	while (other->interval && other->region == node->region && other->thread == node->thread &&
	       other->parent < other->id)
		other = &run->nodes[other->parent];
	return other == node;
}

const char *interval_words(struct arena *arena, const struct run *run, const struct run_node *node)
{
	struct text text;

	text_init(&text, arena);
	if (!run->nr_intervals)
		return "";
	for (size_t i = (size_t)node->id + 1; i < run->nr_nodes; i++)
		if (run->nodes[i].interval && is_same_in_interval(run, node, &run->nodes[i]) &&
		    run->nodes[i].property && node->property &&
		    !strcmp(run->nodes[i].property, node->property))
			add_verdict(&text, run, &run->nodes[i]);
	return text.bytes ? text.bytes : "";
}
