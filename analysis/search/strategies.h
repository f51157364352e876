/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_STRATEGIES_H
#define MEMSEARCH_SEARCH_STRATEGIES_H

#include <stddef.h>

/* Loads search strategies (memsearch/host.h). */
struct arena;
struct ms_strategy;

/*
 * Strategies: every *.so of `directory`; a refused file gets one line (file, reason, what was
 * expected).
 */
struct strategy_list {
	const struct ms_strategy **strategies;
	const char **files;
	size_t nr, room;
};
struct strategy_list *strategies_load(struct arena *arena, const char *directory);
/* The one of a file, with the same message where it is refused: NULL. */
const struct ms_strategy *strategies_load_file(struct arena *arena, const char *path);
const struct ms_strategy *strategies_find(const struct strategy_list *list, const char *name);

#endif
