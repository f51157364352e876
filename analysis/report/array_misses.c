/* SPDX-License-Identifier: Apache-2.0 */
/* Which arrays miss the caches. */
#include "analysis/report/array_misses.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/arrays.h"
#include "analysis/report/finding.h"
#include "analysis/report/misses.h"
#include "analysis/report/recorded.h"
#include "analysis/report/report.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define WIDTH 100
#define WHOLE 0.95                       /* of the phase's time: it is not worth a word */
#define TOO_LITTLE 0.1                   /* of it: what these regions miss is not what the program waits for */
#define LEAST 0.01                       /* of all waiting: less is not worth a row */

struct row { const struct run_array *array; const struct misses *misses; };

static int by_waiting(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->misses->cycles < b->misses->cycles || a->misses->cycles > b->misses->cycles)
		return a->misses->cycles > b->misses->cycles ? -1 : 1;
	return (a->array->id > b->array->id) - (a->array->id < b->array->id);
}

/* Of the accesses that were recorded, by the part of them whose instructions were simulated, too: an execution may be recorded and not kept. */
static double part_simulated(const struct run *run)
{
	double all = 0, simulated = 0;

	for (size_t i = 0; i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];
		double executions = run_access_executions(access), values = executions > 0 ? (double)(access->reads + access->writes) / executions : 0;

		all += values;
		simulated += access->misses.reads + access->misses.writes ? values : 0;
	}
	return all > 0 ? simulated / all : 1;
}

/* Of the phase's time, in regions whose accesses were simulated; 1: it is not known. */
static double time_simulated(struct arena *arena, const struct run *run)
{
	double recorded = recorded_of(arena, run).share;

	return (isnan(recorded) ? 1 : recorded) * part_simulated(run);
}

static const char *basis(struct arena *arena, const struct run *run, double time)
{
	if (run->modelled.begins > 0)
		return arena_printf(arena, "from the first %.2g %% of what its regions access, which stand for the rest", 100 * run->modelled.begins);
	if (time >= WHOLE)
		return "from the accesses that were recorded of it";
	return arena_printf(arena, "from what was recorded and kept, in regions with some %.0f %% of its time", 100 * time);
}

/* The worst of that standing that is about the array; NULL: none. */
static const struct run_node *worst_of(struct arena *arena, const struct run *run, enum report_standing standing, const struct run_array *array)
{
	const uint32_t *ids;
	size_t nr = report_rank(arena, run, standing, false, &ids);

	for (size_t i = 0; i < nr; i++)
		if (finding_array(run, run->nodes[ids[i]].region) == array)
			return &run->nodes[ids[i]];
	return NULL;
}

static const char *in_words(struct arena *arena, const struct run *run, const struct run_node *node, bool costs)
{
	const struct run_region *region = finding_region(run, node);
	struct text out;

	text_init(&out, arena);
	text_add_plain(&out, finding_title(arena, node));
	if (node->property)
		text_printf(&out, " (%s)", node->property);
	if (costs) {
		text_add(&out, ", ");
		units_share_range(&out, node->severity_low, node->severity_high);
		text_add(&out, " of the time");
	}
	if (region)
		text_printf(&out, ", in %s", finding_place(arena, run, region->id));
	return out.bytes;
}

/* What the accesses are like says what to change; what they miss, what that may bring. */
static void note_findings(struct table *table, const struct run *run, const struct run_array *array)
{
	const struct run_node *modelled = worst_of(table->arena, run, REPORT_MODELLED, array), *candidate = worst_of(table->arena, run, REPORT_CANDIDATE, array);

	if (modelled)
		table_note(table, "finding", in_words(table->arena, run, modelled, true));
	if (candidate)
		table_note(table, "cause", in_words(table->arena, run, candidate, false));
	if (modelled || candidate)
		table_note(table, "try", candidate ? candidate->advice : modelled->advice);
}

static void print(struct text *out, struct arena *arena, const struct run *run, const struct row *rows, size_t nr, double waited)
{
	static const struct table_column columns[] = { { "array", NULL }, { "accesses", "1" }, { "declared", NULL } };
	struct table table;

	table_init(&table, arena, "misses", columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < nr; i++) {
		const struct run_array *array = rows[i].array;

		table_string(&table, *array->name ? array->name : array->kind);
		table_number(&table, misses_accesses(rows[i].misses));
		table_string(&table, array->line ? arena_printf(arena, "%s:%d", array->file, array->line) : NULL);
		table_note(&table, "misses", misses_words(arena, rows[i].misses, waited));
		note_findings(&table, run, array);
	}
	table_print(out, &table, "text");
}

void array_misses_text(struct text *out, const struct run *run, size_t most)
{
	struct arena *arena = arena_new();
	const struct arrays_view *view = arena ? arrays_view(arena, run) : NULL;
	struct row *rows = view ? arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*rows)) : NULL;
	double time = rows ? time_simulated(arena, run) : 0;
	size_t nr = 0;

	for (size_t i = 0; rows && i < run->nr_arrays; i++)
		if (view->waited > 0 && view->misses[i].cycles >= LEAST * view->waited)
			rows[nr++] = (struct row){ &run->arrays[i], &view->misses[i] };
	sort(rows, nr, sizeof(*rows), by_waiting);
	if (nr && time >= TOO_LITTLE) {
		text_wrap(out, arena_printf(arena, "memsearch: what arrays miss in the caches of %s, in one execution of the phase (simulated, %s):",
					    run->modelled.here ? "this machine" : run->modelled.name, basis(arena, run, time)), 0, WIDTH);
		text_add(out, "\n");
		print(out, arena, run, rows, nr < most ? nr : most, view->waited);
	}
	arena_free(arena);
}
