/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time goes in a program without a cause: its hottest regions, and what they access. */
#include "analysis/report/hot_regions.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/sort.h"
#include "analysis/report/finding.h"
#include "analysis/report/other_phases.h"
#include "analysis/report/recorded.h"
#include "analysis/report/recorded_left.h"
#include "analysis/report/region_use.h"
#include "analysis/report/source_words.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define INDENT 5
#define WHERE_LEAST 0.05       /* of the time: what is less hot is not worth a line … */
#define OUTSIDE_LEAST 0.3      /* of the run's time … */
#define OUTSIDE_LEAST_NS 500e6 /* … and above what starting a program takes */
#define ELSEWHERE_LEAST 0.3    /* of the samples in regions without a share … */
#define ELSEWHERE_SAMPLES 50   /* … which are 14 points more or less at that number */
#define HOT_LEAST 0.005        /* … nor, as one of several copies, a part of one */

struct hot {
	uint32_t region; /* the first of those with this place */
	const char *place;
	double share;
	struct region_use use; /* without accesses: not simulated */
};

static int hottest(const void *left, const void *right)
{
	const struct hot *a = left, *b = right;

	if (a->share < b->share || a->share > b->share)
		return a->share > b->share ? -1 : 1;
	return strcmp(a->place, b->place);
}

static void add_use(struct region_use *to, const struct region_use *of)
{
	to->misses.reads += of->misses.reads;
	to->misses.writes += of->misses.writes;
	for (size_t level = 0; level < 3; level++)
		to->misses.missed[level] += of->misses.missed[level];
	to->read += of->read;
	to->written += of->written;
}

/* Copies of one loop, where a compiler has unrolled the loop around it, are one place. */
static size_t add_hot(struct hot *hot, size_t nr, const struct hot *of)
{
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(hot[i].place, of->place) != 0)
			continue;
		hot[i].share += of->share;
		add_use(&hot[i].use, &of->use);
		return nr;
	}
	hot[nr] = *of;
	return nr + 1;
}

static const struct region_use *find_use(const struct region_use *uses, size_t nr, uint32_t region)
{
	for (size_t i = 0; i < nr; i++)
		if (uses[i].region == region)
			return &uses[i];
	return NULL;
}

/* Of a loop that is its parallel region, in which alone accesses may have been recorded, that. */
static struct region_use use_of(const struct run *run, const struct region_use *uses, size_t nr,
				uint32_t region)
{
	const struct region_use *use = find_use(uses, nr, region);

	if (!use && run->regions[region].kind == MS_DO_REGION)
		use = find_use(uses, nr, run->regions[region].parent);
	return use ? *use : (struct region_use){ .region = region };
}

/* "570 M accesses, of which 33 % miss L1 and 0.1 % L3; 12.0 MiB from and to memory" */
static void describe_use(struct text *text, const struct region_use *use)
{
	const struct misses *misses = &use->misses;
	double accesses = misses_accesses(misses);
	int last = 2;

	if (accesses <= 0)
		return;
	while (last > 0 && isnan(misses->missed[last]))
		last--;
	text_add(text, ": ");
	units_count(text, accesses);
	text_add(text, " accesses, of which ");
	units_share(text, misses->missed[0] / accesses);
	text_add(text, " miss L1");
	if (last) {
		text_add(text, " and ");
		units_share(text, misses->missed[last] / accesses);
		text_printf(text, " L%d", last + 1);
	}
	if (isfinite(use->read) && isfinite(use->written)) {
		text_add(text, "; ");
		units_bytes(text, use->read + use->written);
		text_add(text, " from and to memory");
	}
}

static bool is_in(const struct run_hotspot *spot, uint32_t region, const char *function)
{
	return spot->region == region && spot->metric == MS_METRIC_SAMPLES &&
	       !hotspot_waits(spot) && spot->source.function &&
	       !strcmp(spot->source.function, function);
}

static bool is_in_module(const struct run_hotspot *spot, uint32_t region, uint32_t module)
{
	return spot->region == region && spot->leaf.module == module;
}

/* ", 64 % of it in libc.so.6 (random), called at rnd.c:5": as much as above, in a library. */
static void describe_library(struct text *text, const struct run *run, uint32_t region)
{
	for (size_t i = 0; i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];
		double share = 0;

		if (spot->region != region || spot->leaf.module >= run->nr_modules ||
		    !(hotspot_in_library(spot) > 0))
			continue;
		for (size_t k = 0; k < run->nr_hotspots; k++)
			share += is_in_module(&run->hotspots[k], region, spot->leaf.module)
					 ? hotspot_in_library(&run->hotspots[k])
					 : 0;
		if (share < HOTSPOT_MUCH)
			continue;
		text_add(text, ", ");
		units_share(text, fmin(1, share));
		text_add(text, " of it in ");
		text_add_plain(text, base_name(run->modules[spot->leaf.module].path));
		if (spot->leaf_source.function && *spot->leaf_source.function) {
			text_add(text, " (");
			text_add_plain(text, spot->leaf_source.function);
			text_add(text, ")");
		}
		if (spot->source.file && spot->source.line) {
			text_add(text, ", called at ");
			text_add_plain(text, spot->source.file);
			text_printf(text, ":%d", spot->source.line);
		}
		return;
	}
}

/*
 * ", 64 % of it in conj_grad (cg.cpp:580)": a function with a quarter of the region's samples and
 * more, and its hottest line, where the region's place does not name it; else a library.
 */
static void describe_function(struct text *text, const struct run *run, uint32_t region)
{
	const struct source *place = &run->regions[region].source;

	for (size_t i = 0; i < run->nr_hotspots; i++) { /* the hottest of a region first */
		const struct source *source = &run->hotspots[i].source;
		const char *function = source->function;
		double share = 0;

		if (!function || !*function || !is_in(&run->hotspots[i], region, function) ||
		    (place->function && !strcmp(place->function, function)))
			continue;
		for (size_t k = 0; k < run->nr_hotspots; k++)
			share += is_in(&run->hotspots[k], region, function) ? run->hotspots[k].share
									    : 0;
		if (share < HOTSPOT_MUCH)
			continue;
		text_add(text, ", ");
		units_share(text, fmin(1, share));
		text_add(text, " of it in ");
		text_add_plain(text, source_place(text->arena, source));
		return;
	}
	describe_library(text, run, region);
}

/* Its work-shared loops take most of its time: they have the lines. */
static bool is_its_loops(const struct run *run, const double *shares, uint32_t parallel)
{
	double loops = 0;

	for (uint32_t i = parallel + 1; i < run->nr_regions; i++)
		if (run->regions[i].parent == parallel && run->regions[i].kind == MS_DO_REGION)
			loops += shares[i];
	return loops > shares[parallel] / 2;
}

/* A parallel region inside of it, of another team, has most of its time: `teams distribute`. */
static bool is_around_team(const struct run *run, const double *shares, uint32_t region)
{
	for (uint32_t i = region + 1; i < run->nr_regions; i++)
		if (run->regions[i].kind == MS_PARALLEL_REGION && run_is_inside(run, i, region) &&
		    shares[i] > shares[region] / 2)
			return true;
	return false;
}

static bool is_worth_naming(const struct run *run, const double *shares, uint32_t region)
{
	enum ms_region_kind kind = run->regions[region].kind;
	uint32_t parent = run->regions[region].parent;

	if (shares[region] >= HOT_LEAST && is_around_team(run, shares, region))
		return false;
	if (kind == MS_PARALLEL_REGION && is_its_loops(run, shares, region))
		return false;
	if (kind == MS_DO_REGION && parent < run->nr_regions && shares[parent] >= HOT_LEAST &&
	    run->regions[parent].kind == MS_PARALLEL_REGION && !is_its_loops(run, shares, parent))
		return false; /* it is named instead */
	return kind == MS_PARALLEL_REGION || kind == MS_DO_REGION || kind == MS_SECTIONS_REGION ||
	       kind == MS_SERIAL_REGION || kind == MS_TASK_REGION;
}

static void put_line(struct text *out, double share, const char *words, int width)
{
	struct text line;

	text_init(&line, out->arena);
	units_share(&line, share);
	text_printf(out, "%*s%6s  ", INDENT, "", line.bytes ? line.bytes : "");
	text_wrap(out, words, INDENT + 8, width);
	text_add(out, "\n");
}

void hot_regions_text(struct text *out, const struct run *run, size_t most, int width)
{
	struct hot *hot = arena_alloc(out->arena, (run->nr_regions + 1) * sizeof(*hot));
	const double *shares = finding_time_shares(out->arena, run);
	const bool *left = recorded_left(out->arena, run);
	const struct region_use *uses;
	size_t nr = 0, nr_uses = region_uses(out->arena, run, &uses);
	double waits = finding_closing_waits(run);

	for (uint32_t i = 0; hot && shares && left && i < run->nr_regions; i++)
		if (is_worth_naming(run, shares, i) && shares[i] >= HOT_LEAST)
			nr = add_hot(hot, nr,
				     &(struct hot){ i, finding_place(out->arena, run, i), shares[i],
						    use_of(run, uses, left[i] ? 0 : nr_uses, i) });
	sort(hot, nr, sizeof(*hot), hottest);
	while (nr > most || (nr && hot[nr - 1].share < WHERE_LEAST))
		nr--;
	if (nr || waits >= FINDING_WAITS_LEAST)
		text_printf(out, "Where the time goes%s:\n",
			    recorded_of(out->arena, run).bursts >= RECORDED_BURSTS_LEAST
				    ? " (accesses are estimated from the first ones)"
				    : "");
	for (size_t i = 0; i < nr; i++) {
		struct text line;

		text_init(&line, out->arena);
		text_printf(&line, "%s", hot[i].place);
		describe_function(&line, run, hot[i].region);
		describe_use(&line, &hot[i].use);
		put_line(out, hot[i].share, line.bytes ? line.bytes : hot[i].place, width);
	}
	if (waits >= FINDING_WAITS_LEAST)
		put_line(out, waits, "waits for other threads at the ends of parallel regions",
			 width);
}

/*
 * " 78 % of the other regions' CPU time: serial code after zran3, 100 % of it in vranlc (…)": the
 * hottest of the regions without a share. They are not measured, but clock samples are taken in
 * them, too.
 */
static void hottest_elsewhere(struct text *line, const struct run *run)
{
	double *samples = arena_alloc(line->arena, (run->nr_regions + 1) * sizeof(*samples));
	const double *shares = finding_time_shares(line->arena, run);
	double all = 0;
	uint32_t most = 0; /* the phase's own row: has none */

	for (uint32_t i = 0; samples && shares && i < run->nr_regions; i++)
		if (shares[i] >= HOT_LEAST)
			samples[run_outermost(run, i)] = NAN; /* it has a share, or a part of it */
	for (size_t i = 0; samples && shares && i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];
		uint32_t region = run_outermost(run, spot->region);

		if (spot->metric != MS_METRIC_SAMPLES || hotspot_waits(spot) || !region ||
		    region >= run->nr_regions || isnan(samples[region]))
			continue;
		samples[region] += (double)spot->count;
		all += (double)spot->count;
		if (!most || samples[region] > samples[most])
			most = region;
	}
	if (!most || all < ELSEWHERE_SAMPLES || samples[most] < ELSEWHERE_LEAST * all)
		return;
	text_add(line, " ");
	units_share(line, samples[most] / all);
	text_printf(line, " of the other regions' CPU time: %s",
		    finding_place(line->arena, run, most));
	describe_function(line, run, most);
	text_add(line, ".");
}

static bool has_steps(const struct run *run)
{
	return run->phase.method != PHASE_WHOLE_PROGRAM && run->phase.executions;
}

/*
 * After the first OpenMP construct, and outside of the steps; without steps, while nothing was
 * measured.
 */
static double outside_ns(const struct run *run)
{
	double before = run->cost.before_ns, after = run->cost.program_wall_ns;

	if (has_steps(run))
		return fmax(0, after - run->phase.wall_ns - run->phase.before_ns);
	return run->time_seen > 0 ? fmax(0, (1 - run->time_seen) * (before + after) - before) : 0;
}

bool outside_is_much(const struct run *run)
{
	double before = run->cost.before_ns, all = before + run->cost.program_wall_ns,
	       outside = before + outside_ns(run);

	return before > 0 && outside >= OUTSIDE_LEAST_NS && outside >= OUTSIDE_LEAST * all;
}

const char *outside_scope(const struct run *run)
{
	return !outside_is_much(run) ? "" : has_steps(run) ? " in the steps" : " in this part";
}

/* Steps like the others, but not measured as such: before they were recognised, or without events. */
static void not_followed(struct text *out, const struct run *run, double all, int width)
{
	struct text line;

	text_init(&line, out->arena);
	units_time(&line, run->phase.before_ns);
	text_add(&line, " of the steps, ");
	units_share(&line, run->phase.before_ns / all);
	text_add(&line, " of the run, were not followed: they are taken to be like the others.");
	text_wrap(out, line.bytes, 0, width);
	text_add(out, "\n");
}

void outside_text(struct text *out, const struct run *run, int width)
{
	bool steps = has_steps(run);
	double before = run->cost.before_ns, all = before + run->cost.program_wall_ns,
	       rest = fmax(0, outside_ns(run) - (steps ? other_phases_ns(run) : 0));
	struct text line;

	other_phases_text(out, run, width);
	if (has_steps(run) && run->phase.before_ns >= OUTSIDE_LEAST_NS &&
	    run->phase.before_ns >= OUTSIDE_LEAST * all)
		not_followed(out, run, all, width);
	if (before + rest < fmax(OUTSIDE_LEAST_NS, OUTSIDE_LEAST * all) || !outside_is_much(run))
		return;
	text_init(&line, out->arena);
	text_printf(&line, "%s: ",
		    !steps           ? "In none of these shares"
		    : run->nr_phases ? "Outside of all steps"
				     : "Outside of these steps");
	units_share(&line, (before + rest) / all);
	text_add(&line, " of the run's ");
	units_time(&line, all);
	if (rest / all < HOT_LEAST) {
		text_add(&line, ", before the first OpenMP construct");
	} else {
		text_add(&line, " (");
		units_share(&line, before / all);
		text_add(&line, " before the first OpenMP construct, ");
		units_share(&line, rest / all);
		text_add_plain(&line, steps ? " between it and the steps or after them)"
					    : " after what was measured)");
	}
	text_add(&line, ".");
	if (steps && rest >= OUTSIDE_LEAST * all) {
		hottest_elsewhere(&line, run);
		text_add(
			&line,
			" What matters there is measured if its repetitions are marked (memsearch/phase.h).");
	}
	text_wrap(out, line.bytes, 0, width);
	text_add(out, "\n");
}
