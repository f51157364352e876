/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies by predicted gain, as text, JSON and CSV. */
#include "analysis/remedies/print_trials.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/remedies/remedy.h"
#include "analysis/remedies/trial.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/table.h"
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
	return arena_printf(arena, "%s%.*f %%",
			    gain > 0   ? "-"
			    : gain < 0 ? "+"
				       : "",
			    fabs(gain) < 0.1 ? 1 : 0, 100 * fabs(gain));
}

/* "step (swim.c:120)"; NULL: not known. */
static const char *region_words(struct arena *arena, const struct run *run, uint32_t region)
{
	const struct source *source = region < run->nr_regions ? &run->regions[region].source
							       : NULL;
	const char *function = source && source->function && *source->function ? source->function
									       : "?";

	if (!source)
		return NULL;
	return source->line && source->file
		       ? arena_printf(arena, "%s (%s:%d)", function, source->file, source->line)
		       : function;
}

/* ------------------------------------------------------------------ text */

static void put_remote(struct text *out, const struct trials *trials, const struct trial *trial)
{
	double before = remote_share(&trials->before), after = remote_share(&trial->result);

	if ((before > 0 || after > 0) && isfinite(before) && isfinite(after))
		text_printf(out, "; remote share %.2f -> %.2f", before, after);
}

static void put_trial(struct text *out, const struct run *run, const struct trials *trials,
		      const struct trial *trial, size_t number, int width)
{
	const char *region = region_words(out->arena, run, trial->region);
	struct text line;

	text_printf(out, "%3zu  %s\n", number, trial->remedy->words);
	text_init(&line, out->arena);
	text_printf(&line, "predicted %s memory stalls", gain_words(out->arena, trial->gain));
	put_remote(&line, trials, trial);
	if (region)
		text_printf(&line, "; %s in %s", gain_words(out->arena, trial->region_gain),
			    region);
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
			not_tried = arena_printf(out->arena, "%s%s%s: %s",
						 not_tried ? not_tried : "", not_tried ? "; " : "",
						 trial->remedy->words,
						 trial->why ? trial->why : "?");
		else if (!helps(trial))
			none = arena_printf(out->arena, "%s%s%s (%s)", none ? none : "",
					    none ? ", " : "", trial->remedy->words,
					    gain_words(out->arena, trial->gain));
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

static void head(struct text *out, const struct run *run, const struct trials *trials,
		 const struct try_options *options)
{
	text_add(out, "memsearch: ");
	text_add_plain(out, report_program(run, options->brief));
	text_printf(out, "   %" PRIu32 " thread%s on %s\n", run->threads,
		    run->threads == 1 ? "" : "s", run->modelled.name ? run->modelled.name : "?");
	if (run->modelled.placement) {
		text_wrap(out, arena_printf(out->arena, "(%s)", run->modelled.placement), 0,
			  options->width);
		text_add(out, "\n");
	}
	text_add(out, "As it is: memory stalls ");
	units_time(out, trials->before.stall_ns);
	text_add(out, " of all threads in the execution that is simulated");
	if (isfinite(remote_share(&trials->before)) && run->modelled.nodes > 1)
		text_printf(out, ", remote share %.2f", remote_share(&trials->before));
	text_add(out, "\n\n");
}

void try_text(struct text *out, const struct run *run, const struct trials *trials,
	      const struct try_options *options)
{
	size_t nr = 0;

	head(out, run, trials, options);
	for (size_t i = 0; i < trials->nr; i++)
		if (helps(&trials->items[i]))
			put_trial(out, run, trials, &trials->items[i], ++nr, options->width);
	if (!nr)
		text_printf(out, "Nothing that was tried helps (%zu remed%s).\n", trials->nr,
			    trials->nr == 1 ? "y" : "ies");
	put_rest(out, trials, options->width);
	text_add(out, "\n");
	text_wrap(
		out,
		"Memory stalls are what accesses wait for caches, TLBs and memory if none overlaps; lines that prefetchers bring in time are not in them. Each remedy was simulated with the"
		" accesses of the same execution.",
		0, options->width);
	text_add(out, "\n");
}

/* ------------------------------------------------------------------ JSON and CSV */

/* clang-format off */
#define RESULT_FIELDS(X) \
	X(NUMBER, "stall_ns", NULL, NULL, NULL, row->stall_ns) \
	X(NUMBER, "remote_share", NULL, NULL, NULL, remote_share(row)) \
	X(NUMBER, "memory_lines", NULL, NULL, NULL, row->lines) \
	X(NUMBER, "last_level_misses", NULL, NULL, NULL, row->missed) \
	X(NUMBER, "page_walks", NULL, NULL, NULL, row->walks)
/* clang-format on */
EMIT_LIST(result_fields, struct trial_result, RESULT_FIELDS)

struct trial_row {
	struct arena *arena;
	const struct run *run;
	const struct trial_result *before;
	const struct trial *trial;
	size_t rank;
};

static double if_done(const struct trial_row *row, double value)
{
	return row->trial->done ? value : NAN;
}

/* clang-format off */
#define TRIAL_FIELDS(X) \
	X(NUMBER, "rank", "rank", NULL, NULL, row->rank) \
	X(STRING, "remedy", "remedy", NULL, NULL, row->trial->remedy->words) \
	X(BOOL, "tried", NULL, NULL, NULL, row->trial->done) \
	X(NUMBER, "gain", "gain", NULL, NULL, if_done(row, row->trial->gain)) \
	X(BOOL, "helps", "helps", NULL, NULL, helps(row->trial)) \
	X(NUMBER, NULL, "stall_ns", NULL, NULL, if_done(row, row->trial->result.stall_ns)) \
	X(NUMBER, NULL, "stall_ns_before", NULL, NULL, row->before->stall_ns) \
	X(NUMBER, NULL, "remote_share", NULL, NULL, if_done(row, remote_share(&row->trial->result))) \
	X(NUMBER, NULL, "remote_share_before", NULL, NULL, remote_share(row->before)) \
	X(STRING, "region", "region", NULL, NULL, region_words(row->arena, row->run, row->trial->region)) \
	X(NUMBER, "region_gain", "region_gain", NULL, NULL, \
	  row->trial->region == MS_REGION_NONE ? NAN : row->trial->region_gain) \
	X(STRING, "change", "change", NULL, NULL, row->trial->remedy->change) \
	X(STRING, "why_not", "why_not", NULL, NULL, row->trial->done ? NULL : row->trial->why)
/* clang-format on */
EMIT_LIST(trial_fields, struct trial_row, TRIAL_FIELDS)

static void put_result(struct json *json, const char *key, const struct trial_result *result)
{
	if (!result)
		return json_null(json, key);
	json_open(json, key, '{');
	emit_members(json, &result_fields, result);
	json_close(json);
}

void try_json(struct text *out, const struct run *run, const struct trials *trials,
	      const struct try_options *options)
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
	for (size_t i = 0; i < trials->nr; i++) {
		const struct trial *trial = &trials->items[i];
		const struct trial_row row = { out->arena, run, &trials->before, trial, i + 1 };

		json_open(&json, NULL, '{');
		emit_members(&json, &trial_fields, &row);
		put_result(&json, "after", trial->done ? &trial->result : NULL);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
}

void try_csv(struct text *out, const struct run *run, const struct trials *trials,
	     const struct try_options *options)
{
	static const struct emit_list *const lists[] = { &trial_fields, NULL };
	struct table table;

	(void)options;
	emit_columns(&table, out->arena, EMIT_CSV, lists);
	for (size_t i = 0; i < trials->nr; i++) {
		const struct trial_row row = { out->arena, run, &trials->before, &trials->items[i],
					       i + 1 };

		emit_cells(&table, EMIT_CSV, &trial_fields, &row);
	}
	table_print(out, &table, "csv");
}
