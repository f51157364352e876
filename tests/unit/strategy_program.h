/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_STRATEGY_PROGRAM_H
#define MEMSEARCH_TESTS_UNIT_STRATEGY_PROGRAM_H

#include "tests/host/replay.h"
#include "tests/unit/search.h"
#include "tests/unit/shipped_strategy.h"

/* A program with regions of all kinds, for tests of what shipped strategies ask, and when. */

#define USED(name, clauses) \
	"PROPERTY " name "(Region r, Phase p) { TITLE \"t\"; " clauses \
	" LET share = sum(r.reads) / 1000; IN\n" \
	"CONDITION: share > 5 %; CONFIDENCE: 1; SEVERITY: 0 TO share; EXPLANATION \"e\"; ADVICE \"a\"; }\n"

/*
 *     0 phase
 *     ├─ 1 parallel ─ 2 loop ─┬─ 3 data, 4 data
 *     │                       ├─ 5 lock
 *     │                       └─ 6 loop ─ 7 data
 *     ├─ 8 parallel, not slow ─ 9 loop ─ 10 data
 *     └─ 11 parallel ─┬─ 12 call ─ 13 function ─ 14 data
 *                     └─ 15 call ─ 16 function, not slow
 */
#define REGIONS \
	"memsearch-experiment 1\n" \
	"region 0 - USER_REGION\nregion 1 0 PARALLEL_REGION 1\nregion 2 1 DO_REGION 2\nregion 3 2 DATA_STRUCTURE 3\n" \
	"region 4 2 DATA_STRUCTURE 4\nregion 5 2 LOCK_REGION 5\nregion 6 2 DO_REGION 6\nregion 7 6 DATA_STRUCTURE 7\n" \
	"region 8 0 PARALLEL_REGION 8\nregion 9 8 DO_REGION 9\nregion 10 9 DATA_STRUCTURE 10\nregion 11 0 PARALLEL_REGION 11\n" \
	"region 12 11 CALL_REGION 12\nregion 13 12 SUB_REGION 13\nregion 14 13 DATA_STRUCTURE 14\nregion 15 11 CALL_REGION 15\n" \
	"region 16 15 SUB_REGION 16\n"

/* Shares of the time, and of 1000 reads. */
static const uint32_t percent[] = { 60, 40, 35, 20, 2, 10, 15, 12, 5, 5, 5, 20, 0, 18, 17, 0, 1 };
#define NR_REGIONS (sizeof(percent) / sizeof(percent[0]))

static inline const char *program(struct arena *arena)
{
	const char *text = REGIONS "execution 100000000 400\n";

	for (size_t id = 0; id < NR_REGIONS; id++)
		text = arena_printf(
			arena,
			"%srow %zu 0-1 time 1 100000000\nrow %zu 0-1 barrier_wait 1 %u000000\n"
			"row %zu 0-1 reads 1 %u\n",
			text, id, id, percent[id], id, 5 * percent[id]);
	return text;
}

struct search {
	struct arena *arena;
	struct database *db;
	struct property_set *set;
	struct engine *engine;
};

/* `threshold` 0: the default of deep_start */
static inline struct search replayed_at(struct arena *arena, struct replay *replay,
					struct property_set *set, const char *strategy,
					double threshold)
{
	struct search search = { .arena = arena, .db = database_new(arena), .set = set };
	struct engine_config config;

	CHECK(replay != NULL && set->nr > 0);
	engine_config_init(&config);
	config.overhead_limit = 1; /* accesses are dear to record */
	config.deep_threshold = threshold > 0 ? threshold : config.deep_threshold;
	replay_prepare(replay, search.db);
	search.engine = engine_new(arena, &config, set, search.db,
				   shipped_strategy(arena, strategy));
	CHECK_INT(replay_run(replay, search.engine, search.db).executions,
		  replay_executions(replay));
	return search;
}

static inline struct search replayed(struct arena *arena, struct replay *replay,
				     struct property_set *set, const char *strategy)
{
	return replayed_at(arena, replay, set, strategy, 0);
}

/* "Slow@0 yes, …" in the order in which it was asked; `about`: of this property only, or NULL. */
static inline const char *history(const struct search *search, const char *about)
{
	const char *text = "";

	for (uint32_t id = 0; id < engine_nodes(search->engine); id++) {
		const struct engine_node *node = engine_node(search->engine, id);
		const char *name = property_name(search->set->properties[node->candidate.property]);

		if (!about || !strcmp(name, about))
			text = arena_printf(search->arena, "%s%s%s@%u%s", text, *text ? " " : "",
					    name, node->candidate.region,
					    node->state == MS_NODE_TRUE    ? "+"
					    : node->state == MS_NODE_FALSE ? "-"
									   : "?");
	}
	return text;
}

#endif
