/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_OBSERVATION_H
#define MEMSEARCH_SEARCH_OBSERVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/database.h"

/* How long a column was under observation. The inside of the database, see column.h. */

/*
 * Wall time and phase executions under observation, by batch. While it is on, the
 * values are the stored ones plus the database's totals, so that an execution costs
 * nothing for any number of observed columns. Group number g goes to batch
 * (g + rotation) % DATABASE_BATCHES: every column fills its batches in turn.
 */
struct observation {
	double ns[DATABASE_BATCHES];
	uint64_t executions[DATABASE_BATCHES];
	uint64_t groups;
	/* groups of the database before the first one under observation, if there is one */
	uint64_t begin;
	uint32_t rotation;
	bool on, begun;
};

static inline uint32_t observation_batch(const struct observation *observation, uint64_t group)
{
	return (uint32_t)(group + observation->rotation) % DATABASE_BATCHES;
}

uint64_t observation_executions(const struct database *db, const struct observation *observation);
uint64_t observation_groups(const struct database *db, const struct observation *observation);
double observation_ns(const struct database *db, const struct observation *observation);
/* Adds what `observation` has in a batch (or in all). */
void observation_sum(const struct database *db, const struct observation *observation, int batch,
		     double *ns, uint64_t *executions);
void observation_switch(const struct database *db, struct observation *observation, bool on);
/* As it is now, in the form of one that is off. */
struct observation observation_now(const struct database *db,
				   const struct observation *observation);
/* An active observation continues from here, as the totals are cleared, too. */
void observation_clear(struct observation *observation);
/* Alone: as if it began now. */
void observation_forget(const struct database *db, struct observation *observation);

#endif
