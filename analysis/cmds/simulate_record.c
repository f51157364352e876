/* SPDX-License-Identifier: Apache-2.0 */
/* From a record's traces to what it misses on a modelled machine. */
#include "analysis/cmds/simulate_record.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "analysis/cmds/array_ranges.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/kept_record.h"
#include "analysis/cmds/list_machines.h"
#include "analysis/cmds/show.h"
#include "analysis/counting/burst_times.h"
#include "analysis/counting/count.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_host.h"
#include "analysis/machine/model_text.h"
#include "analysis/properties/property.h"
#include "analysis/record/record.h"
#include "analysis/report/explain.h"
#include "analysis/report/resolve.h"
#include "analysis/search/engine.h"
#include "analysis/simulation/findings.h"
#include "analysis/simulation/jobs.h"
#include "analysis/simulation/placement.h"
#include "analysis/simulation/requests.h"
#include "analysis/simulation/simulate.h"
#include "analysis/trace/kept.h"

/* COMMAND_GO_ON with *file_out; NULL: none was named, and this one cannot be modelled. */
static int find_machine(const struct command *command, struct arena *arena, const char *name, const struct model_file **file_out)
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

static void tell(const struct simulate_result *result, const struct machine_model *model, const char *path)
{
	switch (result->status) {
	case SIMULATE_DONE:
		break;
	case SIMULATE_NO_TRACE:
		log_warning("the record '%s' keeps no accesses to simulate: none were recorded, or --trace-limit was 0 or too small; `memsearch list sensors` says what can be recorded here", path);
		break;
	case SIMULATE_DAMAGED:
		log_warning("the accesses that the record '%s' keeps cannot be read: measure again", path);
		break;
	case SIMULATE_FEW_CORES:
		log_warning("machine '%s' has %u cores, and %u threads were recorded: name a machine with as many (`memsearch machine --list`)", model->name, model->cores,
			    result->threads);
		break;
	case SIMULATE_LATE:
		log_warning("what arrays miss in the caches was not simulated to the end: `memsearch arrays %s` does, and takes longer", path);
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
	const char *folder = installation_path(arena, INSTALLATION_PROPERTIES), *strategies = installation_path(arena, INSTALLATION_STRATEGIES);
	const struct property_set *set = folder ? property_set_load(arena, folder, properties) : NULL;
	const struct strategy_list *list = strategies ? strategies_load(arena, strategies) : NULL;
	const struct ms_strategy *strategy = list ? strategies_find(list, run->strategy) : NULL;

	if (list && !strategy)
		log_warning("there is no strategy '%s' here: nothing is searched for on the machine '%s'", run->strategy, source->model->name);
	if (!set || !strategy)
		return COMMAND_BAD_DATA;
	if (findings_of_accesses(arena, source, set, strategy) != MS_OK) {
		log_warning("no memory to search for what is found of the machine '%s'", source->model->name);
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

	return run->machine.host_name && !gethostname(name, sizeof(name) - 1) && !strcmp(name, run->machine.host_name);
}

/*
 * Bursts are counted after the run alone; executions of a phase say more, where they are of all that takes time. `again`: what was counted while the program ran is
 * counted anew, too.
 */
static int count_again(struct arena *arena, const char *path, struct run *run, struct kept *kept, bool again)
{
	struct burst_times times;
	struct count_result result;

	if (!burst_times_init(&times, arena, run) || !burst_times_are_needed(&times, arena, kept))
		kept_drop_bursts(kept);
	else
		again = true;
	if (!again || !kept_executions(kept))
		return COMMAND_GO_ON;
	result = count_accesses(arena, run, kept);
	if (result.status == COUNT_DONE)
		resolve_run(run, arena);
	if (result.undivided)
		run_note_dropped(run, arena, (struct run_dropped){ .what = "instructions whose accesses are not in the record", .count = result.undivided, .topic = RUN_RECORDING,
								   .why = "they count for all of an array, not for a range of it: --trace-limit left no room for them" });
	if (result.status == COUNT_DAMAGED)
		log_warning("the accesses that the record '%s' keeps cannot be read: measure again", path);
	else if (result.status == COUNT_NO_MEMORY)
		log_warning("no memory to count the accesses that the record '%s' keeps", path);
	return result.status == COUNT_DONE ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

static int divide(const struct command *command, struct arena *arena, const char *ranges, struct run *run, struct kept *kept)
{
	resolve_run(run, arena);                 /* arrays may have the names of lines */
	return array_ranges_divide(command, arena, ranges, run, kept);
}

static int simulate_kept(const struct command *command, struct arena *arena, const char *path, struct run *run, struct kept *kept, const struct model_file *file, const struct show_how *how)
{
	struct placement placement;
	const char *wrong = placement_read(arena, how->places, how->pages, &file->model, simulate_threads(kept), &placement);
	const struct run *before;
	struct simulate_result result;
	int code;

	if (wrong) {
		log_warning("%s", wrong);
		return COMMAND_USAGE;
	}
	if (!how->machine && (!kept_executions(kept) || run->modelled.name))
		return COMMAND_GO_ON;
	code = how->ranges && kept_executions(kept) ? divide(command, arena, how->ranges, run, kept) : COMMAND_GO_ON;
	before = requests_before(arena, run);
	if (code == COMMAND_GO_ON)
		code = before ? count_again(arena, path, run, kept, how->ranges) : COMMAND_BAD_DATA;
	if (code != COMMAND_GO_ON)
		return code;
	result = simulate(arena, run, kept, &file->model, &placement, how->deadline_ns, jobs_of(how->jobs));
	if (how->machine || result.status != SIMULATE_FEW_CORES)
		tell(&result, &file->model, path);
	if (result.status != SIMULATE_DONE)      /* what was not asked for must not keep the rest from being printed */
		return how->machine ? COMMAND_BAD_DATA : COMMAND_GO_ON;
	run->modelled.title = file->title;
	run->modelled.here = !strcmp(file->model.name, MACHINES_HOST) && ran_here(run);
	if (how->ranges && !array_ranges_mark_missing(arena, run))
		return COMMAND_BAD_DATA;
	return how->findings ? search(arena, &(struct requests_source){ run, before, kept, &file->model, &placement, how->deadline_ns, jobs_of(how->jobs) }, how->properties) : COMMAND_GO_ON;
}

int simulate_record(const struct command *command, struct arena *arena, const char *path, struct run *run, const struct show_how *how)
{
	const struct model_file *file;
	struct kept *kept;
	int code;

	if (!record_is(path)) {
		if (how->machine)
			log_warning("'%s' is a store: only records keep accesses to simulate", path);
		return how->machine ? COMMAND_BAD_DATA : COMMAND_GO_ON;
	}
	code = find_machine(command, arena, how->machine, &file);
	if (code != COMMAND_GO_ON || !file)
		return code;
	code = kept_of_record(arena, path, &kept);
	if (code != COMMAND_GO_ON)
		return code;
	code = simulate_kept(command, arena, path, run, kept, file, how);
	kept_free(kept);
	return code;
}
