/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_SHIPPED_STRATEGY_H
#define MEMSEARCH_TESTS_UNIT_SHIPPED_STRATEGY_H

#include <string.h>
#include <unistd.h>

#include "analysis/search/engine.h"
#include "analysis/search/strategies.h"
#include "memsearch/strategy.h"
#include "tests/unit/test.h"

/* Strategies of the build folder that the test is in. */
static inline const struct strategy_list *shipped_strategies(struct arena *arena)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);

	CHECK_THAT(length, >, 0);
	path[length] = 0;
	strcpy(strstr(path, "/tests/unit/"), "/lib/memsearch/strategies");
	return strategies_load(arena, path);
}

static inline const struct ms_strategy *shipped_strategy(struct arena *arena, const char *name)
{
	const struct ms_strategy *strategy = strategies_find(shipped_strategies(arena), name);

	CHECK(strategy != NULL);
	return strategy;
}

#endif
