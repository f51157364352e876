/* SPDX-License-Identifier: Apache-2.0 */
/* Remote lines by data structure, and what to change. */
#include "analysis/numa/ranking.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/machine/model.h"
#include "analysis/numa/measured_pages.h"
#include "analysis/numa/written_pages.h"
#include "analysis/numa/sites.h"
#include "analysis/numa/touched_pages.h"
#include "analysis/report/array_use.h"
#include "analysis/report/arrays.h"
#include "analysis/report/misses.h"
#include "analysis/simulation/page_use.h"

#define OWN 0.9 /* of a page's lines, for it to be one node's */
/* of an array's lines in such pages, for it to be divided into blocks */
#define BLOCKS_SHARE 0.8
#define BLOCKS_A_NODE 4 /* parts of one node's, for these to be large */
/* of its lines: nothing to change, as property RemoteDramAccesses */
#define FEW_REMOTE 0.2
#define ALONE 0.9 /* of first touches, or writes: one thread's */

static const struct {
	const char *name, *words;
} patterns[NUMA_PATTERNS] = {
#define X(id, name, words) [NUMA_##id] = { name, words },
	NUMA_PATTERN_LIST(X)
#undef X
};

const char *numa_pattern_name(enum numa_pattern pattern)
{
	return patterns[pattern].name;
}
const char *numa_pattern_words(enum numa_pattern pattern)
{
	return patterns[pattern].words;
}

/* ------------------------------------------------------------------ lines */

static uint64_t lines_of(const struct page_uses *uses, const struct page_use *page)
{
	uint64_t lines = 0;

	for (uint32_t node = 0; node < uses->nodes; node++)
		lines += page->lines[node];
	return lines;
}

static bool add_pages(struct arena *arena, const struct page_uses *uses, struct numa_array *of)
{
	uint64_t *matrix = arena_alloc(arena, (size_t)uses->nodes * uses->nodes * sizeof(*matrix));

	if (!matrix)
		return false;
	memset(matrix, 0, (size_t)uses->nodes * uses->nodes * sizeof(*matrix));
	for (size_t i = of->first_page; i < of->first_page + of->nr_pages; i++) {
		const struct page_use *page = &uses->rows[i];

		for (uint32_t node = 0; node < uses->nodes; node++) {
			matrix[(size_t)node * uses->nodes + page->home] += page->lines[node];
			of->lines += page->lines[node];
			of->remote += node != page->home ? page->lines[node] : 0;
		}
	}
	of->matrix = matrix;
	return true;
}

/* ------------------------------------------------------------------ patterns */

struct sharing {
	uint64_t lines, own; /* all, and those of pages that one node uses */
	size_t parts;        /* of pages in a row that one node uses */
	uint32_t nodes;      /* that use it */
};

static struct sharing sharing_of(const struct page_uses *uses, const struct numa_array *of)
{
	struct sharing sharing = { 0 };
	bool used[MODEL_NODES] = { false };
	uint32_t last = UINT32_MAX;

	for (size_t i = of->first_page; i < of->first_page + of->nr_pages; i++) {
		const struct page_use *page = &uses->rows[i];
		uint32_t most = page_use_most(uses, page);
		uint64_t lines = lines_of(uses, page);

		sharing.lines += lines;
		if ((double)page->lines[most] >= OWN * (double)lines) {
			sharing.own += lines;
			sharing.parts += most != last;
			last = most;
		}
		used[most] = true;
		for (uint32_t node = 0; node < uses->nodes; node++)
			used[node] |= (double)page->lines[node] > (1 - OWN) * (double)lines;
	}
	for (uint32_t node = 0; node < MODEL_NODES; node++)
		sharing.nodes += used[node];
	return sharing;
}

/* The thread that makes nearly all writes; false: there are several. */
static bool has_one_writer(const struct array_use *use)
{
	double most = 0;

	for (size_t i = 0; i < use->nr_threads; i++)
		most = fmax(most, use->threads[i].writes);
	return most >= ALONE * use->writes;
}

static enum numa_pattern pattern_of(const struct page_uses *uses, const struct numa_array *of,
				    const struct array_use *use)
{
	struct sharing sharing = sharing_of(uses, of);

	if (sharing.lines < NUMA_LINES_LEAST)
		return NUMA_FEW_LINES;
	if (sharing.nodes < 2)
		return NUMA_ONE_NODE;
	if ((double)sharing.own >= BLOCKS_SHARE * (double)sharing.lines)
		return sharing.parts <= (size_t)BLOCKS_A_NODE * sharing.nodes ? NUMA_PRIVATE_BLOCKS
									      : NUMA_BLOCK_CYCLIC;
	if (!(use->writes > 0))
		return NUMA_READ_ONLY_SHARED;
	return has_one_writer(use) ? NUMA_ONE_WRITER : NUMA_IRREGULAR;
}

/* ------------------------------------------------------------------ stalls */

/* Cycles that a line of another node takes, in the mean over those of the array. */
static double remote_cycles(const struct page_uses *uses, const struct numa_array *of)
{
	const struct machine_model *model = uses->model;
	double cycles = 0;

	for (uint32_t from = 0; from < uses->nodes; from++)
		for (uint32_t to = 0; to < uses->nodes; to++)
			if (from != to)
				cycles += (double)of->matrix[(size_t)from * uses->nodes + to] *
					  (model->distances[0][0] ? model->distances[from][to]
								  : model->remote_latency);
	return of->remote ? cycles / (double)of->remote : 0;
}

static void set_stalls(const struct numa_ranking *ranking, struct numa_array *of)
{
	const struct misses *misses = &ranking->view->misses[of->array];
	double all = ranking->view->waited;

	of->stalls = all > 0 ? misses->cycles / all : NAN;
	of->remote_stalls = all > 0 ? fmin(of->stalls,
					   misses->remote * remote_cycles(ranking->uses, of) / all)
				    : NAN;
}

static double sampled_of(const struct run *run, uint32_t array)
{
	double local = run_array_sum(run, array, MS_METRIC_SAMPLED_DRAM_LOCAL),
	       remote = run_array_sum(run, array, MS_METRIC_SAMPLED_DRAM_REMOTE);

	return local + remote > 0 ? remote / (local + remote) : NAN;
}

/* ------------------------------------------------------------------ first touch and advice */

/* Whether one thread touched first what is misplaced. */
static bool touched_alone(const struct numa_ranking *ranking, const struct numa_array *of)
{
	uint64_t all = arrays_touched(ranking->view, of->array);
	bool is_known = false;

	for (size_t i = 0; i < of->sites.nr; i++) {
		if (!numa_site_is_misplaced(&of->sites, &of->sites.items[i]))
			continue;
		if (!of->sites.items[i].group || of->sites.items[i].group->nr_threads != 1)
			return false;
		is_known = true;
	}
	return is_known || (of->touch && of->touch->nr_threads == 1 &&
			    (double)of->touch->bytes >= ALONE * (double)all);
}

static const char *construct_line(struct arena *arena, const struct numa_ranking *ranking,
				  const struct array_use *use)
{
	const struct run *run = ranking->run;
	uint32_t region = use->nr_regions ? use->regions[0].region : UINT32_MAX;
	const struct source *source = region < run->nr_regions ? &run->regions[region].source
							       : NULL;

	return source && source->line && source->file
		       ? arena_printf(arena, "%s:%d", source->file, source->line)
		       : NULL;
}

static const char *as_in_loop(struct arena *arena, const struct numa_array *of)
{
	return of->used ? arena_printf(arena, "the loop at %s", of->used) : "the loops that use it";
}

/* "at init.c:12", "near init.c:12" */
static const char *at(struct arena *arena, const char *line)
{
	return strncmp(line, "near ", 5) ? arena_printf(arena, "at %s", line) : line;
}

/* Lines of the first touches that misplace it, else that of most. NULL: not known. */
static const char *misplaced_at(struct arena *arena, const struct numa_array *of)
{
	const char *lines = numa_sites_misplaced(arena, &of->sites);

	return lines ? lines : of->touched;
}

/* The line of the first touch is not known. */
static const char *not_alone(const struct numa_ranking *ranking, const struct numa_array *of)
{
	return of->touch && of->touch->before && touched_alone(ranking, of)
		       ? ", not by the initial thread before the first OpenMP construct"
		       : "";
}

static const char *advice_for_blocks(struct arena *arena, const struct numa_ranking *ranking,
				     const struct numa_array *of)
{
	const char *loop = as_in_loop(arena, of), *touched = misplaced_at(arena, of);

	if (numa_sites_by_kernel(&of->sites))
		return arena_printf(
			arena,
			"write 0 to it in parallel with the same schedule as %s before it is read from the file, as the kernel puts pages on the node of the thread that reads; and bind the threads (OMP_PROC_BIND=close)",
			loop);
	if (touched_alone(ranking, of))
		return arena_printf(
			arena,
			"initialise it in parallel with the same schedule as %s (schedule(static) for both)%s%s, and bind the threads (OMP_PROC_BIND=close)",
			loop, touched ? ", not by one thread " : not_alone(ranking, of),
			touched ? at(arena, touched) : "");
	return arena_printf(
		arena,
		"give each thread the same part in %s as in %s (one static schedule for all), and bind the threads",
		touched ? arena_printf(arena, "the initialisation %s", at(arena, touched))
			: "the initialisation",
		loop);
}

/* The simulation knows no system calls. */
static bool is_placed_by_kernel(const struct numa_array *of)
{
	return of->touch && of->touch->by_kernel;
}

static const char *advice_of(struct arena *arena, const struct numa_ranking *ranking,
			     const struct numa_array *of)
{
	const char *touched = misplaced_at(arena, of);

	if ((double)of->remote < FEW_REMOTE * (double)of->lines)
		return is_placed_by_kernel(of)
			       ? "not known: the kernel put its pages on the node of the thread that made the system call, the simulation where they are used first; if one thread reads all of it, write 0 to it before, in parallel with the schedule of the loops that use it"
			       : "nothing: its pages are where they are used";
	switch (of->pattern) {
	case NUMA_ONE_NODE:
		return arena_printf(
			arena,
			"let a thread of the node that uses it touch it first%s%s, and bind the threads",
			touched ? ", not one " : not_alone(ranking, of),
			touched ? at(arena, touched) : "");
	case NUMA_PRIVATE_BLOCKS: return advice_for_blocks(arena, ranking, of);
	case NUMA_BLOCK_CYCLIC:
		return arena_printf(
			arena,
			"give each thread one part of whole pages in %s (schedule(static) without a chunk size), and initialise it with that schedule; else interleave its pages"
			" (numactl --interleave=all, numa_alloc_interleaved)",
			as_in_loop(arena, of));
	case NUMA_READ_ONLY_SHARED:
		return "keep a copy for each node, as nothing writes it; else interleave its pages (numactl --interleave=all, numa_alloc_interleaved)";
	case NUMA_ONE_WRITER:
		return arena_printf(
			arena,
			"let each thread write what it reads in %s; else interleave its pages (numactl --interleave=all, numa_alloc_interleaved)",
			as_in_loop(arena, of));
	case NUMA_FEW_LINES: return "nothing: so few lines cost little, wherever they are";
	default:
		return "interleave its pages, so that all nodes' memory serves it (numactl --interleave=all, numa_alloc_interleaved); else renumber, so that each thread mostly uses its own part";
	}
}

static void set_texts(struct arena *arena, const struct numa_ranking *ranking,
		      struct numa_array *of)
{
	const struct arrays_view *view = ranking->view;

	of->touch = view->first[of->array + 1] > view->first[of->array]
			    ? &view->groups[view->first[of->array]]
			    : NULL;
	of->touched = of->touch && !of->touch->before ? arrays_line(arena, of->touch) : NULL;
	of->used = construct_line(arena, ranking, &view->uses[of->array]);
	of->advice = advice_of(arena, ranking, of);
}

/* ------------------------------------------------------------------ all */

static int by_remote(const void *a, const void *b)
{
	const struct numa_array *left = a, *right = b;

	if (left->remote != right->remote)
		return left->remote < right->remote ? 1 : -1;
	if (left->lines != right->lines)
		return left->lines < right->lines ? 1 : -1;
	return (left->array > right->array) - (left->array < right->array);
}

static bool fill(struct numa_ranking *ranking, struct arena *arena)
{
	const struct page_uses *uses = ranking->uses;

	for (size_t i = 0, end; i < uses->nr; i = end) {
		struct numa_array of = { .array = uses->rows[i].array, .first_page = i };

		for (end = i; end < uses->nr && uses->rows[end].array == of.array;)
			end++;
		of.nr_pages = end - i;
		if (!add_pages(arena, uses, &of))
			return false;
		ranking->lines += of.lines;
		ranking->remote += of.remote;
		if (of.array >= ranking->run->nr_arrays || !of.lines)
			continue;
		of.pattern = pattern_of(uses, &of, &ranking->view->uses[of.array]);
		of.sampled = sampled_of(ranking->run, of.array);
		set_stalls(ranking, &of);
		if (!numa_sites(arena, ranking->view, ranking->touched, uses, i, of.nr_pages,
				&of.sites))
			return false;
		set_texts(arena, ranking, &of);
		ranking->arrays[ranking->nr++] = of;
	}
	return true;
}

const struct numa_ranking *numa_ranking(struct arena *arena, const struct run *run,
					const struct page_uses *uses)
{
	struct numa_ranking *ranking = arena_alloc(arena, sizeof(*ranking));

	if (!ranking)
		return NULL;
	*ranking = (struct numa_ranking){ .run = run,
					  .uses = uses,
					  .view = arrays_view(arena, run),
					  .touched = touched_pages(arena, run) };
	if (run->placing.page_bytes || run->placing.why)
		ranking->measured = numa_measured(arena, run);
	ranking->writes = numa_writes(arena, run);
	ranking->arrays = arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*ranking->arrays));
	if (!ranking->view || !ranking->touched || !ranking->arrays || !fill(ranking, arena))
		return NULL;
	sort(ranking->arrays, ranking->nr, sizeof(*ranking->arrays), by_remote);
	return ranking;
}
