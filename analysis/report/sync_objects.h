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

/* A node of the hierarchy, and what was measured in one mean execution of the phase. */
struct sync_row {
	const char *type, *class, *object, *place; /* from its level down NULL */
	uint32_t region;                           /* of a place; else MS_REGION_NONE */
	double waiting_ns;                         /* of all threads; NAN: not measured */
	double share;                              /* the same of all threads' time */
	double entries;                            /* acquisitions, or executions by threads */
	double held_ns;                            /* each time; NAN: not measured, or no lock */
};
/*
 * All of a run, depth first, below each other the one with most waiting first. An object has the
 * values of all its places, a class those of its objects. A lock may have values without a place, or
 * the other way round: they are requested apart.
 */
size_t sync_rows_of(struct arena *arena, const struct run *run, const struct sync_row **out);

#endif
