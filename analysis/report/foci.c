/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of resources in the hierarchies code, machine, data structures and synchronization objects. */
#include "analysis/report/foci.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"
#include "analysis/report/array_names.h"
#include "analysis/report/finding.h"
#include "analysis/report/sync_objects.h"
#include "analysis/report/text.h"
#include "memsearch/request.h"

#define CODE "/Code"

struct foci {
	const struct run *run;
	const char *process;
	const char **code; /* of each region */
};

/* One step of a path: a region among those beside it of the same word and function. */
struct step {
	uint32_t region, parent;
	const char *module, *function, *word;
	int line;
};

/* NULL: no step of the code hierarchy. A called function's step is its name. */
static const char *word_of(enum ms_region_kind kind)
{
	static const char *const words[MS_REGION_KINDS] = {
		[MS_SERIAL_REGION] = "serial",
		[MS_SUB_REGION] = "",
		[MS_CALL_REGION] = "call",
		[MS_PARALLEL_REGION] = "parallel",
		[MS_DO_REGION] = "loop",
		[MS_LOOP_REGION] = "loop",
		[MS_SECTIONS_REGION] = "sections",
		[MS_SINGLE_REGION] = "single",
		[MS_MASTER_REGION] = "master",
		[MS_WORKSHARE_REGION] = "workshare",
		[MS_TASK_REGION] = "task",
		[MS_TASKWAIT_REGION] = "taskwait",
		[MS_BARRIER_REGION] = "barrier",
		[MS_CRITICAL_REGION] = "critical",
		[MS_ORDERED_REGION] = "ordered",
		[MS_LOCK_REGION] = "lock",
		[MS_REDUCTION_REGION] = "reduction",
	};

	return words[kind];
}

static const char *function_of(const struct run_region *region)
{
	const char *function = region->source.function;

	if (region->kind == MS_SERIAL_REGION && (!function || !*function))
		function = region->next_source.function;
	return function && *function ? function : "?";
}

static const char *module_of(const struct run *run, const struct run_region *region)
{
	uint32_t module = region->construct.module;

	if (module >= run->nr_modules && region->kind == MS_SERIAL_REGION)
		module = region->next.module; /* from the program's start on */
	return module < run->nr_modules && run->modules[module].path
		       ? base_name(run->modules[module].path)
		       : "?";
}

static int by_place(const void *left, const void *right)
{
	const struct step *a = left, *b = right;
	int order = strcmp(a->word, b->word);

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	order = order ? order : strcmp(a->module, b->module);
	order = order ? order : strcmp(a->function, b->function);
	if (order || a->line != b->line)
		return order ? order : a->line < b->line ? -1 : 1;
	return a->region < b->region ? -1 : a->region > b->region;
}

static bool is_beside(const struct step *a, const struct step *b)
{
	return a->parent == b->parent && !strcmp(a->word, b->word) &&
	       !strcmp(a->module, b->module) && !strcmp(a->function, b->function);
}

/* The number of each region among those beside it, from 1. */
static const uint32_t *numbers_of(struct arena *arena, const struct run *run)
{
	struct step *steps = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*steps));
	uint32_t *numbers = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*numbers));
	size_t nr = 0;

	for (uint32_t i = 0; steps && numbers && i < run->nr_regions; i++) {
		const struct run_region *region = &run->regions[i];
		const char *word = word_of(region->kind);

		if (word)
			steps[nr++] = (struct step){ .region = i,
						     .parent = region->parent,
						     .module = module_of(run, region),
						     .function = function_of(region),
						     .word = word,
						     .line = region->source.line };
	}
	if (nr)
		sort(steps, nr, sizeof(*steps), by_place);
	for (size_t i = 0; numbers && i < nr; i++)
		numbers[steps[i].region] = i && is_beside(&steps[i - 1], &steps[i])
						   ? numbers[steps[i - 1].region] + 1
						   : 1;
	return steps ? numbers : NULL;
}

/* Its own step behind the path of the region around; a function where it is not that one's. */
static const char *code_path(struct arena *arena, const struct foci *foci,
			     const struct run_region *region, uint32_t number)
{
	const struct run *run = foci->run;
	bool outermost = region->parent >= region->id || region->parent == MS_REGION_USER;
	const struct run_region *around = outermost ? NULL : &run->regions[region->parent];
	const char *word = word_of(region->kind), *function = function_of(region);
	const char *path = around ? foci->code[around->id]
				  : arena_printf(arena, CODE "/%s", module_of(run, region));

	if (!word)
		return around ? path : CODE;
	if (!around || strcmp(function, function_of(around)) != 0 || !*word)
		path = arena_printf(arena, "%s/%s", path ? path : CODE, function);
	return *word && path ? arena_printf(arena, "%s/%s_%u", path, word, number) : path;
}

const struct foci *foci_of(struct arena *arena, const struct run *run, bool brief)
{
	const char *host = run->machine.host_name;
	struct foci *foci = arena_alloc(arena, sizeof(*foci));
	const uint32_t *numbers = numbers_of(arena, run);

	if (!foci || !numbers)
		return NULL;
	foci->run = run;
	foci->process = brief ? "/Machine/host/process"
			      : arena_printf(arena, "/Machine/%s/%u", host && *host ? host : "?",
					     run->pid);
	foci->code = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*foci->code));
	for (uint32_t i = 0; foci->code && i < run->nr_regions; i++)
		foci->code[i] = code_path(arena, foci, &run->regions[i], numbers[i]);
	return foci->code ? foci : NULL;
}

static const char *data_path(struct arena *arena, const struct run *run, uint32_t region)
{
	const struct run_array *array = finding_array(run, region);

	if (!array)
		return "/Data";
	return arena_printf(arena, "/Data/%s/%s", array->kind && *array->kind ? array->kind : "?",
			    arrays_name(arena, run, array));
}

static const char *sync_path(struct arena *arena, const struct run *run, uint32_t region)
{
	struct sync_name name = sync_name_of(arena, run, region);

	if (!name.type)
		return "/SyncObject";
	if (!name.class)
		return arena_printf(arena, "/SyncObject/%s", name.type);
	return arena_printf(arena, "/SyncObject/%s/%s/%s", name.type, name.class, name.object);
}

struct focus foci_at(struct arena *arena, const struct foci *foci, uint32_t region, uint32_t thread)
{
	const struct run *run = foci->run;
	const char *code = region < run->nr_regions ? foci->code[region] : NULL;

	return (struct focus){
		.code = code ? code : CODE,
		.machine = thread == MS_REQUEST_ALL_THREADS
				   ? foci->process
				   : arena_printf(arena, "%s/thread_%u", foci->process, thread),
		.data = data_path(arena, run, region),
		.sync = sync_path(arena, run, region),
	};
}

void foci_add(struct text *out, const struct foci *foci, uint32_t region, uint32_t thread)
{
	struct focus focus = foci_at(out->arena, foci, region, thread);

	text_printf(out, "<%s, %s, %s, %s>", focus.code, focus.machine, focus.data, focus.sync);
}
