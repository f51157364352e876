/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of placements in words. */
#include "analysis/report/tried.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/report/array_names.h"
#include "analysis/report/arrays.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define NAMES_MOST 3 /* arrays that are named */
#define SHORT_MOST 2 /* trials, where none helps: of all arrays */
/* of the pages that change their node: from this part on it is said that they did not move */
#define UNMOVED 0.05

static double low_of(const struct run_trial *trial)
{
	return trial->gain - trial->half_width;
}

static double high_of(const struct run_trial *trial)
{
	return trial->gain + trial->half_width;
}

enum tried_result tried_result_of(const struct run_trial *trial)
{
	if (!isfinite(trial->gain) || !isfinite(trial->half_width))
		return TRIED_UNDECIDED;
	if (low_of(trial) > TRIED_LEAST)
		return TRIED_HELPS;
	if (high_of(trial) < -TRIED_LEAST)
		return TRIED_HARMS;
	return high_of(trial) < 3 * TRIED_LEAST && low_of(trial) > -3 * TRIED_LEAST
		       ? TRIED_NO_DIFFERENCE
		       : TRIED_UNDECIDED;
}

/* Of gains that are alike that of more arrays, which was tried first. */
const struct run_trial *tried_best(const struct run *run)
{
	const struct run_trial *best = NULL;

	for (size_t i = 0; i < run->nr_trials; i++) {
		const struct run_trial *trial = &run->trials[i];

		if (tried_result_of(trial) == TRIED_HELPS &&
		    (!best || trial->gain > best->gain + TRIED_LEAST))
			best = trial;
	}
	return best;
}

/* ------------------------------------------------------------------ words */

static const char *name_of(struct arena *arena, const struct run *run, uint32_t array)
{
	return arrays_name(arena, run, &run->arrays[array]);
}

static const char *names(struct arena *arena, const struct run *run, const struct run_trial *trial)
{
	const char *text = trial->nr_arrays ? "" : "the arrays";
	size_t shown = trial->nr_arrays <= NAMES_MOST ? trial->nr_arrays : NAMES_MOST - 1;

	for (size_t i = 0; i < shown; i++)
		text = arena_printf(arena, "%s%s%s", text,
				    !i                         ? ""
				    : i + 1 < trial->nr_arrays ? ", "
							       : " and ",
				    name_of(arena, run, trial->arrays[i]));
	return shown < trial->nr_arrays
		       ? arena_printf(arena, "%s and %zu more", text, trial->nr_arrays - shown)
		       : text;
}

static bool is_interleaved(const struct run_trial *trial)
{
	return !strcmp(trial->remedy, RUN_TRIAL_INTERLEAVE);
}

static bool is_binding(const struct run_trial *trial)
{
	return !strcmp(trial->remedy, RUN_TRIAL_BIND);
}

static const char *change_of(struct arena *arena, const struct run *run,
			     const struct run_trial *trial)
{
	const char *arrays = names(arena, run, trial);

	if (is_binding(trial))
		return arena_printf(arena, "%" PRIu32 " thread%s bound to the node%s they ran on",
				    trial->threads, trial->threads == 1 ? "" : "s",
				    trial->threads == 1 ? "" : "s");
	return is_interleaved(trial)
		       ? arena_printf(arena, "pages of %s interleaved over the nodes", arrays)
		       : arena_printf(arena, "pages of %s on the nodes whose threads use them",
				      arrays);
}

/* "3.1", "-0.4": percent without its sign of percent */
static const char *percent(struct arena *arena, double part)
{
	return arena_printf(arena, "%.*f", fabs(part) < 0.0995 ? 1 : 0, 100 * part);
}

static const char *interval(struct arena *arena, const struct run_trial *trial, double sign)
{
	double low = sign * trial->gain - trial->half_width,
	       high = sign * trial->gain + trial->half_width;

	return arena_printf(arena, "95 %% interval %s to %s %%; %" PRIu32 " pairs",
			    percent(arena, low), percent(arena, high), trial->pairs);
}

static const char *outcome_of(struct arena *arena, const struct run_trial *trial)
{
	const char *text = "not decided";

	switch (tried_result_of(trial)) {
	case TRIED_HELPS:
		text = arena_printf(arena, "steps take %s %% less time (%s)",
				    percent(arena, trial->gain), interval(arena, trial, 1));
		break;
	case TRIED_HARMS:
		text = arena_printf(arena, "steps take %s %% more time (%s)",
				    percent(arena, -trial->gain), interval(arena, trial, -1));
		break;
	case TRIED_NO_DIFFERENCE:
		text = arena_printf(arena, "no difference (%s)", interval(arena, trial, 1));
		break;
	case TRIED_UNDECIDED:
		if (isfinite(trial->gain) && isfinite(trial->half_width))
			text = arena_printf(arena, "not decided (gain: %s)",
					    interval(arena, trial, 1));
		break;
	}
	return trial->why ? arena_printf(arena, "%s; ended early: %s", text, trial->why) : text;
}

static const char *unmoved(struct arena *arena, const struct run_trial *trial)
{
	uint64_t moved = trial->pages > trial->unmoved ? trial->pages - trial->unmoved : 0;

	if ((double)trial->unmoved <= UNMOVED * (double)trial->pages || (trial->why && !moved))
		return "";
	return arena_printf(
		arena, "; the kernel moved %" PRIu64 " of %" PRIu64 " pages%s", moved, trial->pages,
		trial->why
			? ""
			: ": the others' node has no free memory, or they are shared with other processes");
}

/* Where most of the array was touched first; NULL: not known. */
static const char *touched_at(struct arena *arena, const struct run *run, uint32_t array)
{
	const struct arrays_view *view = arrays_view(arena, run);

	return view && view->first[array] < view->first[array + 1]
		       ? arrays_line(arena, &view->groups[view->first[array]])
		       : NULL;
}

/* What of the program keeps the change. */
static const char *keep(struct arena *arena, const struct run *run, const struct run_trial *trial)
{
	const char *touched = trial->nr_arrays ? touched_at(arena, run, trial->arrays[0]) : NULL;

	if (is_binding(trial))
		return "OMP_PROC_BIND=true in the environment (close: neighbours; spread: over all nodes)";
	if (is_interleaved(trial))
		return arena_printf(
			arena,
			"start the program by numactl --interleave=all, or allocate %s by numa_alloc_interleaved",
			names(arena, run, trial));
	return arena_printf(
		arena,
		"initialise %s in parallel, with the schedule of the loops that use %s%s%s%s, and bind the threads (OMP_PROC_BIND=close)",
		names(arena, run, trial), trial->nr_arrays > 1 ? "them" : "it",
		touched ? arena_printf(arena, " (%s is first touched at ",
				       name_of(arena, run, trial->arrays[0]))
			: "",
		touched ? touched : "", touched ? ")" : "");
}

/* Pages are moved back after each trial, except where the program ended in it. */
static void add_end(struct text *text, const struct run *run)
{
	const char *why = NULL;
	uint64_t pages = 0;
	double ns = 0;

	for (size_t i = 0; i < run->nr_trials; i++) {
		const struct run_trial *trial = &run->trials[i];

		pages += trial->not_back;
		ns += trial->moving_ns;
		why = trial->not_back ? trial->why : why;
	}
	if (pages)
		text_printf(text, "%" PRIu64 " pages were not moved back (%s); moving took ", pages,
			    why ? why : "the kernel did not move them");
	else
		text_add(text, "All of it was undone; moving took ");
	units_time(text, ns);
	text_add(text, " in all.");
}

static const char *nothing(struct arena *arena, const struct run *run)
{
	const char *why = run->trying.why ? run->trying.why : "the program ended before";

	return run->machine.nodes < 2
		       ? arena_printf(
				 arena,
				 "nothing: %s (memsearch try --machine epyc-2s tries changes on the model of a machine with two)",
				 why)
		       : arena_printf(arena, "nothing: %s", why);
}

static const char *trial_text(struct arena *arena, const struct run *run,
			      const struct run_trial *trial)
{
	return arena_printf(arena, "%s: %s%s", change_of(arena, run, trial),
			    outcome_of(arena, trial), unmoved(arena, trial));
}

const char *tried_text(struct arena *arena, const struct run *run, bool all)
{
	const struct run_trial *best = tried_best(run);
	size_t shown = 0;
	struct text text;

	if (!run->trying.asked)
		return NULL;
	if (!run->nr_trials)
		return nothing(arena, run);
	text_init(&text, arena);
	if (best)
		text_printf(&text, "%s. To keep that: %s. ", trial_text(arena, run, best),
			    keep(arena, run, best));
	for (size_t i = 0; i < run->nr_trials; i++)
		if (&run->trials[i] != best && (all || (!best && shown++ < SHORT_MOST)))
			text_printf(&text, "%s. ", trial_text(arena, run, &run->trials[i]));
	if (run->trying.policy)
		text_printf(
			&text,
			"A memory policy (%s, as by numactl) places the program's pages: parallel"
			" initialisation does so only without it. ",
			run->trying.policy);
	add_end(&text, run);
	return text.bytes;
}

/* ------------------------------------------------------------------ JSON */

static void trial_json(struct json *json, struct arena *arena, const struct run *run,
		       const struct run_trial *trial)
{
	static const char *const results[] = { "helps", "harms", "no difference", "undecided" };

	json_open(json, NULL, '{');
	json_string(json, "remedy", trial->remedy);
	json_open(json, "arrays", '[');
	for (size_t i = 0; i < trial->nr_arrays; i++)
		json_string(json, NULL, name_of(arena, run, trial->arrays[i]));
	json_close(json);
	json_string(json, "result", results[tried_result_of(trial)]);
	json_number(json, "gain", trial->gain);
	json_number(json, "gain_half_width", trial->half_width);
	json_unsigned(json, "pairs", trial->pairs);
	json_number(json, "before_ns", trial->before_ns > 0 ? trial->before_ns : NAN);
	json_number(json, "after_ns", trial->after_ns > 0 ? trial->after_ns : NAN);
	json_unsigned(json, "executions", trial->executions);
	json_unsigned(json, "pages", trial->pages);
	json_unsigned(json, "pages_not_moved", trial->unmoved);
	json_unsigned(json, "pages_not_moved_back", trial->not_back);
	json_number(json, "moving_ns", trial->moving_ns);
	json_unsigned(json, "threads", trial->threads);
	json_string(json, "ended_early", trial->why);
	json_string(json, "change", keep(arena, run, trial));
	json_close(json);
}

void tried_json(struct json *json, struct arena *arena, const struct run *run)
{
	if (!run->trying.asked)
		return;
	json_open(json, "tried", '{');
	json_string(json, "why_not", run->trying.why);
	json_string(json, "memory_policy", run->trying.policy);
	json_unsigned(json, "lines", run->trying.lines);
	json_unsigned(json, "remote_lines", run->trying.remote);
	json_open(json, "trials", '[');
	for (size_t i = 0; i < run->nr_trials; i++)
		trial_json(json, arena, run, &run->trials[i]);
	json_close(json);
	json_close(json);
}
