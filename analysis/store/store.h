/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_STORE_H
#define MEMSEARCH_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/store/store_causes.h"
#include "memsearch/status.h"

/*
 * The store: one SQLite file for a series of experiments, made from records by
 * the `memsearch` program, never by the tool. Schema version in PRAGMA user_version;
 * older ones are migrated in one transaction, newer ones refused (MS_ERR_VERSION).
 */
struct arena;
struct store;

enum ms_status store_open(const char *path, bool create, struct store **store_out);
void store_close(struct store *store);
/*
 * One transaction: all of the run or nothing. The same run again replaces it: the same host, pid,
 * start and, of a sweep, modelled machine, as one record is simulated on several, and number of
 * threads, as one run may have several (`memsearch sweep --online`). `causes`: what is reported of
 * it; NULL: none.
 */
enum ms_status store_add(struct store *store, const struct run *run,
			 const struct store_causes *causes, int64_t *id_out);
enum ms_status store_runs(struct store *store, struct arena *arena, int64_t **ids_out,
			  size_t *nr_out);
enum ms_status store_read(struct store *store, struct arena *arena, int64_t id,
			  struct run *run_out);
bool store_is(const char *path);

/*
 * A record or a store, whichever `path` is: all its runs. The cause of a failure has been logged.
 */
enum ms_status store_load(struct arena *arena, const char *path, struct run **runs_out,
			  size_t *nr_out);
/* The newest .ms or .db of the current folder, for commands without a file argument; NULL: none. */
const char *store_newest(struct arena *arena);

#endif
