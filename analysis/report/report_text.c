/* SPDX-License-Identifier: Apache-2.0 */
/* The report for people: the answer first, then what was not measured, then the cost. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "analysis/base/arena.h"
#include "analysis/report/array_names.h"
#include "analysis/report/cause.h"
#include "analysis/report/counts.h"
#include "analysis/report/finding.h"
#include "analysis/report/group.h"
#include "analysis/report/history_graph.h"
#include "analysis/report/intervals.h"
#include "analysis/report/lock_facts.h"
#include "analysis/report/misses.h"
#include "analysis/report/recorded.h"
#include "analysis/report/rank.h"
#include "analysis/report/report.h"
#include "analysis/report/source_words.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/tried.h"
#include "analysis/report/units.h"
#include "analysis/report/views.h"
#include "memsearch/host.h"

#define LABEL_COLUMN 5   /* where "where", "values" … begin below a finding */
#define TEXT_COLUMN 14   /* and what they say */
#define SEVERITY_WIDTH 7 /* before the title; a range makes it wider */
/* of a run without a phase; less is worth a word where values are explained */
#define SEEN_MOST 0.9
#define SEVERE_SHARE 0.2 /* red from here on; yellow from the next */
#define NOTABLE_SHARE 0.05
#define HOT_SHARE 0.05  /* less is not worth a line */
#define LOCK_ROWS 10    /* the rest is in `--json` … */
#define LOCK_LEAST 0.01 /* … as are locks that are held less, of the time */
#define COUNT_ROWS 6    /* of an event; the rest is in `memsearch list counts` */
#define HOT_LINES 3     /* of a finding; the rest is in `--json` */

struct writer {
	struct text *out;
	struct arena *arena;
	const struct report_options *options;
	const struct run *run;
	const struct lock_facts *locks; /* the busiest first */
	size_t nr_locks;
	bool in_cause;              /* evidence of one cause, below its remedy */
	const struct cause *causes; /* else all of them */
	size_t nr_causes;
	bool *advised; /* by cause: its remedy is printed */
	bool rung_used[MS_RUNGS];
	bool range_used, model_used;
};

/* -- pieces */

static void colour(struct writer *writer, const char *code)
{
	if (writer->options->colour)
		text_printf(writer->out, "\033[%sm", code);
}

static void heading(struct writer *writer, const char *title)
{
	text_add(writer->out, "\n");
	colour(writer, "1");
	text_wrap(writer->out, title, 0, writer->options->width);
	colour(writer, "0");
	text_add(writer->out, "\n");
}

/* "     where    text", wrapped. */
static void labelled(struct writer *writer, const char *label, const char *string)
{
	if (!string || !*string)
		return;
	text_printf(writer->out, "%*s%-*s", LABEL_COLUMN, "", TEXT_COLUMN - LABEL_COLUMN, label);
	text_wrap(writer->out, string, TEXT_COLUMN, writer->options->width);
	text_add(writer->out, "\n");
}

static void item(struct writer *writer, const char *string)
{
	text_add(writer->out, "  - ");
	text_wrap(writer->out, string, 4, writer->options->width);
	text_add(writer->out, "\n");
}

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* -- one finding */

/* Whether both ends differ when they are printed. */
static bool is_range(double low, double high)
{
	return high - low >= (high < 0.1 ? 0.001 : 0.01);
}

static bool has_rate(const struct writer *writer, const struct run_node *node)
{
	return writer->options->severity_rate && finding_rate(node);
}

static bool has_range(const struct writer *writer, const struct run_node *node)
{
	return finding_interval(node) && is_range(node->severity_low, node->severity_high) &&
	       !has_rate(writer, node);
}

static void add_severity(struct writer *writer, struct text *out, const struct run_node *node)
{
	const struct ms_reading *rate = writer->options->severity_rate ? finding_rate(node) : NULL;

	if (rate)
		text_printf(out, "rate %.3g", rate->value);
	else
		units_share(out, node->severity);
}

/* What a candidate costs: its severity says nothing. */
static void add_most(struct text *out, double share)
{
	text_add(out, "up to ");
	units_share(out, share);
}

/* "20 % (6-34 %)" */
static void add_severity_and_range(struct writer *writer, struct text *out,
				   const struct finding_group *group)
{
	if (has_rate(writer, group->worst)) {
		add_severity(writer, out, group->worst);
		return;
	}
	units_share(out, group->severity);
	if (!is_range(group->low, group->high))
		return;
	text_add(out, " (");
	units_share_range(out, group->low, group->high);
	text_add(out, ")");
	writer->range_used = true;
	writer->model_used |= group->worst->severity_of_model;
}

static void headline(struct writer *writer, const struct finding_group *group, size_t number)
{
	const struct run_node *node = group->worst;
	struct text severity;

	text_init(&severity, writer->arena);
	add_severity_and_range(writer, &severity, group);
	text_printf(writer->out, "%3zu. ", number);
	colour(writer, group->severity >= SEVERE_SHARE    ? "1;31"
		       : group->severity >= NOTABLE_SHARE ? "1;33"
							  : "1");
	text_printf(writer->out, "%-*s  ", SEVERITY_WIDTH, severity.bytes ? severity.bytes : "");
	text_wrap(writer->out, finding_title(writer->arena, node), TEXT_COLUMN,
		  writer->options->width);
	colour(writer, "0");
	/* The name that `memsearch properties NAME` explains. */
	text_wrap(writer->out,
		  node->property ? arena_printf(writer->arena, " (%s)", node->property) : "",
		  TEXT_COLUMN, writer->options->width);
	text_add(writer->out, "\n");
}

static void where(struct writer *writer, const struct finding_group *group, bool is_candidate)
{
	const struct run_node *node = group->worst;
	const char *path = finding_callers(writer->arena, writer->run, node->region);
	struct text place;

	text_init(&place, writer->arena);
	text_add_plain(&place, finding_place(writer->arena, writer->run, node->region));
	if (path)
		text_printf(&place, ", called by %s", path);
	if (group->nr > 1) {
		text_printf(&place, " (in %zu places; this and what follows is of the worst, with ",
			    group->nr);
		if (is_candidate)
			add_most(&place, node->severity_high);
		else
			add_severity(writer, &place, node);
		text_add(&place, ")");
	}
	labelled(writer, "where", place.bytes);
	labelled(writer, "nodes", finding_numa_nodes(writer->arena, writer->run, node));
	labelled(writer, "threads", finding_threads_nodes(writer->arena, writer->run, node));
}

#define DEPTH_SHOWN 8 /* deeper ones are not indented further */

/* One line of a chain. */
static void level(struct writer *writer, const char *label, size_t depth, const char *line)
{
	const char *arrow = depth ? "-> " : "";
	int indent = TEXT_COLUMN +
		     (depth ? 2 * (int)(depth < DEPTH_SHOWN ? depth : DEPTH_SHOWN) - 2 : 0);

	text_printf(writer->out, "%*s%-*s%*s%s", LABEL_COLUMN, "", TEXT_COLUMN - LABEL_COLUMN,
		    depth ? "" : label, indent - TEXT_COLUMN, "", arrow);
	text_wrap(writer->out, line ? line : "", indent + (int)strlen(arrow),
		  writer->options->width);
	text_add(writer->out, "\n");
}

static void add_time(struct writer *writer, struct text *text, uint32_t region)
{
	double share = finding_time_share(writer->run, region);

	if (isnan(share))
		return;
	text_add(text, ": ");
	units_share(text, share);
	text_add(text, " of the time");
}

/*
 * The proven properties it refines, one a line, each further to the right; of those that only led
 * to others how much time is there.
 */
static void chain(struct writer *writer, const struct run_node *node)
{
	const uint32_t *ids;
	size_t nr = finding_chain(writer->arena, writer->run, node, &ids);

	for (size_t i = 0; i < nr; i++) {
		const struct run_node *parent = &writer->run->nodes[ids[i]];
		const char *place = finding_place(writer->arena, writer->run, parent->region);
		struct text line;

		text_init(&line, writer->arena);
		if (report_standing(writer->run, parent) == REPORT_STEP) {
			text_add_plain(&line, place);
			add_time(writer, &line, parent->region);
		} else {
			text_printf(&line, "%s, %s: ", finding_title(writer->arena, parent), place);
			add_severity(writer, &line, parent);
		}
		level(writer, "found by", i, line.bytes);
	}
}

static void add_upper(struct text *text, const struct run_node *node)
{
	text_add(text, ": 0 to ");
	units_share(text, node->severity_high);
}

/* From the phase through all regions around it down to the data structure. */
static void way(struct writer *writer, const struct run_node *node)
{
	const struct run_array *array = finding_array(writer->run, node->region);
	const uint32_t *regions;
	size_t nr = finding_regions(writer->arena, writer->run, node->region, &regions);

	for (size_t i = 0; i < nr; i++) {
		bool last = i + 1 == nr;
		struct text line;

		text_init(&line, writer->arena);
		text_add_plain(&line, last && array ? arrays_name(writer->arena, writer->run, array)
						    : finding_place(writer->arena, writer->run,
								    regions[i]));
		if (last)
			add_upper(&line, node);
		else
			add_time(writer, &line, regions[i]);
		level(writer, "path", i, line.bytes);
	}
}

static bool is_about_faults(const struct run_node *node)
{
	for (size_t i = 0; i < node->nr_evidence; i++)
		if (node->evidence[i].name && strstr(node->evidence[i].name, "fault"))
			return true;
	return node->property && strstr(node->property, "Fault");
}

/*
 * Where the time goes in serial code and single regions; where pages are touched first, if that is
 * what it is about.
 */
static void hot_lines(struct writer *writer, const struct run_node *node)
{
	uint32_t metric = is_about_faults(node) ? MS_METRIC_FAULT_SAMPLES : MS_METRIC_SAMPLES;
	const struct run *run = writer->run;
	size_t shown = 0;

	for (size_t i = 0; i < run->nr_hotspots && shown < HOT_LINES; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];
		const char *what = metric == MS_METRIC_FAULT_SAMPLES ? "page fault" : "sample";
		struct text line;

		if (spot->region != node->region || spot->metric != metric ||
		    spot->share < HOT_SHARE || hotspot_waits(spot))
			continue;
		text_init(&line, writer->arena);
		text_printf(&line, "%s: ", source_place(writer->arena, &spot->source));
		units_share(&line, spot->share);
		text_printf(&line, " of the %ss there (%" PRIu64 " %s%s)", what, spot->count, what,
			    plural(spot->count));
		labelled(writer, shown++ ? "" : "hot", line.bytes);
	}
}

static void add_reading(struct writer *writer, struct text *out,
			const struct run_evidence *evidence)
{
	const struct ms_reading *reading = &evidence->reading;

	text_printf(out, "%s ", evidence->name ? evidence->name : "?");
	if (reading->missing != MS_PRESENT) {
		text_printf(out, "unknown: %s", ms_missing_text(reading->missing));
		return;
	}
	units_value(out, reading->value, evidence->unit);
	if (isfinite(reading->error) && reading->error > 0) {
		text_add(out, " +/- ");
		units_value(out, reading->error, evidence->unit);
	}
	if (reading->rung == MS_RUNG_NONE || (unsigned int)reading->rung >= MS_RUNGS)
		return; /* a constant of the machine or of the property */
	text_printf(out, " (%s)", ms_rung_name(reading->rung));
	writer->rung_used[reading->rung] = true;
}

static void values(struct writer *writer, const struct run_node *node)
{
	struct text line;

	text_init(&line, writer->arena);
	for (size_t i = 0; i < node->nr_evidence; i++) {
		text_add_plain(&line, i ? ", " : "");
		add_reading(writer, &line, &node->evidence[i]);
	}
	labelled(writer, "values", line.bytes);
}

static void certainty(struct writer *writer, const struct run_node *node)
{
	struct text line;

	text_init(&line, writer->arena);
	units_share(&line, node->confidence);
	text_printf(&line, "; %s%s",
		    has_range(writer, node) ? "the range of its share is the " : "",
		    finding_uncertainty(writer->arena, node));
	labelled(writer, "certain", line.bytes);
}

static void find_causes(struct writer *writer, bool of_model)
{
	writer->nr_causes = causes_of(writer->arena, writer->run, of_model, &writer->causes);
	writer->advised = arena_alloc(writer->arena, (writer->nr_causes + 1) * sizeof(bool));
	if (!writer->advised)
		writer->nr_causes = 0;
	for (size_t i = 0; i < writer->nr_causes; i++)
		writer->advised[i] = false;
}

/* Index of the cause that it is evidence of; nr_causes: of none. */
static size_t cause_of(const struct writer *writer, const struct run_node *node)
{
	for (size_t i = 0; i < writer->nr_causes; i++)
		for (size_t k = 0; k < writer->causes[i].nr_nodes; k++)
			if (writer->causes[i].nodes[k] == node)
				return i;
	return writer->nr_causes;
}

/*
 * All evidence of a cause has the cause's remedy, with the first of it: what its properties advise
 * by themselves is for any program that has them, and may contradict it.
 */
static void remedy(struct writer *writer, const struct run_node *node)
{
	size_t at = cause_of(writer, node);
	const struct cause *cause = at < writer->nr_causes ? &writer->causes[at] : NULL;
	const char *arrays;

	if (!cause) {
		labelled(writer, "try", writer->in_cause ? NULL : node->advice);
		return;
	}
	arrays = cause_arrays(writer->arena, writer->run, cause);
	labelled(writer, "cause",
		 arena_printf(writer->arena, "%zu, %s%s%s", at + 1,
			      cause_title(writer->arena, cause), arrays ? " of " : "",
			      arrays ? arrays : ""));
	if (!writer->advised[at])
		labelled(writer, "try", cause_remedy(writer->arena, writer->run, cause));
	writer->advised[at] = true;
}

static void finding(struct writer *writer, const struct finding_group *group, size_t number)
{
	const struct run_node *node = group->worst;

	headline(writer, group, number);
	where(writer, group, false);
	hot_lines(writer, node);
	labelled(writer, "meaning", node->explanation);
	labelled(writer, "lock",
		 lock_facts_sentence(
			 writer->arena, writer->run,
			 lock_facts_at(writer->locks, writer->nr_locks, writer->run, node->region),
			 true));
	remedy(writer, node);
	values(writer, node);
	labelled(writer, "counted", node->events);
	certainty(writer, node);
	labelled(writer, "proven", finding_reached(writer->arena, writer->run, node));
	labelled(writer, "when", interval_words(writer->arena, writer->run, node));
	chain(writer, node);
	if (writer->in_cause)
		views_text(writer->out, writer->run, node, LABEL_COLUMN);
	text_add(writer->out, "\n");
}

/* -- the list */

struct tally {
	uint64_t states[MS_NODE_STATES]; /* without … */
	uint64_t steps;                  /* what is true, and only led to other questions */
	const struct run_node *largest;  /* of those that were answered no */
};

static struct tally count_nodes(const struct run *run)
{
	struct tally tally = { 0 };

	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];

		if (node->state == MS_NODE_TRUE && report_standing(run, node) == REPORT_STEP)
			tally.steps++;
		else if (node->state < MS_NODE_STATES)
			tally.states[node->state]++;
		if (node->state == MS_NODE_FALSE && isfinite(node->severity) &&
		    (!tally.largest || node->severity > tally.largest->severity))
			tally.largest = node;
	}
	return tally;
}

static const char *why_no_question(const struct run *run)
{
	if (run->bytes_ignored)
		return "The record was cut off or damaged before the first question in it: nothing can be said of this run.";
	if (!run->complete)
		return "The record ends before the first question in it: the program was killed early, or the file was cut off.";
	return "No question was asked of this run: it ended before there was anything to measure.";
}

/* Nothing was proven: list what was checked. */
static void nothing(struct writer *writer)
{
	struct tally tally = count_nodes(writer->run);
	uint64_t answered = tally.states[MS_NODE_FALSE];
	const uint32_t *ids;
	bool is_modelled = report_rank(writer->arena, writer->run, REPORT_MODELLED,
				       writer->options->all, &ids) > 0;
	struct text line;

	text_init(&line, writer->arena);
	if (!writer->run->nr_nodes)
		text_add_plain(&line, why_no_question(writer->run));
	else if (!answered)
		text_printf(
			&line,
			"Nothing could be proven or ruled out: %zu question%s got no answer, see below.",
			writer->run->nr_nodes, plural(writer->run->nr_nodes));
	else
		text_printf(&line, "Nothing was proven%s. %" PRIu64 " question%s answered with no",
			    is_modelled ? " of the machine it ran on" : "", answered,
			    answered == 1 ? " was" : "s were");
	if (answered && tally.largest && tally.largest->severity > 0) {
		text_printf(&line, "; the largest was \"%s\" in %s, with ",
			    finding_title(writer->arena, tally.largest),
			    finding_place(writer->arena, writer->run, tally.largest->region));
		units_share(&line, tally.largest->severity);
		text_add(&line, " of the threads' time");
	}
	text_add_plain(&line, answered ? "." : "");
	text_wrap(writer->out, line.bytes ? line.bytes : "", 0, writer->options->width);
	text_add(writer->out, "\n");
}

static void legend(struct writer *writer, bool ordered)
{
	static const char *const meanings[MS_RUNGS] = {
		[MS_RUNG_COUNTED] = "counted: every event",
		[MS_RUNG_SAMPLED] = "sampled: estimated from samples",
		[MS_RUNG_SIMULATED] = "simulated: by a model of the machine",
		[MS_RUNG_TIMED] = "timed: differences of clock readings",
	};
	struct text line;
	bool any = false;

	text_init(&line, writer->arena);
	text_add(&line, "Percentages at the left are shares of all threads' time in ");
	text_add_plain(&line,
		       writer->run->phase.method == PHASE_WHOLE_PROGRAM
			       ? writer->run->time_seen < SEEN_MOST
					 ? "what was seen of the run, and values are of that. "
					 : "the run; values are of the whole run. "
			       : "one execution of the phase; values are of one execution. ");
	if (writer->range_used)
		text_printf(
			&line,
			"The range in parentheses is the 95 %% confidence interval of the share%s. ",
			ordered ? "; the list is ordered by its lower end" : "");
	if (writer->model_used)
		text_add(
			&line,
			"Where \"certain\" names a model the interval extends to the most that it may cost. ");
	for (unsigned int rung = 0; rung < MS_RUNGS; rung++) {
		if (!writer->rung_used[rung] || !meanings[rung])
			continue;
		text_printf(&line, "%s%s", any ? "; " : "", meanings[rung]);
		any = true;
	}
	text_add_plain(&line, any ? "." : "");
	text_wrap(writer->out, line.bytes ? line.bytes : "", 0, writer->options->width);
	text_add(writer->out, "\n");
}

static void numbered(struct writer *writer, const struct finding_group *groups, size_t nr)
{
	size_t shown = writer->options->most && writer->options->most < nr ? writer->options->most
									   : nr;

	for (size_t i = 0; i < shown; i++)
		finding(writer, &groups[i], i + 1);
	if (shown < nr)
		text_printf(writer->out, "and %zu more: `memsearch report` lists all\n\n",
			    nr - shown);
}

static size_t count_candidates(struct writer *writer)
{
	const uint32_t *ids;
	struct finding_group *groups;
	size_t nr_single = report_rank_by(writer->arena, writer->run, REPORT_CANDIDATE,
					  writer->options->all, writer->options->severity_rate,
					  &ids);

	return finding_groups(writer->arena, writer->run, ids, nr_single,
			      writer->options->severity_rate, &groups);
}

static void title(struct writer *writer, size_t nr)
{
	size_t nr_candidates = nr ? 0 : count_candidates(writer);

	colour(writer, "1");
	text_add(writer->out, "memsearch: ");
	text_printf(writer->out, nr ? "%zu" : "no", nr);
	text_printf(writer->out, " finding%s", nr == 1 ? "" : "s");
	if (nr_candidates)
		text_printf(writer->out, ", but %zu candidate%s", nr_candidates,
			    plural(nr_candidates));
	text_add(writer->out, " in ");
	text_add_plain(writer->out, report_program(writer->run, writer->options->brief));
	if (writer->run->threads)
		text_printf(writer->out, " with %" PRIu32 " thread%s", writer->run->threads,
			    plural(writer->run->threads));
	text_add(writer->out, "\n");
	colour(writer, "0");
	text_add(writer->out, "\n");
}

static void findings(struct writer *writer)
{
	const uint32_t *ids;
	struct finding_group *groups;
	size_t nr_single = report_rank_by(writer->arena, writer->run, REPORT_FINDING,
					  writer->options->all, writer->options->severity_rate,
					  &ids);
	size_t nr = finding_groups(writer->arena, writer->run, ids, nr_single,
				   writer->options->severity_rate, &groups);

	title(writer, nr);
	if (!nr) {
		nothing(writer);
		return;
	}
	numbered(writer, groups, nr);
	legend(writer, true);
}

/* What is so on another machine than the one it ran on is no finding here. */
static void modelled_findings(struct writer *writer)
{
	const struct run_modelled *model = &writer->run->modelled;
	const uint32_t *ids;
	struct finding_group *groups;
	size_t nr_single = report_rank_by(writer->arena, writer->run, REPORT_MODELLED,
					  writer->options->all, writer->options->severity_rate,
					  &ids);
	size_t nr = finding_groups(writer->arena, writer->run, ids, nr_single,
				   writer->options->severity_rate, &groups);

	if (!nr)
		return;
	heading(writer, arena_printf(writer->arena, "On the modelled machine%s%s: %zu finding%s",
				     model->name ? " " : "", model->name ? model->name : "", nr,
				     plural(nr)));
	text_wrap(
		writer->out,
		"Waits are what the accesses would wait on that machine; shares are of the time that threads took on the machine they ran on.",
		0, writer->options->width);
	if (model->placement) {
		text_add(writer->out, "\n");
		text_wrap(writer->out, arena_printf(writer->arena, "(%s)", model->placement), 0,
			  writer->options->width);
	}
	text_add(writer->out, "\n\n");
	memset(writer->rung_used, 0, sizeof(writer->rung_used));
	writer->range_used = writer->model_used = false;
	numbered(writer, groups, nr);
	legend(writer, true);
}

/* -- candidates: true, but their cost is not measured */

#define CANDIDATES 5 /* shown without --all */

static void candidate(struct writer *writer, const struct finding_group *group)
{
	const struct run_node *node = group->worst;
	struct text line;

	text_init(&line, writer->arena);
	add_most(&line, group->high);
	text_printf(writer->out, "  -  %-*s  ", SEVERITY_WIDTH, line.bytes ? line.bytes : "");
	text_wrap(writer->out, finding_title(writer->arena, node), TEXT_COLUMN,
		  writer->options->width);
	text_wrap(writer->out,
		  node->property ? arena_printf(writer->arena, " (%s)", node->property) : "",
		  TEXT_COLUMN, writer->options->width);
	text_add(writer->out, "\n");
	where(writer, group, true);
	way(writer, node);
	labelled(writer, "meaning", node->explanation);
	remedy(writer, node);
	text_add(writer->out, "\n");
}

static void unmeasured(struct writer *writer)
{
	const uint32_t *ids;
	struct finding_group *groups;
	size_t nr_single = report_rank_by(writer->arena, writer->run, REPORT_CANDIDATE,
					  writer->options->all, writer->options->severity_rate,
					  &ids);
	size_t nr = finding_groups(writer->arena, writer->run, ids, nr_single,
				   writer->options->severity_rate, &groups);
	size_t shown = writer->options->all || nr < CANDIDATES ? nr : CANDIDATES;

	if (!nr)
		return;
	heading(writer,
		"Candidates: this is so, but how much of the time it costs is not measured");
	text_add(writer->out, "\n");
	for (size_t i = 0; i < shown; i++)
		candidate(writer, &groups[i]);
	if (shown < nr)
		text_printf(writer->out, "and %zu more: `memsearch report --all` lists them\n",
			    nr - shown);
}

/* -- events that the user named */

static void count_row(struct writer *writer, struct table *table, const struct count *count,
		      double value, const char *thread)
{
	table_string(table, counts_name(count->counter));
	table_number(table, value);
	table_string(table, thread);
	table_string(table, finding_place(writer->arena, writer->run, count->region));
}

/*
 * The sum over all threads, which stand first, then where most of it was; returns how many there
 * are of this event.
 */
static size_t count_rows(struct writer *writer, struct table *table, const struct count *counts,
			 size_t nr, size_t *left_out)
{
	size_t at = 0, shown = 0;
	double all = 0;

	while (at < nr && counts[at].counter == counts->counter &&
	       counts[at].region == MS_REGION_USER)
		all += counts[at++].each;
	if (at)
		count_row(writer, table, counts, all, "all");
	for (; at < nr && counts[at].counter == counts->counter; at++) {
		if (shown++ < COUNT_ROWS)
			count_row(writer, table, &counts[at], counts[at].each,
				  arena_printf(writer->arena, "%" PRIu32, counts[at].thread));
		else
			++*left_out;
	}
	return at;
}

static void events(struct writer *writer)
{
	static const struct table_column columns[] = {
		{ "event", NULL }, { "count", "exact" }, { "thread", NULL }, { "where", NULL }
	};
	const struct run *run = writer->run;
	const struct count *counts;
	size_t nr = counts_of(writer->arena, run, true, &counts), left_out = 0;
	struct table table;

	if (!nr)
		return;
	heading(writer, run->phase.method == PHASE_WHOLE_PROGRAM
				? "Events counted in the run"
				: "Events counted in one execution of the phase");
	table_init(&table, writer->arena, "events", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t at = 0; at < nr;)
		at += count_rows(writer, &table, counts + at, nr - at, &left_out);
	if (left_out)
		table.footer = arena_printf(
			writer->arena, "and %zu smaller ones: `memsearch list counts` shows all",
			left_out);
	table_print(writer->out, &table, "text");
}

void report_events(struct text *out, const struct run *run, const struct report_options *options)
{
	struct writer writer = { .out = out, .arena = out->arena, .options = options, .run = run };

	events(&writer);
}

/* -- what could not be seen, how it was measured, what it cost */

static void locks(struct writer *writer)
{
	static const struct table_column columns[] = {
		{ "use", "%" },          { "hold", "ns" },     { "acquisitions", "1" },
		{ "waiting", "1" },      { "handovers", "1" }, { "handover", "ns" },
		{ "saturates at", "1" }, { "lock", NULL },
	};
	static const char *const headings[] = { "held",    "each", "times",   "waiting",
						"changes", "each", "full at", "lock" };
	struct table table;

	table_init(&table, writer->arena, "locks", columns, sizeof(columns) / sizeof(*columns));
	table.headings = headings;
	for (size_t i = 0;
	     i < writer->nr_locks && i < LOCK_ROWS && writer->locks[i].use >= LOCK_LEAST; i++) {
		const struct lock_facts *lock = &writer->locks[i];
		const double numbers[] = { 100 * lock->use, lock->hold_ns,   lock->acquisitions,
					   lock->waiting,   lock->handovers, lock->handover_ns,
					   lock->saturation };

		for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
			table_number(&table, numbers[k]);
		table_string(&table, lock_facts_name(writer->arena, writer->run, lock));
	}
	if (!table.nr)
		return;
	heading(writer, "Locks");
	table.footer =
		"held: part of the time; waiting: threads, on average; changes: to another thread; full at: threads with which it is held all the time";
	table_print(writer->out, &table, "text");
}

static void unseen(struct writer *writer)
{
	const struct unseen *items;
	size_t nr = unseen_of(writer->arena, writer->run, &items);

	heading(writer, "Not measured");
	for (size_t i = 0; i < nr; i++) {
		struct text line;

		text_init(&line, writer->arena);
		text_add_plain(&line, items[i].what);
		if (isfinite(items[i].share)) {
			text_add(&line, " (");
			units_share(&line, items[i].share);
			text_add(&line, ")");
		}
		text_printf(&line, ": %s", items[i].why);
		item(writer, line.bytes ? line.bytes : "");
	}
	if (!nr)
		item(writer, "nothing that memsearch knows of");
}

static void phase(struct writer *writer)
{
	const struct run_phase *found = &writer->run->phase;
	struct text line;

	text_init(&line, writer->arena);
	text_printf(&line, "phase (the piece of the program that repeats): %s",
		    report_has_begin(writer->run) ? phase_method_text(found->method) : "not known");
	if (found->method != PHASE_WHOLE_PROGRAM && report_has_begin(writer->run))
		text_printf(&line, "; %" PRIu64 " execution%s", found->executions,
			    plural(found->executions));
	if (found->executions && found->method != PHASE_WHOLE_PROGRAM && !writer->options->brief) {
		text_add(&line, " of ");
		units_time(&line, found->wall_ns / (double)found->executions);
		text_add(&line, " (");
		units_time(&line, found->min_ns);
		text_add(&line, " to ");
		units_time(&line, found->max_ns);
		text_add(&line, ")");
	}
	if (finding_phase_read(writer->run) < 1) {
		text_add(&line, ", in ");
		units_share(&line, finding_phase_read(writer->run));
		text_add(&line, " of that time something was measured");
	}
	if (found->note && *found->note)
		text_printf(&line, "; %s", found->note);
	item(writer, line.bytes ? line.bytes : "");
}

static void search(struct writer *writer)
{
	static const char *const words[MS_NODE_STATES] = {
		"not reached", "still open",   "proven", "answered no",
		"unanswered",  "discontinued", "missed",
	};
	const struct run *run = writer->run;
	struct tally tally = count_nodes(run);
	struct text line;
	bool any = false;

	text_init(&line, writer->arena);
	text_printf(&line, "search: %zu question%s", run->nr_nodes, plural(run->nr_nodes));
	if (run->strategy && *run->strategy)
		text_printf(&line, " by strategy %s", run->strategy);
	if (!writer->options->brief && run->cost.experiments)
		text_printf(&line, ", %" PRIu64 " experiment%s", run->cost.experiments,
			    plural(run->cost.experiments));
	for (unsigned int state = 0; state < MS_NODE_STATES; state++) {
		if (!tally.states[state])
			continue;
		text_printf(&line, "%s%" PRIu64 " %s", any ? ", " : ": ", tally.states[state],
			    words[state]);
		any = true;
	}
	if (tally.steps)
		text_printf(&line, "%s%" PRIu64 " only led to others", any ? ", " : ": ",
			    tally.steps);
	item(writer, line.bytes ? line.bytes : "");
}

static void cost(struct writer *writer)
{
	const struct run_cost *spent = &writer->run->cost;
	struct text line;

	text_init(&line, writer->arena);
	if (isfinite(spent->slowdown) && spent->slowdown >= 1) {
		text_add(&line, "the program ran about ");
		units_share(&line, spent->slowdown - 1);
		text_add(&line, " slower than without memsearch (estimated)");
		if (report_passed_limit(writer->run)) {
			text_add(&line, ", more than the limit of ");
			units_share(&line, spent->limit);
			text_add(&line,
				 ", which the first recording and the first questions may exceed");
		}
		text_add(&line, "; ");
	}
	if (report_has_begin(writer->run)) {
		units_time(&line, spent->tool_cpu_ns);
		text_add(&line, " of CPU time went to memsearch");
	} else {
		text_add(&line, "what memsearch cost is not known");
	}
	if (spent->program_cpu_ns > 0) {
		text_add(&line, " (");
		units_share(&line, spent->tool_cpu_ns / spent->program_cpu_ns);
		text_add(&line, " of the program's)");
	}
	if (spent->counters_possible)
		text_printf(&line, "; %" PRIu64 " of %" PRIu64 " possible values were measured",
			    spent->counters_used, spent->counters_possible);
	text_add(&line, "; record: ");
	units_bytes(&line, (double)spent->record_bytes);
	if (spent->memory_bytes && !writer->options->brief) {
		text_add(&line, "; memory: ");
		units_bytes(&line, (double)spent->memory_bytes);
		text_add(&line,
			 " resident (counted when the record was written, without libraries)");
	}
	item(writer, line.bytes ? line.bytes : "");
}

#define YEAR_10000 253402300800ull /* seconds since 1970 */

static void rate(struct text *line, const struct machine *machine, double rate)
{
	if (machine->bandwidth_spread > RUN_CALIBRATION_SPREAD_MOST) {
		units_value(line, rate * (1 - fmin(machine->bandwidth_spread, 1)) / 1e9,
			    "bytes/ns");
		text_add(line, " - ");
	}
	units_value(line, rate / 1e9, "bytes/ns");
}

/* Where it came from: the calibration, not this run. */
static void bandwidth(struct writer *writer)
{
	const struct machine *machine = &writer->run->machine;
	time_t seconds = (time_t)machine->bandwidth_measured;
	struct tm parts;
	struct text line;

	if (!(machine->attainable_bandwidth > 0))
		return;
	text_init(&line, writer->arena);
	text_add_plain(&line, machine->bandwidth_spread > RUN_CALIBRATION_SPREAD_MOST
				      ? "calibration uncertain: memory delivers "
				      : "memory delivers ");
	rate(&line, machine, machine->attainable_bandwidth);
	text_add(&line, " to all CPUs and ");
	rate(&line, machine, machine->single_bandwidth);
	text_add(&line, " to one: by the calibration of this machine");
	if (machine->bandwidth_measured < YEAR_10000 && gmtime_r(&seconds, &parts))
		text_printf(&line, " of %04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1,
			    parts.tm_mday);
	text_add(&line, ", whose repetitions differed by ");
	units_share(&line, machine->bandwidth_spread);
	if (machine->cache_bytes) {
		text_add(&line, "; all caches of these CPUs hold ");
		units_value(&line, (double)machine->cache_bytes, "bytes");
	}
	item(writer, line.bytes ? line.bytes : "");
}

static const char *pages_share(struct arena *arena, const struct run_modelled *model)
{
	struct text share;

	text_init(&share, arena);
	units_share(&share, (double)model->pages_placed / (double)model->pages);
	return share.bytes ? share.bytes : "";
}

/* Why simulated counts may differ from run to run. */
static void order(struct writer *writer, const struct run_modelled *model)
{
	struct text line;

	if (!model->early_windows && !model->lost_teams)
		return;
	text_init(&line, writer->arena);
	text_add(&line, "simulated counts of threads that share data may differ from run to run:");
	if (model->early_windows)
		text_printf(&line,
			    " the memory for accesses was full %" PRIu64
			    " time%s before the threads met",
			    model->early_windows, plural(model->early_windows));
	if (model->lost_teams)
		text_printf(&line,
			    "%s %" PRIu64
			    " team%s ran without the initial thread, at times that are not known",
			    model->early_windows ? ";" : "", model->lost_teams,
			    plural(model->lost_teams));
	item(writer, line.bytes ? line.bytes : "");
}

/* Whose caches were simulated, and whether another run would give the same. */
static void modelled(struct writer *writer)
{
	const struct run_modelled *model = &writer->run->modelled;

	if (!model->name)
		return;
	item(writer,
	     arena_printf(writer->arena,
			  "simulated: the caches of %s (%s), by what recorded code accesses",
			  model->name, model->title));
	if (model->placement)
		item(writer, model->placement);
	if (arrays_ranges(writer->arena, writer->run, RUN_ARRAY_NONE))
		item(writer,
		     arena_printf(writer->arena,
				  "as was asked for, %s counts apart from the rest of its array",
				  arrays_ranges(writer->arena, writer->run, RUN_ARRAY_NONE)));
	if (model->pages && model->nodes > 1)
		item(writer,
		     arena_printf(
			     writer->arena,
			     "its memory is on the nodes of the threads that the program first touched it with: %s of the pages accessed%s",
			     pages_share(writer->arena, model),
			     model->pages_placed == model->pages
				     ? ""
				     : "; of the others it is not known, or would not be the same in each run, and they are where they were accessed first"));
	if (model->lines_recorded)
		item(writer, misses_sampled(writer->arena, writer->run));
	order(writer, model);
	if (model->begins > 0)
		item(writer,
		     arena_printf(
			     writer->arena,
			     "there was no time or room to trace all of an execution: of what its regions access the first %.3g %% were simulated, and stand for all, by the"
			     " accesses that were counted",
			     100 * model->begins));
	else if (model->lost_accesses)
		item(writer,
		     arena_printf(
			     writer->arena,
			     "%" PRIu64
			     " accesses or more were not simulated: there was no room for them",
			     model->lost_accesses));
	if (model->lost_lines)
		item(writer,
		     arena_printf(writer->arena,
				  "the kinds of the misses of %" PRIu64
				  " lines may be wrong: there was no room for what became of these",
				  model->lost_lines));
}

static void tried(struct writer *writer)
{
	const char *text = tried_text(writer->arena, writer->run, true);

	if (!text)
		return;
	heading(writer, "Tried while the program ran");
	item(writer, text);
}

static void how(struct writer *writer)
{
	const struct run *run = writer->run;

	heading(writer, "How it was measured, and what that cost");
	phase(writer);
	search(writer);
	if (counts_how(writer->arena, run, writer->options->brief))
		item(writer, arena_printf(writer->arena, "counters: %s",
					  counts_how(writer->arena, run, writer->options->brief)));
	modelled(writer);
	if (!writer->options->brief) {
		bandwidth(writer);
		cost(writer);
	}
	if (run->runtime_swapped)
		item(writer,
		     "the program was built for GNU's OpenMP runtime (libgomp), and ran on LLVM's "
		     "(libomp) instead: starting regions, barriers and dynamic loops take other times than without memsearch");
	if (run->restarts)
		item(writer, arena_printf(writer->arena,
					  "the program was run %" PRIu32
					  " more time%s for further experiments",
					  run->restarts, plural(run->restarts)));
	if (run->restarts_would_help)
		item(writer,
		     "the program ended before all questions were answered; `memsearch run --restarts N` runs it up to N more "
		     "times to answer them");
}

/* -- the search history graph and the candidates */

static void candidates(struct writer *writer)
{
	heading(writer, "Asked, and not proven");
	for (size_t i = 0; i < writer->run->nr_nodes; i++)
		if (writer->run->nodes[i].state != MS_NODE_TRUE)
			history_graph_line(writer->out, writer->run, &writer->run->nodes[i], 2,
					   writer->options->width);
}

static void tree(struct writer *writer)
{
	struct history_graph graph;

	heading(writer, "Search history: what was asked, and what it led to");
	if (history_graph_make(writer->arena, writer->run, false, &graph))
		history_graph_text(writer->out, &graph, writer->options->width);
}

/* Found of an array in a loop, and again in the loops and constructs around it. */
static bool is_repeated(const struct run *run, const struct run_node *const *nodes, size_t i)
{
	const struct run_array *array = finding_array(run, nodes[i]->region);
	uint32_t here = array ? run->regions[nodes[i]->region].parent : MS_REGION_NONE;

	for (size_t before = 0; array && before < i; before++) {
		uint32_t there;

		if (finding_array(run, nodes[before]->region) != array ||
		    !nodes[before]->property || !nodes[i]->property ||
		    strcmp(nodes[before]->property, nodes[i]->property) != 0)
			continue;
		there = run->regions[nodes[before]->region].parent;
		if (run_is_inside(run, here, there) || run_is_inside(run, there, here))
			return true;
	}
	return false;
}

void report_evidence(struct text *out, const struct run *run, const struct run_node *const *nodes,
		     size_t nr, const struct report_options *options)
{
	struct writer writer = {
		.out = out, .arena = out->arena, .options = options, .run = run, .in_cause = true
	};
	size_t number = 0;

	writer.nr_locks = lock_facts_of(out->arena, run, &writer.locks);
	heading(&writer, "Evidence");
	text_add(out, "\n");
	for (size_t i = 0; i < nr; i++) {
		uint32_t id = (uint32_t)(nodes[i] - run->nodes);
		struct finding_group *groups;

		if (is_repeated(run, nodes, i) ||
		    !finding_groups(out->arena, run, &id, 1, false, &groups))
			continue;
		if (report_standing(run, nodes[i]) == REPORT_CANDIDATE)
			candidate(&writer, groups);
		else
			finding(&writer, groups, ++number);
	}
	legend(&writer, false);
}

void report_text(struct text *out, const struct run *const *runs, size_t nr_runs,
		 const struct report_options *options)
{
	for (size_t i = 0; i < nr_runs; i++) {
		struct writer writer = {
			.out = out, .arena = out->arena, .options = options, .run = runs[i]
		};

		if (i)
			text_add(out, "\n");
		if (nr_runs > 1)
			text_printf(out, "Run %zu of %zu\n", i + 1, nr_runs);
		writer.nr_locks = lock_facts_of(out->arena, runs[i], &writer.locks);
		find_causes(&writer, false);
		findings(&writer);
		unmeasured(&writer);
		find_causes(&writer, true);
		modelled_findings(&writer);
		if (options->all)
			candidates(&writer);
		if (options->tree)
			tree(&writer);
		events(&writer);
		locks(&writer);
		unseen(&writer);
		tried(&writer);
		how(&writer);
	}
}
