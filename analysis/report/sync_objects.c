/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronization objects by type, class, object and place. */
#include "analysis/report/sync_objects.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"
#include "analysis/report/source_words.h"

#define UNNAMED "(unnamed)"
#define NO_NODE UINT32_MAX

static const char *type_of(enum ms_region_kind kind)
{
	static const char *const types[MS_REGION_KINDS] = {
		[MS_TASKWAIT_REGION] = "taskwait", [MS_BARRIER_REGION] = "barrier",
		[MS_CRITICAL_REGION] = "critical", [MS_ORDERED_REGION] = "ordered",
		[MS_LOCK_REGION] = "lock",         [MS_REDUCTION_REGION] = "reduction",
	};

	return types[kind];
}

/* A place that takes this lock; NULL: none is known. */
static const struct run_region *place_of(const struct run *run, uint32_t mutex)
{
	for (size_t i = 0; i < run->nr_regions; i++)
		if (run->regions[i].mutex == mutex)
			return &run->regions[run_region_lock_place(&run->regions[i])];
	return NULL;
}

/* "locks" of "locks[3]" and "locks(3)". */
static const char *without_index(struct arena *arena, const char *name)
{
	return arena_strndup(arena, name, strcspn(name, "[("));
}

static struct sync_name name_of_lock(struct arena *arena, const struct run *run,
				     const struct run_region *lock)
{
	const struct run_region *place = place_of(run, lock->id);
	struct sync_name name = { .type = type_of(place ? place->kind : MS_LOCK_REGION) };

	if (!lock->name) {
		name.object = arena_printf(arena, "lock_%u", lock->id);
		name.class = UNNAMED;
	} else if (!*lock->name) {
		name = (struct sync_name){ type_of(MS_CRITICAL_REGION), UNNAMED, UNNAMED };
	} else {
		name.object = lock->name;
		name.class = without_index(arena, lock->name);
	}
	return name;
}

static struct sync_name name_of_place(struct arena *arena, const struct run_region *region)
{
	const struct source *source = &region->source;
	bool known = source->line && source->file && *source->file;

	return (struct sync_name){
		.type = type_of(region->kind),
		.class = source->function && *source->function ? source->function : UNNAMED,
		.object = known ? arena_printf(arena, "%s:%d", source->file, source->line)
				: source_place(arena, source),
	};
}

struct sync_name sync_name_of(struct arena *arena, const struct run *run, uint32_t id)
{
	const struct run_region *region = id < run->nr_regions ? &run->regions[id] : NULL;

	if (!region)
		return (struct sync_name){ 0 };
	if (run_region_is_lock(region))
		return name_of_lock(arena, run, region);
	if (region->kind == MS_CRITICAL_REGION || region->kind == MS_LOCK_REGION ||
	    region->kind == MS_MUTEX)
		return region->mutex && region->mutex < run->nr_regions
			       ? name_of_lock(arena, run, &run->regions[region->mutex])
			       : (struct sync_name){ .type = type_of(region->kind) };
	return type_of(region->kind) ? name_of_place(arena, region) : (struct sync_name){ 0 };
}

/* ------------------------------------------------------------------ values */

struct values {
	double waiting, share, entries, held; /* held: of all entries */
	bool waits, enters, holds;            /* whether these were measured */
};

static void add_row(struct values *values, const struct run *run, const struct run_measurement *one)
{
	double each = one->row.stat.sum / (double)one->phases;
	enum ms_region_kind kind = run->regions[one->row.region].kind;

	switch (one->row.metric) {
	case MS_METRIC_LOCK_WAIT:
	case MS_METRIC_BARRIER_WAIT:
		if (kind != MS_MUTEX && kind != MS_LOCK_REGION && kind != MS_CRITICAL_REGION) {
			values->enters = true;
			values->entries += (double)one->row.stat.count / (double)one->phases;
		}
		values->waits = true;
		values->waiting += each;
		if (one->observed_ns > 0 && run->threads)
			values->share += one->row.stat.sum / one->observed_ns / run->threads;
		break;
	case MS_METRIC_LOCK_ACQUISITIONS:
		values->enters = true;
		values->entries += each;
		break;
	case MS_METRIC_LOCK_HELD:
		values->holds = true;
		values->held += each;
		break;
	default: break;
	}
}

/* By region. NULL: no memory. */
static const struct values *measured(struct arena *arena, const struct run *run)
{
	struct values *values = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*values));

	for (size_t i = 0; values && i < run->nr_measurements; i++)
		if (run->measurements[i].row.region < run->nr_regions &&
		    run->measurements[i].phases)
			add_row(&values[run->measurements[i].row.region], run,
				&run->measurements[i]);
	return values;
}

static void add_values(struct values *sum, const struct values *more)
{
	sum->waiting += more->waiting;
	sum->share += more->share;
	sum->entries += more->entries;
	sum->held += more->held;
	sum->waits |= more->waits;
	sum->enters |= more->enters;
	sum->holds |= more->holds;
}

/* ------------------------------------------------------------------ the tree */

enum { LEVEL_TYPE, LEVEL_CLASS, LEVEL_OBJECT, LEVEL_PLACE, LEVELS };

struct node {
	const char *name;
	uint32_t parent; /* NO_NODE: a type */
	uint32_t region; /* of a place */
	struct values values;
	bool own; /* a lock's own values, which are not a sum over places */
};

struct tree {
	struct arena *arena;
	struct node *nodes;
	size_t nr, room;
	struct sync_row *rows;
	size_t nr_rows;
};

static uint32_t child_named(struct tree *tree, uint32_t parent, const char *name)
{
	for (uint32_t i = 0; i < tree->nr; i++)
		if (tree->nodes[i].parent == parent && !strcmp(tree->nodes[i].name, name))
			return i;
	if (!ARENA_GROW(tree->arena, tree->nodes, tree->nr, tree->room))
		return NO_NODE;
	tree->nodes[tree->nr] = (struct node){ .name = name,
					       .parent = parent,
					       .region = MS_REGION_NONE };
	return (uint32_t)tree->nr++;
}

/* The node of the object, which is created if need be; NO_NODE: no memory. */
static uint32_t object_node(struct tree *tree, struct sync_name name)
{
	uint32_t at = name.type ? child_named(tree, NO_NODE, name.type) : NO_NODE;

	if (at != NO_NODE)
		at = child_named(tree, at, name.class ? name.class : UNNAMED);
	if (at != NO_NODE)
		at = child_named(tree, at, name.object ? name.object : UNNAMED);
	return at;
}

/* One place in the program may be several regions, by what is around it. */
static void add_place(struct tree *tree, const struct run *run, uint32_t id,
		      const struct values *values)
{
	const struct run_region *place = &run->regions[run_region_lock_place(&run->regions[id])];
	uint32_t object = object_node(tree, sync_name_of(tree->arena, run, id));
	uint32_t at = object == NO_NODE ? NO_NODE
					: child_named(tree, object,
						      source_place(tree->arena, &place->source));

	if (at == NO_NODE)
		return;
	add_values(&tree->nodes[at].values, values);
	tree->nodes[at].region = place->id;
}

static void add_lock(struct tree *tree, const struct run *run, uint32_t id,
		     const struct values *values)
{
	uint32_t at = object_node(tree, sync_name_of(tree->arena, run, id));

	if (at == NO_NODE || !(values->waits || values->enters || values->holds))
		return;
	add_values(&tree->nodes[at].values, values);
	tree->nodes[at].own = true;
}

/* Whether the locks that the place takes have values of their own there. */
static bool is_divided(const bool *divided, const struct run_region *region)
{
	return region->kind != MS_MUTEX && divided[region->id];
}

static bool add_regions(struct tree *tree, const struct run *run)
{
	const struct values *values = measured(tree->arena, run);
	bool *divided = arena_alloc(tree->arena, run->nr_regions + 1);

	if (!values || !divided)
		return false;
	for (uint32_t i = 0; i < run->nr_regions; i++)
		divided[run_region_lock_place(&run->regions[i])] |= run->regions[i].kind ==
								    MS_MUTEX;
	for (uint32_t i = 0; i < run->nr_regions; i++) {
		const struct run_region *region = &run->regions[i];

		if (run_region_is_lock(region))
			add_lock(tree, run, i, &values[i]);
		else if ((type_of(region->kind) || region->kind == MS_MUTEX) &&
			 !is_divided(divided, region))
			add_place(tree, run, i, &values[i]);
	}
	return true;
}

/* A parent has a smaller number than its children: each is complete before it is added. */
static void add_up(struct tree *tree)
{
	for (size_t i = tree->nr; i-- > 0;) {
		const struct node *node = &tree->nodes[i];
		struct node *up = node->parent == NO_NODE ? NULL : &tree->nodes[node->parent];

		if (up && !up->own)
			add_values(&up->values, &node->values);
	}
}

/* ------------------------------------------------------------------ rows */

struct order {
	double waiting;
	const char *name;
	uint32_t node;
};

static int by_waiting(const void *left, const void *right)
{
	const struct order *a = left, *b = right;

	if (a->waiting < b->waiting || a->waiting > b->waiting)
		return a->waiting > b->waiting ? -1 : 1;
	return strcmp(a->name, b->name);
}

static struct sync_row row_of(const struct node *node, const struct sync_row *up, int level)
{
	const struct values *values = &node->values;
	struct sync_row row = up ? *up : (struct sync_row){ 0 };

	*(level == LEVEL_TYPE     ? &row.type
	  : level == LEVEL_CLASS  ? &row.class
	  : level == LEVEL_OBJECT ? &row.object
				  : &row.place) = node->name;
	row.region = node->region;
	row.waiting_ns = values->waits ? values->waiting : NAN;
	row.share = values->waits ? values->share : NAN;
	row.entries = values->enters ? values->entries : NAN;
	row.held_ns = values->holds && values->entries > 0 ? values->held / values->entries : NAN;
	return row;
}

/* Recursion: as deep as there are levels. */
static void add_rows(struct tree *tree, uint32_t parent, const struct sync_row *up, int level)
{
	struct order *order = level < LEVELS
				      ? arena_alloc(tree->arena, (tree->nr + 1) * sizeof(*order))
				      : NULL;
	size_t nr = 0;

	for (uint32_t i = 0; order && i < tree->nr; i++)
		if (tree->nodes[i].parent == parent)
			order[nr++] = (struct order){ tree->nodes[i].values.waiting,
						      tree->nodes[i].name, i };
	if (nr)
		sort(order, nr, sizeof(*order), by_waiting);
	for (size_t i = 0; i < nr; i++) {
		struct sync_row *row = &tree->rows[tree->nr_rows++];

		*row = row_of(&tree->nodes[order[i].node], up, level);
		add_rows(tree, order[i].node, row, level + 1);
	}
}

size_t sync_rows_of(struct arena *arena, const struct run *run, const struct sync_row **out)
{
	struct tree tree = { .arena = arena };

	*out = NULL;
	if (!add_regions(&tree, run))
		return 0;
	add_up(&tree);
	tree.rows = arena_alloc(arena, (tree.nr + 1) * sizeof(*tree.rows));
	if (!tree.rows)
		return 0;
	add_rows(&tree, NO_NODE, NULL, LEVEL_TYPE);
	*out = tree.rows;
	return tree.nr_rows;
}
