/* SPDX-License-Identifier: Apache-2.0 */
/* What a parsed file means: names, types, units, kinds, templates, and which metrics are needed. */
#include "analysis/base/arena.h"
#include "analysis/properties/asl.h"
#include "analysis/properties/loader.h"

#include <string.h>

struct check {
	struct loader *loader;
	struct property *property;  /* NULL: in a METRIC */
	size_t nr_bindings;         /* those that may be used so far */
	size_t nr_formulas;         /* of the file: likewise */
	const char *region, *phase; /* names of the parameters */
	/* depth of the deepest metric named in the expression under way */
	int named;
	/* while metrics are collected: of which those found now stand in for */
	const struct indices *instead;
	struct collected *collected; /* formulas whose metrics were collected already */
	size_t nr_collected, room_collected;
};

/* A formula whose metrics were collected for this use: a second visit finds no others. */
struct collected {
	const struct formula *formula;
	const struct indices *instead;
	enum expr_scope scope;
	uint32_t kinds;
};

static const char *const constants[] = {
#define X(name, unit, why) name,
	ASL_CONSTANTS(X)
#undef X
};
#define CONSTANTS (sizeof(constants) / sizeof(constants[0]))
_Static_assert(CONSTANTS <= 32, "a bit each in struct property");

static const char *const constant_units[] = {
#define X(name, unit, why) unit,
	ASL_CONSTANTS(X)
#undef X
};

/* Words that the caller of a template supplies, if it has them. */
/* clang-format off */
static const char *const words[] = {
	"region", "function", "line", "threads", "nodes", "hot_function", "hot_line", "hot_share",
	"parent_hot_function", "parent_hot_line", "execution", "phase", "array", "array_line",
	"first_touch_line", "construct", "construct_line", "loops",
};
/* clang-format on */
#define WORDS (sizeof(words) / sizeof(words[0]))

static const struct {
	const char *name;
	enum expr_op op;
	size_t least, most;
} functions[] = {
#define X(id, name, least, most) { name, EXPR_##id, least, most },
	ASL_FUNCTIONS(X)
#undef X
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/*
 * Room for the names of which an unknown one is compared with. Not in the frames of what recurses.
 */
#define UNKNOWN __attribute__((noinline))
#define NAMES_MAX 256

struct known {
	const char *names[NAMES_MAX];
	size_t nr;
};

static void known_add(struct known *known, const char *name)
{
	if (known->nr < NAMES_MAX)
		known->names[known->nr++] = name;
}

static bool resolve(struct check *check, struct expr *expr);

/* Compares the first letters before calling strcmp, as some 100,000 names are compared. */
static bool same_name(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

static bool complain(struct check *check, const struct expr *expr, const char *text)
{
	loader_error(check->loader, expr->line, expr->column, "%s", text);
	return false;
}

static bool complain_unknown(struct check *check, const struct expr *expr, const char *what,
			     const char *name, const struct known *known)
{
	loader_error(check->loader, expr->line, expr->column, "unknown %s '%s'%s", what, name,
		     loader_suggestion(check->loader, name, known->names, known->nr));
	return false;
}

static enum expr_scope scope_find(const struct check *check, const char *name)
{
	if (same_name(name, check->region))
		return SCOPE_REGION;
	if (same_name(name, check->phase))
		return SCOPE_PHASE;
	if (same_name(name, "construct"))
		return SCOPE_CONSTRUCT;
	return same_name(name, "parent") ? SCOPE_PARENT : SCOPE_NONE;
}

UNKNOWN static bool unknown_scope(struct check *check, const struct expr *expr, const char *name)
{
	const struct known known = { { check->region, check->phase, "parent", "construct" }, 4 };

	return complain_unknown(check, expr, "region", name, &known);
}

static bool check_scope(struct check *check, struct expr *expr, const char *name)
{
	expr->scope = scope_find(check, name);
	return expr->scope || unknown_scope(check, expr, name);
}

static bool kind_find(const char *name, uint32_t *kinds_out)
{
	*kinds_out = KINDS_ALL;
	if (same_name(name, "SUBREGIONS"))
		return true;
	for (unsigned int kind = 0; kind < MS_REGION_KINDS; kind++) {
		if (same_name(ms_region_kind_name(kind), name)) {
			*kinds_out = 1u << kind;
			return true;
		}
	}
	return false;
}

static void known_kinds(struct known *known)
{
	for (unsigned int kind = 0; kind < MS_REGION_KINDS; kind++)
		known_add(known, ms_region_kind_name(kind));
}

UNKNOWN static bool unknown_kind(struct check *check, const struct expr *expr, const char *name)
{
	struct known known = { { "SUBREGIONS" }, 1 };

	known_kinds(&known);
	return complain_unknown(check, expr, "kind of region", name, &known);
}

static bool check_kind(struct check *check, struct expr *expr, const char *name)
{
	if (!kind_find(name, &expr->kinds))
		return unknown_kind(check, expr, name);
	if (expr->scope != SCOPE_REGION)
		return complain(check, expr,
				"subregions can be taken of the property's own region only");
	return true;
}

static const struct formula *formula_find(const struct check *check, const char *name)
{
	const struct property_set *set = check->loader->set;

	for (size_t i = check->nr_formulas; i-- > 0;) {
		if (same_name(check->loader->formulas[i]->name.text, name))
			return check->loader->formulas[i];
	}
	for (size_t i = set->nr_formulas; i-- > 0;) {
		if (same_name(set->formulas[i]->name.text, name))
			return set->formulas[i];
	}
	return NULL;
}

static bool metric_find(const char *name, uint32_t *metric_out)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		if (same_name(ms_metric_info(metric)->name, name)) {
			*metric_out = metric;
			return true;
		}
	}
	return false;
}

UNKNOWN static bool unknown_metric(struct check *check, const struct expr *expr)
{
	struct known known = { .nr = 0 };

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		known_add(&known, ms_metric_info(metric)->name);
	for (size_t i = 0; i < check->loader->set->nr_formulas; i++)
		known_add(&known, check->loader->set->formulas[i]->name.text);
	for (size_t i = 0; i < check->nr_formulas; i++)
		known_add(&known, check->loader->formulas[i]->name.text);
	return complain_unknown(check, expr, "metric", expr->name, &known);
}

static bool check_metric(struct expr *expr)
{
	double scale;

	expr->op = EXPR_METRIC;
	expr->type.spread = SPREAD_THREADS;
	expr->type.scope = expr->scope;
	expr->type.kinds = expr->kinds;
	return unit_find(ms_metric_info(expr->index)->unit, &expr->type.unit, &scale);
}

static bool check_formula(struct check *check, struct expr *expr)
{
	const struct expr_type *body = &expr->formula->body->type;

	expr->op = EXPR_FORMULA;
	expr->type = *body;
	check->named = expr->formula->depth > check->named ? expr->formula->depth : check->named;
	if (expr->kinds && body->kinds)
		return complain(check, expr, "this metric looks at subregions itself");
	if (expr->scope != SCOPE_REGION && body->kinds)
		return complain(
			check, expr,
			"this metric looks at subregions: it can be taken of the property's own region only");
	if (body->spread == SPREAD_NONE && expr->kinds)
		expr->type.spread = SPREAD_REGIONS;
	if (expr->type.spread != SPREAD_NONE)
		expr->type.scope = expr->scope;
	if (expr->kinds)
		expr->type.kinds = expr->kinds;
	return true;
}

static bool check_reference(struct check *check, struct expr *expr)
{
	if (!check_scope(check, expr, expr->path[0]))
		return false;
	if (expr->path[2] && !check_kind(check, expr, expr->path[1]))
		return false;
	expr->formula = formula_find(check, expr->name);
	if (expr->formula)
		return check_formula(check, expr);
	if (metric_find(expr->name, &expr->index))
		return check_metric(expr);
	return unknown_metric(check, expr);
}

UNKNOWN static bool unknown_name(struct check *check, const struct expr *expr)
{
	struct known known = { .nr = 0 };

	for (size_t i = 0; i < check->nr_bindings; i++)
		known_add(&known, check->property->bindings[i].name.text);
	for (uint32_t i = 0; i < CONSTANTS; i++)
		known_add(&known, constants[i]);
	return complain_unknown(check, expr, "name", expr->name, &known);
}

static bool check_name(struct check *check, struct expr *expr)
{
	double scale;

	for (size_t i = 0; i < check->nr_bindings; i++) {
		if (same_name(check->property->bindings[i].name.text, expr->name)) {
			expr->op = EXPR_BINDING;
			expr->index = (uint32_t)i;
			expr->type = check->property->bindings[i].value->type;
			return true;
		}
	}
	for (uint32_t i = 0; i < CONSTANTS; i++) {
		if (same_name(constants[i], expr->name)) {
			expr->op = EXPR_CONSTANT;
			expr->index = i;
			return unit_find(constant_units[i], &expr->type.unit, &scale);
		}
	}
	if (scope_find(check, expr->name))
		return complain(check, expr,
				"a region is no value: take a metric of it, as in r.time");
	return unknown_name(check, expr);
}

/* executions(r), threads(p), regions(r.DO_REGION) */
static bool check_region(struct check *check, struct expr *expr)
{
	if (expr->op == EXPR_NAME) {
		expr->op = EXPR_REGION;
		return check_scope(check, expr, expr->name);
	}
	if (expr->op != EXPR_REFERENCE || expr->path[2])
		return complain(
			check, expr,
			"a region is expected, as in executions(r) or regions(r.DO_REGION)");
	expr->op = EXPR_REGION;
	return check_scope(check, expr, expr->path[0]) && check_kind(check, expr, expr->path[1]);
}

/* 0 has every unit. */
static void adapt_zero(struct expr *expr, const struct expr *other)
{
	if (expr->op == EXPR_NUMBER && expr->number == 0)
		expr->type.unit = other->type.unit;
}

static bool same_units(struct check *check, const struct expr *expr, struct expr *a, struct expr *b)
{
	struct arena *arena = check->loader->arena;

	adapt_zero(a, b);
	adapt_zero(b, a);
	if (unit_equal(a->type.unit, b->type.unit))
		return true;
	loader_error(check->loader, expr->line, expr->column, "units differ: %s and %s",
		     unit_text(arena, a->type.unit), unit_text(arena, b->type.unit));
	return false;
}

/* Threads or subregions over which `expr` is spread, from one more operand. */
static bool join_spread(struct check *check, struct expr *expr, const struct expr *operand)
{
	struct expr_type *into = &expr->type;
	const struct expr_type *from = &operand->type;

	if (from->spread == SPREAD_NONE)
		return true;
	if (into->spread == SPREAD_NONE) {
		into->spread = from->spread;
		into->scope = from->scope;
		into->kinds = from->kinds;
		return true;
	}
	if (into->spread != from->spread)
		return complain(
			check, expr,
			"mixes values of threads with values of subregions; reduce each with sum(), max() or mean()");
	if (into->scope != from->scope)
		return complain(
			check, expr,
			"mixes threads of different regions; reduce each with sum(), max() or mean()");
	if (into->spread == SPREAD_REGIONS && into->kinds != from->kinds)
		return complain(
			check, expr,
			"mixes subregions of different kinds; reduce each with sum(), max() or mean()");
	into->kinds |= from->kinds;
	return true;
}

static bool check_operands(struct check *check, struct expr *expr, bool truth)
{
	for (size_t i = 0; i < expr->nr_args; i++) {
		if (!resolve(check, expr->args[i]))
			return false;
		if (expr->args[i]->type.spread == SPREAD_NODES)
			return complain(
				check, expr->args[i],
				"BY NODE differs from node to node; reduce it with sum(), max() or mean()");
		if (expr->args[i]->type.truth != truth)
			return complain(check, expr->args[i],
					truth ? "a number where a condition is expected"
					      : "a condition where a number is expected");
		if (!join_spread(check, expr, expr->args[i]))
			return false;
	}
	return true;
}

static bool check_arithmetic(struct check *check, struct expr *expr)
{
	struct expr *a = expr->args[0], *b = expr->nr_args > 1 ? expr->args[1] : NULL;

	if (!check_operands(check, expr, false))
		return false;
	expr->type.unit = a->type.unit;
	if (expr->op == EXPR_MULTIPLY || expr->op == EXPR_DIVIDE) {
		expr->type.unit = unit_product(a->type.unit, b->type.unit,
					       expr->op == EXPR_DIVIDE ? -1 : 1);
		return true;
	}
	if (b && !same_units(check, expr, a, b))
		return false;
	expr->type.unit = a->type.unit;
	return true;
}

static bool check_comparison(struct check *check, struct expr *expr)
{
	if (!check_operands(check, expr, false) ||
	    !same_units(check, expr, expr->args[0], expr->args[1]))
		return false;
	expr->type.truth = true;
	return true;
}

static bool check_logic(struct check *check, struct expr *expr)
{
	expr->type.truth = true;
	return check_operands(check, expr, true);
}

/* sum(x), max(x) …: from many values to one. */
static bool check_reduction(struct check *check, struct expr *expr)
{
	struct expr *arg = expr->args[0];

	if (!resolve(check, arg))
		return false;
	if (arg->type.spread == SPREAD_NONE)
		return complain(check, expr,
				"nothing to reduce: the argument is the same for all threads");
	if (arg->type.truth && expr->op != EXPR_COUNT)
		return complain(check, arg, "a condition where a number is expected");
	if (expr->op == EXPR_IMBALANCE && arg->type.spread == SPREAD_REGIONS)
		return complain(check, expr,
				"imbalance is between threads or nodes, not between subregions");
	if (expr->op != EXPR_COUNT && expr->op != EXPR_IMBALANCE)
		expr->type.unit = arg->type.unit;
	return true;
}

/*
 * Is there a reduction over threads of the region itself, which BY NODE divides by nodes? Also
 * notes of which subregions' threads. Not divided are the threads of other regions, those in the
 * value of one thread (r.time > mean(r.time)), and the wall time, which one thread has for all.
 */
static bool is_divided(const struct expr *expr, uint32_t *kinds)
{
	bool found = false;

	if (expr->scope != SCOPE_NONE && expr->scope != SCOPE_REGION)
		return false;
	if (expr->op == EXPR_FORMULA) {
		*kinds |= expr->kinds;
		return is_divided(expr->formula->body, kinds);
	}
	for (size_t i = 0; i < expr->nr_args && expr->op != EXPR_BY_NODE; i++) {
		const struct expr *arg = expr->args[i];
		bool own = arg->op == EXPR_REGION
				   ? expr->op == EXPR_THREADS && arg->scope == SCOPE_REGION
				   : arg->type.spread == SPREAD_THREADS &&
					     arg->type.scope == SCOPE_REGION &&
					     !expr_is_wall_time(arg);

		if (own)
			*kinds |= arg->op == EXPR_REGION ? arg->kinds : arg->type.kinds;
		found |= own || is_divided(arg, kinds);
	}
	return found;
}

/* sum(r.time) BY NODE: a number or a condition for each node. */
static bool check_by_node(struct check *check, struct expr *expr)
{
	struct expr *arg = expr->args[0];

	if (!resolve(check, arg))
		return false;
	if (arg->type.spread != SPREAD_NONE)
		return complain(
			check, arg,
			"BY NODE takes one number of each node: reduce first, as in max(sum(r.time) BY NODE)");
	if (!is_divided(arg, &expr->kinds))
		return complain(
			check, arg,
			"this is the same on all nodes: BY NODE divides sum(), max(), mean() … over the region's threads");
	expr->type = arg->type;
	expr->type.spread = SPREAD_NODES;
	expr->type.scope = SCOPE_REGION;
	return true;
}

/* max(a, b), min(a, b, c), either(a, b), optional(a, b) of plain numbers or thread by thread */
static bool check_choice(struct check *check, struct expr *expr)
{
	if (!check_operands(check, expr, false))
		return false;
	for (size_t i = 1; i < expr->nr_args; i++) {
		if (!same_units(check, expr, expr->args[0], expr->args[i]))
			return false;
	}
	expr->type.unit = expr->args[expr->nr_args > 1]->type.unit;
	return true;
}

static bool check_square_root(struct check *check, struct expr *expr)
{
	if (!check_arithmetic(check, expr))
		return false;
	if (expr->type.unit.time % 2 || expr->type.unit.bytes % 2)
		return complain(check, expr, "square root of a unit that is no square");
	expr->type.unit.time /= 2;
	expr->type.unit.bytes /= 2;
	return true;
}

static bool check_function(struct check *check, struct expr *expr)
{
	switch (expr->op) {
	case EXPR_MAX:
	case EXPR_MIN:
		return expr->nr_args == 1 ? check_reduction(check, expr)
					  : check_choice(check, expr);
	case EXPR_EITHER:
	case EXPR_OPTIONAL: return check_choice(check, expr);
	case EXPR_ABS: return check_arithmetic(check, expr);
	case EXPR_SQRT: return check_square_root(check, expr);
	case EXPR_EXECUTIONS:
	case EXPR_THREADS:
	case EXPR_REGIONS: return check_region(check, expr->args[0]);
	default: return check_reduction(check, expr);
	}
}

UNKNOWN static bool unknown_function(struct check *check, const struct expr *expr)
{
	struct known known = { .nr = 0 };

	for (size_t i = 0; i < FUNCTIONS; i++)
		known_add(&known, functions[i].name);
	return complain_unknown(check, expr, "function", expr->name, &known);
}

static bool check_call(struct check *check, struct expr *expr)
{
	for (size_t i = 0; i < FUNCTIONS; i++) {
		if (strcmp(functions[i].name, expr->name) != 0)
			continue;
		expr->op = functions[i].op;
		if (expr->nr_args >= functions[i].least && expr->nr_args <= functions[i].most)
			return check_function(check, expr);
		loader_error(check->loader, expr->line, expr->column, "%s() takes %zu argument%s",
			     expr->name, functions[i].least,
			     functions[i].most > functions[i].least ? " or more" : "");
		return false;
	}
	return unknown_function(check, expr);
}

static bool resolve(struct check *check, struct expr *expr)
{
	switch (expr->op) {
	case EXPR_NUMBER: return true;
	case EXPR_NAME: return check_name(check, expr);
	case EXPR_REFERENCE: return check_reference(check, expr);
	case EXPR_CALL: return check_call(check, expr);
	case EXPR_BY_NODE: return check_by_node(check, expr);
	case EXPR_AND:
	case EXPR_OR:
	case EXPR_NOT: return check_logic(check, expr);
	case EXPR_LESS:
	case EXPR_LESS_EQUAL:
	case EXPR_GREATER:
	case EXPR_GREATER_EQUAL:
	case EXPR_EQUAL:
	case EXPR_UNEQUAL: return check_comparison(check, expr);
	default: return check_arithmetic(check, expr);
	}
}

/* The depth is checked before any recursion. */
static bool resolve_root(struct check *check, struct expr *expr)
{
	if (expr->depth > ASL_DEPTH_MAX)
		return complain(check, expr, "nested too deeply");
	check->named = 0;
	if (!resolve(check, expr))
		return false;
	return expr->depth + check->named <= ASL_DEPTH_ALL ||
	       complain(check, expr, "nested too deeply with the metrics named here");
}

static void check_number(struct check *check, struct expr *expr, const char *clause)
{
	if (!resolve_root(check, expr))
		return;
	if (expr->type.truth || expr->type.spread != SPREAD_NONE)
		loader_error(
			check->loader, expr->line, expr->column, "%s must be one number%s", clause,
			expr->type.truth ? ", not a condition"
					 : "; reduce over threads with sum(), max(), mean() …");
	else if (expr->type.unit.time || expr->type.unit.bytes)
		loader_error(check->loader, expr->line, expr->column,
			     "%s must be a plain number, not %s", clause,
			     unit_text(check->loader->arena, expr->type.unit));
}

static void check_bindings(struct check *check)
{
	struct property *property = check->property;

	for (size_t i = 0; i < property->nr_bindings; i++) {
		struct binding *binding = &property->bindings[i];

		if (resolve_root(check, binding->value)) {
			if (binding->value->type.truth)
				complain(check, binding->value,
					 "LET names numbers, not conditions");
			else if (binding->value->type.spread != SPREAD_NONE)
				complain(
					check, binding->value,
					"this differs from thread to thread; reduce it with sum(), max(), mean() …");
		}
		binding->unit = unit_text(check->loader->arena, binding->value->type.unit);
		check->nr_bindings = i + 1;
	}
}

static void check_condition(struct check *check)
{
	struct expr *condition = check->property->condition;

	if (!resolve_root(check, condition))
		return;
	if (!condition->type.truth)
		complain(check, condition, "CONDITION is a number; compare it with something");
	else if (condition->type.spread != SPREAD_NONE)
		complain(check, condition,
			 "CONDITION differs from thread to thread; reduce with max(), count() …");
}

static void check_by_thread(struct check *check)
{
	struct expr *expr = check->property->by_thread;

	if (!expr || !resolve_root(check, expr))
		return;
	if (!expr->type.truth || expr->type.spread != SPREAD_THREADS ||
	    expr->type.scope != SCOPE_REGION)
		complain(
			check, expr,
			"BY THREAD must be a condition on the region's threads, as in r.time > 2 * mean(r.time)");
}

static void check_by_node_clause(struct check *check)
{
	struct expr *expr = check->property->by_node;

	if (expr && resolve_root(check, expr) && !expr->type.truth)
		complain(
			check, expr->args[0],
			"BY NODE must be a condition on each node, as in sum(r.time) > 2 * mean(sum(r.time) BY NODE)");
}

static void check_kinds(struct check *check)
{
	const struct asl_names *names = &check->property->kind_names;
	struct known known = { .nr = 0 };

	known_kinds(&known);
	for (size_t i = 0; i < names->nr; i++) {
		const struct asl_name *name = &names->items[i];
		uint32_t kinds;

		if (kind_find(name->text, &kinds) && kinds != KINDS_ALL)
			check->property->kinds |= kinds;
		else
			loader_error(check->loader, name->line, name->column,
				     "unknown kind of region '%s'%s", name->text,
				     loader_suggestion(check->loader, name->text, known.names,
						       known.nr));
	}
}

static void check_views(struct check *check)
{
	static const char *const views[] = {
#define X(id, name, text) name,
		PROPERTY_VIEW_LIST(X)
#undef X
	};
	const struct asl_names *names = &check->property->view_names;

	for (size_t i = 0; i < names->nr; i++) {
		const struct asl_name *name = &names->items[i];
		size_t view = 0;

		while (view < PROPERTY_VIEWS && strcmp(name->text, views[view]) != 0)
			view++;
		if (view < PROPERTY_VIEWS)
			check->property->views |= 1u << view;
		else
			loader_error(check->loader, name->line, name->column, "unknown view '%s'%s",
				     name->text,
				     loader_suggestion(check->loader, name->text, views,
						       PROPERTY_VIEWS));
	}
}

static void check_placeholder(struct check *check, struct asl_name at, const char *name,
			      size_t length)
{
	struct known known = { .nr = 0 };
	const char *copy = arena_strndup(check->loader->arena, name, length);

	for (size_t i = 0; i < check->property->nr_bindings; i++)
		known_add(&known, check->property->bindings[i].name.text);
	for (size_t i = 0; i < WORDS; i++)
		known_add(&known, words[i]);
	for (size_t i = 0; copy && i < known.nr; i++) {
		if (strcmp(known.names[i], copy) == 0)
			return;
	}
	loader_error(check->loader, at.line, at.column, "nothing to fill in for '{%s}'%s",
		     copy ? copy : "?",
		     loader_suggestion(check->loader, copy ? copy : "", known.names, known.nr));
}

/* Templates: {name}, {name%}, {name:time}; [parts left out when a word is missing]. */
static void check_template(struct check *check, struct asl_name at)
{
	const char *text = at.text;
	int open = 0;

	for (; text && *(text += strcspn(text, "[]{")); text++) {
		size_t length;

		open += *text == '[' ? 1 : *text == ']' ? -1 : 0;
		if (open < 0 || open > 1)
			return loader_error(check->loader, at.line, at.column,
					    "'[' and ']' do not match in this text");
		if (*text != '{')
			continue;
		length = strcspn(text, "}");
		if (!text[length])
			return loader_error(check->loader, at.line, at.column,
					    "'{' without '}' in this text");
		check_placeholder(check, at, text + 1, strcspn(text + 1, "%:}"));
		text += length;
	}
	if (open)
		loader_error(check->loader, at.line, at.column, "'[' without ']' in this text");
}

static void check_hint(struct check *check)
{
	static const char *const axes[] = { "why ", "where ", "when " };
	const struct asl_name *at = &check->property->hint_at;

	if (!check->property->hint)
		return;
	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		if (strncmp(check->property->hint, axes[i], strlen(axes[i])) == 0)
			return;
	}
	loader_error(check->loader, at->line, at->column,
		     "a hint begins with why, where or when, as in \"where threads\"");
}

static bool complete(struct check *check)
{
	const struct property *property = check->property;
	const struct {
		const char *clause;
		bool present;
	} clauses[] = {
		{ "TITLE", property->title },         { "KINDS", property->kind_names.nr },
		{ "CONDITION", property->condition }, { "CONFIDENCE", property->confidence },
		{ "SEVERITY", property->severity },   { "EXPLANATION", property->explanation },
		{ "ADVICE", property->advice },
	};
	bool all = true;

	for (size_t i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++) {
		if (!clauses[i].present) {
			loader_error(check->loader, property->name.line, property->name.column,
				     "property '%s' has no %s", property->name.text,
				     clauses[i].clause);
			all = false;
		}
	}
	return all;
}

static void index_add(struct loader *loader, struct indices *list, uint32_t index)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->items[i] == index)
			return;
	}
	if (!ARENA_GROW(loader->arena, list->items, list->nr, list->room))
		longjmp(loader->trouble, 1);
	list->items[list->nr++] = index;
}

/*
 * A metric that replaces several others is needed where any of these is missing; one that is also
 * used by itself, always.
 */
static void note_instead(struct check *check, uint32_t metric)
{
	struct indices **noted = &check->property->instead_of[metric];
	bool is_first = !*noted;

	if (is_first)
		*noted = loader_alloc(check->loader, sizeof(**noted));
	if (!check->instead)
		(*noted)->nr = 0;
	else if (is_first || (*noted)->nr)
		for (size_t i = 0; i < check->instead->nr; i++)
			index_add(check->loader, *noted, check->instead->items[i]);
}

/* What is needed always: of either() the first, of optional() the second. */
static void list_metrics(struct loader *loader, const struct expr *expr, struct indices *list)
{
	if (expr->op == EXPR_METRIC)
		index_add(loader, list, expr->index);
	if (expr->op == EXPR_BY_NODE)
		index_add(loader, list, MS_METRIC_NODE);
	if (expr->op == EXPR_FORMULA)
		for (size_t i = 0; i < expr->formula->always.nr; i++)
			index_add(loader, list, expr->formula->always.items[i]);
	for (size_t i = expr->op == EXPR_OPTIONAL;
	     i < (expr->op == EXPR_EITHER ? 1 : expr->nr_args); i++)
		list_metrics(loader, expr->args[i], list);
}

static void collect(struct check *check, const struct expr *expr, enum expr_scope own,
		    uint32_t kinds);

static void collect_formula(struct check *check, const struct formula *formula,
			    enum expr_scope scope, uint32_t kinds)
{
	for (size_t i = 0; i < check->nr_collected; i++) {
		const struct collected *before = &check->collected[i];

		if (before->formula == formula && before->instead == check->instead &&
		    before->scope == scope && before->kinds == kinds)
			return;
	}
	if (ARENA_GROW(check->loader->arena, check->collected, check->nr_collected,
		       check->room_collected))
		check->collected[check->nr_collected++] = (struct collected){ formula,
									      check->instead, scope,
									      kinds };
	collect(check, formula->body, scope, kinds);
}

/*
 * either(): metrics of the first argument are always needed, those of the others where one of the
 * first is missing. optional(): metrics of the first argument are never needed.
 */
static void collect_arguments(struct check *check, const struct expr *expr, enum expr_scope own,
			      uint32_t kinds)
{
	const struct indices *outer = check->instead;
	struct indices *first;

	for (size_t i = expr->op == EXPR_OPTIONAL; i < expr->nr_args; i++) {
		if (expr->op == EXPR_EITHER && i == 1) {
			first = loader_alloc(check->loader, sizeof(*first));
			list_metrics(check->loader, expr->args[0], first);
			check->instead = first;
		}
		collect(check, expr->args[i], own, kinds);
	}
	check->instead = outer;
}

/*
 * Metrics that must be measured; `own` is what the formula's r stands for, `kinds` of which of its
 * subregions.
 */
static void collect(struct check *check, const struct expr *expr, enum expr_scope own,
		    uint32_t kinds)
{
	struct property *property = check->property;
	enum expr_scope scope = expr->scope == SCOPE_REGION ? own : expr->scope;
	struct indices *const lists[] = {
		[SCOPE_NONE] = &property->metrics,
		[SCOPE_REGION] = &property->metrics,
		[SCOPE_PHASE] = &property->phase_metrics,
		[SCOPE_PARENT] = &property->parent_metrics,
		[SCOPE_CONSTRUCT] = &property->construct_metrics,
	};

	if (expr->op == EXPR_BY_NODE) {
		index_add(check->loader, &property->phase_metrics, MS_METRIC_NODE);
		note_instead(check, MS_METRIC_NODE);
	} else if (expr->kinds) {
		property->needs_subregions = true;
		kinds = expr->kinds;
	}
	if (expr->op == EXPR_METRIC) {
		index_add(check->loader, lists[scope], expr->index);
		property->metric_kinds[expr->index] |= scope == SCOPE_REGION ? kinds : KINDS_NONE;
		note_instead(check, expr->index);
	}
	if (expr->op == EXPR_CONSTANT && !check->instead)
		property->constants |= 1u << expr->index;
	if (expr->op == EXPR_FORMULA)
		collect_formula(check, expr->formula, scope, kinds);
	collect_arguments(check, expr, own, kinds);
}

static void collect_all(struct check *check)
{
	struct property *property = check->property;

	for (size_t i = 0; i < property->nr_bindings; i++)
		collect(check, property->bindings[i].value, SCOPE_REGION, KINDS_NONE);
	collect(check, property->condition, SCOPE_REGION, KINDS_NONE);
	collect(check, property->confidence, SCOPE_REGION, KINDS_NONE);
	collect(check, property->severity, SCOPE_REGION, KINDS_NONE);
	if (property->severity_high)
		collect(check, property->severity_high, SCOPE_REGION, KINDS_NONE);
	if (property->by_thread)
		collect(check, property->by_thread, SCOPE_REGION, KINDS_NONE);
	if (property->by_node)
		collect(check, property->by_node, SCOPE_REGION, KINDS_NONE);
}

static void check_aliases(struct check *check)
{
	struct property *property = check->property;

	property->nr_aliases = property->alias_names.nr;
	property->aliases = loader_alloc(check->loader,
					 property->nr_aliases * sizeof(*property->aliases));
	for (size_t i = 0; i < property->nr_aliases; i++)
		property->aliases[i] = property->alias_names.items[i].text;
}

static void check_property(struct loader *loader, struct property *property)
{
	struct check check = { .loader = loader,
			       .property = property,
			       .nr_formulas = loader->nr_formulas,
			       .region = property->region.text,
			       .phase = property->phase.text };

	if (!complete(&check))
		return;
	check_aliases(&check);
	check_kinds(&check);
	check_hint(&check);
	check_views(&check);
	check_bindings(&check);
	check_condition(&check);
	check_number(&check, property->confidence, "CONFIDENCE");
	check_number(&check, property->severity, "SEVERITY");
	if (property->severity_high)
		check_number(&check, property->severity_high, "SEVERITY");
	check_by_thread(&check);
	check_by_node_clause(&check);
	check_template(&check, property->explanation_at);
	check_template(&check, property->advice_at);
	if (!loader->nr_errors)
		collect_all(&check);
}

static void check_metric_formula(struct loader *loader, size_t index)
{
	struct check check = {
		.loader = loader, .nr_formulas = index, .region = "r", .phase = "p"
	};
	struct formula *formula = loader->formulas[index];
	const struct expr_type *type = &formula->body->type;

	if (!resolve_root(&check, formula->body))
		return;
	formula->depth = formula->body->depth + check.named;
	if (type->truth || type->spread == SPREAD_REGIONS ||
	    (type->spread == SPREAD_THREADS && type->scope != SCOPE_REGION))
		complain(&check, formula->body,
			 "a metric must be one number, or one for each thread of r");
	else if (!unit_equal(type->unit, formula->unit))
		loader_error(loader, formula->name.line, formula->name.column,
			     "metric '%s' is in %s, its formula in %s", formula->name.text,
			     formula->unit_name, unit_text(loader->arena, type->unit));
	list_metrics(loader, formula->body, &formula->always);
}

void check_file(struct loader *loader)
{
	uint32_t metric;

	for (size_t i = 0; i < loader->nr_formulas; i++) {
		if (metric_find(loader->formulas[i]->name.text, &metric))
			loader_error(loader, loader->formulas[i]->name.line,
				     loader->formulas[i]->name.column,
				     "'%s' is a metric that a sensor measures",
				     loader->formulas[i]->name.text);
		check_metric_formula(loader, i);
		if (loader->nr_errors)
			return;
	}
	for (size_t i = 0; i < loader->nr; i++)
		check_property(loader, loader->properties[i]);
}
