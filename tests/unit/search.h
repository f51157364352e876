/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_SEARCH_H
#define MEMSEARCH_TESTS_UNIT_SEARCH_H

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/search/bricks.h"
#include "analysis/search/engine.h"
#include "analysis/search/engine_results.h"
#include "memsearch/strategy.h"
#include "tests/unit/test.h"

/*
 * A database and an engine out of the hand: regions, rows, properties from text, a strategy of
 * bricks.
 */

/*
 * Bounds on time hold for this thread's CPU time, as the machine may be busy, and for optimised
 * code.
 */
static inline double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline double seconds_allowed(double seconds)
{
#ifdef __OPTIMIZE__
	return SANITIZED ? 10 * seconds : seconds;
#else
	return SANITIZED ? 20 * seconds : 5 * seconds;
#endif
}

/* For properties: KINDS and other clauses, a name, a condition over `share`. */
#define WAITS(name, clauses, condition) \
	"PROPERTY " name "(Region r, Phase p) { TITLE \"t\"; " clauses \
	" LET share = sum(r.barrier_wait) / sum(p.time); IN\n" \
	"CONDITION: " condition \
	"; CONFIDENCE: 1; SEVERITY: share; EXPLANATION \"e\"; ADVICE \"a\"; }\n"

static inline struct property_set *properties_of(struct arena *arena, const char *text)
{
	char folder[] = "/tmp/memsearch-test-XXXXXX", path[64], missing[64];
	struct property_set *set;
	int file;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/test.asl", folder);
	snprintf(missing, sizeof(missing), "%s/missing", folder);
	file = open(path, O_WRONLY | O_CREAT, 0600);
	CHECK_THAT(file, >=, 0);
	CHECK_INT(write(file, text, strlen(text)), strlen(text));
	close(file);
	set = property_set_load(arena, missing, path);
	unlink(path);
	rmdir(folder);
	for (size_t i = 0; i < set->nr_messages; i++)
		if (strcmp(set->messages[i].file, missing))
			test_fail(__FILE__, __LINE__, "%d:%d: %s", set->messages[i].line,
				  set->messages[i].column, set->messages[i].text);
	return set;
}

static inline void region(struct database *db, uint32_t id, uint32_t parent,
			  enum ms_region_kind kind)
{
	struct ms_region_info info = { .id = id, .parent = parent, .kind = kind, .key = 1000 + id };

	CHECK_INT(database_region(db, &info), MS_OK);
}

static inline void row(struct database *db, uint32_t region_id, uint32_t thread, uint32_t metric,
		       double value)
{
	struct ms_measurement measurement = { .region = region_id,
					      .thread = thread,
					      .metric = metric };

	ms_stat_add(&measurement.stat, value);
	CHECK_INT(database_add(db, &measurement), MS_OK);
}

static inline void request(struct database *db, uint32_t region_id, uint32_t metric, uint32_t flags)
{
	struct ms_request asked = { .metric = metric,
				    .region = region_id,
				    .thread = MS_REQUEST_ALL_THREADS,
				    .flags = flags };

	database_requests(db, &asked, 1);
}

/* ------------------------------------------------------------------ strategies of bricks */

static inline size_t ask_initial(void *state, const struct ms_host *host, struct ms_candidate *out,
				 size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_initial(host, &output);
	return output.nr;
}

static inline void refine_both(const struct ms_host *host, uint32_t node,
			       const struct ms_candidate *proven, struct brick_output *out)
{
	brick_specific_set(host, node, proven, out);
	brick_subregion_set(host, node, proven, out);
}

static inline size_t ask_refined(void *state, const struct ms_host *host, const uint32_t *proven,
				 size_t nr, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_proven_set(host, proven, nr, refine_both, &output);
	return output.nr;
}

static const struct ms_strategy strategy_of_bricks = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "bricks",
	.summary = "s",
	.describe = "d",
	.initial = ask_initial,
	.refine = ask_refined,
};

/* ------------------------------------------------------------------ a program that is searched */

#define EXECUTION_NS 100e6

struct search_test {
	struct arena *arena;
	struct database *db;
	struct property_set *set;
	struct engine_config config;
	struct engine *engine;
	uint32_t threads;
	/* share of EXECUTION_NS that every thread waits, by region; < 0: not executed */
	double waits[16];
	struct engine_cost cost;
	uint64_t steps; /* executions after which requests changed */
};

static inline struct search_test search_test(const char *properties)
{
	struct search_test test = { .arena = arena_new(), .threads = 2 };

	test.db = database_new(test.arena);
	test.set = properties_of(test.arena, properties);
	engine_config_init(&test.config);
	test.cost.executions = 1;
	test.cost.program_ns = EXECUTION_NS;
	region(test.db, 0, MS_REGION_NONE, MS_USER_REGION);
	return test;
}

static inline void search_begin(struct search_test *test)
{
	test->engine = engine_new(test->arena, &test->config, test->set, test->db,
				  &strategy_of_bricks);
	CHECK(test->engine != NULL);
}

static inline bool is_requested(const struct engine *engine, uint32_t region_id, uint32_t metric)
{
	const struct ms_request *requests;
	size_t nr = engine_requests(engine, &requests);

	for (size_t i = 0; i < nr; i++)
		if (requests[i].region == region_id && requests[i].metric == metric)
			return true;
	return false;
}

/* One execution, whatever is requested. */
static inline bool search_pass(struct search_test *test)
{
	bool changed;

	database_execution_begin(test->db);
	for (uint32_t id = 0; id < database_regions(test->db); id++)
		for (uint32_t thread = 0; thread < test->threads && test->waits[id] >= 0;
		     thread++) {
			row(test->db, id, thread, MS_METRIC_TIME, EXECUTION_NS);
			row(test->db, id, thread, MS_METRIC_BARRIER_WAIT,
			    test->waits[id] * EXECUTION_NS);
		}
	database_execution_end(test->db, EXECUTION_NS, 1);
	changed = engine_execution_done(test->engine, &test->cost);
	test->steps += changed;
	return changed;
}

/* One execution: what is requested comes in. */
static inline bool search_execute(struct search_test *test)
{
	const struct ms_request *requests;
	size_t nr = engine_requests(test->engine, &requests);

	database_requests(test->db, requests, nr);
	return search_pass(test);
}

static inline const struct engine_node *node_at(const struct search_test *test,
						const char *property, uint32_t region_id)
{
	for (uint32_t id = 0; id < engine_nodes(test->engine); id++) {
		const struct engine_node *node = engine_node(test->engine, id);

		if (node->candidate.region == region_id &&
		    !strcmp(property_name(test->set->properties[node->candidate.property]),
			    property))
			return node;
	}
	return NULL;
}

/* MS_NODE_STATES: nobody asked. */
static inline enum ms_node_state state_at(const struct search_test *test, const char *property,
					  uint32_t region_id)
{
	const struct engine_node *node = node_at(test, property, region_id);

	return node ? node->state : MS_NODE_STATES;
}

#endif
