/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default report: at most 25 lines that name the causes, what to change, and what was not
 * measured.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/answer_private.h"
#include "analysis/report/array_names.h"
#include "analysis/report/calls.h"
#include "analysis/report/cause.h"
#include "analysis/report/finding.h"
#include "analysis/report/hot_regions.h"
#include "analysis/report/lock_facts.h"
#include "analysis/report/recorded.h"
#include "analysis/report/source_words.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "analysis/report/tried.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"

#define LINES_MOST 25
#define LEAST_GAIN 0.02 /* causes below are in the long report */
#define WIDE 10         /* times: what it costs at least says nothing */
#define INDENT 5
#define NAME_COLUMNS 11 /* "memsearch: " */
#define LABEL 5         /* "why  ", "try  ", "also " */
#define SNIPPET_LINES 3
#define SNIPPET_COLUMNS 88
/* of the time: a lock that is held less is in the long report */
#define USE_LEAST 0.25

/* causes, hot regions, what was not measured; source lines, arrays, also; commands; spaced */
static const struct extent extents[] = {
	{ 3, 5, SIZE_MAX, SNIPPET_LINES, 3, true, 2, true },
	{ 2, 3, SIZE_MAX, SNIPPET_LINES, 3, true, 2, true },
	{ 1, 2, 3, SNIPPET_LINES, 3, true, 2, true },
	{ 1, 1, 2, SNIPPET_LINES, 3, true, 2, true },
	{ 1, 1, 1, SNIPPET_LINES, 3, true, 2, true },
	{ 1, 1, 1, 2, 3, true, 1, true },
	{ 1, 1, 1, 1, 2, true, 1, true },
	{ 1, 1, 1, 1, 2, false, 1, true },
	{ 1, 1, 1, 1, 1, false, 1, true },
	{ 1, 1, 1, 1, 1, false, 1, false },
	{ 1, 1, 1, 0, 1, false, 0, false },
};

/* ------------------------------------------------------------------ pieces */

static void colour(struct answer *answer, const char *code)
{
	if (answer->options->colour)
		text_printf(answer->out, "\033[%sm", code);
}

static void begin_part(struct answer *answer)
{
	if (answer->extent.spaced)
		text_add(answer->out, "\n");
}

/* "     why  text", wrapped. */
static void labelled(struct answer *answer, const char *label, const char *string)
{
	if (!string || !*string)
		return;
	text_printf(answer->out, "%*s%-*s", INDENT, "", LABEL, label);
	text_wrap(answer->out, string, INDENT + LABEL, answer->options->width);
	text_add(answer->out, "\n");
}

static const char *line_text(struct arena *arena, const struct source *source)
{
	if (!source || !source->line)
		return NULL;
	return arena_printf(arena, "%s%s:%d", source->approximate ? "near " : "",
			    source->file && *source->file ? source->file : "?", source->line);
}

/* ------------------------------------------------------------------ header */

/*
 * Of several pieces of a line, three blanks apart: one that does not fit starts another line, which
 * has the indent.
 */
static void add_piece(struct answer *answer, int indent, const char *piece)
{
	int column = text_column(answer->out), columns = (int)strlen(piece);

	if (column > indent && column + 3 + columns > answer->options->width)
		text_printf(answer->out, "\n%*s", indent, "");
	else if (column > indent)
		text_add(answer->out, "   ");
	text_wrap(answer->out, piece, indent, answer->options->width);
}

static const char *steps_text(struct answer *answer)
{
	const struct run_phase *phase = &answer->run->phase;
	struct text text;

	text_init(&text, answer->arena);
	text_printf(&text, "%" PRIu64 " step%s", phase->executions,
		    answer_plural(phase->executions));
	if (!answer->options->brief) {
		text_add(&text, " of ");
		units_time(&text, phase->wall_ns / (double)phase->executions);
	}
	return text.bytes ? text.bytes : "";
}

/* NULL: it was not, or measuring was not limited. */
static const char *why_exceeded(const struct run *run)
{
	if (report_passed_limit(run))
		return " by first measurements";
	return run->nr_nodes && run->phase.method == PHASE_WHOLE_PROGRAM && run->cost.limit > 0 &&
			       run->cost.slowdown - 1 > run->cost.limit
		       ? ": there are no steps to leave out"
		       : NULL;
}

static const char *cost_text(struct answer *answer)
{
	const struct run *run = answer->run;
	const char *why = why_exceeded(run);
	struct text text;

	text_init(&text, answer->arena);
	text_add(&text, "measuring cost ");
	units_share(&text, run->cost.slowdown - 1);
	if (why) {
		text_add(&text, " (limit ");
		units_share(&text, run->cost.limit);
		text_printf(&text, ", exceeded%s)", why);
	}
	return text.bytes ? text.bytes : "";
}

static void header(struct answer *answer)
{
	const struct run *run = answer->run;

	colour(answer, "1");
	text_add(answer->out, "memsearch: ");
	add_piece(answer, NAME_COLUMNS, report_program(run, answer->options->brief));
	add_piece(answer, NAME_COLUMNS,
		  run->threads ? arena_printf(answer->arena, "%" PRIu32 " thread%s", run->threads,
					      answer_plural(run->threads))
			       : "threads not known");
	if (run->phase.method != PHASE_WHOLE_PROGRAM && run->phase.executions)
		add_piece(answer, NAME_COLUMNS, steps_text(answer));
	if (!answer->options->brief && isfinite(run->cost.slowdown) && run->cost.slowdown >= 1)
		add_piece(answer, NAME_COLUMNS, cost_text(answer));
	else if (!answer->options->brief && isnan(run->cost.slowdown) && run->cost.tool_cpu_ns > 0)
		add_piece(answer, NAME_COLUMNS, "measuring cost not known");
	colour(answer, "0");
	text_add(answer->out, "\n");
}

/* ------------------------------------------------------------------ one sentence */

static const char *share_range(struct arena *arena, double low, double high)
{
	struct text text;

	text_init(&text, arena);
	if (high - low < (high < 0.1 ? 0.002 : 0.02))
		units_share(&text, high);
	else if (low < 0.005 || (low < LEAST_GAIN && high > WIDE * low))
		text_add(&text, "up to "), units_share(&text, high);
	else
		units_share_range(&text, low, high);
	return text.bytes ? text.bytes : "?";
}

static const char *topic(const struct cause *cause)
{
	return cause->kind == CAUSE_PROPERTY ? "Threads and system" : "Memory access";
}

/*
 * "main (loop at k.c:11)", "serial code between …": shorter than finding_place, as the share that
 * follows is of the construct.
 */
static const char *short_place(struct arena *arena, const struct run *run,
			       const struct cause *cause)
{
	uint32_t id = cause->region;
	const struct run_region *region = id < run->nr_regions ? &run->regions[id] : NULL;
	const struct run_hotspot *spot = cause_serial_spot(run, cause);
	bool is_loop = region && (region->kind == MS_LOOP_REGION || region->kind == MS_DO_REGION);

	if (spot && spot->source.function && *spot->source.function)
		return arena_printf(arena, "%s (%s)", source_function(arena, spot->source.function),
				    line_text(arena, &spot->source));
	if (!is_loop || !region->source.function || !*region->source.function ||
	    !region->source.line)
		return finding_place(arena, run, id);
	return arena_printf(
		arena, "%s (loop %s%s)", source_function(arena, region->source.function),
		region->source.approximate ? "" : "at ", line_text(arena, &region->source));
}

/* `nr` causes are shown, of `all`. */
static void sentence(struct answer *answer, const struct cause *causes, size_t nr, size_t all)
{
	const struct cause *first = &causes[0];
	const char *arrays = cause_arrays(answer->arena, answer->run, first), *why;
	bool none = recorded_why_none(answer->arena, answer->run),
	     lacks = recorded_lacks(answer->arena, answer->run, &why);
	struct text line;

	text_init(&line, answer->arena);
	text_printf(&line, "%s: %s%s%s%s ", topic(first), cause_title(answer->arena, first),
		    arrays ? " of " : "", arrays ? arrays : "", arrays ? " in" : ":");
	if (first->nr_constructs > 1)
		text_printf(&line, "%zu regions, first of all ", first->nr_constructs);
	text_add_plain(&line, short_place(answer->arena, answer->run, first));
	if (!first->nr_arrays) {
		text_printf(&line, ", %s of the time",
			    share_range(answer->arena, first->low, first->high));
	} else if (isfinite(first->share) && first->share > 0) {
		text_add_plain(&line, first->nr_constructs > 1 ? "; these take "
							       : ", in a construct that takes ");
		units_share(&line, fmin(1, first->share));
		text_add(&line, " of the time");
	}
	text_add(&line, ".");
	if (nr == 1 && none)
		text_add(&line, " How memory is accessed was not recorded, see below.");
	else if (nr == 1 && lacks)
		text_add(&line, " How memory is accessed was not recorded everywhere, see below.");
	else if (nr == 1 && (answer_open_topics(answer) || answer_is_traced_in_part(answer->run)))
		text_add(&line, " Other questions are open, see below.");
	else if (all == 1)
		text_printf(&line, " No other cause found%s.", outside_scope(answer->run));
	text_wrap(answer->out, line.bytes ? line.bytes : "", 0, answer->options->width);
	text_add(answer->out, "\n");
}

/* ------------------------------------------------------------------ the hot lines */

/* Without blanks at its end, nor the carriage return that lines of some systems end with. */
static const char *text_of_line(const char *text, int line, size_t *nr_out)
{
	while (*text && --line > 0) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	*nr_out = strcspn(text, "\n");
	while (*nr_out && strchr(" \t\r", text[*nr_out - 1]))
		--*nr_out;
	return text;
}

static size_t add_number(int *lines, size_t nr, int line)
{
	size_t at = nr;

	for (size_t i = 0; i < nr; i++)
		if (lines[i] == line)
			return nr;
	for (; at > 0 && lines[at - 1] > line; at--)
		lines[at] = lines[at - 1];
	lines[at] = line;
	return nr + 1;
}

/* The instruction whose line is shown, and the innermost loop around it. */
struct hot_line {
	const struct source *source; /* NULL: none */
	struct code_address address;
	uint32_t loop;
};

static struct hot_line hot_line_of(const struct run *run, const struct cause *cause)
{
	const struct run_access *access = cause->nr_arrays ? cause->arrays[0].pattern.hot : NULL;
	const struct run_hotspot *spot = cause_serial_spot(run, cause);

	if (access)
		return (struct hot_line){ &access->source, access->address, access->loop };
	if (spot)
		return (struct hot_line){ &spot->source, spot->address, MS_REGION_NONE };
	return (struct hot_line){ .source = NULL };
}

/* Lines of the loops around the hot line, and its own, ascending. */
static size_t lines_to_show(const struct run *run, const struct hot_line *hot, size_t most,
			    int lines[SNIPPET_LINES + 1])
{
	size_t nr = most ? add_number(lines, 0, hot->source->line) : 0;

	for (uint32_t at = hot->loop; at < run->nr_regions && nr < most;
	     at = run->regions[at].parent) {
		const struct run_region *loop = &run->regions[at];

		if (!ms_region_kind_is_code_part(loop->kind) && loop->kind != MS_DO_REGION &&
		    loop->kind != MS_PARALLEL_REGION)
			break;
		if (loop->kind != MS_SUB_REGION && loop->source.line && loop->source.file &&
		    hot->source->file && !strcmp(loop->source.file, hot->source->file))
			nr = add_number(lines, nr, loop->source.line);
		if (loop->parent >= at)
			break;
	}
	return nr;
}

/* Tabs become four blanks; the rest of a long line is left out. */
static void add_code(struct answer *answer, const char *code, size_t nr)
{
	struct text line;

	text_init(&line, answer->arena);
	for (size_t i = 0; i < nr && line.length < SNIPPET_COLUMNS; i++)
		text_printf(&line, "%s", code[i] == '\t' ? "    " : (char[]){ code[i], 0 });
	text_add_plain(answer->out, line.bytes ? line.bytes : "");
}

static void snippet(struct answer *answer, const struct cause *cause)
{
	const struct run *run = answer->run;
	struct hot_line hot = hot_line_of(run, cause);
	const char *text = hot.source && answer->sources
				   ? sources_text(answer->sources, run->modules, run->nr_modules,
						  hot.address)
				   : NULL;
	int lines[SNIPPET_LINES + 1];
	size_t nr = text ? lines_to_show(run, &hot, answer->extent.lines, lines) : 0;

	for (size_t i = 0; i < nr; i++) {
		size_t length;
		const char *code = text_of_line(text, lines[i], &length);

		text_printf(answer->out, "  %s  | %-4d ", lines[i] == hot.source->line ? ">" : " ",
			    lines[i]);
		add_code(answer, code, length);
		text_add(answer->out, "\n");
	}
}

/* ------------------------------------------------------------------ arrays of a cause */

static const char *percent(struct arena *arena, double part, double whole)
{
	struct text text;

	text_init(&text, arena);
	if (whole > 0 && part > 0 && part < 0.001 * whole)
		text_add(&text, "<0.1 %");
	else if (whole > 0 && isfinite(part))
		units_share(&text, fmin(1, part / whole));
	return text.length ? text.bytes : "-";
}

static const char *movement(struct arena *arena, const struct array_pattern *pattern)
{
	const char *word = array_pattern_word(pattern);

	if (word || !(pattern->stride > 0))
		return word ? word : "-";
	return units_bytes_text(arena, pattern->stride);
}

static double all_stalls(const struct cause *cause)
{
	double sum = 0;

	for (size_t i = 0; i < cause->nr_arrays; i++)
		sum += isfinite(cause->arrays[i].facts->stall_cycles)
			       ? cause->arrays[i].facts->stall_cycles
			       : 0;
	return sum;
}

#define NAME_COLUMN ARRAYS_SHORT_NAME

/* Lines from memory are mostly prefetched where a loop streams, and so no misses. */
static bool streams(const struct cause *cause)
{
	return cause->kind == CAUSE_BANDWIDTH && isfinite(cause->arrays[0].facts->prefetched_lines);
}

static double missed(const struct cause *cause, const struct array_facts *facts)
{
	if (streams(cause))
		return facts->memory_lines + facts->prefetched_lines;
	return isfinite(facts->misses[2]) ? facts->misses[2] : facts->misses[1];
}

static void array_row(struct answer *answer, const struct cause *cause,
		      const struct cause_array *of, double stalls)
{
	const struct run_array *array = &answer->run->arrays[of->array];
	const struct array_facts *facts = of->facts;
	double accesses = facts->loads + facts->stores;
	struct arena *arena = answer->arena;
	const char *name = run_array_is_stack(array) ? "automatic variables"
						     : arrays_name(arena, answer->run, array);

	if (array->type && *array->type && strlen(name) + strlen(array->type) < NAME_COLUMN)
		name = arena_printf(arena, "%s  %s", name, array->type);
	text_printf(
		answer->out, "%*s%-*.*s %10s %12s %8s %8s %8s %8s\n", INDENT, "", NAME_COLUMN,
		NAME_COLUMN, arrays_short_name(arena, name),
		answer_count(arena, isfinite(accesses) ? accesses : facts->reads + facts->writes),
		movement(arena, &of->pattern), percent(arena, facts->misses[0], accesses),
		percent(arena, missed(cause, facts), accesses),
		percent(arena, facts->walks, accesses),
		percent(arena, facts->stall_cycles, stalls));
}

/* Of bursts they are estimates. */
static const char *accesses_label(const struct answer *answer)
{
	bool estimated = recorded_of(answer->arena, answer->run).bursts >= RECORDED_BURSTS_LEAST;

	if (answer->run->phase.method != PHASE_WHOLE_PROGRAM)
		return estimated ? "~acc./step" : "acc./step";
	return estimated ? "~accesses" : "accesses";
}

static void array_table(struct answer *answer, const struct cause *cause, size_t most)
{
	const char *per = accesses_label(answer);
	double stalls = all_stalls(cause);

	if (!cause->nr_arrays)
		return;
	text_printf(answer->out, "%*s%-*s %10s %12s %8s %8s %8s %8s\n", INDENT, "", NAME_COLUMN,
		    "array", per, "stride", "L1 miss", streams(cause) ? "from mem" : "LLC miss",
		    "TLB walk", "stalls");
	for (size_t i = 0; i < cause->nr_arrays && i < most; i++)
		array_row(answer, cause, &cause->arrays[i], stalls);
}

/* ------------------------------------------------------------------ causes */

static const char *provenance(const struct answer *answer, const struct cause *cause)
{
	bool simulated = false, counted = false;

	for (size_t i = 0; i < cause->nr_nodes; i++) {
		simulated |= cause->nodes[i]->rung == MS_RUNG_SIMULATED;
		counted |= cause->nodes[i]->rung == MS_RUNG_COUNTED;
	}
	if (simulated)
		return answer->run->modelled.here ? "recorded, simulated on this machine"
						  : "recorded, simulated";
	if (cause->nr_arrays)
		return "recorded";
	return counted ? "counted" : ms_rung_name(cause->worst->rung);
}

/* Of a finding of the whole phase, the region in which the search found most of it. */
static const char *place_text(struct answer *answer, const struct cause *cause)
{
	const char *place = finding_place(answer->arena, answer->run, cause->region);

	return !cause->nr_arrays && cause->region != cause->worst->region
		       ? arena_printf(answer->arena, "%s, and other places", place)
		       : place;
}

static void headline(struct answer *answer, const struct cause *cause, size_t number)
{
	const char *arrays = cause_arrays(answer->arena, answer->run, cause);
	const char *line = arrays ? NULL : cause_lines(answer->arena, answer->run, cause);
	const char *title = cause_title(answer->arena, cause);

	if (!line)
		line = line_text(answer->arena, cause_line(answer->run, cause));
	if (cause->kind == CAUSE_PROPERTY && cause->worst->property)
		title = arena_printf(answer->arena, "%s (%s)", title, cause->worst->property);
	text_printf(answer->out, "%3zu  ", number);
	colour(answer, cause->high >= 0.2 ? "1;31" : "1;33");
	if (arrays)
		add_piece(answer, INDENT, arrays);
	add_piece(answer, INDENT, line ? line : place_text(answer, cause));
	add_piece(answer, INDENT,
		  arena_printf(answer->arena, "%s of the time",
			       share_range(answer->arena, cause->low, cause->high)));
	add_piece(answer, INDENT, title);
	add_piece(answer, INDENT, arena_printf(answer->arena, "[%s]", provenance(answer, cause)));
	colour(answer, "0");
	text_add(answer->out, "\n");
}

/* The first sentence of a property's text; the rest is in the long report. */
static const char *first_sentence(struct arena *arena, const char *text)
{
	const char *end = text;

	while (end && *end && !(*end == '.' && (end[1] == ' ' || !end[1])))
		end++;
	return end && *end ? arena_printf(arena, "%.*s", (int)(end + 1 - text), text) : text;
}

static void print_cause(struct answer *answer, const struct cause *cause, size_t number, bool whole)
{
	const char *why = cause_why(answer->arena, answer->run, cause),
		   *remedy = cause_remedy(answer->arena, answer->run, cause);
	bool is_property = cause->kind == CAUSE_PROPERTY;

	headline(answer, cause, number);
	if (whole) {
		snippet(answer, cause);
		array_table(answer, cause, answer->extent.arrays);
		labelled(answer, "why", is_property ? first_sentence(answer->arena, why) : why);
		labelled(answer, "call", calls_of_cause(answer->arena, answer->run, cause));
	}
	if (whole)
		labelled(answer, "lock",
			 lock_facts_sentence(answer->arena, answer->run,
					     lock_facts_at(answer->locks, answer->nr_locks,
							   answer->run, cause->region),
					     true));
	labelled(answer, "try",
		 is_property && !answer->in_full ? first_sentence(answer->arena, remedy) : remedy);
	if (whole && answer->extent.also)
		labelled(answer, "also", cause_also(answer->arena, answer->run, cause));
}

static size_t worth_showing(const struct answer *answer, const struct cause *causes, size_t nr)
{
	size_t shown = 0;

	while (shown < nr && shown < answer->extent.causes &&
	       cause_worth(&causes[shown]) >= LEAST_GAIN)
		shown++;
	return shown;
}

/* ------------------------------------------------------------------ no cause */

struct tally {
	size_t no, unanswered;
};

static struct tally count_verdicts(const struct run *run)
{
	struct tally tally = { 0 };

	for (size_t i = 0; i < run->nr_nodes; i++) {
		tally.no += run->nodes[i].state == MS_NODE_FALSE;
		tally.unanswered += run->nodes[i].state == MS_NODE_UNKNOWN ||
				    run->nodes[i].state == MS_NODE_PENDING ||
				    run->nodes[i].state == MS_NODE_DISCONTINUED ||
				    run->nodes[i].state == MS_NODE_MISSED ||
				    run->nodes[i].state == MS_NODE_ACTIVE;
	}
	return tally;
}

/* What was answered with no holds for these: a region's other loops may come later. */
static void begins_alone(struct text *line, const struct run *run, const char *open, double bursts)
{
	text_printf(line, "Open: %s%sonly the first accesses of regions with ", open ? open : "",
		    open ? "; " : "");
	units_share(line, bursts);
	text_printf(
		line,
		" of the time were recorded (%s records more). Nothing was found in these, nor in what else was measured, that costs 2 %% of the time or more%s.",
		answer_more(run), outside_scope(run));
}

/* Of loops that come later in a step misses are not known. */
static void begin_traced(struct text *line, const struct run *run)
{
	text_add(line, "Open: only the first ");
	units_share(line, answer_traced(run));
	text_printf(
		line,
		" of what a step accesses could be simulated (%s traces more). Nothing was found in it, nor in what else was measured, that costs 2 %% of the time or more%s.",
		answer_more(run), outside_scope(run));
}

/* What was recorded may hide anything as long as it is not simulated. */
static void nothing_simulated(struct text *line, const struct run *run, const char *open)
{
	text_printf(
		line,
		"Open: %s%swhat the recorded accesses miss in the caches was not simulated (memsearch arrays simulates it, or reports why not). Nothing else was found to cost 2 %% of the time or more%s.",
		open ? open : "", open ? "; " : "", outside_scope(run));
}

static void no_cause(struct answer *answer)
{
	struct tally tally = count_verdicts(answer->run);
	const char *unrecorded = recorded_why_none(answer->arena, answer->run),
		   *open = answer_open_topics(answer), *why = NULL,
		   *lacks = recorded_lacks(answer->arena, answer->run, &why);
	double bursts = recorded_of(answer->arena, answer->run).bursts;
	struct text line;

	text_init(&line, answer->arena);
	if (!answer->run->nr_nodes)
		text_add(
			&line,
			"No question was asked: the run ended, or its record ends, before there was anything to measure.");
	else if (unrecorded)
		text_printf(
			&line,
			"Open: how the program accesses memory was not recorded (%s). Nothing else was found to cost 2 %% of the time or more%s.",
			unrecorded, outside_scope(answer->run));
	else if (lacks)
		text_printf(
			&line,
			"Open: %s%show memory is accessed in %s, was not recorded (%s). Nothing else was found to cost 2 %% of the time or more%s.",
			open ? open : "", open ? "; " : "", lacks, why, outside_scope(answer->run));
	else if (recorded_why_not_simulated(answer->arena, answer->run))
		nothing_simulated(&line, answer->run, open);
	else if (bursts >= RECORDED_BURSTS_LEAST)
		begins_alone(&line, answer->run, open, bursts);
	else if (open)
		text_printf(
			&line,
			"Open: %s, see below. Nothing else was found to cost 2 %% of the time or more%s.",
			open, outside_scope(answer->run));
	else if (answer_is_traced_in_part(answer->run))
		begin_traced(&line, answer->run);
	else if (tally.unanswered)
		text_printf(
			&line,
			"No cause found%s: %zu question%s answered with no, %zu could not be answered (memsearch report --tree).",
			outside_scope(answer->run), tally.no, tally.no == 1 ? " was" : "s were",
			tally.unanswered);
	else
		text_printf(&line, "No cause found%s: all %zu questions were answered with no.",
			    outside_scope(answer->run), tally.no);
	text_wrap(answer->out, line.bytes ? line.bytes : "", 0, answer->options->width);
	text_add(answer->out, "\n");
	hot_regions_text(answer->out, answer->run, answer->extent.hot, answer->options->width);
}

/* ------------------------------------------------------------------ locks */

static bool is_printed(const struct answer *answer, const struct cause *causes, size_t nr,
		       const struct lock_facts *lock)
{
	return nr && lock_facts_at(answer->locks, answer->nr_locks, answer->run,
				   causes[0].region) == lock;
}

/*
 * Names a lock before threads wait for it: four times the threads saturate one that is held a
 * quarter of the time.
 */
static void busiest_lock(struct answer *answer)
{
	const struct lock_facts *lock = answer->nr_locks ? &answer->locks[0] : NULL;
	const struct cause *causes;
	size_t nr = lock ? causes_of(answer->arena, answer->run, false, &causes) : 0;

	if (!lock || lock->use < USE_LEAST || !isfinite(lock->saturation) ||
	    is_printed(answer, causes, worth_showing(answer, causes, nr), lock))
		return;
	text_add(answer->out, "Busiest lock             ");
	text_wrap(answer->out, lock_facts_sentence(answer->arena, answer->run, lock, false), 25,
		  answer->options->width);
	text_add(answer->out, "\n");
}

/* ------------------------------------------------------------------ trials */

static void tried(struct answer *answer)
{
	const char *text = tried_text(answer->arena, answer->run, false);

	if (!text)
		return;
	text_add(answer->out, "Tried while it ran       ");
	text_wrap(answer->out, text, 25, answer->options->width);
	text_add(answer->out, "\n");
}

/* ------------------------------------------------------------------ the whole */

static void heading_of_model(struct answer *answer)
{
	const struct run_modelled *model = &answer->run->modelled;

	text_printf(
		answer->out,
		"On the modelled machine %s, by what its caches would take of this run's time:\n",
		model->name ? model->name : "?");
	if (model->placement) {
		text_wrap(answer->out, arena_printf(answer->arena, "(%s)", model->placement), 0,
			  answer->options->width);
		text_add(answer->out, "\n");
	}
}

/*
 * How many there are besides, and the first of them. Causes are ordered by what is certain, so that
 * this one may cost more than those that are shown.
 */
static void more_causes(struct answer *answer, const struct cause *causes, size_t nr)
{
	const char *arrays = cause_arrays(answer->arena, answer->run, causes);
	struct text line;

	text_init(&line, answer->arena);
	text_printf(&line, "and %zu more cause%s%s: ", nr, answer_plural(nr),
		    nr == 1 ? "" : ", first");
	text_printf(&line, "%s%s%s, ", cause_title(answer->arena, causes), arrays ? " of " : "",
		    arrays ? arrays : "");
	text_add_plain(&line, share_range(answer->arena, causes->low, causes->high));
	text_add(&line, " of the time (memsearch report -v)");
	begin_part(answer);
	text_printf(answer->out, "%*s", INDENT, "");
	text_wrap(answer->out, line.bytes ? line.bytes : "", INDENT, answer->options->width);
	text_add(answer->out, "\n");
}

static void section(struct answer *answer, bool of_model)
{
	const struct cause *causes;
	size_t nr = causes_of(answer->arena, answer->run, of_model, &causes),
	       shown = worth_showing(answer, causes, nr);

	if (of_model && !shown)
		return;
	begin_part(answer);
	if (of_model)
		heading_of_model(answer);
	else if (shown)
		sentence(answer, causes, shown, nr);
	else
		no_cause(answer);
	for (size_t i = 0; i < shown; i++) {
		begin_part(answer);
		print_cause(answer, &causes[i], i + 1, !i);
	}
	if (nr > shown && shown)
		more_causes(answer, causes + shown, nr - shown);
}

static const char *evidence_command(const struct answer *answer)
{
	const struct cause *causes;
	size_t nr = causes_of(answer->arena, answer->run, false, &causes);

	return answer->alone && worth_showing(answer, causes, nr)
		       ? "memsearch explain N   evidence for cause N         "
		       : "memsearch report -v   evidence for each cause      ";
}

static void next_steps(struct answer *answer)
{
	uint32_t number = run_phase_here(answer->run);

	if (!answer->extent.commands)
		return;
	begin_part(answer);
	if (number)
		text_printf(answer->out,
			    "memsearch report --phase %" PRIu32
			    " -v   evidence for each cause      memsearch arrays --phase %" PRIu32
			    "   every array\n",
			    number, number);
	else if (answer->extent.commands == 1)
		text_printf(answer->out, "%s%s\n", evidence_command(answer),
			    answer->run->nr_accesses
				    ? "memsearch arrays   every array and its misses"
				    : "memsearch report --tree   every question");
	else
		text_printf(answer->out, "%smemsearch report --tree   every question\n",
			    evidence_command(answer));
	if (!number && answer->extent.commands > 1 && answer->run->nr_accesses)
		text_add(
			answer->out,
			"memsearch arrays      every array and its misses   memsearch arrays --machine NAME   another machine\n");
}

static void print_run(struct answer *answer)
{
	header(answer);
	answer_warnings(answer);
	outside_text(answer->out, answer->run, answer->options->width);
	section(answer, false);
	if (answer->run->modelled.name && !answer->run->modelled.here)
		section(answer, true);
	begin_part(answer);
	tried(answer);
	busiest_lock(answer);
	answer_checked(answer);
	answer_not_measured(answer);
	report_events(answer->out, answer->run, answer->options);
	next_steps(answer);
}

static size_t lines_of(const struct text *text)
{
	size_t nr = 0;

	for (size_t i = 0; i < text->length; i++)
		nr += text->bytes[i] == '\n';
	return nr;
}

/* As much as fits. */
static void print_fitting(struct answer *answer, struct text *out)
{
	struct text text;

	answer->out = &text;
	for (size_t i = 0; i < sizeof(extents) / sizeof(*extents); i++) {
		text_init(&text, answer->arena);
		answer->extent = extents[i];
		print_run(answer);
		if (lines_of(&text) <= LINES_MOST)
			break;
	}
	text_add_bytes(out, text.bytes, text.length);
	out->cut |= text.cut;
}

void report_answer(struct text *out, const struct run *const *runs, size_t nr_runs,
		   const struct report_options *options)
{
	for (size_t i = 0; i < nr_runs; i++) {
		struct answer answer = { .arena = out->arena,
					 .options = options,
					 .run = runs[i],
					 .alone = nr_runs == 1 };

		if (i)
			text_add(out, "\n");
		answer.sources = options->brief ? NULL : sources_new(out->arena);
		answer.nr_locks = lock_facts_of(out->arena, runs[i], &answer.locks);
		print_fitting(&answer, out);
		if (answer.sources)
			sources_free(answer.sources);
	}
}

void report_cause(struct text *out, const struct run *run, const struct cause *cause, size_t number,
		  const struct report_options *options)
{
	struct answer answer = {
		.out = out,
		.arena = out->arena,
		.options = options,
		.run = run,
		.extent = { .lines = SNIPPET_LINES, .arrays = SIZE_MAX, .also = true },
		.in_full = true,
		.sources = options->brief ? NULL : sources_new(out->arena),
	};

	answer.nr_locks = lock_facts_of(out->arena, run, &answer.locks);
	print_cause(&answer, cause, number, true);
	if (answer.sources)
		sources_free(answer.sources);
	report_evidence(out, run, cause->nodes, cause->nr_nodes, options);
}
