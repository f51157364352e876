/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates properties over a context: three-valued, with error bars, rungs and reasons; no malloc.
 */
#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/properties/asl.h"
#include "analysis/properties/evaluation.h"

#include <math.h>
#include <string.h>

/*
 * A number or a truth value (0 or 1), or why there is none. Reasons travel: what is
 * computed from a missing value is missing for the same reason.
 */
struct value {
	double number, error;
	enum ms_rung rung;
	enum ms_missing missing;
	int metric; /* that is missing; -1: none */
};

/*
 * Where a leaf is looked up: `thread` inside a reduction over threads, `member` over subregions.
 * `group`: only threads on one node are reduced over, 1 + its number; 0: all. The value of one
 * thread is not about its node, so that there it is 0.
 */
struct focus {
	uint32_t region, thread, member, group;
};

#define THREAD_NONE UINT32_MAX

enum list_of { LIST_REGIONS, LIST_OUTERMOST, LIST_THREADS, LIST_GROUPS };

/*
 * A list of regions, threads or groups that was asked for before: per (region, kinds, of what, of
 * whom).
 */
struct list {
	struct list *next;
	uint32_t region, kinds, group;
	enum list_of of;
	uint32_t *items;
	size_t nr, room;
};

#define LIST_BUCKETS 64 /* bits of a set */

/* The value of a formula about a region, or a thread in it; formulas and properties share formulas. */
struct known_formula {
	const struct formula *formula; /* NULL: none */
	uint64_t state;                /* struct property_workspace */
	uint32_t region, thread, group;
	double bias;
	struct value value;
};
#define KNOWN_FORMULAS_BITS 10 /* by a hash; a later one takes the place */

/* lists of a team of 256 threads with 256 regions; more comes from mmap */
#define SCRATCH_BYTES 8192

/* The large state of an evaluation, kept off the stack of the program's thread that evaluates. */
struct property_workspace {
	struct list *lists[LIST_BUCKETS]; /* of the buckets in the set only */
	uint64_t buckets;
	struct known_formula formulas[1 << KNOWN_FORMULAS_BITS];
	uint64_t evaluations;
	uint64_t state; /* of the context, or of the evaluation alone */
	size_t used;
	_Alignas(16) char scratch[SCRATCH_BYTES];
};

struct evaluation {
	const struct property_context *context;
	struct value bindings[MS_EVIDENCE_MAX];
	double bias; /* of the condition while it is evaluated, else 0 */
	struct property_workspace *work;
	struct arena *overflow; /* made when `scratch` is full */
	bool failed;
};

static struct value evaluate(struct evaluation *e, const struct expr *expr, struct focus focus);
static struct value known_or_evaluated(struct evaluation *e, const struct formula *formula,
				       struct focus focus);

static struct value known(double number)
{
	struct value value = { number, 0, MS_RUNG_NONE, MS_PRESENT, -1 };

	return value;
}

static struct value unknown(enum ms_missing why, int metric)
{
	struct value value = { 0, 0, MS_RUNG_NONE, why, metric };

	return value;
}

static bool is_missing(const struct value *value)
{
	return value->missing != MS_PRESENT;
}

static struct value from_reading(struct ms_reading reading, int metric)
{
	struct value value = { reading.value, reading.error, reading.rung, reading.missing, -1 };

	if (is_missing(&value))
		return unknown(reading.missing, metric);
	return isfinite(reading.value) ? value : unknown(MS_MISSING_BROKEN, metric);
}

/*
 * The rung of a value computed from both. A value that depends on the model is simulated, even if
 * it also depends on clock readings of this machine.
 */
static enum ms_rung weakest(enum ms_rung a, enum ms_rung b)
{
	if (a == MS_RUNG_SIMULATED || b == MS_RUNG_SIMULATED)
		return MS_RUNG_SIMULATED;
	return a > b ? a : b;
}

static void *scratch_take(struct evaluation *e, size_t bytes)
{
	void *block;

	bytes = (bytes + 15) & ~(size_t)15;
	if (SCRATCH_BYTES - e->work->used >= bytes) {
		e->work->used += bytes;
		return e->work->scratch + e->work->used - bytes;
	}
	if (!e->overflow)
		e->overflow = arena_new();
	block = e->overflow ? arena_alloc(e->overflow, bytes) : NULL;
	e->failed |= !block;
	return block;
}

static bool list_grow(struct evaluation *e, struct list *list, size_t room)
{
	uint32_t *items;

	if (room <= list->room)
		return true;
	room = room < 2 * list->room ? 2 * list->room : room;
	items = scratch_take(e, room * sizeof(*items));
	if (!items)
		return false;
	if (list->nr)
		memcpy(items, list->items, list->nr * sizeof(*items));
	list->items = items;
	list->room = room;
	return true;
}

/* The list of that key; `*new_out`: to be filled. NULL: no memory. */
static struct list *list_of_group(struct evaluation *e, uint32_t region, uint32_t kinds,
				  enum list_of of, uint32_t group, bool *new_out)
{
	struct list **bucket = &e->work->lists[region % LIST_BUCKETS], *list;
	uint64_t bit = 1ull << region % LIST_BUCKETS;

	*new_out = false;
	if (!(e->work->buckets & bit))
		*bucket = NULL;
	e->work->buckets |= bit;
	for (list = *bucket; list; list = list->next) {
		if (list->region == region && list->kinds == kinds && list->of == of &&
		    list->group == group)
			return list;
	}
	list = scratch_take(e, sizeof(*list));
	if (!list)
		return NULL;
	*list = (struct list){
		.next = *bucket, .region = region, .kinds = kinds, .of = of, .group = group
	};
	*bucket = list;
	*new_out = true;
	return list;
}

static struct list *list_get(struct evaluation *e, uint32_t region, uint32_t kinds, enum list_of of,
			     bool *new_out)
{
	return list_of_group(e, region, kinds, of, 0, new_out);
}

/* Appends what the context's function lists of `region`. */
static void list_append(struct evaluation *e, struct list *list, uint32_t region,
			size_t (*get)(void *data, uint32_t region, uint32_t *out, size_t room))
{
	size_t free = list->room - list->nr;
	size_t nr = get(e->context->data, region, free ? list->items + list->nr : NULL, free);

	if (nr > free) {
		if (!list_grow(e, list, list->nr + nr))
			return;
		free = list->room - list->nr;
		nr = get(e->context->data, region, list->items + list->nr, free);
	}
	list->nr += nr < free ? nr : free;
}

/* All regions below `region`, outermost first. */
static const struct list *below(struct evaluation *e, uint32_t region)
{
	bool new;
	struct list *list = list_get(e, region, KINDS_ALL, LIST_REGIONS, &new);

	if (!list || !new)
		return list;
	list_append(e, list, region, e->context->children);
	for (size_t i = 0; i < list->nr && list->nr < MS_REGION_MAX; i++)
		list_append(e, list, list->items[i], e->context->children);
	return list;
}

static bool kind_in(struct evaluation *e, uint32_t region, uint32_t kinds)
{
	return (uint32_t)e->context->kind(e->context->data, region) < 32 &&
	       (kinds >> e->context->kind(e->context->data, region) & 1);
}

/* Is there a region of these kinds between `region` and its ancestor `top`? */
static bool nested_in_kind(struct evaluation *e, uint32_t region, uint32_t top, uint32_t kinds)
{
	for (int depth = 0; depth < 64; depth++) {
		region = e->context->parent(e->context->data, region);
		if (region == top || region == MS_REGION_NONE)
			return false;
		if (kind_in(e, region, kinds))
			return true;
	}
	return false;
}

/*
 * Subregions of a kind: all of them, or the outermost ones, because the time of a nested one is
 * part of the outer one's. SUBREGIONS: every construct below, whose values have those of their
 * parts in them, and those of the locks. Data structures: without those below natural loops, called
 * functions and calls, as all of what a construct does to one stands below the construct.
 */
#define DATA_ONLY (1u << MS_DATA_STRUCTURE)
#define CODE_PARTS (1u << MS_LOOP_REGION | 1u << MS_SUB_REGION | 1u << MS_CALL_REGION)
#define ALL_CONSTRUCTS (KINDS_ALL & ~(CODE_PARTS | DATA_ONLY | 1u << MS_MUTEX))

static const struct list *members_of(struct evaluation *e, uint32_t region, uint32_t kinds,
				     enum list_of of)
{
	const struct list *all = below(e, region);
	struct list *list;
	bool new;

	if (!all)
		return all;
	kinds = kinds == KINDS_ALL ? ALL_CONSTRUCTS : kinds;
	list = list_get(e, region, kinds, of, &new);
	for (size_t i = 0; list && new && i < all->nr; i++) {
		if (!kind_in(e, all->items[i], kinds))
			continue;
		if (of == LIST_OUTERMOST && nested_in_kind(e, all->items[i], region, kinds))
			continue;
		if (kinds == DATA_ONLY && nested_in_kind(e, all->items[i], region, CODE_PARTS))
			continue;
		if (!list_grow(e, list, list->nr + 1))
			break;
		list->items[list->nr++] = all->items[i];
	}
	return list;
}

static const struct list *members(struct evaluation *e, uint32_t region, uint32_t kinds)
{
	return members_of(e, region, kinds, LIST_REGIONS);
}

/*
 * Does the value of one thread in a region contain those of the regions below? Waits and counts of
 * events do not; accesses, of loops and functions.
 */
static bool is_inclusive(const struct expr *expr)
{
	return (expr->kinds && !(expr->kinds & ~CODE_PARTS)) || expr->op == EXPR_FORMULA ||
	       expr->index == MS_METRIC_TIME || expr->index == MS_METRIC_WALL_TIME ||
	       ms_metric_info(expr->index)->sensor == MS_SENSOR_RUSAGE ||
	       ms_metric_info(expr->index)->sensor == MS_SENSOR_COUNTERS;
}

/* Sorts and removes doubles. Heap sort: bounded stack, no libc (qsort may call malloc). */
static void sift(uint32_t *items, size_t at, size_t nr)
{
	for (;;) {
		size_t child = 2 * at + 1;
		uint32_t swapped = items[at];

		if (child + 1 < nr && items[child + 1] > items[child])
			child++;
		if (child >= nr || items[child] <= swapped)
			return;
		items[at] = items[child];
		items[child] = swapped;
		at = child;
	}
}

static void sort_unique(struct list *list)
{
	size_t kept = 0, ascending = 1;

	while (ascending < list->nr && list->items[ascending - 1] < list->items[ascending])
		ascending++;
	if (ascending >= list->nr)
		return;
	for (size_t i = list->nr / 2; i-- > 0;)
		sift(list->items, i, list->nr);
	for (size_t nr = list->nr; nr > 1; nr--) {
		uint32_t largest = list->items[0];

		list->items[0] = list->items[nr - 1];
		list->items[nr - 1] = largest;
		sift(list->items, 0, nr - 1);
	}
	for (size_t i = 0; i < list->nr; i++) {
		if (!kept || list->items[kept - 1] != list->items[i])
			list->items[kept++] = list->items[i];
	}
	list->nr = kept;
}

/*
 * Joins what came behind the first `head` items, which are sorted: mostly the same threads again.
 */
static void join_tail(struct list *list, size_t head)
{
	size_t at = 0;

	for (size_t i = head; i < list->nr; i++) {
		while (at < head && list->items[at] < list->items[i])
			at++;
		if (at == head || list->items[at] != list->items[i]) {
			sort_unique(list);
			return;
		}
	}
	list->nr = head;
}

/* Threads of the region, and of those subregions of it that play a part. */
static const struct list *team(struct evaluation *e, uint32_t region, uint32_t kinds)
{
	bool new;
	struct list *list = list_get(e, region, kinds, LIST_THREADS, &new);
	const struct list *subregions;

	if (!list || !new)
		return list;
	list_append(e, list, region, e->context->threads);
	sort_unique(list);
	subregions = kinds ? members(e, region, kinds) : NULL;
	for (size_t i = 0; subregions && i < subregions->nr; i++) {
		size_t head = list->nr;

		list_append(e, list, subregions->items[i], e->context->threads);
		join_tail(list, head);
	}
	return list;
}

/* The nearest that is no part of another, itself included. */
static uint32_t construct_of(struct evaluation *e, uint32_t region)
{
	while (region != MS_REGION_NONE &&
	       ms_region_kind_is_part(e->context->kind(e->context->data, region)))
		region = e->context->parent(e->context->data, region);
	return region;
}

static uint32_t scoped(struct evaluation *e, enum expr_scope scope, uint32_t region)
{
	switch (scope) {
	case SCOPE_PHASE: return MS_REGION_USER;
	case SCOPE_PARENT: return e->context->parent(e->context->data, region);
	case SCOPE_CONSTRUCT: return construct_of(e, region);
	default: return region;
	}
}

static struct value reading(struct evaluation *e, uint32_t region, uint32_t thread, uint32_t metric)
{
	if (region == MS_REGION_NONE)
		return unknown(MS_MISSING_NOT_EXECUTED, (int)metric);
	return from_reading(e->context->reading(e->context->data, region, thread, metric),
			    (int)metric);
}

/* The node a thread runs on; one that was never seen anywhere is a gap, too. */
static struct value node_of(struct evaluation *e, uint32_t thread)
{
	struct value node = reading(e, MS_REGION_USER, thread, MS_METRIC_NODE);

	if (!is_missing(&node) && !(node.number >= 0 && node.number < UINT32_MAX - 1))
		return unknown(MS_MISSING_BROKEN, MS_METRIC_NODE);
	return node.missing == MS_MISSING_NOT_EXECUTED
		       ? unknown(MS_MISSING_UNCOVERED, MS_METRIC_NODE)
		       : node;
}

static uint32_t group_of(const struct value *node)
{
	return (uint32_t)node->number + 1;
}

/* Of the threads of team() those of one group; one whose node is not known is in none. */
static const struct list *team_of(struct evaluation *e, uint32_t region, uint32_t kinds,
				  uint32_t group)
{
	const struct list *all = team(e, region, kinds);
	struct list *list;
	bool new;

	if (!group || !all)
		return all;
	list = list_of_group(e, region, kinds, LIST_THREADS, group, &new);
	for (size_t i = 0; list && new && i < all->nr; i++) {
		struct value node = node_of(e, all->items[i]);

		if (is_missing(&node) || group_of(&node) != group)
			continue;
		if (!list_grow(e, list, list->nr + 1))
			break;
		list->items[list->nr++] = all->items[i];
	}
	return list;
}

/* The groups of a team, ascending; `missing_out`: why one of its threads is in none. */
static const struct list *groups_of(struct evaluation *e, uint32_t region, uint32_t kinds,
				    struct value *missing_out)
{
	const struct list *threads = team(e, region, kinds);
	bool new;
	struct list *list = list_get(e, region, kinds, LIST_GROUPS, &new);

	*missing_out = known(0);
	for (size_t i = 0; threads && list && i < threads->nr && !is_missing(missing_out); i++) {
		struct value node = node_of(e, threads->items[i]);

		if (is_missing(&node))
			*missing_out = node;
		else if (new && list_grow(e, list, list->nr + 1))
			list->items[list->nr++] = group_of(&node);
	}
	if (list && new)
		sort_unique(list);
	return list;
}

/*
 * A region that was not executed contributes nothing to a sum; any other gap makes the sum unknown.
 */
static bool add_up(struct value *sum, const struct value *more)
{
	if (more->missing == MS_MISSING_NOT_EXECUTED)
		return true;
	if (is_missing(more)) {
		*sum = *more;
		return false;
	}
	sum->number += more->number;
	sum->error = hypot(sum->error, more->error);
	sum->rung = weakest(sum->rung, more->rung);
	return true;
}

/* A metric or formula of one thread, summed over subregions. */
static struct value over_members(struct evaluation *e, const struct expr *expr, struct focus focus)
{
	const struct list *list = members_of(e, focus.region, expr->kinds,
					     is_inclusive(expr) ? LIST_OUTERMOST : LIST_REGIONS);
	struct value sum = known(0);

	if (expr->op == EXPR_METRIC)
		sum.rung = ms_metric_info(expr->index)->rung;
	for (size_t i = 0; list && i < list->nr; i++) {
		struct focus inner = { list->items[i], focus.thread, MS_REGION_NONE, focus.group };
		struct value more = expr->op == EXPR_METRIC
					    ? reading(e, inner.region, inner.thread, expr->index)
					    : known_or_evaluated(e, expr->formula, inner);

		if (!add_up(&sum, &more))
			break;
	}
	return sum;
}

static struct value evaluate_metric(struct evaluation *e, const struct expr *expr,
				    struct focus focus)
{
	if (expr->kinds)
		return over_members(e, expr, focus);
	return reading(e, scoped(e, expr->scope, focus.region), focus.thread, expr->index);
}

static struct value known_or_evaluated(struct evaluation *e, const struct formula *formula,
				       struct focus focus)
{
	uint64_t of = ((uint64_t)focus.thread << 32 | focus.region) + e->work->state;
	struct known_formula *place = &e->work->formulas[hash_place(
		hash_word(of) + (uintptr_t)formula, KNOWN_FORMULAS_BITS)];
	struct value value;

	if (place->formula == formula && place->state == e->work->state &&
	    place->region == focus.region && place->thread == focus.thread &&
	    place->group == focus.group && place->bias == e->bias)
		return place->value;
	value = evaluate(e, formula->body, focus);
	if (!e->failed)
		*place = (struct known_formula){ .formula = formula,
						 .state = e->work->state,
						 .region = focus.region,
						 .thread = focus.thread,
						 .group = focus.group,
						 .bias = e->bias,
						 .value = value };
	return value;
}

static struct value evaluate_formula(struct evaluation *e, const struct expr *expr,
				     struct focus focus)
{
	struct focus inner = { scoped(e, expr->scope, focus.region), focus.thread, MS_REGION_NONE,
			       focus.group };

	if (expr->scope != SCOPE_REGION)
		inner.group = 0;
	if (expr->type.spread == SPREAD_REGIONS)
		inner.region = focus.member;
	else if (expr->kinds)
		return over_members(e, expr, focus);
	if (inner.region == MS_REGION_NONE)
		return unknown(MS_MISSING_NOT_EXECUTED, -1);
	return known_or_evaluated(e, expr->formula, inner);
}

static const struct {
	const char *name, *unit;
	enum ms_missing why;
} constants[] = {
#define X(name, unit, why) { name, unit, why },
	ASL_CONSTANTS(X)
#undef X
};

bool property_is_unasked(const struct property *property, const struct property_context *context)
{
	for (uint32_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (property->constants >> i & 1 && ms_missing_unasked(constants[i].why) &&
		    context->constant(context->data, constants[i].name).missing != MS_PRESENT)
			return true;
	return false;
}

static struct value evaluate_constant(struct evaluation *e, const struct expr *expr)
{
	struct value value = from_reading(
		e->context->constant(e->context->data, constants[expr->index].name), -1);
	struct unit unit;
	double scale = 1;

	if (is_missing(&value))
		return unknown(constants[expr->index].why, -1);
	unit_find(constants[expr->index].unit, &unit, &scale);
	value.number *= scale;
	value.error *= scale;
	if (value.rung != MS_RUNG_SIMULATED)
		/*
		 * a constant does not weaken what is measured, but it may be of the modelled
		 * machine
		 */
		value.rung = MS_RUNG_NONE;
	return value;
}

/* Overflow is no number. */
static struct value checked(struct value value)
{
	return is_missing(&value) || isfinite(value.number) ? value
							    : unknown(MS_MISSING_BROKEN, -1);
}

static struct value divide(struct value a, const struct value *b)
{
	if (b->number == 0)
		return unknown(MS_MISSING_TOO_FEW, -1);
	a.error = hypot(a.error / b->number, a.number * b->error / (b->number * b->number));
	a.number /= b->number;
	return a;
}

static struct value arithmetic(enum expr_op op, struct value a, const struct value *b)
{
	a.rung = weakest(a.rung, b->rung);
	switch (op) {
	case EXPR_ADD:
	case EXPR_SUBTRACT:
		a.number += op == EXPR_ADD ? b->number : -b->number;
		a.error = hypot(a.error, b->error);
		return checked(a);
	case EXPR_MULTIPLY:
		a.error = hypot(a.error * b->number, a.number * b->error);
		a.number *= b->number;
		return checked(a);
	default: return checked(divide(a, b));
	}
}

static bool compare(enum expr_op op, double a, double b, double bias)
{
	double shift = bias * fabs(b);

	switch (op) {
	case EXPR_LESS: return a < b - shift;
	case EXPR_LESS_EQUAL: return a <= b - shift;
	case EXPR_GREATER: return a > b + shift;
	case EXPR_GREATER_EQUAL: return a >= b + shift;
	case EXPR_EQUAL: return a == b;
	default: return a != b;
	}
}

static struct value evaluate_binary(struct evaluation *e, const struct expr *expr,
				    struct focus focus)
{
	struct value a = evaluate(e, expr->args[0], focus), b, truth;

	if (is_missing(&a))
		return a;
	b = evaluate(e, expr->args[1], focus);
	if (is_missing(&b))
		return b;
	if (!expr->type.truth)
		return arithmetic(expr->op, a, &b);
	truth = known(compare(expr->op, a.number, b.number, e->bias));
	truth.rung = weakest(a.rung, b.rung);
	return truth;
}

/* Kleene: one false decides AND, one true decides OR, whatever the other is. */
static struct value evaluate_logic(struct evaluation *e, const struct expr *expr,
				   struct focus focus)
{
	double decisive = expr->op == EXPR_OR;
	struct value a = evaluate(e, expr->args[0], focus), b;

	if (!is_missing(&a) && a.number == decisive)
		return a;
	b = evaluate(e, expr->args[1], focus);
	if (!is_missing(&b) && b.number == decisive)
		return b;
	if (is_missing(&a))
		return a;
	b.rung = weakest(a.rung, b.rung);
	return b;
}

static struct value evaluate_not(struct evaluation *e, const struct expr *expr, struct focus focus)
{
	struct value a;

	e->bias = -e->bias;
	a = evaluate(e, expr->args[0], focus);
	e->bias = -e->bias;
	if (!is_missing(&a))
		a.number = !a.number;
	return a;
}

static struct value evaluate_unary(struct evaluation *e, const struct expr *expr,
				   struct focus focus)
{
	struct value a = evaluate(e, expr->args[0], focus);

	if (is_missing(&a))
		return a;
	if (expr->op == EXPR_NEGATE)
		a.number = -a.number;
	else if (expr->op == EXPR_ABS)
		a.number = fabs(a.number);
	else if (a.number < 0)
		return unknown(MS_MISSING_BROKEN, -1);
	else if (a.number > 0) {
		a.number = sqrt(a.number);
		a.error /= 2 * a.number;
	}
	return a;
}

/* max(a, b …) and min(a, b …) */
static struct value evaluate_choice(struct evaluation *e, const struct expr *expr,
				    struct focus focus)
{
	struct value best = evaluate(e, expr->args[0], focus);

	for (size_t i = 1; i < expr->nr_args && !is_missing(&best); i++) {
		struct value next = evaluate(e, expr->args[i], focus);
		enum ms_rung rung = weakest(best.rung, next.rung);

		if (is_missing(&next))
			return next;
		if (expr->op == EXPR_MAX ? next.number > best.number : next.number < best.number)
			best = next;
		best.rung = rung;
	}
	return best;
}

/* The first argument that is known. One that did not happen is no gap to be filled. */
static struct value evaluate_either(struct evaluation *e, const struct expr *expr,
				    struct focus focus)
{
	struct value first = evaluate(e, expr->args[0], focus);

	for (size_t i = 1;
	     i < expr->nr_args && is_missing(&first) && first.missing != MS_MISSING_NOT_EXECUTED;
	     i++) {
		struct value other = evaluate(e, expr->args[i], focus);

		if (!is_missing(&other))
			return other;
	}
	return first;
}

static struct value evaluate_optional(struct evaluation *e, const struct expr *expr,
				      struct focus focus)
{
	struct value first = evaluate(e, expr->args[0], focus);

	return is_missing(&first) && expr->nr_args > 1 ? evaluate(e, expr->args[1], focus) : first;
}

/* What one pass over threads or subregions yields. */
struct gathered {
	size_t nr, nr_true;
	struct value sum, max, min;
	struct value missing; /* the first that is, if any */
};

static void gather(struct gathered *g, const struct value *value)
{
	if (is_missing(value)) {
		if (!is_missing(&g->missing) || (g->missing.missing == MS_MISSING_NOT_EXECUTED &&
						 value->missing != MS_MISSING_NOT_EXECUTED))
			g->missing = *value;
		return;
	}
	if (!g->nr || value->number > g->max.number)
		g->max = *value;
	if (!g->nr || value->number < g->min.number)
		g->min = *value;
	g->nr++;
	g->nr_true += value->number != 0;
	add_up(&g->sum, value);
}

/* (max - mean) / mean: 0 balanced, n-1 when one thread has it all. All equal, all 0 included: 0. */
static struct value imbalance(const struct gathered *g)
{
	struct value value = g->sum;
	double mean = g->sum.number / (double)g->nr, mean_error = g->sum.error / (double)g->nr;

	value.number = value.error = 0;
	if (g->max.number == g->min.number)
		return value;
	if (mean <= 0)
		return unknown(MS_MISSING_TOO_FEW, -1);
	value.number = (g->max.number - mean) / mean;
	value.error = hypot(g->max.error / mean, g->max.number * mean_error / (mean * mean));
	return value;
}

static struct value reduce(const struct expr *expr, const struct gathered *g)
{
	struct value value = g->sum;

	switch (expr->op) {
	case EXPR_SUM: return checked(value);
	case EXPR_MEAN:
		value.number /= (double)g->nr;
		value.error /= (double)g->nr;
		return checked(value);
	case EXPR_COUNT:
		value.number = (double)(expr->args[0]->type.truth ? g->nr_true : g->nr);
		value.error = 0;
		return value;
	case EXPR_IMBALANCE: return checked(imbalance(g));
	default:
		value.number = expr->op == EXPR_MAX ? g->max.number : g->min.number;
		value.error = expr->op == EXPR_MAX ? g->max.error : g->min.error;
		return value;
	}
}

static bool executed(struct evaluation *e, uint32_t region)
{
	struct value value = from_reading(e->context->executions(e->context->data, region), -1);

	return !is_missing(&value) && value.number > 0;
}

/*
 * No thread has a value. If all that is wrong is that nothing of the kind happened
 * in a region that did run, sum and count are 0; else the reason stands.
 */
static struct value reduce_nothing(struct evaluation *e, const struct expr *expr, uint32_t region,
				   const struct gathered *g)
{
	struct value nothing = known(0);

	if (!is_missing(&g->missing))
		return unknown(MS_MISSING_NOT_EXECUTED, -1);
	if (g->missing.missing != MS_MISSING_NOT_EXECUTED ||
	    (expr->op != EXPR_SUM && expr->op != EXPR_COUNT) || !executed(e, region))
		return g->missing;
	nothing.rung = g->missing.metric >= 0
			       ? ms_metric_info((unsigned int)g->missing.metric)->rung
			       : MS_RUNG_NONE;
	return nothing;
}

/* A reason that no other value removes: further values do not matter. */
static bool is_hopeless(const struct gathered *g, const struct expr *arg)
{
	return is_missing(&g->missing) && g->missing.missing != MS_MISSING_NOT_EXECUTED &&
	       !expr_is_wall_time(arg);
}

/* A metric of the region's own threads, which the context has added up. False: one by one, then. */
static bool gather_totals(struct evaluation *e, const struct expr *arg, uint32_t region,
			  struct gathered *g)
{
	const struct property_totals *totals = NULL;

	if (arg->op == EXPR_METRIC && !arg->kinds && e->context->totals)
		totals = e->context->totals(e->context->data, region, arg->index);
	if (!totals || !totals->threads)
		return false;
	g->nr = totals->nr;
	g->nr_true = totals->nr_nonzero;
	g->sum = (struct value){ totals->sum, totals->sum_error, totals->rung, MS_PRESENT, -1 };
	g->max = (struct value){ totals->max.value, totals->max.error, totals->rung, MS_PRESENT,
				 -1 };
	g->min = (struct value){ totals->min.value, totals->min.error, totals->rung, MS_PRESENT,
				 -1 };
	if (totals->missing != MS_PRESENT)
		g->missing = unknown(totals->missing, (int)arg->index);
	return true;
}

static void gather_threads(struct evaluation *e, const struct expr *arg, struct focus focus,
			   uint32_t region, struct gathered *g)
{
	uint32_t group = arg->type.scope == SCOPE_REGION && !expr_is_wall_time(arg) ? focus.group
										    : 0;
	const struct list *threads;

	if (!group && gather_totals(e, arg, region, g))
		return;
	threads = team_of(e, region, arg->type.kinds, group);
	for (size_t i = 0; threads && i < threads->nr && !is_hopeless(g, arg); i++) {
		struct focus inner = { focus.region, threads->items[i], MS_REGION_NONE, 0 };
		struct value value = evaluate(e, arg, inner);

		gather(g, &value);
	}
	if (threads && !threads->nr && !group) { /* no thread: thread 0 has the reason */
		struct focus inner = { focus.region, 0, MS_REGION_NONE, 0 };
		struct value value = evaluate(e, arg, inner);

		gather(g, &value);
	}
}

static void gather_members(struct evaluation *e, const struct expr *arg, struct focus focus,
			   struct gathered *g)
{
	const struct list *list = members(e, focus.region, arg->type.kinds);

	for (size_t i = 0; list && i < list->nr && !is_hopeless(g, arg); i++) {
		struct focus inner = { focus.region, THREAD_NONE, list->items[i], focus.group };
		struct value value = evaluate(e, arg, inner);

		gather(g, &value);
	}
}

static void gather_nodes(struct evaluation *e, const struct expr *arg, struct focus focus,
			 struct gathered *g)
{
	struct value missing;
	const struct list *groups = groups_of(e, focus.region, arg->kinds, &missing);

	if (is_missing(&missing))
		return gather(g, &missing);
	for (size_t i = 0; groups && i < groups->nr && !is_hopeless(g, arg); i++) {
		struct focus inner = { focus.region, THREAD_NONE, MS_REGION_NONE,
				       groups->items[i] };
		struct value value = evaluate(e, arg->args[0], inner);

		gather(g, &value);
	}
}

/*
 * The sum of a metric over threads and subregions: region by region, as each one's sum is known
 * already. False: it is not, or a reason that may hold for some threads only.
 */
static bool sum_of_totals(struct evaluation *e, const struct expr *arg, uint32_t region,
			  struct value *sum_out)
{
	const struct list *list;
	struct value sum = known(0);

	if (arg->op != EXPR_METRIC || !arg->kinds || !e->context->totals)
		return false;
	list = members_of(e, region, arg->kinds, is_inclusive(arg) ? LIST_OUTERMOST : LIST_REGIONS);
	sum.rung = ms_metric_info(arg->index)->rung;
	for (size_t i = 0; list && i < list->nr; i++) {
		const struct property_totals *totals = e->context->totals(
			e->context->data, list->items[i], arg->index);

		if (totals->missing != MS_PRESENT && totals->missing != MS_MISSING_NOT_EXECUTED)
			return false;
		sum.number += totals->sum;
		sum.error = hypot(sum.error, totals->sum_error);
		sum.rung = weakest(sum.rung, totals->rung);
	}
	*sum_out = checked(sum);
	return true;
}

static struct value evaluate_reduction(struct evaluation *e, const struct expr *expr,
				       struct focus focus)
{
	const struct expr *arg = expr->args[0];
	uint32_t region = scoped(e, arg->type.scope, focus.region);
	struct gathered g = {
		.sum = known(0), .max = known(0), .min = known(0), .missing = known(0)
	};

	if (region == MS_REGION_NONE)
		return unknown(MS_MISSING_NOT_EXECUTED, -1);
	if (expr->op == EXPR_SUM && arg->type.spread == SPREAD_THREADS && !focus.group &&
	    sum_of_totals(e, arg, region, &g.sum))
		return g.sum;
	if (arg->type.spread == SPREAD_THREADS)
		gather_threads(e, arg, focus, region, &g);
	else if (arg->type.spread == SPREAD_NODES)
		gather_nodes(e, arg, focus, &g);
	else
		gather_members(e, arg, focus, &g);
	if (is_missing(&g.missing) && g.missing.missing != MS_MISSING_NOT_EXECUTED &&
	    !(g.nr && expr_is_wall_time(arg)))
		return g.missing;
	if (g.nr)
		return reduce(expr, &g);
	/* no subregion of the kind, or none that was executed */
	if (arg->type.spread == SPREAD_REGIONS)
		return expr->op == EXPR_SUM || expr->op == EXPR_COUNT
			       ? known(0)
			       : unknown(MS_MISSING_NOT_EXECUTED, -1);
	return reduce_nothing(e, expr, region, &g);
}

static struct value executions(struct evaluation *e, const struct expr *at, uint32_t region)
{
	const struct list *list;
	struct value sum = known(0);

	if (!at->kinds)
		return from_reading(e->context->executions(e->context->data, region), -1);
	list = members(e, region, at->kinds);
	for (size_t i = 0; list && i < list->nr; i++) {
		struct value more = from_reading(
			e->context->executions(e->context->data, list->items[i]), -1);

		if (!add_up(&sum, &more))
			break;
	}
	return sum;
}

static struct value evaluate_region(struct evaluation *e, const struct expr *expr,
				    struct focus focus)
{
	const struct expr *at = expr->args[0];
	uint32_t region = scoped(e, at->scope, focus.region);
	const struct list *list;
	struct value value;

	if (region == MS_REGION_NONE)
		return unknown(MS_MISSING_NOT_EXECUTED, -1);
	if (expr->op == EXPR_EXECUTIONS) {
		value = executions(e, at, region);
		value.rung = MS_RUNG_COUNTED;
		return value;
	}
	list = expr->op == EXPR_THREADS
		       ? team_of(e, region, at->kinds, at->scope == SCOPE_REGION ? focus.group : 0)
		       : members(e, region, at->kinds ? at->kinds : KINDS_ALL);
	value = known(list ? (double)list->nr : 0);
	return expr->op == EXPR_THREADS && value.number == 0 ? unknown(MS_MISSING_NOT_EXECUTED, -1)
							     : value;
}

static struct value evaluate(struct evaluation *e, const struct expr *expr, struct focus focus)
{
	switch (expr->op) {
	case EXPR_NUMBER: return known(expr->number);
	case EXPR_BINDING: return e->bindings[expr->index];
	case EXPR_CONSTANT: return evaluate_constant(e, expr);
	case EXPR_METRIC: return evaluate_metric(e, expr, focus);
	case EXPR_FORMULA: return evaluate_formula(e, expr, focus);
	case EXPR_EXECUTIONS:
	case EXPR_THREADS:
	case EXPR_REGIONS: return evaluate_region(e, expr, focus);
	case EXPR_NEGATE:
	case EXPR_ABS:
	case EXPR_SQRT: return evaluate_unary(e, expr, focus);
	case EXPR_AND:
	case EXPR_OR: return evaluate_logic(e, expr, focus);
	case EXPR_NOT: return evaluate_not(e, expr, focus);
	case EXPR_EITHER: return evaluate_either(e, expr, focus);
	case EXPR_OPTIONAL: return evaluate_optional(e, expr, focus);
	case EXPR_MAX:
	case EXPR_MIN:
		return expr->nr_args > 1 ? evaluate_choice(e, expr, focus)
					 : evaluate_reduction(e, expr, focus);
	case EXPR_SUM:
	case EXPR_MEAN:
	case EXPR_COUNT:
	case EXPR_IMBALANCE: return evaluate_reduction(e, expr, focus);
	default: return evaluate_binary(e, expr, focus);
	}
}

struct property_workspace *property_workspace_new(struct arena *arena)
{
	return arena_alloc(arena, sizeof(struct property_workspace));
}

#define SINGLE_EVALUATION (1ull << 63) /* a state of no context */

/* False: no memory. */
static bool begin(struct evaluation *e, const struct property_context *context)
{
	e->context = context;
	e->bias = 0;
	e->overflow = context->workspace ? NULL : arena_new();
	e->work = context->workspace ? context->workspace
		  : e->overflow      ? property_workspace_new(e->overflow)
				     : NULL;
	e->failed = !e->work;
	if (e->failed) {
		arena_free(e->overflow);
		return false;
	}
	e->work->buckets = 0;
	e->work->state = context->state ? context->state
					: SINGLE_EVALUATION | ++e->work->evaluations;
	e->work->used = 0;
	return true;
}

static void bind_all(struct evaluation *e, const struct property *property, struct focus focus)
{
	for (size_t i = 0; i < property->nr_bindings; i++)
		e->bindings[i] = evaluate(e, property->bindings[i].value, focus);
}

/*
 * "3 of 4 threads": as a number it was neither timed nor sampled, whatever decided who counts. The
 * verdict keeps that rung.
 */
static enum ms_rung shown_rung(const struct expr *expr, const struct value *value)
{
	return expr->op == EXPR_COUNT ? MS_RUNG_NONE : value->rung;
}

static void fill_evidence(const struct evaluation *e, const struct property *property,
			  struct ms_verdict *verdict)
{
	verdict->nr_evidence = property->nr_bindings;
	for (size_t i = 0; i < property->nr_bindings; i++) {
		const struct value *value = &e->bindings[i];
		struct ms_evidence *evidence = &verdict->evidence[i];

		evidence->name = property->bindings[i].name.text;
		evidence->unit = property->bindings[i].unit;
		evidence->reading = (struct ms_reading){
			value->number,
			value->error,
			shown_rung(property->bindings[i].value, value),
			value->missing,
		};
	}
}

static double clamp(double number)
{
	return number > 1 ? 1 : number > 0 ? number : 0;
}

static void mark_unknown(struct ms_verdict *verdict, const struct value *why)
{
	verdict->truth = MS_UNKNOWN;
	verdict->missing = why->missing;
	verdict->missing_metric = why->metric;
}

/* A finding whose size is unknown cannot be ranked: it counts as unknown, for the same reason. */
static bool severity_known(struct ms_verdict *verdict, const struct value *severity)
{
	if (is_missing(severity) && verdict->truth == MS_TRUE)
		mark_unknown(verdict, severity);
	return !is_missing(severity);
}

static void fill_severity(struct ms_verdict *verdict, const struct value *severity)
{
	if (!severity_known(verdict, severity))
		return;
	verdict->severity = clamp(severity->number);
	verdict->severity_low = clamp(severity->number - severity->error);
	verdict->severity_high = clamp(severity->number + severity->error);
	verdict->interval_known = severity->error > 0;
	verdict->rung = weakest(verdict->rung, severity->rung);
}

/* SEVERITY: low TO high. The severity is the lower end, by which findings are ranked. */
static void fill_severity_high(struct ms_verdict *verdict, const struct value *high)
{
	if (!severity_known(verdict, high))
		return;
	verdict->severity_high = fmax(verdict->severity_high, clamp(high->number + high->error));
	verdict->interval_known = verdict->severity_of_model = 1;
	verdict->rung = weakest(verdict->rung, high->rung);
}

/* Confidence if its expression is unknown. */
#define CONFIDENCE_UNKNOWN 0.5

static void fill_verdict(struct evaluation *e, const struct property *property, struct focus focus,
			 struct ms_verdict *verdict)
{
	struct value condition, severity, confidence;

	e->bias = e->context->bias;
	condition = evaluate(e, property->condition, focus);
	e->bias = 0;
	severity = evaluate(e, property->severity, focus);
	verdict->missing_metric = -1;
	verdict->rung = condition.rung;
	if (is_missing(&condition))
		mark_unknown(verdict, &condition);
	else
		verdict->truth = condition.number ? MS_TRUE : MS_FALSE;
	fill_severity(verdict, &severity);
	if (property->severity_high) {
		severity = evaluate(e, property->severity_high, focus);
		fill_severity_high(verdict, &severity);
	}
	if (verdict->truth == MS_UNKNOWN)
		return;
	confidence = evaluate(e, property->confidence, focus);
	verdict->confidence = is_missing(&confidence) ? CONFIDENCE_UNKNOWN
						      : clamp(confidence.number);
}

enum ms_status property_evaluate(const struct property *property,
				 const struct property_context *context,
				 struct ms_verdict *verdict_out)
{
	struct focus focus = { context->region, THREAD_NONE, MS_REGION_NONE, 0 };
	struct evaluation e;

	memset(verdict_out, 0, sizeof(*verdict_out));
	if (!begin(&e, context))
		return MS_ERR_MEMORY;
	bind_all(&e, property, focus);
	fill_evidence(&e, property, verdict_out);
	fill_verdict(&e, property, focus, verdict_out);
	arena_free(e.overflow);
	return e.failed ? MS_ERR_MEMORY : MS_OK;
}

/*
 * How far beyond the bound a thread is, for "worst first"; 0 where the condition is not one
 * comparison.
 */
static double margin(struct evaluation *e, const struct expr *expr, struct focus focus)
{
	struct value a, b;

	if (expr->op < EXPR_LESS || expr->op > EXPR_GREATER_EQUAL)
		return 0;
	a = evaluate(e, expr->args[0], focus);
	b = evaluate(e, expr->args[1], focus);
	return expr->op == EXPR_LESS || expr->op == EXPR_LESS_EQUAL ? b.number - a.number
								    : a.number - b.number;
}

static size_t insert_by_margin(uint32_t *out, double *margins, size_t nr, size_t room,
			       uint32_t thread, double far)
{
	size_t at = nr < room ? nr : room;

	while (at > 0 && margins[at - 1] < far) {
		if (at < room) {
			out[at] = out[at - 1];
			margins[at] = margins[at - 1];
		}
		at--;
	}
	if (at < room) {
		out[at] = thread;
		margins[at] = far;
	}
	return nr + 1;
}

/* Names being collected, worst first: threads or nodes. */
struct culprits {
	uint32_t *out;
	double *margins;
	size_t nr, room;
};

static bool is_guilty(struct evaluation *e, const struct expr *condition, struct focus focus)
{
	struct value guilty = evaluate(e, condition, focus);

	return !is_missing(&guilty) && guilty.number;
}

static void accuse(struct evaluation *e, struct culprits *culprits, uint32_t whom,
		   const struct expr *condition, struct focus focus)
{
	culprits->nr = insert_by_margin(culprits->out, culprits->margins, culprits->nr,
					culprits->room, whom, margin(e, condition, focus));
}

static void accuse_threads(struct evaluation *e, const struct expr *condition, struct focus focus,
			   struct culprits *culprits)
{
	const struct list *threads = team(e, focus.region, condition->type.kinds);

	for (size_t i = 0; threads && i < threads->nr; i++) {
		focus.thread = threads->items[i];
		if (is_guilty(e, condition, focus))
			accuse(e, culprits, focus.thread, condition, focus);
	}
}

/* The nodes, or the region's threads on them. If one thread's node is unknown none is named. */
static void accuse_nodes(struct evaluation *e, const struct expr *by_node, struct focus focus,
			 bool threads, struct culprits *culprits)
{
	const struct expr *condition = by_node->args[0];
	struct value missing;
	const struct list *groups = groups_of(e, focus.region, by_node->kinds, &missing);

	for (size_t i = 0; groups && !is_missing(&missing) && i < groups->nr; i++) {
		const struct list *on;

		focus.group = groups->items[i];
		if (!is_guilty(e, condition, focus))
			continue;
		if (!threads)
			accuse(e, culprits, focus.group - 1, condition, focus);
		on = threads ? team_of(e, focus.region, KINDS_NONE, focus.group) : NULL;
		for (size_t k = 0; on && k < on->nr; k++)
			accuse(e, culprits, on->items[k], condition, focus);
	}
}

size_t property_threads(const struct property *property, const struct property_context *context,
			uint32_t *out, size_t room)
{
	struct focus focus = { context->region, THREAD_NONE, MS_REGION_NONE, 0 };
	struct culprits culprits = { .out = out, .room = room };
	struct evaluation e;

	if (!begin(&e, context))
		return 0;
	bind_all(&e, property, focus);
	culprits.margins = scratch_take(&e, room * sizeof(*culprits.margins));
	if (property->by_thread && culprits.margins)
		accuse_threads(&e, property->by_thread, focus, &culprits);
	else if (property->by_node && culprits.margins)
		accuse_nodes(&e, property->by_node, focus, true, &culprits);
	arena_free(e.overflow);
	return culprits.nr;
}

size_t property_nodes(const struct property *property, const struct property_context *context,
		      uint32_t *out, size_t room)
{
	struct focus focus = { context->region, THREAD_NONE, MS_REGION_NONE, 0 };
	struct culprits culprits = { .out = out, .room = room };
	struct evaluation e;

	if (!property->by_node || !begin(&e, context))
		return 0;
	bind_all(&e, property, focus);
	culprits.margins = scratch_take(&e, room * sizeof(*culprits.margins));
	if (culprits.margins)
		accuse_nodes(&e, property->by_node, focus, false, &culprits);
	arena_free(e.overflow);
	return culprits.nr;
}
