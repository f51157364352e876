/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOCKS_LOCK_NAMES_H
#define MEMSEARCH_LOCKS_LOCK_NAMES_H

/*
 * Names of locks: that of a critical construct by the symbol that compilers give its lock
 * (".gomp_critical_user_NAME"), of others by the variable or heap array at their address, if that
 * is still there. What lies on a stack or in small heap blocks has none.
 */
struct arena;
struct inventory;
struct region_table;
struct run;

/*
 * Into the run's regions of kind MUTEX; strings in `arena`. Needs harvest_regions and
 * inventory_update. Opens files; not in callbacks.
 */
void lock_names_fill(struct run *run, struct arena *arena, const struct inventory *inventory,
		     struct region_table *table);

#endif
