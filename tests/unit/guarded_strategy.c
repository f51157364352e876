/* SPDX-License-Identifier: Apache-2.0 */
/* Strategies of files that fail: the search goes on with another one. */
#include <stdlib.h>

#include "analysis/search/guarded_strategy.h"
#include "tests/unit/search.h"
#include "tests/unit/test.h"

#define WAITING WAITS("Waiting", "KINDS USER_REGION, PARALLEL_REGION;", "share > 10 %")

static volatile int *nowhere;
static volatile unsigned int calls;

static void *init_fails(const struct ms_host *host)
{
	(void)host;
	*nowhere = 1;
	return NULL;
}

static void *init_aborts(const struct ms_host *host)
{
	(void)host;
	abort();
}

/* The second time, when something is proven. */
static size_t refine_fails(void *state, const struct ms_host *host, const uint32_t *proven,
			   size_t nr, struct ms_candidate *out, size_t room)
{
	(void)state, (void)host, (void)proven, (void)out, (void)room;
	calls++;
	if (nr)
		*nowhere = 1;
	return 0;
}

static size_t counts_wrongly(void *state, const struct ms_host *host, const uint32_t *proven,
			     size_t nr, struct ms_candidate *out, size_t room)
{
	(void)state, (void)host, (void)proven, (void)nr, (void)out, (void)room;
	return SIZE_MAX;
}

static size_t never_ends(void *state, const struct ms_host *host, const uint32_t *proven, size_t nr,
			 struct ms_candidate *out, size_t room)
{
	(void)state, (void)host, (void)proven, (void)nr;
	for (size_t i = 0; i < room; i++)
		out[i] = (struct ms_candidate){ .thread = calls++, .parent = MS_NODE_NONE };
	return room;
}

/* What is found of a parallel region in which threads wait, by a strategy and another one. */
static enum ms_node_state found(const struct ms_strategy *strategy,
				const struct ms_strategy *instead)
{
	struct search_test test = search_test(WAITING);

	calls = 0;
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	test.waits[0] = test.waits[1] = 0.4;
	test.engine = engine_new(test.arena, &test.config, test.set, test.db,
				 guarded_strategy(strategy, instead));
	CHECK(test.engine != NULL);
	for (int i = 0; i < 20; i++)
		search_execute(&test);
	engine_finish(test.engine);
	return node_at(&test, "Waiting", 1) ? node_at(&test, "Waiting", 1)->state : MS_NODE_PENDING;
}

TEST(guarded_strategy__one_without_mistakes)
{
	CHECK_INT(found(&strategy_of_bricks, NULL), MS_NODE_TRUE);
	CHECK(!guarded_strategy_failed());
}

TEST(guarded_strategy__another_one_instead)
{
	static const struct {
		const char *name;
		void *(*init)(const struct ms_host *host);
		size_t (*refine)(void *state, const struct ms_host *host, const uint32_t *proven,
				 size_t nr, struct ms_candidate *out, size_t room);
	} rows[] = {
		{ "init fails", init_fails, ask_refined },
		{ "init aborts", init_aborts, ask_refined },
		{ "refine fails", NULL, refine_fails },
		{ "counts wrongly", NULL, counts_wrongly },
		{ "never ends", NULL, never_ends },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ms_strategy bad = strategy_of_bricks;

		bad.init = rows[i].init;
		bad.refine = rows[i].refine;
		if (found(&bad, &strategy_of_bricks) != MS_NODE_TRUE || !guarded_strategy_failed())
			test_fail(__FILE__, __LINE__, "%s: not replaced", rows[i].name);
	}
}

TEST(guarded_strategy__nothing_instead)
{
	struct ms_strategy bad = strategy_of_bricks;

	bad.refine = refine_fails;
	CHECK_INT(found(&bad, NULL), MS_NODE_PENDING);
	CHECK(guarded_strategy_failed());
	CHECK_THAT(calls, >, 0);
}
