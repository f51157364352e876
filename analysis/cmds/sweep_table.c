/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a sweep. */
#include "analysis/cmds/sweep_table.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/show.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/sweep/results.h"

#define COLUMNS_MAX 16

/* Columns of settings that do not vary are left out of text. */
struct page {
	struct table table;
	struct table_column columns[COLUMNS_MAX];
	const char *headings[COLUMNS_MAX];
	size_t nr_columns;
	bool environment, arguments, binary;
};

static void add_column(struct page *page, const char *name, const char *unit, const char *heading)
{
	page->columns[page->nr_columns] = (struct table_column){ name, unit };
	page->headings[page->nr_columns++] = heading;
}

static void begin_page(struct page *page, const struct sweep_plan *plan, const char *format)
{
	bool all = format[0] != 't';

	*page = (struct page){ .environment = all || plan->nr_variables,
			       .arguments = all || plan->nr_arguments > 1,
			       .binary = all || plan->binaries.nr > 1 };
	add_column(page, "threads", "exact", "threads");
	if (page->environment)
		add_column(page, "environment", NULL, "environment");
	if (page->binary)
		add_column(page, "binary", NULL, "binary");
	if (page->arguments)
		add_column(page, "arguments", NULL, "arguments");
}

static void end_columns(struct page *page, struct arena *arena, const char *name)
{
	table_init(&page->table, arena, name, page->columns, page->nr_columns);
	page->table.headings = page->headings;
}

static void add_configuration(struct page *page, const struct sweep_plan *plan,
			      const struct matrix_configuration *configuration)
{
	table_number(&page->table, configuration->threads);
	if (page->environment)
		table_string(&page->table,
			     settings_environment(page->table.arena, plan, configuration));
	if (page->binary)
		table_string(&page->table, configuration->binary);
	if (page->arguments)
		table_string(&page->table, configuration->arguments->text);
}

void sweep_table_steps(struct text *out, const struct results *results, const char *format)
{
	static const char *const kinds[] = { [MATRIX_WARM_UP] = "warm-up",
					     [MATRIX_UNPROFILED] = "without memsearch",
					     [MATRIX_PROFILED] = "with memsearch" };
	static const char online[] = "with memsearch, all numbers of threads";
	struct arena *arena = results->arena;
	struct page page;
	size_t nr = 0;
	struct matrix_step *steps = matrix_steps(arena, results->plan, &nr);

	begin_page(&page, results->plan, format);
	add_column(&page, "repetition", "exact", "repetition");
	add_column(&page, "kind", NULL, "run");
	add_column(&page, "state", NULL, "state");
	end_columns(&page, arena, "steps");
	page.table.schema = "memsearch-sweep-steps-1";
	for (size_t i = 0; steps && i < nr; i++) {
		struct matrix_configuration configuration = matrix_configuration(
			arena, results->plan, steps[i].configuration);

		add_configuration(&page, results->plan, &configuration);
		table_number(&page.table,
			     steps[i].kind == MATRIX_PROFILED ? steps[i].repetition : NAN);
		table_string(&page.table, results->plan->online && steps[i].kind == MATRIX_PROFILED
						  ? online
						  : kinds[steps[i].kind]);
		table_string(&page.table,
			     results_need(results, &steps[i]) ? "to be run" : "not needed");
	}
	table_print(out, &page.table, format);
}

/* The step of the fewest threads over this one, with the same other values. */
static double speedup(const struct results *results, size_t configuration,
		      const struct result_summary *summary)
{
	const struct sweep_plan *plan = results->plan;
	struct matrix_range range = matrix_measured(plan, configuration);
	size_t fewest = range.first;

	for (size_t i = range.first; i < range.end; i++)
		if (plan->threads[i - range.first] < plan->threads[fewest - range.first])
			fewest = i;
	return results_summary(results, fewest, 0).median.step_ns / summary->median.step_ns;
}

/* Of runs with all numbers of threads: nothing is simulated, and wall times are of all of them. */
static void add_online(struct page *page, const struct results *results, size_t configuration)
{
	struct result_summary summary = results_summary(results, configuration, 0);
	bool brief = show_is_brief();

	table_number(&page->table, (double)summary.runs);
	table_number(&page->table, brief ? NAN : summary.median.executions);
	table_number(&page->table, brief ? NAN : summary.median.step_ns);
	table_number(&page->table, brief ? NAN : speedup(results, configuration, &summary));
}

static void add_summary(struct page *page, const char *machine,
			const struct result_summary *summary)
{
	bool brief = show_is_brief();
	const struct result *median = &summary->median;

	table_string(&page->table, machine);
	table_number(&page->table, (double)summary->runs);
	table_number(&page->table, brief ? NAN : median->step_ns);
	table_number(&page->table, brief ? NAN : median->unprofiled_ns);
	table_number(&page->table, brief ? NAN : summary->ratio);
	table_number(&page->table, median->accesses);
	for (size_t level = 0; level < 3; level++)
		table_number(&page->table, median->missed[level]);
}

static const char *footer(struct arena *arena, const struct sweep_plan *plan, uint32_t cpus)
{
	const char *online =
		"Medians of the runs, each with all numbers of threads. executions: of the phase that were measured; step: one of them; speed-up: the step of the fewest threads over "
		"this one.";
	const char *text =
		"Medians of the runs; accesses and misses are of all threads in one step, on the modelled machine. without: the program's wall time "
		"without memsearch; slowdown: its wall time with memsearch over that.";

	text = plan->online ? online : text;
	for (size_t i = 0; i < plan->nr_threads; i++)
		if (plan->threads[i] > cpus)
			return arena_printf(
				arena,
				"%s With more threads than the %u CPU%s here, times say nothing of scaling.",
				text, cpus, cpus == 1 ? "" : "s");
	return text;
}

static void online_results(struct page *page, const struct results *results)
{
	size_t size = (size_t)matrix_size(results->plan);

	add_column(page, "runs", "exact", "runs");
	add_column(page, "executions", "exact", "executions");
	add_column(page, "step_ns", "ns", "step");
	add_column(page, "speedup", "ratio", "speed-up");
	end_columns(page, results->arena, "configurations");
	for (size_t i = 0; i < size; i++) {
		struct matrix_configuration configuration = matrix_configuration(results->arena,
										 results->plan, i);

		add_configuration(page, results->plan, &configuration);
		add_online(page, results, i);
	}
}

static void offline_results(struct page *page, const struct results *results)
{
	const struct sweep_plan *plan = results->plan;
	size_t size = (size_t)matrix_size(plan);

	add_column(page, "machine", NULL, "machine");
	add_column(page, "runs", "exact", "runs");
	add_column(page, "step_ns", "ns", "step");
	add_column(page, "unprofiled_ns", "ns", "without");
	add_column(page, "slowdown", "ratio", "slowdown");
	add_column(page, "accesses", "1", "accesses");
	add_column(page, "l1_misses", "1", "L1 misses");
	add_column(page, "l2_misses", "1", "L2 misses");
	add_column(page, "l3_misses", "1", "L3 misses");
	end_columns(page, results->arena, "configurations");
	for (size_t i = 0; i < size; i++)
		for (size_t k = 0; k < plan->machines.nr; k++) {
			struct matrix_configuration configuration = matrix_configuration(
				results->arena, plan, i);
			struct result_summary summary = results_summary(results, i, k);

			add_configuration(page, plan, &configuration);
			add_summary(page, plan->machines.items[k], &summary);
		}
}

void sweep_table_results(struct text *out, const struct results *results, uint32_t cpus,
			 const char *format)
{
	struct page page;

	begin_page(&page, results->plan, format);
	if (results->plan->online)
		online_results(&page, results);
	else
		offline_results(&page, results);
	page.table.schema = "memsearch-sweep-1";
	page.table.footer = footer(results->arena, results->plan, cpus);
	table_print(out, &page.table, format);
}
