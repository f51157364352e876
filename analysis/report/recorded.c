/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded accesses rest on: which code was recorded, and why the rest was not. */
#include "analysis/report/recorded.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/misses.h"
#include "analysis/report/recorded_left.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"
#include "memsearch/metric.h"

#define NOTABLE 0.01 /* of the phase's time */
#define LACKING 0.1  /* of the phase's time, of which a report without a cause must not be silent */
#define ITEMS_MOST 5 /* regions, and calls or functions; the rest is in JSON */
#define WIDTH 100

/* Where a program's own code runs; in the other kinds threads wait, or the runtime works. */
static bool is_code(const struct run_region *region)
{
	switch (region->kind) {
	case MS_PARALLEL_REGION:
	case MS_DO_REGION:
	case MS_LOOP_REGION:
	case MS_SECTIONS_REGION:
	case MS_SINGLE_REGION:
	case MS_MASTER_REGION:
	case MS_WORKSHARE_REGION:
	case MS_TASK_REGION:
	case MS_SERIAL_REGION:
	case MS_SUB_REGION:
	case MS_CRITICAL_REGION:
	case MS_ORDERED_REGION: return true;
	default: return false;
	}
}

struct coverage {
	/* of the phase's time, of the thread that spends most there */
	double share;
	double inside; /* of that, in regions of code inside */
	bool recorded; /* itself, or a region around it */
	bool begun;    /* some of its accesses were, at least */
	bool lacking;  /* its own were to be recorded, and could not be, or … */
	bool left;     /* … only some were, beside the code that takes the time */
	bool bursts;   /* itself, in bursts alone … */
	bool spread;   /* … which are of tasks, and spread over the time of their region */
};

/* What a task does is its own, whatever region its thread is in. */
static bool is_apart(const struct run_region *region)
{
	return region->kind == MS_TASK_REGION;
}

static bool is_time(const struct run_region *region, uint32_t metric)
{
	return is_apart(region) ? metric == MS_METRIC_TASK_TIME
				: metric == MS_METRIC_TIME || metric == MS_METRIC_WALL_TIME;
}

static void note_missing(struct coverage *of, const struct run_missing *missing, bool apart)
{
	bool in_bursts = missing->metric == MS_METRIC_TOUCHED_LINES &&
			 missing->why == MS_MISSING_NOT_WHOLE;

	of->lacking |= missing->metric == MS_METRIC_READS;
	of->spread |= in_bursts && apart;
	of->bursts |= in_bursts && !apart;
}

static struct coverage *coverage_of(struct arena *arena, const struct run *run)
{
	struct coverage *all = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*all));
	const bool *left = recorded_left(arena, run);

	for (size_t i = 0; all && i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];
		double share = one->observed_ns > 0 ? one->row.stat.sum / one->observed_ns : 0;

		if (one->row.region >= run->nr_regions || !one->phases)
			continue;
		if (is_time(&run->regions[one->row.region], one->row.metric) &&
		    share > all[one->row.region].share)
			all[one->row.region].share = share;
		all[one->row.region].recorded |= one->row.metric == MS_METRIC_READS &&
						 one->row.region != MS_REGION_USER;
	}
	for (size_t i = 0; all && i < run->nr_accesses; i++)
		if (run->accesses[i].region < run->nr_regions)
			all[run->accesses[i].region].begun = true;
	for (size_t i = 0; all && i < run->nr_missing; i++)
		if (run->missing[i].region < run->nr_regions)
			note_missing(&all[run->missing[i].region], &run->missing[i],
				     is_apart(&run->regions[run->missing[i].region]));
	for (size_t i = 1; all && left && i < run->nr_regions; i++) { /* parents come first */
		uint32_t parent = run->regions[i].parent;

		all[i].left = left[i];
		all[i].lacking |= left[i];
		all[i].recorded &= !left[i];
		if (parent >= i || !is_code(&run->regions[i]))
			continue;
		/* a burst is the begin of a region, and may end before what is inside */
		all[i].recorded |= all[parent].recorded && !all[parent].bursts && !all[i].begun &&
				   !all[i].lacking && !is_apart(&run->regions[i]);
		all[parent].inside += all[i].share;
	}
	return all;
}

static const char *why_unrecorded(const struct run *run, uint32_t region, bool begun)
{
	for (size_t i = 0; i < run->nr_missing; i++)
		if (run->missing[i].metric == MS_METRIC_READS &&
		    (run->missing[i].region == region || run->missing[i].region == MS_REGION_NONE))
			return ms_missing_text(run->missing[i].why);
	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];
		const char *metric = node->missing_metric;

		if (node->region == region && node->state == MS_NODE_UNKNOWN && metric &&
		    !strcmp(metric, ms_metric_info(MS_METRIC_READS)->name))
			return ms_missing_text(node->missing);
	}
	return begun ? "none of its executions was recorded completely" : "not asked for";
}

static int longer(const void *left, const void *right)
{
	const struct unrecorded *a = left, *b = right;

	if (a->share < b->share || a->share > b->share)
		return a->share < b->share ? 1 : -1;
	return (a->region > b->region) - (a->region < b->region);
}

/*
 * What a region adds to the share of those that were recorded: tasks in one that was are no part of
 * it unless they were, too, nor are constructs in one that was recorded in bursts.
 */
static double added_share(const struct run *run, const struct coverage *all, size_t i)
{
	const struct run_region *region = &run->regions[i];
	const struct coverage *parent = region->parent < i ? &all[region->parent] : NULL;

	if (all[i].recorded == (parent && parent->recorded))
		return 0;
	if (all[i].recorded)
		return all[i].share;
	return is_apart(region) || parent->bursts ? -all[i].share : 0;
}

struct recorded recorded_of(struct arena *arena, const struct run *run)
{
	const struct coverage *all = coverage_of(arena, run);
	struct recorded out = { .share = NAN };
	size_t room = 0;

	for (size_t i = 1; all && i < run->nr_regions; i++) {
		const struct run_region *region = &run->regions[i];
		double own = all[i].share - all[i].inside, added;

		if (!is_code(region))
			continue;
		added = added_share(run, all, i);
		if (all[i].share > 0)
			out.share = (isnan(out.share) ? 0 : out.share) + added;
		if (added > 0 ? all[i].bursts : region->parent < i && all[region->parent].bursts)
			out.bursts += added;
		if (all[i].recorded && all[i].spread)
			out.bursts -= all[i].share;
		if (!all[i].recorded && (own >= NOTABLE || all[i].begun) &&
		    ARENA_GROW(arena, out.regions, out.nr, room))
			out.regions[out.nr++] = (struct unrecorded){
				(uint32_t)i, fmax(own, 0),
				all[i].left ? ms_missing_text(MS_MISSING_NOT_RECORDED)
					    : why_unrecorded(run, (uint32_t)i, all[i].begun),
				all[i].begun, all[i].left
			};
	}
	out.share = isnan(out.share) ? NAN : fmin(1, fmax(0, out.share));
	out.bursts = fmin(1, fmax(0, out.bursts));
	sort(out.regions, out.nr, sizeof(*out.regions), longer);
	return out;
}

const double *recorded_parts(struct arena *arena, const struct run *run)
{
	const struct coverage *all = coverage_of(arena, run);
	double *parts = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*parts));

	if (!all || !parts)
		return NULL;
	for (size_t i = run->nr_regions; i-- > 0;) { /* parents come first: here last */
		uint32_t parent = run->regions[i].parent;

		parts[i] += all[i].recorded ? fmax(0, all[i].share - all[i].inside) : 0;
		if (parent < i && is_code(&run->regions[i]) && !is_apart(&run->regions[i]))
			parts[parent] += parts[i];
		parts[i] = all[i].share > 0 ? fmin(1, parts[i] / all[i].share) : NAN;
	}
	return parts;
}

/* ------------------------------------------------------------------ nothing at all */

static const char *why_sensor(const struct run *run, enum ms_sensor_id sensor)
{
	const char *name = ms_sensor_name(sensor);

	for (size_t i = 0; i < run->nr_sensors; i++)
		if (run->sensors[i].name && !strcmp(run->sensors[i].name, name) &&
		    !run->sensors[i].works)
			return run->sensors[i].why && *run->sensors[i].why
				       ? run->sensors[i].why
				       : "no reason was recorded";
	return NULL;
}

static const char *why_words(struct arena *arena, enum ms_missing why, const char *more)
{
	const char *words = ms_missing_text(why);

	return why == MS_MISSING_BUDGET ? arena_printf(arena, "%s; %s gives it more", words, more)
					: words;
}

/* Why a metric has no value; `more`: the option that gives it more room. NULL: not requested. */
static const char *why_metric(struct arena *arena, const struct run *run, enum ms_metric metric,
			      const char *more)
{
	const struct ms_metric_info *info = ms_metric_info(metric);
	const char *why = why_sensor(run, info->sensor);

	for (size_t i = 0; !why && i < run->nr_missing; i++)
		if (run->missing[i].metric == (uint32_t)metric &&
		    run->missing[i].region == MS_REGION_NONE)
			why = why_words(arena, run->missing[i].why, more);
	for (size_t i = 0; !why && i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];

		if (node->state == MS_NODE_UNKNOWN && node->missing_metric &&
		    !strcmp(node->missing_metric, info->name))
			why = why_words(arena, node->missing, more);
	}
	return why;
}

/* a limit of overhead with which most programs have room for it */
#define ROOM_TO_RECORD 0.5

static const char *more_room(const struct run *run)
{
	return run->cost.limit < ROOM_TO_RECORD ? "--overhead 50%"
						: "a longer run, or a higher --overhead,";
}

const char *recorded_why_none(struct arena *arena, const struct run *run)
{
	const char *why = run->nr_accesses
				  ? NULL
				  : why_metric(arena, run, MS_METRIC_READS, more_room(run));

	return run->nr_accesses || why ? why : "no region was asked for its accesses";
}

/* Something of its accesses is known: of a loop that is its parallel region, of that. */
static bool is_simulated(const struct run *run, const struct unrecorded *of)
{
	const struct run_region *region = &run->regions[of->region];
	uint32_t around = region->kind == MS_DO_REGION ? region->parent : of->region;

	for (size_t i = 0; of->begun && !of->left && i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->metric == MS_METRIC_SIM_LOADS && row->stat.sum > 0 &&
		    (row->region == of->region || row->region == around))
			return true;
	}
	return false;
}

const char *recorded_lacks(struct arena *arena, const struct run *run, const char **why_out)
{
	struct recorded recorded = recorded_of(arena, run);
	const struct unrecorded *first = NULL;
	struct text text;
	double share = 0;
	size_t nr = 0;

	for (size_t i = 0; i < recorded.nr && recorded.regions[i].share >= LACKING / 2; i++) {
		if (is_simulated(run, &recorded.regions[i]))
			continue;
		first = first ? first : &recorded.regions[i];
		share += recorded.regions[i].share;
		nr++;
	}
	if (!run->nr_accesses || share < LACKING)
		return NULL;
	text_init(&text, arena);
	text_add_plain(&text, finding_place(arena, run, first->region));
	if (nr > 1)
		text_printf(&text, " and %zu other region%s", nr - 1, nr > 2 ? "s" : "");
	text_add(&text, ", with ");
	units_share(&text, fmin(1, share));
	text_add(&text, " of the time");
	*why_out = first->why;
	if (*why_out && !strcmp(*why_out, ms_missing_text(MS_MISSING_BUDGET)))
		*why_out = why_words(arena, MS_MISSING_BUDGET, more_room(run));
	return text.bytes;
}

const char *recorded_why_not_simulated(struct arena *arena, const struct run *run)
{
	const char *why;

	if (misses_executions(run) > 0)
		return NULL;
	if (!run->modelled.name)
		return ms_missing_text(MS_MISSING_NOT_MODELLED);
	why = why_metric(arena, run, MS_METRIC_SIM_STALL_CYCLES, "a higher --overhead");
	return why ? why : "the search did not ask for them";
}

/* ------------------------------------------------------------------ in words */

static void item(struct text *out, const char *string)
{
	text_add(out, "  - ");
	text_wrap(out, string, 4, WIDTH);
	text_add(out, "\n");
}

static void add_regions(struct text *out, const struct run *run, const struct recorded *recorded)
{
	for (size_t i = 0; i < recorded->nr && i < ITEMS_MOST; i++) {
		struct text line;

		text_init(&line, out->arena);
		text_add_plain(&line, finding_place(out->arena, run, recorded->regions[i].region));
		if (recorded->regions[i].share > 0) {
			text_add(&line, " (");
			units_share(&line, recorded->regions[i].share);
			text_add(&line, " of the time)");
		}
		text_printf(&line, ": %s", recorded->regions[i].why);
		item(out, line.bytes);
	}
	if (recorded->nr > ITEMS_MOST)
		item(out, arena_printf(out->arena, "and %zu more regions; --json lists them",
				       recorded->nr - ITEMS_MOST));
}

static bool is_about_recording(const struct run_dropped *dropped)
{
	return dropped->topic && !strcmp(dropped->topic, RUN_RECORDING);
}

static size_t count_left_out(const struct run *run)
{
	size_t nr = 0;

	for (size_t i = 0; i < run->nr_dropped; i++)
		nr += is_about_recording(&run->dropped[i]);
	return nr;
}

static void add_left_out(struct text *out, const struct run *run)
{
	size_t shown = 0, nr = count_left_out(run);

	for (size_t i = 0; i < run->nr_dropped && shown < ITEMS_MOST; i++)
		if (is_about_recording(&run->dropped[i])) {
			item(out, arena_printf(out->arena, "%s: %s",
					       finding_dropped(out->arena, run, &run->dropped[i]),
					       run->dropped[i].why));
			shown++;
		}
	if (nr > shown)
		item(out, arena_printf(out->arena, "and %zu more, which `memsearch report` lists",
				       nr - shown));
}

void recorded_text(struct text *out, const struct run *run)
{
	struct recorded recorded = recorded_of(out->arena, run);
	struct text line;

	text_init(&line, out->arena);
	if (!isnan(recorded.share)) {
		text_add(&line, "Accesses were recorded in regions with ");
		units_share(&line, recorded.share);
		text_add(&line, " of the phase's time.");
	}
	if (recorded.nr || count_left_out(run))
		text_printf(&line, "%sNot recorded:", line.length ? " " : "");
	if (!line.length)
		return;
	text_wrap(out, line.bytes, 0, WIDTH);
	text_add(out, "\n");
	add_regions(out, run, &recorded);
	add_left_out(out, run);
}

/* --------------------------------------------------------------------- JSON */

void recorded_json(struct json *json, struct arena *arena, const struct run *run)
{
	struct recorded recorded = recorded_of(arena, run);

	json_open(json, "recording", '{');
	json_string(json, "why_none", recorded_why_none(arena, run));
	json_string(json, "why_not_simulated", recorded_why_not_simulated(arena, run));
	json_number(json, "share", recorded.share);
	json_open(json, "unrecorded", '[');
	for (size_t i = 0; i < recorded.nr; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "region", recorded.regions[i].region);
		json_string(json, "place", finding_place(arena, run, recorded.regions[i].region));
		json_number(json, "share", recorded.regions[i].share);
		json_string(json, "why", recorded.regions[i].why);
		json_close(json);
	}
	json_close(json);
	json_open(json, "left_out", '[');
	for (size_t i = 0; i < run->nr_dropped; i++) {
		if (!is_about_recording(&run->dropped[i]))
			continue;
		json_open(json, NULL, '{');
		json_string(json, "what", finding_dropped(arena, run, &run->dropped[i]));
		json_string(json, "why", run->dropped[i].why);
		json_number(json, "count",
			    run->dropped[i].count ? (double)run->dropped[i].count : NAN);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}
