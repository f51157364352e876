/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_PROPERTY_H
#define MEMSEARCH_PROPERTIES_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric.h"
#include "memsearch/property.h"
#include "memsearch/region.h"
#include "memsearch/status.h"

/*
 * Properties: hypotheses about a program in the APART Specification Language's
 * form, read from text at run time, type- and unit-checked, and evaluated over a
 * context. Not here: which property is asked when (analysis/search).
 *
 * To add a property: 1. properties/NAME.asl, or a PROPERTY in one of the files
 * there. Nothing is compiled.
 */
struct arena;
struct event_table;
struct formula;
struct property;

/*
 * One message of the loader: "f.asl:12:8: unknown metric 'barier_wait'; did you mean
 * 'barrier_wait'?"
 */
struct property_message {
	const char *file;
	int line, column;
	const char *text;
};

/* "file:12:8: text"; without numbers where the file as a whole is meant. */
const char *property_message_line(struct arena *arena, const struct property_message *message);

/*
 * Displays that belong to a property: tables of its focus (analysis/report/views.h). Records keep
 * bits of them: new ones come last. To add one: a row here, and its function in views.c.
 */
/* clang-format off */
#define PROPERTY_VIEW_LIST(X) \
	X(THREADS, "threads", "time and waits of each thread") \
	X(FUNCTIONS, "functions", "clock samples by function") \
	X(SYNC, "sync", "waits by synchronization object and place") \
	X(ARRAYS, "arrays", "accesses and misses by data structure")
/* clang-format on */
enum property_view {
#define X(id, name, text) PROPERTY_VIEW_##id,
	PROPERTY_VIEW_LIST(X)
#undef X
		PROPERTY_VIEWS
};

struct property_set {
	/* in order of loading; index = number used by strategies */
	struct property **properties;
	size_t nr, room;
	struct property_message *messages;
	size_t nr_messages, room_messages;
	/* derived metrics, in order of loading; a later one hides an earlier */
	struct formula **formulas;
	size_t nr_formulas, room_formulas;
	const struct event_table **event_tables; /* in order of loading, see event_tables.h */
	size_t nr_event_tables, room_event_tables;
	struct arena *arena;
};

/*
 * Loads every *.asl of `directory` (sorted by name), before them the *.metrics and *.events
 * there and in its folder metrics; then, if not NULL, the same of the colon separated `extra`
 * list of files or folders. A property of the same name in a later file replaces the earlier
 * one. A file with errors is left out whole, with its messages; the others are used. Then
 * links the why-axis and drops properties whose links are cyclic or name nothing. Never NULL
 * unless there is no memory.
 */
struct property_set *property_set_load(struct arena *arena, const char *directory,
				       const char *extra);

/* By name or alias, exact; NULL. */
const struct property *property_set_find(const struct property_set *set, const char *name);
uint32_t property_index(const struct property_set *set, const struct property *property);

const char *property_name(const struct property *property);
const char *property_title(const struct property *property);       /* a short phrase for lists */
const char *property_explanation(const struct property *property); /* template text */
const char *property_advice(const struct property *property);
/*
 * LET, CONDITION, CONFIDENCE, SEVERITY, BY THREAD and BY NODE as they are written in its file, with
 * the comments before them.
 */
const char *property_formulas(struct arena *arena, const struct property *property);
const char *property_file(const struct property *property, int *line_out);
bool property_applies(const struct property *property, enum ms_region_kind kind);
size_t property_aliases(const struct property *property, const char *const **out);
/* Why-axis, as indices into the set. "parents" are the properties this one refines. */
size_t property_parents(const struct property *property, const uint32_t **out);
size_t property_children(const struct property *property, const uint32_t **out);
/* Pre-conditions: must be true at the same or an enclosing region; anti-conditions: must not be. */
size_t property_preconditions(const struct property *property, const uint32_t **out);
size_t property_anticonditions(const struct property *property, const uint32_t **out);
/* Metrics it reads of its own region and of the phase (region 0), as enum ms_metric. */
size_t property_metrics(const struct property *property, const uint32_t **out);
size_t property_phase_metrics(const struct property *property, const uint32_t **out);
/* of the enclosing region */
size_t property_parent_metrics(const struct property *property, const uint32_t **out);
/* of the enclosing construct, see region.h */
size_t property_construct_metrics(const struct property *property, const uint32_t **out);
/*
 * either(a, b): metrics of `a`; `metric` is of `b` and needed only where one of those is missing.
 * None: always.
 */
size_t property_metric_instead(const struct property *property, uint32_t metric,
			       const uint32_t **out);
bool property_needs_subregions(const struct property *property);
/*
 * 1 << kind of the subregions in which it needs the metric; all bits: of any kind; 0: in its own
 * region only.
 */
uint32_t property_metric_kinds(const struct property *property, uint32_t metric);
/*
 * By metric: 1 << kind of the regions in which any property of the set may read it, itself or from
 * below; all bits where one reads it of its parent or construct.
 */
void property_set_metric_kinds(const struct property_set *set, uint32_t kinds[MS_METRICS]);
/*
 * Hint: subregion kinds or threads to look at first; written as in the file ("where threads");
 * NULL.
 */
const char *property_hint(const struct property *property);
uint32_t property_views(const struct property *property); /* 1 << enum property_view */
bool property_by_thread(const struct property *property); /* the finding names threads */

#endif
