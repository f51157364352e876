/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over records. */
#include "analysis/cmds/searched.h"

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/report/rank.h"
#include "analysis/search/database.h"
#include "analysis/search/outcome.h"
#include "analysis/search/record_replay.h"
#include "analysis/simulation/findings.h"

static bool refuse(const struct searched *searched, enum ms_status status)
{
	if (status == MS_ERR_NOT_FOUND)
		log_warning(
			"'%s' has no measurements to search over: record with `memsearch run --measure all`",
			searched->path);
	else
		log_warning("no memory to search over '%s'", searched->path);
	return false;
}

void searched_found_init(struct searched *searched)
{
	struct run *found = &searched->found;

	*found = *searched->run;
	found->nodes = NULL;
	found->nr_nodes = found->room_nodes = 0;
	found->cost.limit_bound = false;
}

bool searched_begin(struct searched *searched, struct arena *arena, const struct searched_how *how)
{
	struct database *db = database_new(arena);
	enum ms_status status = db ? MS_OK : MS_ERR_MEMORY;

	searched->search = (struct monitored_search){
		.arena = arena,
		.run = searched->run,
		.properties = how->properties,
		.strategy = searched->strategy,
		.db = db,
		.overhead_limit = how->overhead_limit,
		.deep_threshold = how->deep_threshold,
		.earlier = how->earlier,
		.executions_most = how->executions_most,
	};
	searched_found_init(searched);
	if (status == MS_OK) {
		findings_constants(db, searched->run, how->model);
		status = monitored_search_begin(&searched->search);
	}
	return status == MS_OK || refuse(searched, status);
}

/* What the run measured, whether the search got to it or not. */
static void set_possible(struct searched *searched)
{
	struct monitored_search *search = &searched->search;
	struct run_cost *cost = &searched->found.cost;

	searched->trace_bytes = record_replay_trace_bytes(search->replay, search->executions);
	cost->counters_possible = record_replay_counters(search->replay);
	cost->samples_possible = cost->counters_possible * search->executions;
}

bool searched_update(struct searched *searched)
{
	const struct monitored_search *search = &searched->search;
	enum ms_status status = outcome_fill_nodes(&searched->found, search->arena, search->engine,
						   search->db, search->properties);

	return status == MS_OK || refuse(searched, status);
}

bool searched_finish(struct searched *searched)
{
	enum ms_status status = monitored_search_finish(&searched->search);

	if (status != MS_OK)
		return refuse(searched, status);
	if (!searched_update(searched))
		return false;
	set_possible(searched);
	return true;
}

bool searched_run_over(struct searched *searched, struct arena *arena,
		       const struct searched_how *how)
{
	if (!searched_begin(searched, arena, how))
		return false;
	while (monitored_search_advance(&searched->search))
		;
	return searched_finish(searched);
}

bool searched_is_finding(const struct searched *searched, const struct run_node *node)
{
	return node->state == MS_NODE_TRUE &&
	       report_standing(&searched->found, node) != REPORT_STEP;
}
