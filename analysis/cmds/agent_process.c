/* SPDX-License-Identifier: Apache-2.0 */
/* A process that an agent is attached to: attaching, searching, and its findings. */
#include "analysis/cmds/agent_process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/sort.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/search_setup.h"
#include "analysis/cmds/show.h"
#include "analysis/record/record.h"
#include "analysis/report/finding.h"
#include "analysis/report/rank.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "analysis/search/engine_results.h"
#include "memsearch/strategy.h"

#define INDENT 8
#define LINE 512 /* of /proc/PID/maps; a longer one ends in a path, too */

/* ------------------------------------------------------------------ attach */

static bool has_tool(int pid)
{
	char path[64], line[LINE];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, "/memsearch-core.so") != NULL;
	if (maps)
		fclose(maps);
	return found;
}

#define START "start the program with `memsearch run --agent allow -- PROGRAM`"

static void say_why(enum live_status status, int pid)
{
	switch (status) {
	case LIVE_OK: return;
	case LIVE_NO_PROCESS:
		log_warning(
			"cannot attach to process %d: there is none; `pgrep PROGRAM` prints its number",
			pid);
		return;
	case LIVE_NO_SOCKET:
		log_warning(
			has_tool(pid)
				? "cannot attach to process %d: it was started without --agent; " START
				: "cannot attach to process %d: it runs without memsearch; " START,
			pid);
		return;
	case LIVE_NOT_PERMITTED:
		log_warning(
			"cannot attach to process %d: it is of another user; run the agent as that user",
			pid);
		return;
	case LIVE_NOT_OURS:
		log_warning(
			"cannot attach to process %d: another process has its address; run the agent in the container of the program",
			pid);
		return;
	case LIVE_NO_MEMORY: log_warning_errno("cannot attach to process %d", pid); return;
	}
}

bool agent_process_attach(struct agent_process *process, struct arena *arena, int pid)
{
	enum live_status status = live_monitor_connect(&process->live, pid);

	process->arena = arena;
	say_why(status, pid);
	return status == LIVE_OK;
}

/* ------------------------------------------------------------------ search */

int agent_process_begin(struct agent_process *process, const struct search_setup *setup,
			const char *strategy)
{
	struct searched *searched = &process->searched;
	const char *own = process->live.strategy[0] ? process->live.strategy
						    : options_default("strategy");
	int code = search_setup_strategy(setup, strategy ? strategy : own, &searched->strategy);

	if (code != COMMAND_GO_ON)
		return code;
	live_monitor_check(&process->live, process->arena);
	searched->search = (struct monitored_search){
		.arena = process->arena,
		.monitor = &live_monitor,
		.monitor_ctx = &process->live,
		.properties = setup->how.properties,
		.strategy = searched->strategy,
		.db = database_new(process->arena),
		.overhead_limit = search_setup_limit(setup, process->live.overhead),
		.deep_threshold = setup->how.deep_threshold,
		.executions_most = UINT64_MAX,
	};
	if (!searched->search.db || monitored_search_begin(&searched->search) != MS_OK)
		return COMMAND_BAD_DATA;
	process->begun = true;
	return COMMAND_GO_ON;
}

void agent_process_advance(struct agent_process *process)
{
	if (!process->begun)
		live_monitor_answer(&process->live);
	else
		while (monitored_search_advance(&process->searched.search))
			;
}

/* ------------------------------------------------------------------ what it found */

/* Without a record only the phase has a name. */
static struct run *run_of(struct agent_process *process, const char *properties)
{
	struct arena *arena = process->arena;
	struct run *run = arena_alloc(arena, sizeof(*run));
	uint64_t ignored;

	if (!run)
		return NULL;
	if (process->live.record[0] && access(process->live.record, R_OK) == 0 &&
	    record_read(arena, process->live.record, run, &ignored) == MS_OK) {
		show_complete(arena, run, properties);
		return run;
	}
	*run = (struct run){ .program = "" };
	if (!ARENA_GROW(arena, run->regions, run->nr_regions, run->room_regions))
		return NULL;
	run->regions[run->nr_regions++] = (struct run_region){ .parent = MS_REGION_NONE,
							       .kind = MS_USER_REGION };
	return run;
}

/* The record of a program that was killed may lack the regions that it met last. */
static void leave_out_unnamed(struct run *found)
{
	for (size_t i = 0; i < found->nr_nodes; i++)
		if (found->nodes[i].region >= found->nr_regions) {
			found->nodes[i].region = MS_REGION_USER;
			found->nodes[i].state = MS_NODE_UNKNOWN;
		}
}

bool agent_process_finish(struct agent_process *process, const char *properties)
{
	struct searched *searched = &process->searched;

	if (!process->begun)
		return true;
	searched->run = run_of(process, properties);
	if (!searched->run || monitored_search_finish(&searched->search) != MS_OK) {
		log_warning("no memory for the findings in process %d", process->live.pid);
		return false;
	}
	searched_found_init(searched);
	if (!searched_update(searched))
		return false;
	leave_out_unnamed(&searched->found);
	return true;
}

struct listed {
	const struct agent_process *process;
	const struct run_node *node;
};

struct list {
	struct arena *arena;
	struct listed *items;
	size_t nr, room;
};

static void list_findings(struct list *list, const struct agent_process *process, bool all)
{
	const struct run *found = &process->searched.found;
	const uint32_t *ids;
	size_t nr = process->begun ? report_rank(list->arena, found, REPORT_FINDING, all, &ids) : 0;

	for (size_t i = 0; i < nr; i++)
		if (ARENA_GROW(list->arena, list->items, list->nr, list->room))
			list->items[list->nr++] = (struct listed){ process, &found->nodes[ids[i]] };
}

static int by_severity(const void *left, const void *right)
{
	double a = ((const struct listed *)left)->node->severity_low,
	       b = ((const struct listed *)right)->node->severity_low;

	return a < b ? 1 : -(a > b);
}

static void put_head(struct text *out, const struct agent_process *process)
{
	const struct monitored_search *search = &process->searched.search;
	const char *program = process->searched.found.program;

	text_printf(out, "process %d", process->live.pid);
	if (program && *program)
		text_printf(out, ", %s", program);
	if (process->begun)
		text_printf(out,
			    ": strategy %s, %" PRIu64 " experiments in %" PRIu64
			    " executions of the phase",
			    search->strategy->name, engine_experiments(search->engine),
			    search->executions);
	if (search->changed_after)
		text_printf(out, ", with other properties after %" PRIu64, search->changed_after);
	text_add(out, "\n");
}

static void put_finding(struct text *out, const struct listed *listed, bool several, int width)
{
	const struct run_node *node = listed->node;
	const char *words = arena_printf(
		out->arena, "%s, %s", finding_title(out->arena, node),
		finding_place(out->arena, &listed->process->searched.found, node->region));

	if (several)
		words = arena_printf(out->arena, "%s (process %d)", words,
				     listed->process->live.pid);
	text_printf(out, "%5s  ", units_share_text(out->arena, node->severity));
	text_wrap(out, words, INDENT, width);
	text_add(out, "\n");
}

void agent_process_print(struct text *out, const struct agent_process *processes, size_t nr,
			 bool all, int width)
{
	struct list list = { .arena = out->arena };

	for (size_t i = 0; i < nr; i++) {
		put_head(out, &processes[i]);
		list_findings(&list, &processes[i], all);
	}
	sort(list.items, list.nr, sizeof(*list.items), by_severity);
	text_add(out, "\n");
	if (!list.nr)
		text_add(out, "Nothing was found.\n");
	for (size_t i = 0; i < list.nr; i++)
		put_finding(out, &list.items[i], nr > 1, width);
}
