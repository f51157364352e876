/* SPDX-License-Identifier: Apache-2.0 */
/* From a record's traces to what it misses on a modelled machine. */
#include "analysis/cmds/simulate_record.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "analysis/base/thread_clock.h"
#include "analysis/cmds/array_ranges.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/record_trace.h"
#include "analysis/cmds/list_machines.h"
#include "analysis/cmds/progress.h"
#include "analysis/cmds/show.h"
#include "analysis/counting/burst_times.h"
#include "analysis/counting/count.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_host.h"
#include "analysis/machine/model_text.h"
#include "analysis/options/options.h"
#include "analysis/properties/property.h"
#include "analysis/record/record.h"
#include "analysis/report/explain.h"
#include "analysis/report/resolve.h"
#include "analysis/search/engine.h"
#include "analysis/simulation/findings.h"
#include "analysis/simulation/jobs.h"
#include "analysis/simulation/page_use.h"
#include "analysis/simulation/measured_placement.h"
#include "analysis/simulation/placement.h"
#include "analysis/simulation/range_requests.h"
#include "analysis/simulation/result_cache.h"
#include "analysis/simulation/simulate.h"
#include "analysis/trace/trace_reader.h"
#include "analysis/search/strategies.h"

/* COMMAND_GO_ON with *file_out; NULL: none was named, and this one cannot be modelled. */
static int find_machine(const struct command *command, struct arena *arena, const char *name,
			const struct model_file **file_out)
{
	const char *path;
	int code;

	*file_out = NULL;
	if (name && strcmp(name, MACHINES_HOST)) {
		code = machines_find(command, arena, name, &path);
		if (code != COMMAND_OK)
			return code;
		*file_out = model_read(arena, path);
	} else {
		*file_out = model_host(arena);
	}
	if (!name && *file_out && (*file_out)->nr_mistakes)
		*file_out = NULL;
	if (name && (!*file_out || model_tell_mistakes(arena, *file_out)))
		return COMMAND_BAD_DATA;
	return COMMAND_GO_ON;
}

static void tell(const struct simulate_result *result, const struct machine_model *model,
		 const char *path)
{
	switch (result->status) {
	case SIMULATE_DONE: break;
	case SIMULATE_NO_TRACE:
		log_warning(
			"the record '%s' keeps no accesses to simulate: none were recorded, or --trace-limit was 0 or too small; `memsearch list sensors` says what can be recorded here",
			path);
		break;
	case SIMULATE_DAMAGED:
		log_warning("the accesses that the record '%s' keeps cannot be read: measure again",
			    path);
		break;
	case SIMULATE_OTHER_SETS:
		log_warning(
			"the record '%s' keeps accesses to one line in %u, which are no part of the sets of the caches of machine '%s': name another machine, or record with a larger --trace-limit",
			path, result->one_in, model->name);
		break;
	case SIMULATE_FEW_CORES:
		log_warning(
			"machine '%s' has %u cores, and %u threads were recorded: name a machine with as many (`memsearch machine --list`)",
			model->name, model->cores, result->threads);
		break;
	case SIMULATE_LATE:
		log_warning(
			"what arrays miss in the caches was not simulated to the end: `memsearch arrays %s` does, and takes longer",
			path);
		break;
	case SIMULATE_NO_MEMORY:
		log_warning("no memory to simulate what the record '%s' keeps", path);
		break;
	}
}

/* Without properties there is nothing to search for: that has been said. */
static int search(struct arena *arena, const struct requests_source *source, const char *properties)
{
	struct run *run = source->run;
	const char *folder = installation_path(arena, INSTALLATION_PROPERTIES),
		   *strategies = installation_path(arena, INSTALLATION_STRATEGIES);
	const struct property_set *set = folder ? property_set_load(arena, folder, properties)
						: NULL;
	const struct ms_strategy *strategy = strategies ? strategies_of_run(
								  arena, strategies, &run->strategy,
								  options_default("strategy"))
							: NULL;

	if (!set || !strategy)
		return COMMAND_BAD_DATA;
	if (findings_of_accesses(arena, source, set, strategy) != MS_OK) {
		log_warning("no memory to search for what is found of the machine '%s'",
			    source->model->name);
		return COMMAND_BAD_DATA;
	}
	resolve_run(run, arena);
	explain(run, arena, set);
	return COMMAND_GO_ON;
}

/* A record may have come from another machine. */
static bool ran_here(const struct run *run)
{
	char name[256] = "";

	return run->machine.host_name && !gethostname(name, sizeof(name) - 1) &&
	       !strcmp(name, run->machine.host_name);
}

static bool has_dropped(const struct run *run, const char *why)
{
	for (size_t i = 0; i < run->nr_dropped; i++)
		if (run->dropped[i].why && !strcmp(run->dropped[i].why, why))
			return true;
	return false;
}

/* What each of several calls of a construct accesses is not counted while the program runs. */
static bool has_calls(const struct run *run)
{
	for (size_t i = 0; i < run->nr_regions; i++)
		if (run->regions[i].kind == MS_CALL_REGION)
			return true;
	return false;
}

static bool is_counted_in_part(const struct run *run)
{
	return has_dropped(run, RUN_COUNTED_IN_PART) || has_dropped(run, RUN_LINES_IN_PART) ||
	       has_calls(run);
}

/*
 * Leaves the executions to count and simulate: those of the phase, and bursts where these have most
 * of the time. Whether they are to be counted: bursts are not counted while the program runs, and
 * what the program counted as a whole need not be counted again, which may take as long as the
 * simulation. `again`: it is to be, all the same.
 */
static bool choose_executions(struct arena *arena, const struct run *run,
			      struct trace_reader *reader, bool again)
{
	struct burst_times times;

	if (run->phase.kept_until)
		trace_reader_drop_after(reader, run->phase.kept_until);
	trace_reader_drop_before(reader, run->phase.kept_before);
	if (!burst_times_init(&times, arena, run) || !burst_times_are_needed(&times, arena, reader))
		trace_reader_drop_bursts(reader);
	else
		again = true;
	return (again || is_counted_in_part(run)) && trace_reader_executions(reader);
}

/* The search in the program counted in part what is counted as a whole now. */
static void forget_estimates(struct run *run)
{
	run_forget_dropped(run, RUN_COUNTED_IN_PART);
	run_forget_dropped(run, RUN_LINES_IN_PART);
}

static int count(struct arena *arena, const char *path, struct run *run,
		 struct trace_reader *reader)
{
	struct count_result result = count_accesses(arena, run, reader);

	if (result.status == COUNT_DONE)
		resolve_run(run, arena);
	if (result.whole)
		forget_estimates(run);
	if (result.undivided)
		run_note_dropped(
			run, arena,
			(struct run_dropped){
				.what = "instructions whose accesses are not in the record",
				.count = result.undivided,
				.topic = RUN_RECORDING,
				.why = "they count for all of an array, not for a range of it: --trace-limit left no room for them" });
	if (result.status == COUNT_DAMAGED)
		log_warning("the accesses that the record '%s' keeps cannot be read: measure again",
			    path);
	else if (result.status == COUNT_NO_MEMORY)
		log_warning("no memory to count the accesses that the record '%s' keeps", path);
	return result.status == COUNT_DONE ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

/* one simulation of one record */
struct question {
	const struct command *command;
	const char *path;
	const struct model_file *file;
	const struct show_how *how;
	struct results_key key;
	bool has_key;
};

/*
 * Results with ranges are not kept: their arrays are divided. Nor are those of one execution with
 * pages, of which more is simulated.
 */
static bool key_of(struct arena *arena, const struct question *question, const struct run *run,
		   struct results_key *out)
{
	const char *const options[] = {
		question->how->places,
		question->how->pages,
		question->how->huge_pages ? "huge" : NULL,
		question->how->real_addresses ? "real" : NULL,
		question->how->then ? "one" : NULL,
		run->nr_phases ? arena_printf(arena, "phase %u", run_phase_here(run)) : NULL
	};

	return !question->how->ranges && !(question->how->then && question->how->uses) &&
	       results_key(arena, question->path, run, &question->file->model, options,
			   sizeof(options) / sizeof(options[0]), out);
}

/* Whether the model is of the machine that the program ran on. */
static bool is_here(const struct run *run, const struct machine_model *model)
{
	return !strcmp(model->name, MACHINES_HOST) && ran_here(run);
}

/* What is wrong; NULL: nothing. */
static const char *read_placement(struct arena *arena, const struct question *question,
				  const struct run *run, uint32_t threads, struct placement *out)
{
	const struct show_how *how = question->how;
	const struct machine_model *model = &question->file->model;
	const char *wrong = placement_read(arena, how->places, how->pages, model, threads, out);

	if (!wrong && !how->places &&
	    (how->pages || !is_here(run, model) || !placement_as_measured(arena, run, model, out)))
		placement_as_run(arena, run, model, out);
	return wrong || !how->huge_pages ? wrong : placement_use_huge_pages(arena, model, out);
}

/* Fills in the run from the result cache. False: it has no such result. */
static bool find_result(struct arena *arena, const struct question *question, struct run *run,
			const struct trace_reader *reader, const struct placement *placement)
{
	const struct machine_model *model = &question->file->model;
	struct page_uses pages = { .nodes = 0 };
	struct run found = *run;
	bool wanted = question->how->uses && model->nodes > 1;
	uint32_t threads;

	if (!question->has_key ||
	    !results_find(arena, question->path, &question->key, &found, wanted ? &pages : NULL,
			  &threads) ||
	    threads != simulate_threads(reader))
		return false;
	if (question->how->uses) {
		*question->how->uses = pages;
		question->how->uses->model = model;
	}
	placement_describe(placement, &found.modelled);
	*run = found;
	log_debug("not simulated: the result is in '%s" RESULTS_SUFFIX "'", question->path);
	return true;
}

/* Where the record is still the one that was simulated. */
static void keep_result(struct arena *arena, const struct question *question, const struct run *run,
			const struct page_uses *pages, uint32_t threads)
{
	struct results_key now;

	if (question->has_key && key_of(arena, question, run, &now) &&
	    now.record == question->key.record)
		results_keep(arena, question->path, &question->key, run, pages, threads);
}

static void show_progress(void *ctx, double part)
{
	progress_show(ctx, part, thread_clock_ns());
}

static struct simulate_result
simulate_with_progress(struct arena *arena, struct run *run, struct trace_reader *reader,
		       const struct machine_model *model, const struct placement *placement,
		       const struct show_how *how, struct page_uses *pages)
{
	struct progress progress;
	struct simulate_result result;

	progress_begin(&progress, thread_clock_ns());
	result = simulate(arena, run, reader, model, placement,
			  &(struct simulate_how){ .deadline_ns = how->deadline_ns,
						  .jobs = jobs_of(how->jobs),
						  .progress = show_progress,
						  .ctx = &progress,
						  .one = how->then != NULL,
						  .real_addresses = how->real_addresses,
						  .pages = pages });
	progress_end(&progress);
	return result;
}

/*
 * COMMAND_GO_ON with run->modelled filled in, or, where no machine was named, if nothing can be
 * simulated.
 */
static int simulate_anew(struct arena *arena, const struct question *question, struct run *run,
			 struct trace_reader *reader, const struct placement *placement)
{
	const struct show_how *how = question->how;
	const struct machine_model *model = &question->file->model;
	struct page_uses own = { .nodes = 0 }, *pages = how->uses;
	struct simulate_result result;

	if (!pages && model->nodes > 1 && question->has_key)
		pages = &own;
	result = simulate_with_progress(arena, run, reader, model, placement, how, pages);

	if (how->machine || result.status != SIMULATE_FEW_CORES)
		tell(&result, model, question->path);
	if (result.status == SIMULATE_DONE && result.whole)
		keep_result(arena, question, run, model->nodes > 1 ? pages : NULL, result.threads);
	/* what was not asked for must not keep the rest from being printed */
	return result.status == SIMULATE_DONE || !how->machine ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

static int divide(const struct question *question, struct arena *arena, struct run *run,
		  struct trace_reader *reader)
{
	resolve_run(run, arena); /* arrays may have the names of lines */
	return array_ranges_divide(question->command, arena, question->how->ranges, run, reader);
}

/* As simulate_anew. The trace is left as `before` is to be counted and simulated. */
static int answer(struct arena *arena, const struct question *question, struct run *run,
		  struct trace_reader *reader, const struct placement *placement,
		  const struct run **before_out)
{
	bool ranges = question->how->ranges && trace_reader_executions(reader), to_be_counted;
	int code = ranges ? divide(question, arena, run, reader) : COMMAND_GO_ON;

	if (code != COMMAND_GO_ON)
		return code;
	*before_out = requests_before(arena, run);
	if (!*before_out)
		return COMMAND_BAD_DATA;
	to_be_counted = choose_executions(arena, run, reader, ranges);
	if (find_result(arena, question, run, reader, placement))
		return COMMAND_GO_ON;
	if (to_be_counted)
		code = count(arena, question->path, run, reader);
	return code == COMMAND_GO_ON ? simulate_anew(arena, question, run, reader, placement)
				     : code;
}

static int answer_and_search(struct arena *arena, const struct question *question, struct run *run,
			     struct trace_reader *reader)
{
	const struct show_how *how = question->how;
	const struct machine_model *model = &question->file->model;
	const struct run *before;
	struct placement placement;
	const char *wrong = read_placement(arena, question, run, simulate_threads(reader),
					   &placement);
	int code;

	if (wrong) {
		log_warning("%s", wrong);
		return COMMAND_USAGE;
	}
	if (!how->machine && !trace_reader_executions(reader))
		return COMMAND_GO_ON;
	code = answer(arena, question, run, reader, &placement, &before);
	if (code != COMMAND_GO_ON || !run->modelled.name)
		return code;
	run->modelled.title = question->file->title;
	run->modelled.here = is_here(run, model);
	run->modelled.of_reader = !strcmp(model->name, MACHINES_HOST) && !ran_here(run);
	if (how->ranges && !array_ranges_mark_missing(arena, run))
		return COMMAND_BAD_DATA;
	if (how->then)
		return how->then(how->then_ctx, arena,
				 &(struct requests_source){ run, before, reader, model, &placement,
							    0, jobs_of(how->jobs) });
	return how->findings
		       ? search(arena,
				&(struct requests_source){ run, before, reader, model, &placement,
							   how->deadline_ns, jobs_of(how->jobs) },
				how->properties)
		       : COMMAND_GO_ON;
}

static int simulate_it(const struct command *command, struct arena *arena, const char *path,
		       struct run *run, const struct show_how *how)
{
	struct question question = { .command = command, .path = path, .how = how };
	struct trace_reader *reader;
	int code;

	if (!record_is(path)) {
		if (how->machine)
			log_warning("'%s' is a store: only records keep accesses to simulate",
				    path);
		return how->machine ? COMMAND_BAD_DATA : COMMAND_GO_ON;
	}
	code = find_machine(command, arena, how->machine, &question.file);
	if (code != COMMAND_GO_ON || !question.file || (!how->machine && run->modelled.name))
		return code;
	question.has_key = key_of(arena, &question, run, &question.key);
	code = trace_of_record(arena, path, run, &reader);
	if (code != COMMAND_GO_ON)
		return code;
	code = answer_and_search(arena, &question, run, reader);
	trace_reader_free(reader);
	return code;
}

int simulate_record(const struct command *command, struct arena *arena, const char *path,
		    struct run *run, const struct show_how *how)
{
	int code = simulate_it(command, arena, path, run, how);

	return code == COMMAND_BAD_DATA && how->or_placements &&
			       (run->nr_placements || run->writing.page_bytes)
		       ? COMMAND_GO_ON
		       : code;
}
