/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over what a monitor measures, and when they proved what. */
#include "analysis/search/monitored_search.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/earlier_verdicts.h"
#include "analysis/search/engine_results.h"
#include "analysis/search/monitor.h"
#include "analysis/search/record_replay.h"

static bool proven_reserve(struct monitored_search *search, size_t nr)
{
	size_t room = search->room_proven ? 2 * search->room_proven : 64;
	bool *proven;

	while (room < nr)
		room *= 2;
	if (nr <= search->room_proven)
		return true;
	proven = arena_alloc(search->arena, room);
	if (!proven)
		return false;
	if (search->room_proven)
		memcpy(proven, search->proven, search->room_proven);
	search->proven = proven;
	search->room_proven = room;
	return true;
}

/* Nodes that have become true for the first time. */
static void note_proofs(struct monitored_search *search)
{
	size_t nr = engine_nodes(search->engine);

	search->failed |= !proven_reserve(search, nr);
	for (uint32_t id = 0; id < nr && !search->failed; id++) {
		if (search->proven[id] || engine_node(search->engine, id)->state != MS_NODE_TRUE)
			continue;
		if (!ARENA_GROW(search->arena, search->proofs, search->nr_proofs,
				search->room_proofs)) {
			search->failed = true;
			return;
		}
		search->proven[id] = true;
		search->proofs[search->nr_proofs++] = (struct monitored_proof){
			.node = id,
			.experiments = engine_experiments(search->engine),
			.executions = search->executions,
		};
	}
}

static void request(struct monitored_search *search)
{
	const struct ms_request *requests;
	size_t nr = engine_requests(search->engine, &requests);

	search->failed |= search->monitor->request(search->monitor_ctx, search->db, requests, nr) !=
			  MS_OK;
}

static enum ms_status choose_monitor(struct monitored_search *search)
{
	enum ms_status status;

	if (!search->run)
		return MS_OK;
	status = record_replay_new(search->arena, search->run, &search->replay);
	search->monitor = &record_replay_monitor;
	search->monitor_ctx = search->replay;
	return status;
}

static struct engine_time time_now(void *ctx)
{
	const struct monitored_search *search = ctx;

	return (struct engine_time){ .executions = search->executions };
}

enum ms_status monitored_search_begin(struct monitored_search *search)
{
	struct engine_config config;
	enum ms_status status = choose_monitor(search);

	if (status == MS_OK)
		status = search->monitor->prepare(search->monitor_ctx, search->db);
	if (status != MS_OK)
		return status;
	engine_config_init(&config);
	config.overhead_limit = search->overhead_limit;
	if (search->deep_threshold > 0)
		config.deep_threshold = search->deep_threshold;
	config.now = time_now;
	config.now_ctx = search;
	search->monitor->configure(search->monitor_ctx, &config);
	search->engine = engine_new(search->arena, &config, search->properties, search->db,
				    search->strategy);
	if (!search->engine)
		return MS_ERR_MEMORY;
	if (search->earlier)
		status = earlier_verdicts_load(search->engine, search->earlier);
	if (status != MS_OK)
		return status;
	note_proofs(search);
	request(search);
	return MS_OK;
}

/* Nodes of another search have the same numbers. */
static void forget_proofs(struct monitored_search *search)
{
	search->nr_proofs = 0;
	if (search->room_proven)
		memset(search->proven, 0, search->room_proven);
}

static void restart(struct monitored_search *search)
{
	engine_restart(search->engine);
	forget_proofs(search);
	note_proofs(search);
	request(search);
}

/* True: an experiment is over. */
static bool end_execution(struct monitored_search *search, struct engine_cost *cost)
{
	if (search->monitor->is_replay)
		engine_predict(search->engine, cost);
	search->executions += cost->executions;
	return engine_execution_done(search->engine, cost);
}

/* True: an experiment is over. */
static bool take(struct monitored_search *search, struct monitor_event *event)
{
	switch ((enum monitor_event_kind)event->kind) {
	case MONITOR_EXECUTION: return end_execution(search, &event->cost);
	case MONITOR_LEFT_OUT: engine_account(search->engine, &event->cost); break;
	case MONITOR_CHARGE: engine_charge(search->engine, event->tool_ns); break;
	case MONITOR_BEFORE:
		engine_before(search->engine, event->program_ns, event->tool_ns, event->ends_ns);
		break;
	case MONITOR_RECORDING: engine_recording_takes(search->engine, event->executions); break;
	case MONITOR_RESTART: restart(search); break;
	case MONITOR_END: search->ended = true; break;
	case MONITOR_NOTHING:
	case MONITOR_EVENTS: break;
	}
	return false;
}

static bool is_at_end(struct monitored_search *search)
{
	if (search->monitor->is_replay)
		search->ended = engine_done(search->engine);
	return search->ended || search->executions >= search->executions_most;
}

static void change_properties(struct monitored_search *search)
{
	if (!search->next_properties)
		return;
	search->properties = search->next_properties;
	search->next_properties = NULL;
	search->changed_after = search->executions;
	engine_change_properties(search->engine, search->properties);
	forget_proofs(search);
}

bool monitored_search_advance(struct monitored_search *search)
{
	struct monitor_event event;

	do {
		if (is_at_end(search))
			return false;
		search->monitor->next(search->monitor_ctx, search->db, &event);
		if (event.kind == MONITOR_NOTHING)
			return false;
	} while (!take(search, &event));
	change_properties(search);
	note_proofs(search);
	request(search);
	return true;
}

size_t monitored_search_ask(struct monitored_search *search, const struct ms_candidate *candidates,
			    size_t nr)
{
	size_t asked = engine_ask(search->engine, candidates, nr);

	note_proofs(search);
	request(search);
	return asked;
}

enum ms_status monitored_search_finish(struct monitored_search *search)
{
	engine_finish(search->engine);
	note_proofs(search);
	return search->failed ? MS_ERR_MEMORY : MS_OK;
}
