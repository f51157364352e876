/* SPDX-License-Identifier: Apache-2.0 */
/* Data structures and their first touches, put together by source line. */
#include "analysis/report/arrays.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/array_names.h"
#include "analysis/report/array_use.h"
#include "analysis/report/calls.h"
#include "analysis/report/misses.h"
#include "analysis/report/source_words.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

/* shares of threads that differ by more, of the largest … */
#define UNEQUAL 0.1
#define NOTABLE 0.01   /* … and of the whole, are printed */
#define ALONE_PAGES 64 /* smaller arrays fit into caches */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Whether two rows are one line to the reader: then 0. */
static int line_order(const struct run_touch *a, const struct run_touch *b)
{
	int order = compare(a->array, b->array);

	order = order ? order : compare(a->before, b->before);
	order = order ? order : compare(a->by_kernel, b->by_kernel);
	order = order ? order : compare_text(a->source.file, b->source.file);
	order = order ? order : compare((uint64_t)a->source.line, (uint64_t)b->source.line);
	order = order ? order : compare_text(a->source.function, b->source.function);
	return order ? order : a->source.line ? 0 : compare(a->source.offset, b->source.offset);
}

static int touch_order(const void *a, const void *b)
{
	const struct run_touch *x = *(const struct run_touch *const *)a,
			       *y = *(const struct run_touch *const *)b;
	int order = line_order(x, y);

	order = order ? order : compare(x->thread, y->thread);
	return order ? order : compare(y->bytes, x->bytes);
}

/* ---------------------------------------------------------------- one group */

/* Touches come by thread. */
static void add_thread(struct touch_group *group, uint32_t thread, uint64_t bytes)
{
	if (thread != RUN_THREAD_UNKNOWN &&
	    (!group->nr_threads || group->threads[group->nr_threads - 1] != thread))
		group->threads[group->nr_threads++] = thread;
	group->least = group->most && group->least < bytes ? group->least : bytes;
	group->most = group->most > bytes ? group->most : bytes;
}

static void add_node(struct touch_group *group, uint32_t node)
{
	size_t at = 0;

	while (at < group->nr_nodes && group->nodes[at] < node)
		at++;
	if (node == RUN_PLACE_UNKNOWN || (at < group->nr_nodes && group->nodes[at] == node))
		return;
	memmove(&group->nodes[at + 1], &group->nodes[at],
		(group->nr_nodes - at) * sizeof(*group->nodes));
	group->nodes[at] = node;
	group->nr_nodes++;
}

static void sum_threads(struct touch_group *group, const struct run_touch *const *touches,
			size_t nr)
{
	for (size_t i = 0; i < nr;) {
		uint32_t thread = touches[i]->thread;
		uint64_t bytes = 0;

		for (; i < nr && touches[i]->thread == thread; i++) {
			bytes += touches[i]->bytes;
			add_node(group, touches[i]->node);
		}
		add_thread(group, thread, bytes);
	}
}

/* Of `nr` touches of one line; nothing is counted without memory. */
static struct touch_group group_of(struct arena *arena, const struct run_touch *const *touches,
				   size_t nr)
{
	struct touch_group group = {
		.array = touches[0]->array,
		.before = touches[0]->before,
		.by_kernel = touches[0]->by_kernel,
		.source = &touches[0]->source,
		.region = touches[0]->region,
		.threads = arena_alloc(arena, nr * sizeof(*group.threads)),
		.nodes = arena_alloc(arena, nr * sizeof(*group.nodes)),
	};
	uint64_t most = 0;

	for (size_t i = 0; i < nr; i++) {
		group.bytes += touches[i]->bytes;
		group.pages += touches[i]->pages;
		group.faults += touches[i]->faults;
		if (touches[i]->bytes > most) {
			most = touches[i]->bytes;
			group.region = touches[i]->region;
		}
	}
	if (group.threads && group.nodes)
		sum_threads(&group, touches, nr);
	return group;
}

/* ----------------------------------------------------------------- the view */

static int group_order(const void *a, const void *b)
{
	const struct touch_group *x = a, *y = b;
	int order = compare(x->array, y->array);

	order = order ? order : compare(y->bytes, x->bytes);
	order = order ? order : compare(x->before, y->before);
	order = order ? order : compare_text(x->source->file, y->source->file);
	return order ? order : compare((uint64_t)x->source->line, (uint64_t)y->source->line);
}

static const struct run_touch **touches_by_line(struct arena *arena, const struct run *run)
{
	const struct run_touch **list = arena_alloc(arena, (run->nr_touches + 1) * sizeof(*list));

	for (size_t i = 0; list && i < run->nr_touches; i++)
		list[i] = &run->touches[i];
	if (list)
		sort(list, run->nr_touches, sizeof(*list), touch_order);
	return list;
}

static bool make_groups(struct arrays_view *view, struct arena *arena)
{
	size_t nr = view->run->nr_touches;
	const struct run_touch **touches = touches_by_line(arena, view->run);

	view->groups = arena_alloc(arena, (nr + 1) * sizeof(*view->groups));
	view->first = arena_alloc(arena, (view->nr_arrays + 1) * sizeof(*view->first));
	if (!touches || !view->groups || !view->first)
		return false;
	for (size_t i = 0; i < nr;) {
		size_t same = 1;

		while (i + same < nr && !line_order(touches[i], touches[i + same]))
			same++;
		view->groups[view->nr_groups++] = group_of(arena, &touches[i], same);
		i += same;
	}
	sort(view->groups, view->nr_groups, sizeof(*view->groups), group_order);
	for (size_t i = 0, array = 0; array <= view->nr_arrays; array++) {
		while (i < view->nr_groups && view->groups[i].array < array)
			i++;
		view->first[array] = i;
	}
	return true;
}

struct sized {
	double moved;
	uint64_t bytes;
	uint32_t array;
};

static int size_order(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;
	int order = (y->moved > x->moved) - (y->moved < x->moved);

	order = order ? order : compare(y->bytes, x->bytes);
	return order ? order : compare(x->array, y->array);
}

static bool make_order(struct arrays_view *view, struct arena *arena)
{
	struct sized *sized = arena_alloc(arena, (view->nr_arrays + 1) * sizeof(*sized));

	view->order = arena_alloc(arena, (view->nr_arrays + 1) * sizeof(*view->order));
	if (!sized || !view->order)
		return false;
	for (uint32_t i = 0; i < view->nr_arrays; i++)
		if (!run_array_is_empty(&view->run->arrays[i]))
			sized[view->nr_order++] = (struct sized){ view->uses[i].bytes,
								  view->run->arrays[i].bytes, i };
	sort(sized, view->nr_order, sizeof(*sized), size_order);
	for (size_t i = 0; i < view->nr_order; i++)
		view->order[i] = sized[i].array;
	return true;
}

static struct misses *misses_of(struct arena *arena, const struct run *run)
{
	struct misses *misses = misses_by_array(arena, run);
	double executions = misses_executions(run), none = misses_no_streams(run);

	for (size_t i = 0; misses && i < run->nr_arrays; i++)
		misses[i].streamed = none;
	for (size_t i = 0; misses && i < run->nr_accesses; i++)
		if (run->accesses[i].array < run->nr_arrays)
			misses_add_streams(&misses[run->accesses[i].array], &run->accesses[i],
					   executions);
	return misses;
}

static double waited(struct arena *arena, const struct run *run)
{
	struct misses_rows threads = misses_rows(arena, run, MISSES_BY_THREAD);
	double sum = 0;

	for (size_t i = 0; i < threads.nr; i++)
		sum += threads.items[i].of.cycles;
	return sum;
}

const struct arrays_view *arrays_view(struct arena *arena, const struct run *run)
{
	struct arrays_view *view = arena_alloc(arena, sizeof(*view));

	if (!view)
		return NULL;
	view->run = run;
	view->nr_arrays = run->nr_arrays;
	view->rates = array_use_rates(arena, run);
	view->uses = view->rates ? array_uses(arena, run, view->rates) : NULL;
	view->misses = misses_of(arena, run);
	view->calls = calls_facts(arena, run);
	view->waited = waited(arena, run);
	return view->uses && view->misses && make_groups(view, arena) && make_order(view, arena)
		       ? view
		       : NULL;
}

uint64_t arrays_touched(const struct arrays_view *view, uint32_t array)
{
	uint64_t bytes = 0;

	for (size_t i = view->first[array]; i < view->first[array + 1]; i++)
		bytes += view->groups[i].bytes;
	return bytes;
}

static bool is_of(const struct touch_group *group, const struct run_touch *touch)
{
	const struct run_touch one = { .array = group->array,
				       .before = group->before,
				       .by_kernel = group->by_kernel,
				       .source = *group->source };

	return !line_order(&one, touch);
}

const struct touch_group *arrays_group(const struct arrays_view *view,
				       const struct run_touch *touch)
{
	for (size_t i = view->first[touch->array]; i < view->first[touch->array + 1]; i++)
		if (is_of(&view->groups[i], touch))
			return &view->groups[i];
	return NULL;
}

bool arrays_alone(const struct arrays_view *view, uint32_t array)
{
	const struct touch_group *first = &view->groups[view->first[array]],
				 *end = &view->groups[view->first[array + 1]];
	uint64_t touched = arrays_touched(view, array), others = 0;

	if (touched < ALONE_PAGES * view->run->touching.page_bytes ||
	    touched < view->run->arrays[array].bytes / 2 || first->nr_threads != 1)
		return false;
	for (const struct touch_group *group = first; group < end; group++)
		if (group->nr_threads != 1 || group->threads[0] != first->threads[0])
			others += group->bytes;
	return (double)others <= NOTABLE * (double)touched;
}

/* ------------------------------------------------------------------ in words */

/* "0-3, 7" */
static void add_ranges(struct text *text, const uint32_t *numbers, size_t nr)
{
	for (size_t i = 0; i < nr;) {
		size_t last = i;

		while (last + 1 < nr && numbers[last + 1] == numbers[last] + 1)
			last++;
		text_printf(text, "%s%" PRIu32, i ? ", " : "", numbers[i]);
		if (last > i)
			text_printf(text, "-%" PRIu32, numbers[last]);
		i = last + 1;
	}
}

const char *arrays_threads(struct arena *arena, const uint32_t *threads, size_t nr)
{
	struct text text;

	text_init(&text, arena);
	text_add_plain(&text, nr > 1 ? "threads " : "thread ");
	add_ranges(&text, threads, nr);
	return text.bytes;
}

/* Shares of threads, where they differ; equal ones are not printed. */
static void add_each(struct text *text, const struct touch_group *group, uint64_t whole)
{
	double difference = (double)group->most - (double)group->least;

	if (group->nr_threads < 2 || !whole || difference <= UNEQUAL * (double)group->most ||
	    difference <= NOTABLE * (double)whole)
		return;
	text_add(text, " (");
	units_share_range(text, (double)group->least / (double)whole,
			  (double)group->most / (double)whole);
	text_add(text, " each)");
}

const char *arrays_who(struct arena *arena, const struct touch_group *group, uint64_t whole)
{
	struct text text;

	text_init(&text, arena);
	if (!group->nr_threads) {
		text_add_plain(&text, group->by_kernel ? "the kernel (system calls such as read)"
						       : "an unknown thread");
		return text.bytes;
	}
	text_add_plain(&text, arrays_threads(arena, group->threads, group->nr_threads));
	add_each(&text, group, whole);
	return text.bytes;
}

const char *arrays_line(struct arena *arena, const struct touch_group *group)
{
	const char *line = array_file_line(arena, group->source->file, group->source->line);

	if (line && group->source->approximate)
		return arena_printf(arena, "near %s", line);
	if (line || group->before || !group->source->module || !*group->source->module)
		return line;
	return source_place(arena, group->source);
}

const char *arrays_resident_why(const struct run_array *array)
{
	if (array->resident_why == MS_PRESENT)
		return NULL;
	return array->blocks > 1 ? "only asked of arrays that are one block"
				 : ms_missing_text(array->resident_why);
}

static const char *sensor_why(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->nr_sensors; i++)
		if (run->sensors[i].name && !strcmp(run->sensors[i].name, name) &&
		    !run->sensors[i].works)
			return run->sensors[i].why ? run->sensors[i].why : "it does not work here";
	return NULL;
}

const char *arrays_why(struct arena *arena, const struct run *run)
{
	const char *why = sensor_why(run, "faults");

	if (!run->touching.page_bytes)
		return run->complete
			       ? "this run was recorded by a memsearch that kept no data structures"
			       : "the program was killed before its data structures were read";
	if (run->touching.faults)
		return NULL;
	return why ? arena_printf(arena, "page faults were not sampled: %s", why)
		   : "no page fault was seen while memsearch looked";
}
