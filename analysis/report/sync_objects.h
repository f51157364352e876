/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_SYNC_OBJECTS_H
#define MEMSEARCH_REPORT_SYNC_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The synchronization objects of a run as a hierarchy (Hollingsworth and Miller, ICS 1993): type,
 * class, object, and the places that use the object.
 *
 *     lock ─ locks ─ locks[3] ─ insert (table.c:41)       class: the variable without its index
 *     critical ─ update ─ update ─ sum (k.c:12)           all constructs of one name are one object
 *     barrier ─ calc1 ─ swim.c:117                        class: the function; an object has one place
 *
 * Not here: hand-overs and saturation of locks (lock_facts.h).
 */
struct arena;
struct run;
struct table;

struct sync_name {
	/* "lock", "critical", "ordered", "barrier", "taskwait", "reduction"; NULL: no such object */
	const char *type;
	/* NULL: not known, as where a place takes several locks */
	const char *class, *object;
};

/* Of the object that a region is, or uses. The region is resolved. */
struct sync_name sync_name_of(struct arena *arena, const struct run *run, uint32_t region);

#endif
