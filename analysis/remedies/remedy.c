/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies by their words, and what each changes of the simulation. */
#include "analysis/remedies/remedy.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/numa/ranking.h"
#include "analysis/record/run.h"
#include "analysis/record/shape.h"
#include "analysis/report/array_names.h"
#include "analysis/report/array_use.h"
#include "analysis/report/arrays.h"
#include "analysis/simulation/page_use.h"
#include "analysis/trace/simulation_places.h"

static const struct {
	const char *name;
	bool takes_array;
} kinds[REMEDY_KINDS] = {
#define X(id, name, array) [REMEDY_##id] = { name, array },
	REMEDY_LIST(X)
#undef X
};

/* ------------------------------------------------------------------ words */

static enum remedy_kind kind_of(const char *word)
{
	size_t length = strcspn(word, ":");

	for (unsigned int kind = 0; kind < REMEDY_KINDS; kind++)
		if (strlen(kinds[kind].name) == length &&
		    !strncmp(kinds[kind].name, word, length) &&
		    (!word[length] || kinds[kind].takes_array))
			return kind;
	return REMEDY_KINDS;
}

bool remedy_is(const char *word)
{
	return kind_of(word) != REMEDY_KINDS;
}

static uint32_t array_named(struct arena *arena, const struct run *run, const char *name)
{
	for (uint32_t i = 0; i < run->nr_arrays; i++)
		if (!strcmp(arrays_name(arena, run, &run->arrays[i]), name))
			return i;
	return RUN_ARRAY_NONE;
}

bool remedy_read(struct arena *arena, const char *word, const struct remedy_base *base,
		 struct remedy *out, const char **name_out)
{
	const char *colon = strchr(word, ':');

	*out = (struct remedy){ .kind = kind_of(word), .array = RUN_ARRAY_NONE };
	*name_out = colon ? colon + 1 : NULL;
	if (colon && out->kind != REMEDY_MACHINE) {
		out->array = array_named(arena, base->run, colon + 1);
		if (out->array == RUN_ARRAY_NONE)
			return false;
	}
	out->words = word;
	remedy_prepare(arena, base, out);
	return true;
}

static const char *array_name(struct arena *arena, const struct remedy_base *base,
			      const struct remedy *remedy)
{
	return remedy->array < base->run->nr_arrays
		       ? arrays_name(arena, base->run, &base->run->arrays[remedy->array])
		       : "the arrays";
}

static const char *declared(struct arena *arena, const struct remedy_base *base,
			    const struct remedy *remedy)
{
	const char *line = remedy->array < base->run->nr_arrays
				   ? arrays_declared(arena, &base->run->arrays[remedy->array])
				   : NULL;

	return line ? arena_printf(arena, " (%s)", line) : "";
}

/* ------------------------------------------------------------------ pages */

static int by_address(const void *a, const void *b)
{
	uint64_t left = ((const struct simulation_home *)a)->low,
		 right = ((const struct simulation_home *)b)->low;

	return (left > right) - (left < right);
}

static bool is_read_only(const struct remedy_base *base, uint32_t array)
{
	const struct arrays_view *view = base->ranking->view;

	return array < view->nr_arrays && view->uses[array].reads > 0 &&
	       !(view->uses[array].writes > 0);
}

static bool wants_page(const struct remedy_base *base, const struct remedy *remedy,
		       const struct page_use *page)
{
	if (remedy->array != RUN_ARRAY_NONE && page->array != remedy->array)
		return false;
	return remedy->kind != REMEDY_REPLICATE || is_read_only(base, page->array);
}

static void move_pages(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	const struct page_uses *uses = base->uses;
	struct simulation_home *homes = arena_alloc(arena, (uses->nr + 1) * sizeof(*homes));
	size_t nr = 0;

	for (size_t i = 0; homes && i < uses->nr; i++) {
		const struct page_use *page = &uses->rows[i];

		if (wants_page(base, remedy, page))
			homes[nr++] = (struct simulation_home){
				page->address, page->address + uses->page_bytes,
				remedy->kind == REMEDY_REPLICATE ? SIMULATOR_EVERYWHERE
								 : page_use_most(uses, page)
			};
	}
	if (nr)
		sort(homes, nr, sizeof(*homes), by_address);
	remedy->placement.homes = homes;
	remedy->placement.nr_homes = nr;
	remedy->placement.interleave = remedy->placement.on_node = false;
	if (!nr)
		remedy->refused = remedy->kind == REMEDY_REPLICATE
					  ? "nothing that comes from memory is only read"
					  : "no line comes from memory";
}

static void first_touch(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	const struct numa_array *worst = base->ranking->nr ? &base->ranking->arrays[0] : NULL;

	move_pages(arena, base, remedy);
	if (!worst || !worst->remote)
		return;
	remedy->change = arena_printf(
		arena, "put each page where it is used; %s: %s",
		arrays_name(arena, base->run, &base->run->arrays[worst->array]), worst->advice);
}

/* ------------------------------------------------------------------ cores */

static void move_threads(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	struct placement moved;
	const char *word = kinds[remedy->kind].name;

	remedy->refused = placement_read(arena, word, NULL, base->model, base->placement->threads,
					 &moved);
	remedy->placement.cores = moved.cores;
	remedy->change = arena_printf(
		arena, "OMP_PROC_BIND=%s OMP_PLACES=cores in the environment%s", word,
		remedy->kind == REMEDY_CLOSE && base->model->nodes > 1
			? "; threads on one node share its memory bandwidth, which is not simulated"
			: "");
}

/* ------------------------------------------------------------------ layouts */

static void lay_out(struct arena *arena, struct remedy *remedy, struct simulation_layout how)
{
	struct simulation_layout *layout = arena_alloc(arena, sizeof(*layout));

	if (!layout) {
		remedy->refused = "no memory";
		return;
	}
	*layout = how;
	layout->array = remedy->array;
	remedy->placement.layouts = layout;
	remedy->placement.nr_layouts = 1;
}

static uint32_t line_of(const struct machine_model *model)
{
	uint32_t line = 0;

	for (int level = 0; level < MODEL_LEVELS; level++)
		line = model->cache[level].line > line ? model->cache[level].line : line;
	return line;
}

static void pad_rows(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	uint64_t row = shape_row_bytes(&base->run->arrays[remedy->array]),
		 line = line_of(base->model);

	remedy->change = arena_printf(
		arena, "make the rows of %s%s longer by %u bytes (the leading dimension)",
		array_name(arena, base, remedy), declared(arena, base, remedy), (unsigned int)line);
	if (row)
		lay_out(arena, remedy,
			(struct simulation_layout){ .unit = row, .padded = row + line });
	else
		remedy->refused = "its shape has no rows, or is not known";
}

static void pad_elements(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	uint64_t element = base->run->arrays[remedy->array].element_bytes,
		 line = line_of(base->model);

	remedy->change = arena_printf(
		arena,
		"pad and align each element of %s%s to %u bytes (alignas(%u)), or give each thread a variable of its own",
		array_name(arena, base, remedy), declared(arena, base, remedy), (unsigned int)line,
		(unsigned int)line);
	if (!element)
		remedy->refused = "the size of its elements is not known";
	else if (element % line)
		lay_out(arena, remedy,
			(struct simulation_layout){ .unit = element,
						    .padded = (element + line - 1) / line * line,
						    .align = line });
	else
		lay_out(arena, remedy, (struct simulation_layout){ .align = line });
}

static void align(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	uint32_t line = line_of(base->model);

	remedy->change = arena_printf(arena, "align %s%s to %u bytes (alignas, aligned_alloc)",
				      array_name(arena, base, remedy),
				      declared(arena, base, remedy), line);
	lay_out(arena, remedy, (struct simulation_layout){ .align = line });
}

/* The smallest access, in bytes: fields are this large, or several of it. 0: none was recorded. */
static uint64_t field_bytes(const struct run *run, uint32_t array)
{
	uint64_t least = 0;

	for (size_t i = 0; i < run->nr_accesses; i++)
		if (run->accesses[i].array == array && run->accesses[i].bytes &&
		    (!least || run->accesses[i].bytes < least))
			least = run->accesses[i].bytes;
	return least;
}

static void split(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	uint64_t element = base->run->arrays[remedy->array].element_bytes,
		 field = field_bytes(base->run, remedy->array);

	remedy->change = arena_printf(
		arena,
		"store each field of the elements of %s%s in an array of its own (a struct of arrays in the place of an array of structs)",
		array_name(arena, base, remedy), declared(arena, base, remedy));
	if (!element)
		remedy->refused = "the size of its elements is not known";
	else if (!field)
		remedy->refused = "no access to it was recorded";
	else if (element <= field || element % field)
		remedy->refused = "its elements are no structs of fields of the same size";
	else
		lay_out(arena, remedy,
			(struct simulation_layout){ .unit = element,
						    .padded = element,
						    .align = line_of(base->model),
						    .part = field });
}

#define MERGED_MOST 8 /* arrays */
#define IRREGULAR 0.5 /* part of accesses that keep to a stride, less than that */

static bool is_irregular(const struct run_access *access)
{
	return access->with_stride < IRREGULAR;
}

/* Irregular accesses of one loop to both. */
static bool are_used_together(const struct run *run, uint32_t array, uint32_t other)
{
	for (size_t i = 0; i < run->nr_accesses; i++)
		for (size_t k = 0; k < run->nr_accesses && run->accesses[i].array == array; k++)
			if (run->accesses[k].array == other && is_irregular(&run->accesses[i]) &&
			    is_irregular(&run->accesses[k]) &&
			    run->accesses[i].loop == run->accesses[k].loop)
				return true;
	return false;
}

static bool can_be_merged(const struct run *run, uint32_t array, uint32_t other)
{
	const struct run_array *first = &run->arrays[array], *second = &run->arrays[other];

	return array == other ||
	       (first->bytes == second->bytes && first->element_bytes == second->element_bytes &&
		first->blocks == 1 && second->blocks == 1 &&
		!run_array_is_stack(second) && are_used_together(run, array, other));
}

/* With arrays of its size that the same loops use irregularly, by the same index as it seems. */
static void merge(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	const struct run *run = base->run;
	uint64_t element = run->arrays[remedy->array].element_bytes;
	struct simulation_layout *layouts = arena_alloc(arena, MERGED_MOST * sizeof(*layouts));
	const char *names = NULL;
	size_t nr = 0;

	for (uint32_t i = 0; layouts && element && i < run->nr_arrays && nr < MERGED_MOST; i++) {
		const char *name = arrays_name(arena, run, &run->arrays[i]);

		if (!can_be_merged(run, remedy->array, i))
			continue;
		layouts[nr] = (struct simulation_layout){
			.array = i, .unit = element, .merged = true, .at = nr * element
		};
		names = nr++ ? arena_printf(arena, "%s, %s", names, name) : name;
	}
	for (size_t i = 0; i < nr; i++) {
		layouts[i].padded = nr * element;
		layouts[i].align = line_of(base->model);
	}
	remedy->change = arena_printf(
		arena,
		"store the elements of %s with the same index beside each other, as one array of structs",
		names ? names : "the arrays");
	if (nr < 2) {
		remedy->refused =
			"no other array of its size is used irregularly in the same loops";
		return;
	}
	remedy->placement.layouts = layouts;
	remedy->placement.nr_layouts = nr;
}

/* ------------------------------------------------------------------ machines */

static void other_machine(struct arena *arena, const struct remedy_base *base,
			  struct remedy *remedy)
{
	const char *name = strchr(remedy->words, ':');
	const struct machine_model *model = name ? base->machine(base->machine_ctx, arena, name + 1)
						 : NULL;

	remedy->change = arena_printf(arena, "run it on %s", name ? name + 1 : "another machine");
	if (!model) {
		remedy->refused = "there is no such machine";
		return;
	}
	remedy->model = *model;
	if (base->placement->threads > model->cores) {
		remedy->refused = "it has fewer cores than threads were recorded";
		return;
	}
	remedy->refused = placement_read(arena, base->places, NULL, model, base->placement->threads,
					 &remedy->placement);
	if (!remedy->refused && !base->places)
		placement_as_run(arena, base->run, model, &remedy->placement);
}

/* ------------------------------------------------------------------ all */

static bool needs_array(enum remedy_kind kind)
{
	return kind == REMEDY_PAD_ROWS || kind == REMEDY_PAD_ELEMENTS || kind == REMEDY_ALIGN ||
	       kind == REMEDY_SPLIT || kind == REMEDY_MERGE;
}

static bool needs_nodes(enum remedy_kind kind)
{
	return kind == REMEDY_FIRST_TOUCH || kind == REMEDY_INTERLEAVE || kind == REMEDY_REPLICATE;
}

void remedy_prepare(struct arena *arena, const struct remedy_base *base, struct remedy *remedy)
{
	remedy->model = *base->model;
	remedy->placement = *base->placement;
	if (!remedy->words)
		remedy->words = remedy->array == RUN_ARRAY_NONE
					? kinds[remedy->kind].name
					: arena_printf(arena, "%s:%s", kinds[remedy->kind].name,
						       array_name(arena, base, remedy));
	if (needs_nodes(remedy->kind) && base->model->nodes < 2) {
		remedy->refused = "the machine has one NUMA node";
		return;
	}
	if (needs_array(remedy->kind) && remedy->array == RUN_ARRAY_NONE) {
		remedy->refused = "it needs the name of an array, behind a colon";
		return;
	}
	switch (remedy->kind) {
	case REMEDY_FIRST_TOUCH: first_touch(arena, base, remedy); break;
	case REMEDY_INTERLEAVE:
		remedy->placement.interleave = true;
		remedy->placement.on_node = false;
		remedy->change =
			"numactl --interleave=all, or numa_alloc_interleaved for the arrays";
		break;
	case REMEDY_REPLICATE:
		move_pages(arena, base, remedy);
		remedy->change = arena_printf(arena, "keep a copy of %s for each node",
					      remedy->array == RUN_ARRAY_NONE
						      ? "arrays that are only read"
						      : array_name(arena, base, remedy));
		break;
	case REMEDY_CLOSE:
	case REMEDY_SPREAD: move_threads(arena, base, remedy); break;
	case REMEDY_PAD_ROWS: pad_rows(arena, base, remedy); break;
	case REMEDY_PAD_ELEMENTS: pad_elements(arena, base, remedy); break;
	case REMEDY_ALIGN: align(arena, base, remedy); break;
	case REMEDY_SPLIT: split(arena, base, remedy); break;
	case REMEDY_MERGE: merge(arena, base, remedy); break;
	case REMEDY_HUGE_PAGES:
		remedy->refused = base->model->huge_page
					  ? placement_use_huge_pages(arena, base->model,
								     &remedy->placement)
					  : "the machine's file gives no huge_page";
		remedy->change =
			"GLIBC_TUNABLES=glibc.malloc.hugetlb=1 in the environment, or madvise(MADV_HUGEPAGE) for the arrays";
		break;
	default: other_machine(arena, base, remedy); break;
	}
}
