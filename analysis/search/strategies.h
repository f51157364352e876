/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_STRATEGIES_H
#define MEMSEARCH_SEARCH_STRATEGIES_H

#include <stdbool.h>
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
/* --strategy takes NAME or FILE.so: whether it is the latter. */
bool strategies_is_file(const char *name);
/*
 * The one of a file, with the same message where it is refused: NULL. If it fails when it is
 * called, `instead` is called from then on (guarded_strategy.h).
 */
const struct ms_strategy *strategies_load_file(struct arena *arena, const char *path,
					       const struct ms_strategy *instead);
/* Whether that happened. */
bool strategies_failed(void);
const struct ms_strategy *strategies_find(const struct strategy_list *list, const char *name);
/* The most similar name, or NULL. */
const char *strategies_nearest(const struct strategy_list *list, const char *name);
/*
 * The one that a run names by --strategy, NAME of `directory` or FILE.so. If it cannot be used, one
 * line, and `usual`, which *name becomes; NULL: neither can.
 */
const struct ms_strategy *strategies_of_run(struct arena *arena, const char *directory,
					    const char **name, const char *usual);

#endif
