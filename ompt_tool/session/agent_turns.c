/* SPDX-License-Identifier: Apache-2.0 */
/* When an agent searches the phase: attaching, executions, requests, and its end. */
#define _GNU_SOURCE
#include "ompt_tool/session/agent_turns.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/agent_link.h"
#include "ompt_tool/session/experiment.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/sensors.h"
#include "ompt_tool/session/varying.h"

/* Looking for an agent takes some system calls; an agent that connects waits no longer than this. */
#define LOOK_NS 50000000ull

static struct {
	struct agent_link link;
	bool listens;
	bool begun; /* the phase's search has started over for the agent */
	uint64_t looked_ns;
	struct agent_offer offer;
} turns = { .link = { .listener.fd = -1, .connection.fd = -1 } };

static const char *absolute(const char *path)
{
	char folder[PATH_MAX];

	if (!path || path[0] == '/' || !getcwd(folder, sizeof(folder)))
		return path;
	return arena_printf(online.arena, "%s/%s", folder, path);
}

/* Counters that can be measured together, where nothing is known of which; 0: no limit. */
static uint32_t counters_at_once(void)
{
	uint32_t metrics[MS_METRICS], nr = 0;
	struct engine_config config;

	engine_config_init(&config);
	sensors_configure_search(&config);
	for (uint32_t metric = 0; config.fits && metric < MS_METRICS; metric++) {
		if (ms_metric_info(metric)->sensor != MS_SENSOR_COUNTERS ||
		    database_missing_why(online.phase.db, MS_REGION_USER, metric) != MS_PRESENT)
			continue;
		metrics[nr] = metric;
		nr += config.fits(config.fits_ctx, metrics, nr + 1);
	}
	return config.fits && !nr ? 1 : nr;
}

/* The time is that of `memsearch run --agent wait`, not of the program. */
static void wait_for_agent(void)
{
	double seconds = online.options.agent_wait;

	if (!online.options.quiet)
		log_warning("waiting %g s at most for `memsearch agent --attach %d`", seconds,
			    online.pid);
	if (!agent_link_wait(&turns.link, &turns.offer, (uint64_t)(seconds * 1000)))
		log_warning("no agent has started the search: the program searches by itself");
}

uint64_t agent_turns_start(void)
{
	uint64_t begin_ns = thread_clock_ns();

	if (!strcmp(online.options.agent, "no") || varying_is_on())
		return 0;
	turns.offer = (struct agent_offer){ .overhead = online.options.overhead,
					    .counters_at_once = counters_at_once(),
					    .record = absolute(online.record_path),
					    .strategy = online.options.strategy };
	turns.listens = agent_link_listen(&turns.link, online.pid);
	if (!turns.listens || strcmp(online.options.agent, "wait") != 0)
		return 0;
	wait_for_agent();
	return thread_clock_ns() - begin_ns;
}

void agent_turns_look(uint64_t now_ns)
{
	if (!turns.listens || now_ns - turns.looked_ns < LOOK_NS)
		return;
	turns.looked_ns = now_ns;
	agent_link_look(&turns.link, &turns.offer);
}

bool agent_turns_are_on(void)
{
	return turns.begun && turns.link.checked;
}

static void pass(enum monitor_event_kind kind, struct monitor_event event)
{
	event.kind = kind;
	agent_link_event(&turns.link, &event);
}

void agent_turns_phase(double program_ns, double tool_ns, double ends_ns)
{
	if (!turns.link.checked)
		return;
	turns.begun = true;
	agent_link_follow(&turns.link, online.phase.db);
	pass(MONITOR_RESTART, (struct monitor_event){ 0 });
	pass(MONITOR_BEFORE, (struct monitor_event){ .program_ns = fmax(0, program_ns),
						     .tool_ns = fmax(0, tool_ns),
						     .ends_ns = fmax(0, ends_ns) });
	pass(MONITOR_RECORDING,
	     (struct monitor_event){ .executions = experiment_is_inside(online.experiment) ? 2
											   : 1 });
	agent_link_turn(&turns.link);
}

void agent_turns_account(const struct engine_cost *cost)
{
	if (!agent_turns_are_on()) {
		engine_account(online.phase.engine, cost);
		return;
	}
	engine_execution_elsewhere(online.phase.engine, cost,
				   experiment_is_alone(online.experiment), false);
	pass(MONITOR_LEFT_OUT, (struct monitor_event){ .cost = *cost });
}

void agent_turns_charge(double tool_ns)
{
	engine_charge(online.phase.engine, tool_ns);
	if (agent_turns_are_on() && tool_ns > 0)
		pass(MONITOR_CHARGE, (struct monitor_event){ .tool_ns = tool_ns });
}

bool agent_turns_execution(const struct engine_cost *cost, bool *over_out)
{
	*over_out = true;
	if (agent_turns_are_on()) {
		pass(MONITOR_EXECUTION, (struct monitor_event){ .cost = *cost });
		*over_out = agent_link_turn(&turns.link) == EXCHANGE_REQUEST;
	} else {
		/* one that attached inside of the phase: its search begins with the next execution */
		agent_turns_phase(online.run.phase.wall_ns, 0, 0);
	}
	if (!agent_turns_are_on())
		return false;
	engine_execution_elsewhere(online.phase.engine, cost,
				   experiment_is_alone(online.experiment), *over_out);
	return true;
}

size_t agent_turns_requests(const struct ms_request **out)
{
	*out = turns.link.requests;
	return turns.link.nr_requests;
}

bool agent_turns_were_lost(void)
{
	bool lost = agent_link_was_lost(&turns.link);

	if (lost)
		turns.begun = false;
	return lost;
}

void agent_turns_last(void)
{
	agent_link_follow(&turns.link, NULL);
	turns.begun = false;
}

void agent_turns_end(void)
{
	if (turns.listens)
		agent_link_end(&turns.link);
	turns.listens = false;
}

void agent_turns_forget(void)
{
	if (turns.listens)
		agent_link_forget(&turns.link);
	turns.listens = turns.begun = false;
}
