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
bool property_by_thread(const struct property *property); /* the finding names threads */

/*
 * A metric over all threads of a region: what sum, mean, count, max, min and imbalance are made of.
 */
struct property_totals {
	uint32_t threads;        /* that took part in the region … */
	uint32_t nr, nr_nonzero; /* … and have a value */
	/* MS_PRESENT: all have. Of several reasons the first other than NOT_EXECUTED */
	enum ms_missing missing;
	enum ms_rung rung;     /* the weakest of theirs */
	double sum, sum_error; /* errors added as those of independent values */
	struct {
		double value, error;
	} max, min;
};

/*
 * Memory that an evaluation needs, some 11 KB: kept by callers that evaluate often, for one
 * evaluation at a time. NULL: no memory.
 */
struct property_workspace;
struct property_workspace *property_workspace_new(struct arena *arena);

/*
 * Where a property gets its numbers from: implemented by the performance database
 * and, in tests, by tables. All values are scaled to one mean execution of the phase.
 */
struct property_context {
	void *data;
	struct property_workspace *workspace; /* NULL: mapped for each evaluation */
	uint32_t region;
	/*
	 * Shifts every bound of the condition by this fraction of itself: positive is harder to
	 * prove. For hysteresis: +0.05 for what was not true so far, -0.05 for what was. 0: none.
	 */
	double bias;
	/* Value of a metric in a region on a thread. */
	struct ms_reading (*reading)(void *data, uint32_t region, uint32_t thread, uint32_t metric);
	/*
	 * The same over all its threads, as `reading` would tell one by one; NULL: ask one by one.
	 * The result holds until the next call.
	 */
	const struct property_totals *(*totals)(void *data, uint32_t region, uint32_t metric);
	/*
	 * Threads that took part in the region, ascending, at most `room`; returns how many there
	 * are.
	 */
	size_t (*threads)(void *data, uint32_t region, uint32_t *out, size_t room);
	/* Executions of the region per mean execution of the phase, over all threads' maximum. */
	struct ms_reading (*executions)(void *data, uint32_t region);
	uint32_t (*parent)(void *data, uint32_t region);
	enum ms_region_kind (*kind)(void *data, uint32_t region);
	size_t (*children)(void *data, uint32_t region, uint32_t *out, size_t room);
	/*
	 * Constants of the machine and the run by name ("cpus", "nodes", "phase_executions",
	 * "sampling_hz" …).
	 */
	struct ms_reading (*constant)(void *data, const char *name);
};

/*
 * It reads a constant of something not requested (ms_missing_unasked), such as a modelled machine:
 * it is no candidate.
 */
bool property_is_unasked(const struct property *property, const struct property_context *context);

/*
 * Evaluates; deterministic, no allocation where there is a workspace, but where teams are large;
 * any thread. MS_ERR_MEMORY.
 */
enum ms_status property_evaluate(const struct property *property,
				 const struct property_context *context,
				 struct ms_verdict *verdict_out);

/*
 * The threads a by-thread finding names (those beyond the property's own bound), worst first, at
 * most `room`; returns how many there are. Of a property that names nodes only: the region's
 * threads on these.
 */
size_t property_threads(const struct property *property, const struct property_context *context,
			uint32_t *out, size_t room);
/*
 * The NUMA nodes it names, by the kernel's numbers, likewise; none where the node of one of the
 * threads is not known.
 */
size_t property_nodes(const struct property *property, const struct property_context *context,
		      uint32_t *out, size_t room);

/*
 * Fills "{name}" in a template with the evidence of that name ("{share%}" as a percentage,
 * "{wait:time}" with a readable unit) and with words given by the caller. A part in [brackets] is
 * left out if a word or value in it is missing (text NULL).
 */
struct property_word {
	const char *name, *text;
};
char *property_fill(struct arena *arena, const char *text, const struct ms_evidence *evidence,
		    size_t nr_evidence, const struct property_word *words, size_t nr_words);

#endif
