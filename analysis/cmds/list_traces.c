/* SPDX-License-Identifier: Apache-2.0 */
/* The kept executions of a record: one row each, and one for each region in it. */
#include "analysis/cmds/list_traces.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/record_trace.h"
#include "analysis/record/run.h"
#include "analysis/report/finding.h"
#include "analysis/report/table.h"
#include "analysis/trace/trace_reader.h"

/* of an execution's accesses: regions with fewer are left out unless all are wanted */
#define LEAST 0.0005

/* Of one execution. */
struct counting {
	const struct traced_execution *of;
	const struct run *run;
	/* accesses; by region, the last is for those of no region */
	double all, *regions;
	bool *threads; /* which have accesses */
};

static void count_entry(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses,
			uint64_t *times)
{
	struct counting *counting = ctx;
	uint32_t number = trace_reader_region(counting->of, region);
	double all = (double)accesses * (double)*times;

	counting->all += all;
	counting->regions[number < counting->run->nr_regions ? number
							     : counting->run->nr_regions] += all;
	counting->threads[thread] |= all > 0;
	*times = 0;
}

static double threads_in(const struct counting *counting)
{
	double nr = 0;

	for (uint32_t thread = 0; thread < counting->of->threads; thread++)
		nr += counting->threads[thread];
	return nr;
}

static const char *kept_words(struct arena *arena, const struct traced_execution *of)
{
	const char *part = of->lost ? "beginning" : "whole";

	return of->one_in > 1 ? arena_printf(arena, "%s, 1 line in %u", part, of->one_in) : part;
}

static void execution_row(struct table *table, size_t number, const struct counting *counting)
{
	double bytes = (double)counting->of->bytes;

	table_number(table, (double)number + 1);
	table_number(table, threads_in(counting));
	table_number(table, counting->all);
	table_number(table, bytes);
	table_number(table, counting->all > 0 ? bytes / counting->all : NAN);
	table_number(table, NAN);
	table_string(table, kept_words(table->arena, counting->of));
	table_number(table, NAN);
	table_string(table, "all regions");
}

static void region_row(struct table *table, size_t number, const struct counting *counting,
		       uint32_t region)
{
	bool known = region < counting->run->nr_regions;

	table_number(table, (double)number + 1);
	table_number(table, NAN);
	table_number(table, counting->regions[region]);
	table_number(table, NAN);
	table_number(table, NAN);
	table_number(table, 100 * counting->regions[region] / counting->all);
	table_string(table, NULL);
	table_number(table, known ? region : NAN);
	table_string(table, known ? finding_place(table->arena, counting->run, region)
				  : "outside all regions");
}

static int add_execution(struct table *table, struct trace_reader *reader, size_t number,
			 const struct run *run, struct trace_streams *streams, bool all)
{
	struct arena *arena = table->arena;
	struct counting counting = { .of = trace_reader_execution(reader, number), .run = run };

	counting.regions = arena_alloc(arena, (run->nr_regions + 1) * sizeof(double));
	counting.threads = arena_alloc(arena, streams->threads);
	if (!counting.regions || !counting.threads ||
	    !trace_reader_play(reader, number, streams, count_entry, &counting))
		return COMMAND_BAD_DATA;
	trace_streams_clear(streams);
	execution_row(table, number, &counting);
	for (uint32_t region = 0; region <= run->nr_regions; region++)
		if (counting.regions[region] > (all ? 0 : LEAST * counting.all))
			region_row(table, number, &counting, region);
	return COMMAND_OK;
}

static int add_executions(struct table *table, struct trace_reader *reader, const char *path,
			  const struct run *run, bool all)
{
	struct trace_streams *streams = trace_reader_executions(reader)
						? trace_reader_streams(reader)
						: NULL;
	int code = COMMAND_OK;

	if (trace_reader_executions(reader) && !streams)
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < trace_reader_executions(reader) && code == COMMAND_OK; i++)
		code = add_execution(table, reader, i, run, streams, all);
	if (code != COMMAND_OK)
		log_warning("the accesses that the record '%s' keeps cannot be read: measure again",
			    path);
	trace_streams_free(streams);
	return code;
}

int list_traces(struct arena *arena, const char *path, const struct run *run, bool all,
		struct table *table)
{
	static const struct table_column columns[] = {
		{ "execution", "1" },
		{ "threads", "1" },
		{ "accesses", "1" },
		{ "bytes", "bytes" },
		{ "bytes_per_access", "ratio" },
		{ "percent", "%" },
		{ "kept", NULL },
		{ "region", "1" },
		{ "place", NULL },
	};
	static const char *const headings[] = { "execution", "threads",      "accesses",
						"bytes",     "bytes/access", "share",
						"kept",      "region",       "place" };
	struct trace_reader *reader;
	int code = trace_of_record(arena, path, run, &reader);

	if (code != COMMAND_GO_ON)
		return code;
	table_init(table, arena, "traces", columns, sizeof(columns) / sizeof(*columns));
	if (!trace_reader_executions(reader))
		log_warning(
			"the record '%s' keeps no accesses: none were recorded, or --trace-limit was 0 or too small",
			path);
	table->headings = headings;
	table->footer =
		"bytes: in the record; share: of the execution's accesses, without regions below 0.05 %; kept: the whole execution, or its beginning, where the "
		"rest exceeded the space; 1 line in N: of accesses without a constant stride those to some lines, and the number of the others";
	code = add_executions(table, reader, path, run, all);
	trace_reader_free(reader);
	return code;
}
