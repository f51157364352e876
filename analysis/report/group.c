/* SPDX-License-Identifier: Apache-2.0 */
/* Puts findings at one place of the source together. */
#include "analysis/report/group.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/finding.h"

static int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Without a line: by the address. */
static int source_order(const struct source *a, const struct source *b)
{
	int order = (a->line > b->line) - (a->line < b->line);

	if (!order && !a->line)
		order = (a->offset > b->offset) - (a->offset < b->offset);
	if (!order)
		order = text_order(a->function, b->function);
	if (!order)
		order = text_order(a->file, b->file);
	return order ? order : text_order(a->module, b->module);
}

static int place_order(const struct run_region *a, const struct run_region *b)
{
	int order = (a->kind > b->kind) - (a->kind < b->kind);

	if (!order)
		order = source_order(&a->source, &b->source);
	if (!order && a->kind == MS_SERIAL_REGION)
		order = source_order(&a->next_source, &b->next_source);
	return order;
}

static bool has_place(const struct run_region *region)
{
	return region->source.line || (region->source.function && *region->source.function) ||
	       (region->source.module && *region->source.module);
}

bool finding_same_place(const struct run_region *a, const struct run_region *b)
{
	return has_place(a) && !place_order(a, b);
}

static int by_place(const void *left, const void *right)
{
	return place_order(*(const struct run_region *const *)left,
			   *(const struct run_region *const *)right);
}

size_t finding_places(const struct run_region **regions, size_t nr)
{
	size_t places = 0;

	sort(regions, nr, sizeof(*regions), by_place);
	for (size_t i = 0; i < nr; i++)
		places += !i || !finding_same_place(regions[i], regions[i - 1]);
	return places;
}

static bool same_finding(const struct run *run, const struct run_node *a, const struct run_node *b)
{
	const struct run_region *of_a = finding_region(run, a), *of_b = finding_region(run, b);

	return of_a && of_b && of_a != of_b &&
	       finding_array(run, a->region) == finding_array(run, b->region) &&
	       a->thread == b->thread && finding_same_place(of_a, of_b) &&
	       !text_order(a->property, b->property);
}

static double added(double sum, double more)
{
	return isfinite(more) ? fmin(1, sum + more) : sum;
}

static void group_add(struct finding_group *group, const struct run_node *node)
{
	bool known = finding_interval(node);

	group->nr++;
	group->severity = added(group->severity, node->severity);
	group->low = added(group->low, known ? node->severity_low : node->severity);
	group->high = added(group->high, known ? node->severity_high : node->severity);
}

static double at_most(double sum, double whole, double one)
{
	return isfinite(whole) ? fmin(sum, fmax(whole, one)) : sum;
}

/*
 * Places may overlap: two tasks of 18 and 6 ms, created at two places, keep another thread idle for
 * no more than both do in the whole phase, of which the property that they refine is.
 */
static void group_limit(struct finding_group *group, const struct run *run)
{
	const struct run_node *worst = group->worst, *whole = finding_whole(run, worst);
	bool known = finding_interval(worst);

	if (group->nr < 2 || !whole || !finding_interval(whole))
		return;
	group->severity = at_most(group->severity, whole->severity, worst->severity);
	group->low = at_most(group->low, whole->severity_low,
			     known ? worst->severity_low : worst->severity);
	group->high = at_most(group->high, whole->severity_high,
			      known ? worst->severity_high : worst->severity);
}

static double or_zero(double value)
{
	return isfinite(value) ? value : 0;
}

/* As report_rank does it for single findings. */
static int group_order(const void *a, const void *b)
{
	const struct finding_group *x = a, *y = b;
	double differences[] = {
		y->low - x->low,
		y->severity - x->severity,
		or_zero(y->worst->confidence) - or_zero(x->worst->confidence),
	};

	for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++)
		if (differences[i] < 0 || differences[i] > 0)
			return differences[i] < 0 ? -1 : 1;
	return x->worst->id < y->worst->id ? -1 : x->worst->id > y->worst->id;
}

size_t finding_groups(struct arena *arena, const struct run *run, const uint32_t *ids, size_t nr,
		      bool by_rate, struct finding_group **out)
{
	struct finding_group *groups = arena_alloc(arena, (nr + 1) * sizeof(*groups));
	size_t nr_groups = 0;

	*out = groups;
	for (size_t i = 0; groups && i < nr; i++) {
		const struct run_node *node = &run->nodes[ids[i]];
		size_t at = 0;

		while (at < nr_groups && !same_finding(run, groups[at].worst, node))
			at++;
		if (at == nr_groups)
			groups[nr_groups++].worst = node;
		group_add(&groups[at], node);
	}
	for (size_t i = 0; i < nr_groups; i++)
		group_limit(&groups[i], run);
	if (!by_rate)
		sort(groups, nr_groups, sizeof(*groups), group_order);
	return nr_groups;
}
