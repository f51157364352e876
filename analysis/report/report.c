/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of the report, and the order of its findings. */
#include "analysis/report/report.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/finding.h"
#include "memsearch/host.h"

/* Proven refinements that account for this much of their parent explain it; what is left is not worth a line of its own. */
#define EXPLAINED_SHARE 0.5

static const struct {
	const char *name;
	report_writer *write;
} formats[] = {
	{ "text", report_text },
	{ "json", report_json },
	{ "csv", report_csv },
};

report_writer *report_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].write;
	return NULL;
}

void report_options_init(struct report_options *options)
{
	*options = (struct report_options){ .size = sizeof(*options), .width = 100 };
}

/* -- rank */

static bool is_proven(const struct run *run, uint32_t node)
{
	return node < run->nr_nodes && run->nodes[node].state == MS_NODE_TRUE;
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
static bool refines_elsewhere(const struct run *run, const struct run_node *node, const struct run_node *general)
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
 * Cache misses in a loop may be found by way of memory bound in the loop, and uneven misses in it by way of cache misses
 * and then uneven misses in the region around it: of the two at the loop only the second is news. What such nodes account for.
 */
static double explained_beside(const struct run *run, const struct places *places, uint32_t node)
{
	const struct run_node *general = &run->nodes[node];
	double explained = 0;

	if (general->region >= run->nr_regions)
		return 0;
	for (uint32_t other = places->first[general->region]; other != MS_NODE_NONE; other = places->next[other])
		if (other != node && refines_elsewhere(run, &run->nodes[other], general))
			explained += accounted(&run->nodes[other]);
	return explained;
}

/* How much of every node's severity its proven refinements account for. They may overlap; the sum is good enough to fold by. */
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
		if (node->parent < i)
			explained[node->parent] += accounted(node);
		explained[i] += explained_beside(run, &places, i);
	}
	return explained;
}

/* Lower bound first, because that much is sure; the number of the node makes the order total. */
static int compare(const struct run_node *a, const struct run_node *b)
{
	double differences[] = {
		or_zero(b->severity_low) - or_zero(a->severity_low),
		or_zero(b->severity) - or_zero(a->severity),
		report_standing(a) == REPORT_CANDIDATE ? b->severity_high - a->severity_high : 0,
		or_zero(b->confidence) - or_zero(a->confidence),
	};

	for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++)
		if (differences[i] < 0 || differences[i] > 0)
			return differences[i] < 0 ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Merges the sorted halves of `from` into `to`. */
static void merge(const struct run *run, const uint32_t *from, size_t middle, size_t nr, uint32_t *to)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < nr; i++) {
		bool take_left = left < middle &&
			(right >= nr || compare(&run->nodes[from[left]], &run->nodes[from[right]]) <= 0);

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

enum report_standing report_standing(const struct run_node *node)
{
	if (!isfinite(node->severity) || node->severity > 0)
		return REPORT_FINDING;
	return node->severity_of_model && node->severity_high > 0 ? REPORT_CANDIDATE : REPORT_STEP;
}

size_t report_rank(struct arena *arena, const struct run *run, enum report_standing standing, bool all, const uint32_t **out)
{
	uint32_t *ids = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*ids));
	uint32_t *spare = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*spare));
	const double *explained = explained_severity(arena, run);
	size_t nr = 0;

	*out = ids;
	if (!ids || !spare || !explained)
		return 0;
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		bool folded = explained[i] > 0 && explained[i] >= EXPLAINED_SHARE * or_zero(run->nodes[i].severity);

		if (is_proven(run, i) && report_standing(&run->nodes[i]) == standing && (all || !folded))
			ids[nr++] = i;
	}
	sort(run, ids, spare, nr);
	return nr;
}
