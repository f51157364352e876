/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOCKS_LOCK_NAMES_H
#define MEMSEARCH_LOCKS_LOCK_NAMES_H

/*
 * Names of locks: for a critical construct from the symbol of its lock
 * (".gomp_critical_user_NAME"), for others the variable or heap array at their address, if it still
 * exists. Locks on a stack or in small heap blocks have no name.
 */
struct arena;
struct inventory;
struct region_table;
struct run;

/*
 * Sets the names of the run's MUTEX regions; strings in `arena`. Requires harvest_regions and
 * inventory_update. Opens files; not in callbacks.
 */
void lock_names_fill(struct run *run, struct arena *arena, const struct inventory *inventory,
		     struct region_table *table);

#endif
