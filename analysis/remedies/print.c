/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies by predicted gain, as text, JSON and CSV. */
#include "analysis/remedies/print.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/remedies/remedy.h"
#include "analysis/remedies/trial.h"
#include "analysis/report/csv.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define INDENT 5

static double remote_share(const struct trial_result *result)
{
	return result->lines > 0 ? result->remote / result->lines : NAN;
}

static bool helps(const struct trial *trial)
{
	return trial->done && trial->gain >= TRIAL_HELPS;
}

/* "predicted -38 % memory stalls" */
static const char *gain_words(struct arena *arena, double gain)
{
	return arena_printf(arena, "%s%.*f %%", gain > 0 ? "-" : gain < 0 ? "+" : "", fabs(gain) < 0.1 ? 1 : 0, 100 * fabs(gain));
}

/* "step (swim.c:120)"; NULL: not known. */
static const char *region_words(struct arena *arena, const struct run *run, uint32_t region)
{
	const struct source *source = region < run->nr_regions ? &run->regions[region].source : NULL;
	const char *function = source && source->function && *source->function ? source->function : "?";

	if (!source)
		return NULL;
	return source->line && source->file ? arena_printf(arena, "%s (%s:%d)", function, source->file, source->line) : function;
}

/* ------------------------------------------------------------------ text */

static void put_remote(struct text *out, const struct trials *trials, const struct trial *trial)
{
	double before = remote_share(&trials->before), after = remote_share(&trial->result);

	if ((before > 0 || after > 0) && isfinite(before) && isfinite(after))
		text_printf(out, "; remote share %.2f -> %.2f", before, after);
}

static void put_trial(struct text *out, const struct run *run, const struct trials *trials, const struct trial *trial, size_t number, int width)
{
	const char *region = region_words(out->arena, run, trial->region);
	struct text line;

	text_printf(out, "%3zu  %s\n", number, trial->remedy->words);
	text_init(&line, out->arena);
	text_printf(&line, "predicted %s memory stalls", gain_words(out->arena, trial->gain));
	put_remote(&line, trials, trial);
	if (region)
		text_printf(&line, "; %s in %s", gain_words(out->arena, trial->region_gain), region);
	text_printf(out, "%*s", INDENT, "");
	text_wrap(out, line.bytes ? line.bytes : "", INDENT, width);
	text_add(out, "\n");
	if (!trial->remedy->change)
		return;
	text_printf(out, "%*s", INDENT, "");
	text_wrap(out, trial->remedy->change, INDENT, width);
	text_add(out, "\n");
}

static void put_rest(struct text *out, const struct trials *trials, int width)
{
	const char *none = NULL, *not_tried = NULL;

	for (size_t i = 0; i < trials->nr; i++) {
		const struct trial *trial = &trials->items[i];

		if (!trial->done)
			not_tried = arena_printf(out->arena, "%s%s%s: %s", not_tried ? not_tried : "", not_tried ? "; " : "", trial->remedy->words, trial->why ? trial->why : "?");
		else if (!helps(trial))
			none = arena_printf(out->arena, "%s%s%s (%s)", none ? none : "", none ? ", " : "", trial->remedy->words, gain_words(out->arena, trial->gain));
	}
	if (none) {
		text_add(out, "\nDo not help: ");
		text_wrap(out, none, 0, width);
		text_add(out, "\n");
	}
	if (not_tried) {
		text_add(out, "\nNot tried: ");
		text_wrap(out, not_tried, 0, width);
		text_add(out, "\n");
	}
}

static void head(struct text *out, const struct run *run, const struct trials *trials, const struct try_options *options)
{
	text_add(out, "memsearch: ");
	text_add_plain(out, report_program(run, options->brief));
	text_printf(out, "   %" PRIu32 " thread%s on %s\n", run->threads, run->threads == 1 ? "" : "s", run->modelled.name ? run->modelled.name : "?");
	if (run->modelled.placement) {
		text_wrap(out, arena_printf(out->arena, "(%s)", run->modelled.placement), 0, options->width);
		text_add(out, "\n");
	}
	text_add(out, "As it is: memory stalls ");
	units_time(out, trials->before.stall_ns);
	text_add(out, " of all threads in the execution that is simulated");
	if (isfinite(remote_share(&trials->before)) && run->modelled.nodes > 1)
		text_printf(out, ", remote share %.2f", remote_share(&trials->before));
	text_add(out, "\n\n");
}

void try_text(struct text *out, const struct run *run, const struct trials *trials, const struct try_options *options)
{
	size_t nr = 0;

	head(out, run, trials, options);
	for (size_t i = 0; i < trials->nr; i++)
		if (helps(&trials->items[i]))
			put_trial(out, run, trials, &trials->items[i], ++nr, options->width);
	if (!nr)
		text_printf(out, "Nothing that was tried helps (%zu remed%s).\n", trials->nr, trials->nr == 1 ? "y" : "ies");
	put_rest(out, trials, options->width);
	text_add(out, "\n");
	text_wrap(out, "Memory stalls are what accesses wait for caches, TLBs and memory if none overlaps; lines that prefetchers bring in time are not in them. Each remedy was simulated with the"
		       " accesses of the same execution.", 0, options->width);
	text_add(out, "\n");
}

/* ------------------------------------------------------------------ JSON */

static void put_result(struct json *json, const char *key, const struct trial_result *result)
{
	json_open(json, key, '{');
	json_number(json, "stall_ns", result->stall_ns);
	json_number(json, "remote_share", remote_share(result));
	json_number(json, "memory_lines", result->lines);
	json_number(json, "last_level_misses", result->missed);
	json_number(json, "page_walks", result->walks);
	json_close(json);
}

static void put_remedy(struct json *json, const struct run *run, const struct trial *trial)
{
	json_open(json, NULL, '{');
	json_string(json, "remedy", trial->remedy->words);
	json_bool(json, "tried", trial->done);
	json_bool(json, "helps", helps(trial));
	json_number(json, "gain", trial->done ? trial->gain : NAN);
	json_string(json, "change", trial->remedy->change);
	json_string(json, "why_not", trial->done ? NULL : trial->why);
	json_string(json, "region", region_words(json->out->arena, run, trial->region));
	json_number(json, "region_gain", trial->region == MS_REGION_NONE ? NAN : trial->region_gain);
	if (trial->done)
		put_result(json, "after", &trial->result);
	else
		json_null(json, "after");
	json_close(json);
}

void try_json(struct text *out, const struct run *run, const struct trials *trials, const struct try_options *options)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-try-1");
	json_string(&json, "program", report_program(run, options->brief));
	json_unsigned(&json, "threads", run->threads);
	json_string(&json, "machine", run->modelled.name);
	json_string(&json, "placement", run->modelled.placement);
	put_result(&json, "before", &trials->before);
	json_open(&json, "remedies", '[');
	for (size_t i = 0; i < trials->nr; i++)
		put_remedy(&json, run, &trials->items[i]);
	json_close(&json);
	json_close(&json);
}

/* ------------------------------------------------------------------ CSV */

void try_csv(struct text *out, const struct run *run, const struct trials *trials, const struct try_options *options)
{
	(void)options;
	text_add(out, "rank,remedy,gain,helps,stall_ns,stall_ns_before,remote_share,remote_share_before,region,region_gain,change,why_not\n");
	for (size_t i = 0; i < trials->nr; i++) {
		const struct trial *trial = &trials->items[i];

		csv_number(out, 1, (double)i + 1);
		csv_string(out, 0, trial->remedy->words);
		csv_number(out, 0, trial->done ? trial->gain : NAN);
		csv_string(out, 0, helps(trial) ? "yes" : "no");
		csv_number(out, 0, trial->done ? trial->result.stall_ns : NAN);
		csv_number(out, 0, trials->before.stall_ns);
		csv_number(out, 0, trial->done ? remote_share(&trial->result) : NAN);
		csv_number(out, 0, remote_share(&trials->before));
		csv_string(out, 0, region_words(out->arena, run, trial->region));
		csv_number(out, 0, trial->region == MS_REGION_NONE ? NAN : trial->region_gain);
		csv_string(out, 0, trial->remedy->change);
		csv_string(out, 0, trial->done ? NULL : trial->why);
		text_add(out, "\n");
	}
}
