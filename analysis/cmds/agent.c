/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch agent`: searches in programs that run, from a process of its own. */
#define _GNU_SOURCE /* ppoll */
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/agent_process.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/run_checks.h"
#include "analysis/cmds/search_setup.h"
#include "analysis/cmds/show.h"
#include "analysis/report/text.h"

#define PROCESSES_MOST 256
/* A search over a record that waits longer for its overhead limit is stopped. */
#define EXECUTIONS 20000
/* without an answer of a process for so long, one line says what the agent waits for */
#define PATIENCE_S 3

struct agent_values {
	const char *attach, *strategy, *overhead, *deep_threshold, *properties;
	bool all, quiet;
};

static bool check_processes(const char *name, const char *value, char *error);

static const struct command_option options[] = {
	{ .name = "attach",
	  .type = COMMAND_LIST_OF,
	  .metavariable = "PID",
	  .offset = offsetof(struct agent_values, attach),
	  .check = check_processes,
	  .help = "search in this process, started with `memsearch run --agent`; several: separated by commas or by further options" },
	{ .name = "strategy",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME|FILE",
	  .offset = offsetof(struct agent_values, strategy),
	  .help = "a strategy of `memsearch list strategies`, or a shared object with one (default: that of the process)" },
	{ .name = "overhead",
	  .type = COMMAND_CHECKED,
	  .metavariable = "LIMIT",
	  .offset = offsetof(struct agent_values, overhead),
	  .help = "let measuring cost at most this share of the program's time (default: that of the process)",
	  .check = run_check_option },
	{ .name = "deep-threshold",
	  .type = COMMAND_CHECKED,
	  .metavariable = "PART",
	  .offset = offsetof(struct agent_values, deep_threshold),
	  .help = "with deep_start: test first the deepest regions with this part of the CPU-clock samples or more (default: 20%)",
	  .check = run_check_option },
	{ .name = "properties",
	  .type = COMMAND_STRING,
	  .metavariable = "FILES",
	  .offset = offsetof(struct agent_values, properties),
	  .help = "more property files or folders, separated by colons; they are read again when they change" },
	{ .name = "all",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct agent_values, all),
	  .help = "also print true candidates that were refined to findings" },
	{ .name = "quiet",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct agent_values, quiet),
	  .help = "print nothing on stderr but errors" },
	{ 0 }
};

struct agent {
	const struct agent_values *values;
	struct search_setup setup;
	struct agent_process processes[PROCESSES_MOST];
	size_t nr;
	time_t looked_s; /* when it looked for changes of the properties last */
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* ------------------------------------------------------------------ processes */

/* The number at *text, which moves behind it and a comma; 0: there is none. */
static int next_process(const char **text)
{
	char *end;
	long pid = strtol(*text, &end, 10);

	if (**text < '0' || **text > '9' || (*end && *end != ',') || pid < 1 || pid > INT_MAX)
		return 0;
	*text = *end ? end + 1 : end;
	return (int)pid;
}

static bool check_processes(const char *name, const char *value, char *error)
{
	(void)name;
	do {
		if (next_process(&value))
			continue;
		snprintf(error, 160, "'%.40s' is no process: write its number, such as 1234",
			 value);
		return false;
	} while (*value);
	return true;
}

static bool has_process(const struct agent *agent, int pid)
{
	for (size_t i = 0; i < agent->nr; i++)
		if (agent->processes[i].live.pid == pid)
			return true;
	return false;
}

static void let_go(struct agent *agent)
{
	for (size_t i = 0; i < agent->nr; i++)
		live_monitor_detach(&agent->processes[i].live);
}

static int attach_all(struct agent *agent)
{
	const char *at = agent->values->attach;

	while (*at) {
		int pid = next_process(&at);

		if (has_process(agent, pid))
			continue;
		if (agent->nr == PROCESSES_MOST) {
			log_warning("one agent searches in %d processes at most: start another",
				    PROCESSES_MOST);
			return COMMAND_USAGE;
		}
		if (!agent_process_attach(&agent->processes[agent->nr], agent->setup.arena, pid))
			return COMMAND_BAD_DATA;
		agent->nr++;
	}
	return COMMAND_GO_ON;
}

/* ------------------------------------------------------------------ the loop */

static bool is_waited_for(const struct agent_process *process, bool begun)
{
	return !process->live.ended && (begun || !process->live.attached);
}

static void say_ended(const struct agent *agent, const struct agent_process *process)
{
	if (!process->live.ended)
		return;
	if (process->live.why)
		log_warning("process %d: %s", process->live.pid, process->live.why);
	else if (!agent->values->quiet)
		log_warning("process %d has ended", process->live.pid);
}

/* Processes that have something to say have their turn. */
static void advance_all(struct agent *agent, const struct pollfd *ready, bool begun)
{
	for (size_t i = 0; i < agent->nr; i++) {
		struct agent_process *process = &agent->processes[i];

		if (!ready[i].revents || !is_waited_for(process, begun))
			continue;
		agent_process_advance(process);
		say_ended(agent, process);
	}
}

/* At most once a second: whether the user changed the files of --properties. */
static void follow_properties(struct agent *agent)
{
	const struct property_set *set;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec == agent->looked_s)
		return;
	agent->looked_s = now.tv_sec;
	if (!search_setup_changed(&agent->setup))
		return;
	set = search_setup_read_again(&agent->setup);
	if (!set) {
		log_warning("the search continues with the properties as they were");
		return;
	}
	if (!agent->values->quiet)
		log_warning("the properties were read again");
	for (size_t i = 0; i < agent->nr; i++)
		agent->processes[i].searched.search.next_properties = set;
}

/* Until all are attached, or `begun` have ended; SIGINT ends it, too. */
static void serve(struct agent *agent, bool begun, const sigset_t *signals)
{
	const struct timespec patience = { .tv_sec = PATIENCE_S };
	bool said = begun || agent->values->quiet;
	struct pollfd ready[PROCESSES_MOST];

	while (!interrupted) {
		size_t waiting = 0;

		for (size_t i = 0; i < agent->nr; i++) {
			bool wanted = is_waited_for(&agent->processes[i], begun);

			waiting += wanted;
			ready[i] = (struct pollfd){ wanted ? agent->processes[i].live.socket : -1,
						    POLLIN, 0 };
		}
		if (!waiting)
			return;
		if (begun)
			follow_properties(agent);
		if (ppoll(ready, agent->nr, said ? NULL : &patience, signals) == 0 && !said) {
			log_warning("waiting until %zu process%s reach%s a phase boundary", waiting,
				    waiting == 1 ? "" : "es", waiting == 1 ? "es" : "");
			said = true;
			continue;
		}
		advance_all(agent, ready, begun);
	}
}

static int begin_all(struct agent *agent)
{
	int code = COMMAND_GO_ON;

	for (size_t i = 0; code == COMMAND_GO_ON && i < agent->nr; i++)
		if (!agent->processes[i].live.ended)
			code = agent_process_begin(&agent->processes[i], &agent->setup,
						   agent->values->strategy);
	return code;
}

/* With SIGINT blocked but while it waits, so that no signal is lost. */
static int search_all(struct agent *agent)
{
	const struct sigaction action = { .sa_handler = interrupt };
	sigset_t interrupts, before;
	int code;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	sigaddset(&interrupts, SIGTERM);
	sigprocmask(SIG_BLOCK, &interrupts, &before);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	serve(agent, false, &before);
	code = interrupted ? COMMAND_GO_ON : begin_all(agent);
	if (code == COMMAND_GO_ON)
		serve(agent, true, &before);
	let_go(agent);
	return code;
}

static int print_all(struct agent *agent)
{
	struct report_options report;
	bool begun = false;
	struct text out;

	for (size_t i = 0; i < agent->nr; i++) {
		begun |= agent->processes[i].begun;
		if (!agent_process_finish(&agent->processes[i], agent->values->properties))
			return COMMAND_BAD_DATA;
	}
	if (!begun)
		return interrupted ? COMMAND_OK : COMMAND_BAD_DATA;
	text_init(&out, agent->setup.arena);
	show_options(&report, STDOUT_FILENO);
	agent_process_print(&out, agent->processes, agent->nr, agent->values->all, report.width);
	return command_print(&out);
}

/* ------------------------------------------------------------------ records */

static int search_record(struct agent *agent, char *const *operand, struct text *out)
{
	struct searched searched = { .path = *operand };
	const char *strategy = agent->values->strategy;
	struct searched_format as = { .format = "text", .all = agent->values->all };
	struct report_options report;
	struct show_file file;
	int code = show_load(agent->setup.command, agent->setup.arena, 1, operand, &file);

	if (code != COMMAND_GO_ON)
		return code;
	searched.run = &file.runs[0];
	code = search_setup_strategy(&agent->setup, strategy ? strategy : searched.run->strategy,
				     &searched.strategy);
	if (code == COMMAND_GO_ON)
		code = search_setup_run(&agent->setup, file.path, &file.runs[0]);
	if (code != COMMAND_GO_ON)
		return code;
	if (!searched_run_over(&searched, agent->setup.arena, &agent->setup.how))
		return COMMAND_BAD_DATA;
	show_options(&report, STDOUT_FILENO);
	as.width = report.width;
	searched_print(out, &searched, &as);
	return COMMAND_GO_ON;
}

static int search_records(struct agent *agent, int nr, char *const *operands)
{
	int code = COMMAND_GO_ON;
	struct text out;

	text_init(&out, agent->setup.arena);
	for (int i = 0; code == COMMAND_GO_ON && i < nr; i++)
		code = search_record(agent, operands + i, &out);
	return code == COMMAND_GO_ON ? command_print(&out) : code;
}

static int search(struct agent *agent, int nr_operands, char *const *operands)
{
	int code = search_setup_begin(&agent->setup);

	if (code != COMMAND_GO_ON)
		return code;
	if (nr_operands)
		return search_records(agent, nr_operands, operands);
	code = attach_all(agent);
	if (code == COMMAND_GO_ON)
		code = search_all(agent);
	let_go(agent);
	return code == COMMAND_GO_ON ? print_all(agent) : code;
}

static int run_agent(const struct command *self, int argc, char **argv)
{
	static struct agent agent;
	struct agent_values values = { 0 };
	int nr, code = command_parse(self, &values, argc, argv, &nr);

	if (code != COMMAND_GO_ON)
		return code;
	if (!values.attach == !nr)
		return command_usage(self, "name processes (--attach PID) or records, one of both");
	agent.values = &values;
	agent.setup = (struct search_setup){ .command = self,
					     .arena = arena_new(),
					     .properties = values.properties,
					     .overhead = values.overhead,
					     .deep_threshold = values.deep_threshold,
					     .how = { .executions_most = EXECUTIONS } };
	if (!agent.setup.arena)
		return COMMAND_BAD_DATA;
	code = search(&agent, nr, argv);
	arena_free(agent.setup.arena);
	return code;
}

const struct command cmd_agent = {
	.name = "agent",
	.operands = "[RECORD...]",
	.summary = "search in a program that runs, from another process",
	.details =
		"Attaches to processes that were started with `memsearch run --agent`, at their next phase boundary, and searches in all of them until they end; SIGINT ends it earlier, and the programs search alone."
		" Prints what was found, by severity. With RECORD the same search runs over records instead, as `memsearch search` does."
		" The processes must be of the same user; no privilege is needed.",
	.options = options,
	.run = run_agent,
};
