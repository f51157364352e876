/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch trace`: the recorded accesses one by one, in the formats of other simulators. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/transfer.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/record_trace.h"
#include "analysis/cmds/show.h"
#include "analysis/report/array_names.h"
#include "analysis/report/finding.h"
#include "analysis/trace/in_order.h"
#include "analysis/trace/trace_reader.h"

#define OUTPUT_BYTES ((size_t)64 << 10)
/* bytes that one access takes, but for those of many lines */
#define LINE_MOST 128
#define LINE_BYTES 64u /* bytes of memory: din writes an access once per line */

struct trace_values {
	const char *format, *region, *array;
	uint64_t thread, execution;
};

static const struct command_option options[] = {
	{ .name = "format",
	  .type = COMMAND_CHOICE,
	  .metavariable = "text|din|lackey",
	  .offset = offsetof(struct trace_values, format),
	  .help = "text: thread, kind, address, bytes and region number; din: as Dinero reads it, one line for each 64 byte line that an access touches; "
		  "lackey: as valgrind's lackey prints it (default: text)" },
	{ .name = "execution",
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct trace_values, execution),
	  .help = "only this execution of those that `memsearch list traces` shows" },
	{ .name = "region",
	  .type = COMMAND_STRING,
	  .metavariable = "REGION",
	  .offset = offsetof(struct trace_values, region),
	  .help = "only accesses in the region with this number, or in regions whose place contains this text, and in regions inside of them" },
	{ .name = "array",
	  .type = COMMAND_STRING,
	  .metavariable = "ARRAY",
	  .offset = offsetof(struct trace_values, array),
	  .help = "only accesses to the arrays with this name" },
	{ .name = "thread",
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct trace_values, thread),
	  .help = "only accesses of this thread; the initial one is 0" },
	{ 0 }
};

/* `error`: errno of a write, EPIPE included */
struct output {
	char *bytes;
	size_t nr;
	int error;
};

struct tracing {
	const struct trace_values *values;
	const struct run *run;
	struct trace_reader *reader;
	size_t execution;
	bool *regions, *arrays; /* by number: wanted; NULL: all are */
	void (*print)(struct output *out, const struct access_in_order *access, uint32_t region);
	struct output out;
};

/* ------------------------------------------------------------------ formats */

static bool flush(struct output *out)
{
	if (!out->error && transfer_write(STDOUT_FILENO, out->bytes, out->nr) < out->nr)
		out->error = errno;
	out->nr = 0;
	return !out->error;
}

__attribute__((format(printf, 2, 3))) static void put(struct output *out, const char *format, ...)
{
	va_list args;

	if (OUTPUT_BYTES - out->nr < LINE_MOST && !flush(out))
		return;
	va_start(args, format);
	out->nr += (size_t)vsnprintf(out->bytes + out->nr, LINE_MOST, format, args);
	va_end(args);
}

static void print_text(struct output *out, const struct access_in_order *access, uint32_t region)
{
	const char *kind = access->read && access->write ? "RW" : access->write ? "W" : "R";

	put(out, "%" PRIu32 " %s %" PRIx64 " %" PRIu64, access->thread, kind, access->address,
	    access->bytes);
	if (region == MS_REGION_NONE)
		put(out, " -\n");
	else
		put(out, " %" PRIu32 "\n", region);
}

/* Labels: 0 data read, 1 data write. */
static void print_din(struct output *out, const struct access_in_order *access, uint32_t region)
{
	uint64_t address = access->address, end = address + access->bytes;

	(void)region;
	for (; address < end && !out->error; address = (address / LINE_BYTES + 1) * LINE_BYTES) {
		if (access->read)
			put(out, "0 %" PRIx64 "\n", address);
		if (access->write)
			put(out, "1 %" PRIx64 "\n", address);
	}
}

static void print_lackey(struct output *out, const struct access_in_order *access, uint32_t region)
{
	char kind = access->read && access->write ? 'M' : access->write ? 'S' : 'L';

	(void)region;
	put(out, " %c %08" PRIx64 ",%" PRIu64 "\n", kind, access->address, access->bytes);
}

/* ------------------------------------------------------------------ what is wanted */

static bool is_wanted_array(const struct tracing *tracing, const struct access_in_order *access)
{
	struct array_place place;

	trace_reader_place(tracing->reader, tracing->execution, access->address, access->before,
			   access->now, &place);
	return place.array < tracing->run->nr_arrays && tracing->arrays[place.array];
}

static bool visit(void *ctx, const struct access_in_order *access)
{
	struct tracing *tracing = ctx;
	uint32_t region = trace_reader_region(
		trace_reader_execution(tracing->reader, tracing->execution), access->region);

	if (tracing->values->thread != UINT64_MAX && access->thread != tracing->values->thread)
		return true;
	if (tracing->regions && (region >= tracing->run->nr_regions || !tracing->regions[region]))
		return true;
	if (tracing->arrays && !is_wanted_array(tracing, access))
		return true;
	tracing->print(&tracing->out, access, region);
	return !tracing->out.error;
}

static bool is_named(struct arena *arena, const struct run *run, uint32_t region, const char *name)
{
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	return *end || end == name ? strstr(finding_place(arena, run, region), name) != NULL
				   : number == region;
}

static int choose_regions(const struct command *self, struct arena *arena, struct tracing *tracing)
{
	const struct run *run = tracing->run;
	const char *name = tracing->values->region;
	bool any = false;

	if (!name)
		return COMMAND_GO_ON;
	tracing->regions = arena_alloc(arena, run->nr_regions + 1);
	if (!tracing->regions)
		return COMMAND_BAD_DATA;
	for (uint32_t i = 0; i < run->nr_regions; i++) { /* parents come first */
		uint32_t parent = run->regions[i].parent;

		tracing->regions[i] = (parent < i && tracing->regions[parent]) ||
				      is_named(arena, run, i, name);
		any |= tracing->regions[i];
	}
	return any ? COMMAND_GO_ON
		   : command_usage(
			     self,
			     "no region is '%s', nor has it in its place; `memsearch list regions` lists them",
			     name);
}

static int choose_arrays(const struct command *self, struct arena *arena, struct tracing *tracing)
{
	const struct run *run = tracing->run;
	const char *name = tracing->values->array;
	bool any = false;

	if (!name)
		return COMMAND_GO_ON;
	tracing->arrays = arena_alloc(arena, run->nr_arrays + 1);
	if (!tracing->arrays)
		return COMMAND_BAD_DATA;
	for (uint32_t i = 0; i < run->nr_arrays; i++)
		any |= tracing->arrays[i] = !strcmp(arrays_name(arena, run, &run->arrays[i]), name);
	return any ? COMMAND_GO_ON : show_unknown_array(self, arena, run, name);
}

static void choose_format(struct tracing *tracing)
{
	const char *format = tracing->values->format;

	tracing->print = !format || !strcmp(format, "text") ? print_text
			 : !strcmp(format, "din")           ? print_din
							    : print_lackey;
}

/* ------------------------------------------------------------------ the command */

/* Other simulators take repetitions for hits. */
static void tell_sampled(const struct traced_execution *of, size_t number)
{
	if (of->one_in > 1)
		log_warning(
			"execution %zu has accesses to one line in %u alone; others are repetitions of the address before them",
			number + 1, of->one_in);
}

static int print_execution(struct arena *arena, struct tracing *tracing,
			   struct trace_streams *streams, const char *path)
{
	if (!trace_reader_play(tracing->reader, tracing->execution, streams, NULL, NULL)) {
		log_warning("the accesses that the record '%s' keeps cannot be read: measure again",
			    path);
		return COMMAND_BAD_DATA;
	}
	tell_sampled(trace_reader_execution(tracing->reader, tracing->execution),
		     tracing->execution);
	if (!in_order(arena, streams, visit, tracing))
		return COMMAND_BAD_DATA;
	trace_streams_clear(streams);
	return COMMAND_GO_ON;
}

/* A closed pipe (EPIPE) is no error: its reader needs no more accesses. */
static int print_all(struct arena *arena, struct tracing *tracing, const char *path)
{
	struct trace_streams *streams = trace_reader_streams(tracing->reader);
	uint64_t only = tracing->values->execution;
	int code = streams ? COMMAND_GO_ON : COMMAND_BAD_DATA;

	for (size_t i = 0; i < trace_reader_executions(tracing->reader) && code == COMMAND_GO_ON &&
			   !tracing->out.error;
	     i++) {
		tracing->execution = i;
		if (!only || only == i + 1)
			code = print_execution(arena, tracing, streams, path);
	}
	trace_streams_free(streams);
	if (code != COMMAND_GO_ON)
		return code;
	flush(&tracing->out);
	if (!tracing->out.error || tracing->out.error == EPIPE)
		return COMMAND_OK;
	log_warning("cannot write to stdout: %s", strerror(tracing->out.error));
	return COMMAND_BAD_DATA;
}

static int print_kept(const struct command *self, struct arena *arena, struct tracing *tracing,
		      const char *path)
{
	const struct trace_values *values = tracing->values;
	int code = choose_regions(self, arena, tracing);

	if (code == COMMAND_GO_ON)
		code = choose_arrays(self, arena, tracing);
	if (code != COMMAND_GO_ON)
		return code;
	if (!trace_reader_executions(tracing->reader)) {
		log_warning(
			"the record '%s' keeps no accesses: none were recorded, or --trace-limit was 0 or too small",
			path);
		return COMMAND_BAD_DATA;
	}
	if (values->execution > trace_reader_executions(tracing->reader))
		return command_usage(self, "the record keeps %zu executions, there is no %" PRIu64,
				     trace_reader_executions(tracing->reader), values->execution);
	choose_format(tracing);
	tracing->out.bytes = arena_alloc(arena, OUTPUT_BYTES);
	return tracing->out.bytes ? print_all(arena, tracing, path) : COMMAND_BAD_DATA;
}

static int trace(const struct command *self, struct arena *arena, const struct trace_values *values,
		 int nr, char **operands)
{
	struct tracing tracing = { .values = values };
	struct show_file file;
	int code = show_load(self, arena, nr, operands, &file);

	if (code == COMMAND_GO_ON)
		code = trace_of_record(arena, file.path, file.runs, &tracing.reader);
	if (code != COMMAND_GO_ON)
		return code;
	show_complete(arena, file.runs, NULL);
	tracing.run = file.runs;
	code = print_kept(self, arena, &tracing, file.path);
	trace_reader_free(tracing.reader);
	return code;
}

static int run_trace(const struct command *self, int argc, char **argv)
{
	struct trace_values values = { .thread = UINT64_MAX };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	struct arena *arena = code == COMMAND_GO_ON ? arena_new() : NULL;

	if (code != COMMAND_GO_ON)
		return code;
	code = arena ? trace(self, arena, &values, nr, argv) : COMMAND_BAD_DATA;
	arena_free(arena);
	return code;
}

const struct command cmd_trace = {
	.name = "trace",
	.operands = "[RECORD]",
	.summary = "write the recorded accesses to memory, for other simulators",
	.details =
		"Writes the accesses that RECORD (.ms), or the newest record of the current folder, keeps to stdout, in their order: those of each thread as it made "
		"them, threads of a team in slices of 32 between two barriers. Addresses are the program's.",
	.options = options,
	.run = run_trace,
};
