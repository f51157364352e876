/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of earlier runs, which order a search. */
#include "analysis/search/earlier_verdicts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"
#include "analysis/search/engine_private.h"
#include "analysis/search/state_text.h"

#define HEADER "memsearch-earlier 1"
#define WORD 96
#define FALSE_EXPERIMENTS 2 /* fewer say nothing of the spread */

struct earlier_verdict {
	const char *property;
	uint64_t key;
	uint32_t thread;
	bool is_true;
};

static int compare(const void *left, const void *right)
{
	const struct earlier_verdict *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return strcmp(a->property, b->property);
}

struct list {
	struct arena *arena;
	struct earlier_verdict *items;
	size_t nr, room;
};

/* Sorted, each candidate once: true, if one of its verdicts is. */
static void merge(struct list *list)
{
	size_t nr = 0;

	sort(list->items, list->nr, sizeof(*list->items), compare);
	for (size_t i = 0; i < list->nr; i++)
		if (nr && !compare(&list->items[nr - 1], &list->items[i]))
			list->items[nr - 1].is_true |= list->items[i].is_true;
		else
			list->items[nr++] = list->items[i];
	list->nr = nr;
}

/* ------------------------------------------------------------------ writing */

static bool is_known(const struct run *run, const struct run_node *node)
{
	size_t length = strlen(node->property);

	return (node->state == MS_NODE_TRUE ||
		(node->state == MS_NODE_FALSE && node->experiments >= FALSE_EXPERIMENTS)) &&
	       !node->interval && node->region < run->nr_regions &&
	       (node->region == MS_REGION_USER || run_region_key(&run->regions[node->region])) &&
	       length && length < WORD && !strpbrk(node->property, " \n");
}

static bool collect(struct list *list, const struct run *run)
{
	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];

		if (!is_known(run, node))
			continue;
		if (!ARENA_GROW(list->arena, list->items, list->nr, list->room))
			return false;
		list->items[list->nr++] = (struct earlier_verdict){
			.property = node->property,
			.key = node->region == MS_REGION_USER
				       ? 0
				       : run_region_key(&run->regions[node->region]),
			.thread = node->thread,
			.is_true = node->state == MS_NODE_TRUE,
		};
	}
	return true;
}

char *earlier_verdicts_text(struct arena *arena, const struct run *const *runs, size_t nr,
			    struct earlier_verdicts_count *out)
{
	struct list list = { .arena = arena };
	struct state_writer writer;

	*out = (struct earlier_verdicts_count){ 0 };
	for (size_t i = 0; i < nr; i++)
		if (!collect(&list, runs[i]))
			return NULL;
	merge(&list);
	state_begin(&writer, arena, HEADER);
	for (size_t i = 0; i < list.nr; i++) {
		const struct earlier_verdict *one = &list.items[i];

		state_line(&writer, "verdict %s %" PRIx64 " %" PRIu32 " %d", one->property,
			   one->key, one->thread, one->is_true);
		*(one->is_true ? &out->first : &out->last) += 1;
	}
	return state_end(&writer);
}

/* ------------------------------------------------------------------ reading */

static bool read_line(void *ctx, const char *line)
{
	struct list *list = ctx;
	struct earlier_verdict one = { 0 };
	char property[WORD];
	int is_true, end = 0;

	if (sscanf(line, "verdict %95s %" SCNx64 " %" SCNu32 " %d%n", property, &one.key,
		   &one.thread, &is_true, &end) != 4 ||
	    line[end] || (is_true != 0 && is_true != 1))
		return false;
	one.is_true = is_true;
	one.property = arena_strdup(list->arena, property);
	if (!one.property || !ARENA_GROW(list->arena, list->items, list->nr, list->room))
		return false;
	list->items[list->nr++] = one;
	return true;
}

enum ms_status earlier_verdicts_load(struct engine *engine, const char *text)
{
	struct list list = { .arena = engine->arena };

	if (!state_read(text, HEADER, read_line, &list))
		return MS_ERR_FORMAT;
	merge(&list);
	engine->earlier.verdicts = (struct earlier_verdicts){ list.items, list.nr };
	engine_change_properties(engine, engine->properties);
	return MS_OK;
}

int earlier_verdicts_of(const struct engine *engine, const struct ms_candidate *candidate)
{
	const struct earlier_verdicts *all = &engine->earlier.verdicts;
	struct earlier_verdict wanted = { .thread = candidate->thread };
	struct ms_region_info region;
	size_t at;

	if (!all->nr || candidate->interval != MS_INTERVAL_WHOLE ||
	    !database_region_info(engine->db, candidate->region, &region) ||
	    (!region.key && region.id != MS_REGION_USER))
		return 0;
	wanted.property = property_name(engine_property(engine, candidate->property));
	wanted.key = region.id == MS_REGION_USER ? 0 : region.key;
	at = BISECT(i, all->nr, compare(&all->items[i], &wanted) < 0);
	if (at == all->nr || compare(&all->items[at], &wanted))
		return 0;
	return all->items[at].is_true ? 1 : -1;
}
