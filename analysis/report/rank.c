/* SPDX-License-Identifier: Apache-2.0 */
/* The order of findings, and which of them are printed. */
#include "analysis/report/rank.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "memsearch/host.h"

/*
 * Proven refinements that account for this much of their parent explain it; what is left is not
 * worth a line of its own.
 */
#define EXPLAINED_SHARE 0.5
/* proven nodes of one region that are compared with each other: more are in no real run */
#define BESIDE_MAX 200

static bool is_proven(const struct run *run, uint32_t node)
{
	/* verdicts of intervals are printed with the finding that they refine (intervals.h) */
	return node < run->nr_nodes && run->nodes[node].state == MS_NODE_TRUE &&
	       !run->nodes[node].interval;
}

static double or_zero(double value)
{
	return isfinite(value) ? value : 0;
}

/* What a refinement may account for: with a range of a model, all of that. */
static double accounted(const struct run_node *node)
{
	return or_zero(node->severity_of_model ? node->severity_high : node->severity);
}

/* Proven nodes of each region, as lists. */
struct places {
	uint32_t *first, *next;
};

static bool places_fill(struct places *places, struct arena *arena, const struct run *run)
{
	places->first = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*places->first));
	places->next = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*places->next));
	if (!places->first || !places->next)
		return false;
	for (size_t i = 0; i < run->nr_regions; i++)
		places->first[i] = MS_NODE_NONE;
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		if (!is_proven(run, i) || run->nodes[i].region >= run->nr_regions)
			continue;
		places->next[i] = places->first[run->nodes[i].region];
		places->first[run->nodes[i].region] = i;
	}
	return true;
}

static bool same_property(const struct run_node *a, const struct run_node *b)
{
	return a->property && b->property && !strcmp(a->property, b->property);
}

/* Whether `node` came about by refining the property of `general`, but by way of another region. */
static bool refines_elsewhere(const struct run *run, const struct run_node *node,
			      const struct run_node *general)
{
	for (uint32_t up = node->parent; up < (size_t)(node - run->nodes); up = node->parent) {
		node = &run->nodes[up];
		if (node == general)
			return false;
		if (same_property(node, general))
			return true;
	}
	return false;
}

/*
 * Cache misses in a loop may be found by way of memory bound in the loop, and uneven misses in it
 * by way of cache misses and then uneven misses in the region around it: of the two at the loop
 * only the second adds information. Returns what such nodes account for.
 */
static double explained_beside(const struct run *run, const struct places *places, uint32_t node)
{
	const struct run_node *general = &run->nodes[node];
	double explained = 0;
	int left = BESIDE_MAX;

	if (general->region >= run->nr_regions)
		return 0;
	for (uint32_t other = places->first[general->region]; other != MS_NODE_NONE && left;
	     other = places->next[other], left--)
		if (other != node &&
		    report_standing(run, &run->nodes[other]) == report_standing(run, general) &&
		    refines_elsewhere(run, &run->nodes[other], general))
			explained += accounted(&run->nodes[other]);
	return explained;
}

/*
 * How much of every node's severity its proven refinements account for. They may overlap; the sum
 * is good enough to fold by.
 */
static const double *explained_severity(struct arena *arena, const struct run *run)
{
	double *explained = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*explained));
	struct places places;

	if (!explained || !places_fill(&places, arena, run))
		return NULL;
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];

		if (!is_proven(run, i))
			continue;
		if (node->parent < i &&
		    report_standing(run, node) == report_standing(run, &run->nodes[node->parent]))
			explained[node->parent] += accounted(node);
		explained[i] += explained_beside(run, &places, i);
	}
	return explained;
}

/* ------------------------------------------------------------------ arrays in loops */

/*
 * A loop with this share of an array's finding in the construct around it is reported instead of
 * the construct.
 */
#define LOOP_SHARE 0.75

/* The region around that of an array; MS_REGION_NONE: it is no array's. */
static uint32_t around_array(const struct run *run, const struct run_node *node)
{
	const struct run_region *region = node->region < run->nr_regions
						  ? &run->regions[node->region]
						  : NULL;

	return region && region->kind == MS_DATA_STRUCTURE && region->parent < region->id
		       ? region->parent
		       : MS_REGION_NONE;
}

/* From a loop or function to what is around it; MS_REGION_NONE: it is neither. */
static uint32_t around_code(const struct run *run, uint32_t region)
{
	const struct run_region *code = &run->regions[region];

	return ms_region_kind_is_code_part(code->kind) && code->parent < region ? code->parent
										: MS_REGION_NONE;
}

/* In a called function, or in a call that leads to the construct. */
static bool is_in_function(const struct run *run, const struct run_node *node)
{
	uint32_t around = around_array(run, node);

	return around != MS_REGION_NONE && (run->regions[around].kind == MS_SUB_REGION ||
					    run->regions[around].kind == MS_CALL_REGION);
}

/* The same finding about the same array in that region; NULL: none. */
static const struct run_node *same_array_in(const struct run *run, const struct places *arrays,
					    const struct run_node *node, uint32_t region)
{
	for (uint32_t other = arrays->first[region]; other != MS_NODE_NONE;
	     other = arrays->next[other])
		if (same_property(&run->nodes[other], node) &&
		    run->nodes[other].thread == node->thread &&
		    run_region_array(&run->regions[run->nodes[other].region]) ==
			    run_region_array(&run->regions[node->region]))
			return &run->nodes[other];
	return NULL;
}

/* The nearest loop or construct around in which the same is found; else the function. */
static const struct run_node *found_around(const struct run *run, const struct places *arrays,
					   const struct run_node *node)
{
	uint32_t region = around_code(run, around_array(run, node));
	const struct run_node *found = NULL, *in_function = NULL;

	for (; region != MS_REGION_NONE && !found; region = around_code(run, region)) {
		found = same_array_in(run, arrays, node, region);
		if (found && run->regions[region].kind == MS_SUB_REGION) {
			in_function = found;
			found = NULL;
		}
	}
	return found ? found : in_function;
}

/* Proven nodes about arrays, by the region around these. */
static bool arrays_fill(struct places *arrays, struct arena *arena, const struct run *run)
{
	arrays->first = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*arrays->first));
	arrays->next = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*arrays->next));
	if (!arrays->first || !arrays->next)
		return false;
	for (size_t i = 0; i < run->nr_regions; i++)
		arrays->first[i] = MS_NODE_NONE;
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		uint32_t region = is_proven(run, i) ? around_array(run, &run->nodes[i])
						    : MS_REGION_NONE;

		if (region == MS_REGION_NONE)
			continue;
		arrays->next[i] = arrays->first[region];
		arrays->first[region] = i;
	}
	return true;
}

/*
 * What is found of an array in a construct is found in the loops and functions that do it, too. It
 * is said once: of the innermost loop that does most of it; where several loops share it, of what is
 * around these. A function is a step on the way to it.
 */
static const bool *covered_inside(struct arena *arena, const struct run *run)
{
	bool *covered = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*covered));
	bool *inside = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*inside));
	struct places arrays;

	if (!covered || !inside || !arrays_fill(&arrays, arena, run))
		return NULL;
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *around = is_proven(run, i) &&
								around_array(run, &run->nodes[i]) !=
									MS_REGION_NONE
							? found_around(run, &arrays, &run->nodes[i])
							: NULL;

		if (around && !is_in_function(run, &run->nodes[i]) &&
		    accounted(&run->nodes[i]) >= LOOP_SHARE * accounted(around))
			inside[around - run->nodes] = true;
	}
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *around = &run->nodes[i];

		if (!is_proven(run, i) || around_array(run, around) == MS_REGION_NONE)
			continue;
		covered[i] = inside[i] ||
			     (is_in_function(run, around) && found_around(run, &arrays, around));
		while (!covered[i] && (around = found_around(run, &arrays, around)))
			covered[i] = !inside[around - run->nodes];
	}
	return covered;
}

/* Lower bound first, because that much is sure; the number of the node makes the order total. */
static int compare(const struct run *run, const struct run_node *a, const struct run_node *b)
{
	double differences[] = {
		or_zero(b->severity_low) - or_zero(a->severity_low),
		or_zero(b->severity) - or_zero(a->severity),
		report_standing(run, a) == REPORT_CANDIDATE ? b->severity_high - a->severity_high
							    : 0,
		or_zero(b->confidence) - or_zero(a->confidence),
	};

	for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++)
		if (differences[i] < 0 || differences[i] > 0)
			return differences[i] < 0 ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Merges the sorted halves of `from` into `to`. */
static void merge(const struct run *run, const uint32_t *from, size_t middle, size_t nr,
		  uint32_t *to)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < nr; i++) {
		bool take_left = left < middle &&
				 (right >= nr || compare(run, &run->nodes[from[left]],
							 &run->nodes[from[right]]) <= 0);

		to[i] = from[take_left ? left++ : right++];
	}
}

/* Merge sort: qsort may call malloc, and this also runs inside the user's program. */
static void sort(const struct run *run, uint32_t *ids, uint32_t *spare, size_t nr)
{
	if (nr < 2)
		return;
	sort(run, ids, spare, nr / 2);
	sort(run, ids + nr / 2, spare, nr - nr / 2);
	memcpy(spare, ids, nr * sizeof(*ids));
	merge(run, spare, nr / 2, nr, ids);
}

static bool is_of_one_thread(const struct run *run, uint32_t region)
{
	uint32_t construct = run_construct(run, region);
	enum ms_region_kind kind = construct < run->nr_regions ? run->regions[construct].kind
							       : MS_USER_REGION;

	return kind == MS_SINGLE_REGION || kind == MS_MASTER_REGION || kind == MS_CRITICAL_REGION ||
	       kind == MS_ORDERED_REGION;
}

/* One thread, and no other, reads or writes it there. */
static bool has_one_user(const struct run *run, uint32_t region)
{
	uint32_t user = UINT32_MAX;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->region != region || !(row->stat.sum > 0) ||
		    (row->metric != MS_METRIC_READS && row->metric != MS_METRIC_WRITES))
			continue;
		if (user != UINT32_MAX && row->thread != user)
			return false;
		user = row->thread;
	}
	return user != UINT32_MAX;
}

/* Another array that is allocated at the same place: of another thread. */
static bool has_sister(const struct run *run, const struct run_array *array)
{
	for (size_t i = 0; i < run->nr_arrays; i++) {
		const struct run_array *other = &run->arrays[i];

		if (other != array && other->blocks > 1 &&
		    other->site.module == array->site.module &&
		    other->site.offset == array->site.offset)
			return true;
	}
	return false;
}

/* What a thread allocates anew in each step, and uses alone, as others do theirs. */
static bool is_threads_own(const struct run *run, uint32_t region, const struct run_array *array)
{
	return array->kind && !strcmp(array->kind, "heap") && array->blocks > 1 &&
	       run->phase.executions > 1 && array->blocks >= run->phase.executions &&
	       array->live_blocks < array->blocks && has_sister(run, array) &&
	       has_one_user(run, region);
}

/*
 * GNU libgomp does not tell the end of a single construct without a barrier: what its thread accesses
 * there counts for the region around it.
 */
static bool surrounds_one_thread(const struct run *run, uint32_t construct)
{
	for (uint32_t i = 0; i < run->nr_regions; i++)
		if ((run->regions[i].kind == MS_SINGLE_REGION ||
		     run->regions[i].kind == MS_MASTER_REGION) &&
		    i != construct && run_is_inside(run, i, construct))
			return true;
	return false;
}

/*
 * Each thread has a stack and temporaries of its own, and constructs for one thread at a time have
 * one: that is nothing that a loop divides among them.
 */
static bool divides_nothing(const struct run *run, const struct run_node *node)
{
	uint32_t id = node->region < run->nr_regions ? run_region_array(&run->regions[node->region])
						     : UINT32_MAX;
	const struct run_array *array = id < run->nr_arrays ? &run->arrays[id] : NULL;

	return node->property && !strcmp(node->property, "ArrayAccessImbalance") &&
	       (is_of_one_thread(run, node->region) ||
		surrounds_one_thread(run, run_construct(run, node->region)) ||
		(array && (run_array_is_stack(array) || is_threads_own(run, node->region, array))));
}

/*
 * Of most of the array no first touch was seen: page faults in quick succession are not sampled one by
 * one.
 */
static bool is_hardly_seen(const struct run *run, const struct run_node *node)
{
	return node->property && !strcmp(node->property, "SerialFirstTouch") &&
	       node->region < run->nr_regions && run->nr_touches &&
	       run_touched_part(run, run_region_array(&run->regions[node->region])) <
		       RUN_TOUCHED_LEAST;
}

/* It, or a region inside of it, was recorded in bursts. */
static bool has_bursts(const struct run *run, uint32_t region)
{
	for (size_t i = 0; i < run->nr_missing; i++)
		if (run->missing[i].metric == MS_METRIC_TOUCHED_LINES &&
		    run->missing[i].why == MS_MISSING_NOT_WHOLE &&
		    run_is_inside(run, run->missing[i].region, region))
			return true;
	return false;
}

/*
 * Bursts of two threads end at different places, and what both read is fetched by the first one:
 * their accesses and misses are not comparable.
 */
static bool compares_bursts(const struct run *run, const struct run_node *node)
{
	static const char unbalanced[] = "Unbalanced";

	if (!node->property)
		return false;
	if (!strcmp(node->property, "ArrayAccessImbalance"))
		return has_bursts(run, run_construct(run, node->region));
	return !strncmp(node->property, unbalanced, sizeof(unbalanced) - 1) &&
	       node->rung == MS_RUNG_SIMULATED && has_bursts(run, node->region);
}

enum report_standing report_standing(const struct run *run, const struct run_node *node)
{
	if (divides_nothing(run, node) || compares_bursts(run, node) || is_hardly_seen(run, node))
		return REPORT_STEP;
	if (!isfinite(node->severity) || node->severity > 0)
		return node->rung == MS_RUNG_SIMULATED && !run->modelled.here ? REPORT_MODELLED
									      : REPORT_FINDING;
	return node->severity_of_model && node->severity_high > 0 ? REPORT_CANDIDATE : REPORT_STEP;
}

size_t report_rank(struct arena *arena, const struct run *run, enum report_standing standing,
		   bool all, const uint32_t **out)
{
	uint32_t *ids = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*ids));
	uint32_t *spare = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*spare));
	const double *explained = explained_severity(arena, run);
	const bool *covered = covered_inside(arena, run);
	size_t nr = 0;

	*out = ids;
	if (!ids || !spare || !explained || !covered)
		return 0;
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		bool folded = covered[i] ||
			      (explained[i] > 0 &&
			       explained[i] >= EXPLAINED_SHARE * or_zero(run->nodes[i].severity));

		if (is_proven(run, i) && report_standing(run, &run->nodes[i]) == standing &&
		    (all || !folded))
			ids[nr++] = i;
	}
	sort(run, ids, spare, nr);
	return nr;
}
