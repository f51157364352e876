/* SPDX-License-Identifier: Apache-2.0 */
/* Parses --places and --pages: cores of threads and nodes of pages. */
#include "analysis/simulation/placement.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "analysis/simulation/run_places.h"

/* ------------------------------------------------------------------ cores */

static bool has_core(const uint32_t *cores, uint32_t nr, uint32_t core)
{
	for (uint32_t i = 0; i < nr; i++)
		if (cores[i] == core)
			return true;
	return false;
}

/* A number at *at; false: none. */
static bool read_number(const char **at, uint64_t *out)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*out = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/* "3" or "0-3" at *at, and the comma after it. */
static bool read_range(const char **at, uint64_t *low, uint64_t *high)
{
	if (!read_number(at, low))
		return false;
	*high = *low;
	if (**at == '-' && (++*at, !read_number(at, high)))
		return false;
	if (**at == ',' && !*++*at)
		return false;
	return *high >= *low;
}

static const char *read_list(struct arena *arena, const char *places,
			     const struct machine_model *model, struct placement *out)
{
	uint32_t nr = 0;
	uint64_t low, high;

	for (const char *at = places; *at;) {
		if (!read_range(&at, &low, &high) || (*at && at[-1] != ','))
			return arena_printf(
				arena,
				"--places '%s' is none of close, spread, and cores such as 0-3,16-19",
				places);
		if (high >= model->cores)
			return arena_printf(arena,
					    "--places '%s': machine '%s' has the cores 0 to %u",
					    places, model->name, model->cores - 1);
		for (uint64_t core = low; core <= high; core++) {
			if (has_core(out->cores, nr, (uint32_t)core))
				return arena_printf(
					arena,
					"--places '%s' names core %u twice: one thread runs on a core",
					places, (unsigned int)core);
			if (nr < out->threads)
				out->cores[nr++] = (uint32_t)core;
		}
	}
	if (nr < out->threads)
		return arena_printf(arena,
				    "--places '%s' names %u core%s, and %u threads were recorded",
				    places, nr, nr == 1 ? "" : "s", out->threads);
	return NULL;
}

static const char *read_places(struct arena *arena, const char *places,
			       const struct machine_model *model, struct placement *out)
{
	if (out->threads > model->cores)
		return NULL; /* the simulation reports the error */
	out->cores = arena_alloc(arena, (out->threads + 1) * sizeof(*out->cores));
	if (!out->cores)
		return "no memory";
	if (strcmp(places, "close") && strcmp(places, "spread"))
		return read_list(arena, places, model, out);
	for (uint32_t i = 0; i < out->threads; i++)
		out->cores[i] = !strcmp(places, "close")
					? i
					: (uint32_t)((uint64_t)i * model->cores / out->threads);
	return NULL;
}

/* ------------------------------------------------------------------ pages */

static const char *read_pages(struct arena *arena, const char *pages,
			      const struct machine_model *model, struct placement *out)
{
	uint64_t node;
	const char *at = pages;

	out->interleave = !strcmp(pages, "interleave");
	if (out->interleave || !strcmp(pages, "first-touch"))
		return NULL;
	if (!read_number(&at, &node) || *at)
		return arena_printf(
			arena,
			"--pages '%s' is none of first-touch, interleave, and the number of a node",
			pages);
	if (node >= model->nodes)
		return arena_printf(arena, "--pages '%s': machine '%s' has %s%u", pages,
				    model->name, model->nodes > 1 ? "the nodes 0 to " : "node ",
				    model->nodes - 1);
	out->on_node = true;
	out->node = (uint32_t)node;
	return NULL;
}

/* ------------------------------------------------------------------ words */

static uint32_t core_of(const struct placement *placement, uint32_t thread)
{
	return placement->cores && thread < placement->threads ? placement->cores[thread] : thread;
}

uint32_t placement_node(const struct placement *placement, const struct machine_model *model,
			uint32_t thread)
{
	return model->nodes > 1
		       ? core_of(placement, thread) % model->cores / (model->cores / model->nodes)
		       : 0;
}

/* "0-3, 8": runs of neighbours. */
static const char *numbers_words(struct arena *arena, const uint32_t *numbers, uint32_t nr)
{
	const char *text = "";

	for (uint32_t i = 0, end; text && i < nr; i = end) {
		for (end = i + 1; end < nr && numbers[end] == numbers[end - 1] + 1;)
			end++;
		text = arena_printf(arena, "%s%s%u", text, i ? ", " : "", numbers[i]);
		if (text && end > i + 1)
			text = arena_printf(arena, "%s-%u", text, numbers[end - 1]);
	}
	return text ? text : "";
}

/* Ascending; returns their number. */
static uint32_t nodes_of(const struct placement *placement, const struct machine_model *model,
			 uint32_t nodes[MODEL_NODES])
{
	bool used[MODEL_NODES] = { false };
	uint32_t nr = 0;

	for (uint32_t i = 0; i < placement->threads; i++)
		used[placement_node(placement, model, i)] = true;
	for (uint32_t node = 0; node < MODEL_NODES; node++)
		if (used[node])
			nodes[nr++] = node;
	return nr;
}

/* " of nodes 0-1": of machines with several. */
static const char *nodes_words(struct arena *arena, const struct placement *placement,
			       const struct machine_model *model)
{
	uint32_t nodes[MODEL_NODES], nr = model->nodes > 1 ? nodes_of(placement, model, nodes) : 0;

	return nr ? arena_printf(arena, " of node%s %s", nr > 1 ? "s" : "",
				 numbers_words(arena, nodes, nr))
		  : "";
}

/* "its threads run on the cores 0, 8 of nodes 0-1"; NULL: the simulation refuses them. */
static const char *cores_words(struct arena *arena, const struct placement *placement,
			       const struct machine_model *model)
{
	uint32_t *cores = arena_alloc(arena, (placement->threads + 1) * sizeof(*cores));

	if (!placement->threads || placement->threads > model->cores || !cores)
		return NULL;
	for (uint32_t i = 0; i < placement->threads; i++)
		cores[i] = core_of(placement, i);
	return arena_printf(arena, "its threads run on the cores %s%s",
			    numbers_words(arena, cores, placement->threads),
			    nodes_words(arena, placement, model));
}

static const char *as_asked(struct arena *arena, const char *asked)
{
	return asked ? arena_printf(arena, "as was asked for, %s", asked) : NULL;
}

/* Default cores matter on machines with several nodes. */
static const char *places_words(struct arena *arena, const struct placement *placement,
				const char *places, const struct machine_model *model)
{
	uint32_t nodes[MODEL_NODES];
	const char *cores = cores_words(arena, placement, model);
	bool named = places && (!strcmp(places, "close") || !strcmp(places, "spread"));

	if (!cores || (!places && model->nodes < 2))
		return NULL;
	if (places)
		return as_asked(arena, model->nodes > 1 && named
					       ? arena_printf(arena, "%s (%s)", cores, places)
					       : cores);
	return arena_printf(arena, "%s (close%s)", cores,
			    placement->threads > 1 && nodes_of(placement, model, nodes) == 1
				    ? "; --places spread uses more nodes"
				    : "");
}

static const char *joined(struct arena *arena, const char *cores, const char *asked)
{
	const char *pages = as_asked(arena, asked);

	return cores && pages ? arena_printf(arena, "%s; %s", cores, pages) : cores ? cores : pages;
}

static void describe(struct arena *arena, struct placement *placement, const char *places,
		     const char *pages, const struct machine_model *model)
{
	if (pages)
		placement->asked = placement->interleave ? "pages go round its nodes"
				   : placement->on_node
					   ? arena_printf(arena, "all pages lie on node %u",
							  placement->node)
					   : "pages lie where they are touched first";
	placement->words = joined(arena, places_words(arena, placement, places, model),
				  placement->asked);
}

const char *placement_read(struct arena *arena, const char *places, const char *pages,
			   const struct machine_model *model, uint32_t threads,
			   struct placement *out)
{
	const char *wrong = NULL;

	*out = (struct placement){ .threads = threads, .interleave = model->interleave };
	if (places)
		wrong = read_places(arena, places, model, out);
	if (!wrong && pages)
		wrong = read_pages(arena, pages, model, out);
	if (!wrong)
		describe(arena, out, places, pages, model);
	return wrong;
}

void placement_as_run(struct arena *arena, const struct run *run, const struct machine_model *model,
		      struct placement *placement)
{
	uint32_t *cores = arena_alloc(arena, (placement->threads + 1) * sizeof(*cores));
	const char *bound;

	if (!cores ||
	    !run_places(run->omp_places, run->omp_proc_bind, model, placement->threads, cores))
		return;
	placement->cores = cores;
	bound = arena_printf(arena, "as %s%s%s%s%s of the run %s it, %s",
			     run->omp_proc_bind ? "OMP_PROC_BIND=" : "",
			     run->omp_proc_bind ? run->omp_proc_bind : "",
			     run->omp_proc_bind && run->omp_places ? " and " : "",
			     run->omp_places ? "OMP_PLACES=" : "",
			     run->omp_places ? run->omp_places : "",
			     run->omp_proc_bind && run->omp_places ? "have" : "has",
			     cores_words(arena, placement, model));
	placement->words = joined(arena, bound, placement->asked);
}

static struct model_tlb huge_tlb(const struct machine_model *model, int level)
{
	struct model_tlb tlb = model->tlb[level];

	if (!model->huge_tlb[level].entries)
		return tlb;
	tlb.entries = model->huge_tlb[level].entries;
	tlb.ways = model->huge_tlb[level].ways;
	return tlb;
}

/* Prefetchers stop at small pages also with huge ones. */
struct machine_model placement_model(const struct placement *placement,
				     const struct machine_model *model)
{
	struct machine_model placed = *model;

	placed.interleave = placement->interleave;
	if (!placement->huge_pages)
		return placed;
	placed.page = model->huge_page;
	placed.prefetch_page = model->page;
	for (int level = 0; level < 2; level++)
		placed.tlb[level] = huge_tlb(model, level);
	placed.huge_page = 0; /* all pages are huge */
	memset(placed.huge_tlb, 0, sizeof(placed.huge_tlb));
	return placed;
}

/* "32 and 1024" */
static const char *entries_words(struct arena *arena, const struct machine_model *model)
{
	uint32_t first = huge_tlb(model, 0).entries, second = huge_tlb(model, 1).entries;

	return second ? arena_printf(arena, "%u and %u", first, second)
		      : arena_printf(arena, "%u", first);
}

static bool is_assumed(const struct machine_model *model)
{
	return !model->huge_tlb[0].entries ||
	       (model->tlb[1].entries && !model->huge_tlb[1].entries);
}

static const char *huge_words(struct arena *arena, const struct machine_model *model)
{
	const char *entries = model->tlb[0].entries ? entries_words(arena, model) : NULL;
	uint32_t kib = model->huge_page >> 10;
	const char *size = kib % 1024 ? arena_printf(arena, "%u KiB", kib)
				      : arena_printf(arena, "%u MiB", kib / 1024);

	if (!entries)
		return arena_printf(arena, "pages are of %s", size);
	return arena_printf(arena, "pages are of %s, of which the TLBs hold %s%s", size, entries,
			    is_assumed(model) ? " (assumed: as of small ones)" : "");
}

const char *placement_use_huge_pages(struct arena *arena, const struct machine_model *model,
				     struct placement *placement)
{
	const char *huge;

	if (!model->huge_page)
		return arena_printf(
			arena,
			"--huge-pages: machine '%s' has no huge pages: its file gives no huge_page",
			model->name);
	huge = huge_words(arena, model);
	placement->huge_pages = true;
	placement->words = placement->words ? arena_printf(arena, "%s; %s", placement->words, huge)
					    : as_asked(arena, huge);
	return NULL;
}

void placement_describe(const struct placement *placement, struct run_modelled *out)
{
	out->placement = placement->words;
	out->thread_cores = placement->cores;
	out->nr_thread_cores = placement->cores ? placement->threads : 0;
}
