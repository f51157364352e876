/* SPDX-License-Identifier: Apache-2.0 */
/* What could not be seen in a run, and why. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/counts.h"
#include "analysis/report/finding.h"
#include "analysis/report/source_words.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"

/* A run is seen whole if less than this was outside: starting the runtime always is. */
#define SEEN_WHOLE 0.995

double finding_phase_read(const struct run *run)
{
	double read_ns = 0;

	if (run->phase.method == PHASE_WHOLE_PROGRAM)
		return 1;
	for (size_t i = 0; i < run->nr_measurements; i++)
		read_ns = fmax(read_ns, run->measurements[i].observed_ns);
	return run->phase.wall_ns > 0 ? fmin(1, read_ns / run->phase.wall_ns) : NAN;
}

struct list {
	struct arena *arena;
	struct unseen *items;
	size_t nr, room;
};

static void add(struct list *list, const char *what, const char *why, double share)
{
	if (what && why && ARENA_GROW(list->arena, list->items, list->nr, list->room))
		list->items[list->nr++] = (struct unseen){ .what = what,
							   .why = why,
							   .share = share };
}

static void add_time(struct list *list, const struct run *run)
{
	if (run->bytes_ignored)
		add(list, "the end of the run",
		    arena_printf(list->arena,
				 "the record was cut off or damaged: its last %" PRIu64
				 " bytes cannot be read, and what stands before them is here",
				 run->bytes_ignored),
		    NAN);
	else if (!run->complete)
		add(list, "the end of the run",
		    "the program ended before memsearch could finish (killed, or an exit that skips "
		    "the OpenMP runtime's end); all that had been found by then is here",
		    NAN);
	if (isfinite(run->time_seen) && run->time_seen < SEEN_WHOLE)
		add(list, "part of the run's time",
		    "the program was outside of what memsearch observes: before the OpenMP runtime "
		    "started, while measuring was paused or cost too much, or outside of the phase or what was taken for one",
		    1 - run->time_seen);
}

static void add_phase(struct list *list, const struct run *run)
{
	double share = finding_phase_read(run);

	if (share < SEEN_WHOLE)
		add(list, "part of the phase's executions",
		    "measuring stops where a question is answered, and where it would cost more "
		    "than the limit; executions that were not measured are assumed to be like the others",
		    1 - share);
}

static void add_sensors(struct list *list, const struct run *run)
{
	for (size_t i = 0; i < run->nr_sensors; i++) {
		const struct run_sensor *sensor = &run->sensors[i];
		const char *why = sensor->why && *sensor->why ? sensor->why
							      : "no reason was recorded";

		if (!sensor->works || (sensor->why && *sensor->why))
			add(list,
			    arena_printf(list->arena,
					 sensor->works ? "part of what sensor '%s' measures"
						       : "what sensor '%s' measures",
					 sensor->name),
			    why, NAN);
	}
}

/* A sensor that does not work has been named already: its metrics need no line each. */
static bool sensor_is_out(const struct run *run, uint32_t metric)
{
	for (size_t i = 0; metric < MS_METRICS && i < run->nr_sensors; i++)
		if (!run->sensors[i].works && run->sensors[i].name &&
		    !strcmp(run->sensors[i].name, ms_sensor_name(ms_metric_info(metric)->sensor)))
			return true;
	return false;
}

/* Of one metric, by reason: in how many regions it is missing. */
struct gaps {
	uint64_t regions[MS_MISSING_REASONS];
	bool everywhere[MS_MISSING_REASONS];
};

static void add_gaps(struct list *list, const struct run *run, uint32_t metric,
		     const struct gaps *gaps)
{
	const char *name = ms_metric_info(metric)->name;

	for (unsigned int why = 0; why < MS_MISSING_REASONS; why++) {
		uint64_t nr = gaps->regions[why];

		if (!nr || sensor_is_out(run, metric) || ms_missing_unasked(why))
			continue;
		add(list,
		    gaps->everywhere[why] ? name
					  : arena_printf(list->arena, "%s in %" PRIu64 " region%s",
							 name, nr, nr == 1 ? "" : "s"),
		    ms_missing_text(why), NAN);
	}
}

static void add_missing(struct list *list, const struct run *run)
{
	struct gaps *gaps = arena_alloc(list->arena, MS_METRICS * sizeof(*gaps));

	if (!gaps)
		return;
	for (size_t i = 0; i < run->nr_missing; i++) {
		const struct run_missing *missing = &run->missing[i];

		if (missing->metric >= MS_METRICS ||
		    (unsigned int)missing->why >= MS_MISSING_REASONS)
			continue;
		gaps[missing->metric].regions[missing->why]++;
		gaps[missing->metric].everywhere[missing->why] |= missing->region == MS_REGION_NONE;
	}
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		add_gaps(list, run, metric, &gaps[metric]);
}

static bool same_reason(const struct run_counter *a, const struct run_counter *b)
{
	const char *why = counts_why(a), *other = counts_why(b);

	return !a->event && !b->event && why && other && !strcmp(why, other);
}

/* Metrics that cannot be had for one reason are one line; the user's events have one each. */
static const char *counters_like(struct list *list, const struct run *run, size_t first)
{
	const char *names = counts_name(&run->counters[first]);
	size_t nr = 1;

	for (size_t i = 0; i < first; i++)
		if (same_reason(&run->counters[i], &run->counters[first]))
			return NULL; /* said already */
	for (size_t i = first + 1; i < run->nr_counters; i++)
		if (same_reason(&run->counters[i], &run->counters[first])) {
			names = arena_printf(list->arena, "%s, %s", names,
					     counts_name(&run->counters[i]));
			nr++;
		}
	return run->counters[first].event
		       ? arena_printf(list->arena, "event %s", names)
		       : arena_printf(list->arena, nr > 1 ? "the counters %s" : "the counter %s",
				      names);
}

/* The sensor's own line has said that this machine counts part of them only. */
static bool is_said_of_sensor(const struct run *run, const struct run_counter *counter)
{
	if (counter->event ||
	    (counter->why != MS_MISSING_UNSUPPORTED && counter->why != MS_MISSING_NOT_SUPPORTED))
		return false;
	for (size_t i = 0; i < run->nr_sensors; i++)
		if (run->sensors[i].name && !strcmp(run->sensors[i].name, "counters") &&
		    run->sensors[i].why && *run->sensors[i].why)
			return true;
	return false;
}

static void add_counters(struct list *list, const struct run *run)
{
	for (size_t i = 0; i < run->nr_counters; i++) {
		const struct run_counter *counter = &run->counters[i];

		if (is_said_of_sensor(run, counter))
			continue;
		if (counter->why != MS_PRESENT)
			add(list, counters_like(list, run, i), counts_why(counter), NAN);
		else if (counter->taken)
			add(list,
			    arena_printf(list->arena, "part of what %s counted",
					 counts_name(counter)),
			    ms_missing_text(MS_MISSING_TAKEN), NAN);
	}
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Questions that got no answer for the same reason. */
struct question {
	const struct run_node *first;
	uint64_t nr;
};

static void add_question(struct list *list, const struct question *question)
{
	const struct run_node *node = question->first;
	const char *reason = ms_missing_text(node->missing);

	add(list,
	    arena_printf(list->arena, "the answer to \"%s\" (%" PRIu64 " place%s)",
			 finding_title(list->arena, node), question->nr,
			 question->nr == 1 ? "" : "s"),
	    node->missing_metric ? arena_printf(list->arena, "%s: %s", node->missing_metric, reason)
				 : reason,
	    NAN);
}

static void add_unknown(struct list *list, const struct run *run)
{
	struct question *questions = NULL;
	size_t nr = 0, room = 0;

	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];
		size_t at = 0;

		if (node->state != MS_NODE_UNKNOWN && node->state != MS_NODE_MISSED)
			continue;
		while (at < nr &&
		       !(questions[at].first->missing == node->missing &&
			 same_text(questions[at].first->property, node->property) &&
			 same_text(questions[at].first->missing_metric, node->missing_metric)))
			at++;
		if (at == nr) {
			if (!ARENA_GROW(list->arena, questions, nr, room))
				return;
			questions[nr++] = (struct question){ .first = node };
		}
		questions[at].nr++;
	}
	for (size_t i = 0; i < nr; i++)
		add_question(list, &questions[i]);
}

static void add_budget(struct list *list, const struct run *run)
{
	struct text why;

	if (!run->cost.limit_bound)
		return;
	text_init(&why, list->arena);
	text_add_plain(&why, report_passed_limit(run) ? "measuring was limited to "
						      : "measuring was held below ");
	units_share(&why, run->cost.limit);
	text_add(&why, " of the program's time; --overhead with a higher limit lets it see more");
	add(list, "what would have cost too much", why.bytes, NAN);
}

/* The parallel region in serial code that begins at the address; MS_REGION_NONE: none. */
static uint32_t region_at(const struct run *run, struct code_address code)
{
	for (uint32_t id = 0; id < run->nr_regions; id++)
		if (run->regions[id].kind == MS_PARALLEL_REGION &&
		    run->regions[id].parent == MS_REGION_USER &&
		    run->regions[id].construct.module == code.module &&
		    run->regions[id].construct.offset == code.offset)
			return id;
	return MS_REGION_NONE;
}

const char *finding_dropped(struct arena *arena, const struct run *run,
			    const struct run_dropped *dropped)
{
	const char *what = dropped->what ? dropped->what : "something";
	const struct source *source = &dropped->source;
	uint32_t region = dropped->topic && !strcmp(dropped->topic, RUN_CONSTRUCTS)
				  ? region_at(run, dropped->code)
				  : MS_REGION_NONE;

	if (region != MS_REGION_NONE)
		what = arena_printf(arena, "%s %s", what, finding_place(arena, run, region));
	else if (source->function && *source->function && !source->line && source->module &&
		 *source->module)
		what = arena_printf(arena, "%s %s (%s)", what, source->function, source->module);
	else if (dropped->code.offset)
		what = arena_printf(arena, "%s %s", what, source_place(arena, source));
	return dropped->count ? arena_printf(arena, "%" PRIu64 " %s", dropped->count, what) : what;
}

static void add_dropped(struct list *list, const struct run *run)
{
	for (size_t i = 0; i < run->nr_dropped; i++)
		add(list, finding_dropped(list->arena, run, &run->dropped[i]), run->dropped[i].why,
		    NAN);
}

size_t unseen_of(struct arena *arena, const struct run *run, const struct unseen **out)
{
	struct list list = { .arena = arena };

	add_time(&list, run);
	add_phase(&list, run);
	add_sensors(&list, run);
	add_missing(&list, run);
	add_counters(&list, run);
	add_unknown(&list, run);
	add_budget(&list, run);
	add_dropped(&list, run);
	*out = list.items;
	return list.nr;
}
