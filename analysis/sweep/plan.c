/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a sweep varies. */
#include "analysis/sweep/plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/sweep/matrix.h"

static const char no_memory[] = "out of memory";

static bool add(struct arena *arena, struct sweep_list *list, const char *item)
{
	if (!item || !ARENA_GROW(arena, list->items, list->nr, list->room))
		return false;
	list->items[list->nr++] = item;
	return true;
}

/*
 * The next item, without the backslashes before its commas; *text goes behind it. NULL: no memory.
 */
static const char *take_item(struct arena *arena, const char **text)
{
	char *item = arena_alloc(arena, strlen(*text) + 1), *end = item;

	for (; item && **text && **text != ','; ++*text) {
		if ((*text)[0] == '\\' && (*text)[1] == ',')
			++*text;
		*end++ = **text;
	}
	return item;
}

static bool has(const struct sweep_list *list, const char *item)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i], item))
			return true;
	return false;
}

const char *plan_list(struct arena *arena, struct sweep_list *list, const char *kind,
		      const char *text)
{
	for (const char *whole = text;; text++) {
		const char *item = take_item(arena, &text);

		if (item && !*item)
			return arena_printf(arena, "'%s' has an empty %s", whole, kind);
		if (item && has(list, item))
			return arena_printf(arena, "%s '%s' is there twice", kind, item);
		if (!add(arena, list, item))
			return no_memory;
		if (!*text)
			return NULL;
	}
}

static bool read_threads(const char *text, uint32_t *out)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	*out = (uint32_t)value;
	return *text >= '0' && *text <= '9' && !*end && !errno && value >= 1 &&
	       value <= SWEEP_THREADS_MOST;
}

const char *plan_threads(struct arena *arena, struct sweep_plan *plan, const char *text)
{
	struct sweep_list list = { 0 };
	const char *wrong = plan_list(arena, &list, "number of threads", text);

	for (size_t i = 0; i < list.nr && !wrong; i++) {
		uint32_t threads;

		if (!read_threads(list.items[i], &threads))
			return arena_printf(arena, "'%s' is not a number of threads from 1 to %d",
					    list.items[i], SWEEP_THREADS_MOST);
		for (size_t k = 0; k < plan->nr_threads; k++)
			if (plan->threads[k] == threads)
				return arena_printf(arena, "number of threads '%s' is there twice",
						    list.items[i]);
		if (!ARENA_GROW(arena, plan->threads, plan->nr_threads, plan->room_threads))
			return no_memory;
		plan->threads[plan->nr_threads++] = threads;
	}
	return wrong;
}

const char *plan_variable(struct arena *arena, struct sweep_plan *plan, const char *text)
{
	const char *equals = strchr(text, '=');
	struct sweep_variable variable = {
		.name = equals ? arena_strndup(arena, text, (size_t)(equals - text)) : ""
	};

	if (!equals || equals == text)
		return arena_printf(arena, "'%s' is not NAME=VALUES", text);
	if (!variable.name ||
	    !ARENA_GROW(arena, plan->variables, plan->nr_variables, plan->room_variables))
		return no_memory;
	if (!strcmp(variable.name, "OMP_NUM_THREADS"))
		return "OMP_NUM_THREADS is what --threads varies";
	for (size_t i = 0; i < plan->nr_variables; i++)
		if (!strcmp(plan->variables[i].name, variable.name))
			return arena_printf(arena, "%s is there twice", variable.name);
	plan->variables[plan->nr_variables++] = variable;
	return plan_list(arena, &plan->variables[plan->nr_variables - 1].values, "value",
			 equals + 1);
}

size_t plan_most_threads(const struct sweep_plan *plan)
{
	size_t most = 0;

	for (size_t i = 1; i < plan->nr_threads; i++)
		if (plan->threads[i] > plan->threads[most])
			most = i;
	return most;
}

const char *plan_check_online(struct arena *arena, const struct sweep_plan *plan)
{
	if (!plan->online)
		return NULL;
	if (plan->nr_threads < 2)
		return "one number of threads does not vary: give two or more with --threads";
	if (plan->nr_threads > SWEEP_ONLINE_MOST)
		return arena_printf(arena, "one run has at most %d numbers of threads",
				    SWEEP_ONLINE_MOST);
	return NULL;
}

const char *plan_check_size(struct arena *arena, const struct sweep_plan *plan)
{
	double runs = matrix_size(plan) * plan->repetitions;

	if (runs <= SWEEP_RUNS_MOST)
		return NULL;
	return arena_printf(arena, "that is %.0f runs, more than %d: leave out some values", runs,
			    SWEEP_RUNS_MOST);
}
