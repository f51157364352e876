/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over finished runs, and when they proved what. */
#include "analysis/search/monitored_search.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/engine_results.h"
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

	search->failed |= record_replay_requests(search->replay, search->db, requests, nr) != MS_OK;
}

enum ms_status monitored_search_begin(struct monitored_search *search)
{
	struct engine_config config;
	enum ms_status status = record_replay_new(search->arena, search->run, &search->replay);

	if (status == MS_OK)
		status = record_replay_prepare(search->replay, search->db);
	if (status != MS_OK)
		return status;
	engine_config_init(&config);
	config.overhead_limit = search->overhead_limit;
	if (search->deep_threshold > 0)
		config.deep_threshold = search->deep_threshold;
	record_replay_configure(search->replay, &config);
	search->engine = engine_new(search->arena, &config, search->properties, search->db,
				    search->strategy);
	if (!search->engine)
		return MS_ERR_MEMORY;
	note_proofs(search);
	request(search);
	return MS_OK;
}

bool monitored_search_advance(struct monitored_search *search)
{
	bool over = false;

	while (!over) {
		struct engine_cost cost = { 0 };

		search->ended = engine_done(search->engine);
		if (search->ended || search->executions >= search->executions_most)
			return false;
		record_replay_execution(search->replay, search->db, &cost);
		engine_predict(search->engine, &cost);
		search->executions += cost.executions;
		over = engine_execution_done(search->engine, &cost);
	}
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
