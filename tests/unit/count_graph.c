/* SPDX-License-Identifier: Apache-2.0 */
/* Count graphs of stack samples: the paper's example, recursion, the count tree, deep starters. */
#include "analysis/search/count_graph.h"

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

enum { A, B, C, D, E, F, G };

static const struct count_focus all = { COUNT_GRAPH_ANY, COUNT_GRAPH_ANY };
static size_t pieces_left = SIZE_MAX; /* allocations until there is no memory */

static void *allocate(void *ctx, size_t bytes)
{
	return pieces_left-- ? arena_alloc(ctx, bytes) : NULL;
}

static struct count_graph *graph_new(void)
{
	return count_graph_new(&(struct count_memory){ allocate, arena_new() });
}

/* "ABCD": the outermost place first */
static void add(struct count_graph *graph, const char *stack, uint32_t thread, double samples)
{
	uint32_t places[16];
	size_t depth = strlen(stack);

	for (size_t i = 0; i < depth; i++)
		places[i] = (uint32_t)(stack[i] - 'A');
	CHECK(count_graph_add(graph, places, depth, thread, samples));
}

/* Figure 3 of the paper. */
static struct count_graph *paper(void)
{
	struct count_graph *graph = graph_new();

	add(graph, "ABCD", 0, 1);
	add(graph, "AECD", 0, 1);
	add(graph, "AFD", 0, 1);
	add(graph, "AFG", 0, 1);
	return graph;
}

static const char *letters(const uint32_t *places, size_t nr)
{
	static char text[64];

	for (size_t i = 0; i < nr; i++)
		text[i] = (char)('A' + places[i]);
	text[nr] = 0;
	return text;
}

static const char *chosen(struct count_graph *graph, const struct count_choice *choice)
{
	uint32_t places[16];

	return letters(places, count_graph_choose(graph, choice, places, 16));
}

static const char *starters(struct count_graph *graph, double threshold, uint32_t below)
{
	return chosen(graph, &(struct count_choice){
				     .focus = all, .threshold = threshold, .below = below });
}

static const char *path(struct count_graph *graph, uint32_t from, uint32_t to)
{
	uint32_t places[16];

	return letters(places, count_graph_path(graph, from, to, places, 16));
}

/* "A4 B1 …" */
static const char *counts(const struct count_graph *graph, struct count_focus focus)
{
	static char text[128];

	text[0] = 0;
	for (uint32_t id = A; id <= G; id++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%c%.0f",
			 id ? " " : "", 'A' + (int)id, count_graph_count(graph, id, focus));
	return text;
}

TEST(count_graph__the_example_of_the_paper)
{
	CHECK_STR(counts(paper(), all), "A4 B1 C2 D3 E1 F2 G1");
	CHECK_NEAR(count_graph_total(paper(), all), 4, 0);
	CHECK_NEAR(count_graph_count(paper(), 99, all), 0, 0);
}

/* A place counts once per sample, and the depth is that of its outermost occurrence. */
TEST(count_graph__recursion_counts_once)
{
	struct count_graph *graph = graph_new();

	add(graph, "ABBABC", 0, 2);
	CHECK_STR(counts(graph, all), "A2 B2 C2 D0 E0 F0 G0");
	CHECK_INT(count_graph_depth(graph, A), 0);
	CHECK_INT(count_graph_depth(graph, B), 1);
	CHECK_INT(count_graph_depth(graph, C), 2);
	/* B and A call each other, and B itself */
	CHECK_STR(path(graph, B, A), "");
	CHECK_STR(path(graph, A, C), "B");
	CHECK_STR(starters(graph, 0.2, COUNT_GRAPH_NONE), "C");
}

/* Total, NUMA node, thread. */
TEST(count_graph__the_count_tree)
{
	struct count_graph *graph = graph_new();

	add(graph, "AB", 0, 1);
	add(graph, "AC", 1, 2);
	add(graph, "AC", 2, 4);
	CHECK(count_graph_bind(graph, 0, 0) && count_graph_bind(graph, 1, 0) &&
	      count_graph_bind(graph, 2, 1));
	CHECK_STR(counts(graph, all), "A7 B1 C6 D0 E0 F0 G0");
	CHECK_STR(counts(graph, (struct count_focus){ 0, COUNT_GRAPH_ANY }),
		  "A3 B1 C2 D0 E0 F0 G0");
	CHECK_STR(counts(graph, (struct count_focus){ 0, 1 }), "A2 B0 C2 D0 E0 F0 G0");
	CHECK_STR(counts(graph, (struct count_focus){ COUNT_GRAPH_ANY, 2 }),
		  "A4 B0 C4 D0 E0 F0 G0");
	CHECK_NEAR(count_graph_total(graph, (struct count_focus){ 1, COUNT_GRAPH_ANY }), 4, 0);
	CHECK_NEAR(count_graph_total(graph, (struct count_focus){ 1, 0 }), 0, 0);
}

/* At 0.6 A and D are above it: D is not called by A, so that there are two subgraphs. */
TEST(count_graph__the_deepest_of_each_subgraph)
{
	CHECK_STR(starters(paper(), 0.2, COUNT_GRAPH_NONE), "D");
	CHECK_STR(starters(paper(), 0.6, COUNT_GRAPH_NONE), "AD");
	CHECK_STR(starters(paper(), 0.8, COUNT_GRAPH_NONE), "A");
	CHECK_STR(starters(paper(), 1, COUNT_GRAPH_NONE), "A");
}

/* A place itself is not below: what only it connects are several subgraphs. */
TEST(count_graph__below_a_place)
{
	struct count_graph *graph = paper();

	add(graph, "AHI", 0, 4);
	CHECK_STR(starters(graph, 0.2, A), "DI");
	CHECK_STR(starters(graph, 0.2, F), "D");  /* G is too rare */
	CHECK_STR(starters(graph, 0.1, F), "DG"); /* connected by F alone */
	CHECK_STR(starters(graph, 0.2, D), "");
	CHECK_STR(starters(graph, 0.2, 99), "");
}

TEST(count_graph__ties)
{
	struct count_graph *graph = graph_new();

	add(graph, "ACD", 0, 1);
	add(graph, "ACB", 0, 1);
	CHECK_STR(starters(graph, 0.2, COUNT_GRAPH_NONE), "B"); /* the smallest number */
	add(graph, "ACD", 0, 1);
	CHECK_STR(starters(graph, 0.2, COUNT_GRAPH_NONE), "D"); /* more samples */
}

/* Of one thread: of its own samples. */
TEST(count_graph__a_focus_has_its_own_denominator)
{
	struct count_graph *graph = graph_new();
	struct count_choice choice = { .focus = { COUNT_GRAPH_ANY, 1 },
				       .threshold = 0.5,
				       .below = COUNT_GRAPH_NONE };

	add(graph, "AB", 0, 100);
	add(graph, "ACD", 1, 2);
	CHECK_STR(chosen(graph, &choice), "D");
	choice.focus = all;
	CHECK_STR(chosen(graph, &choice), "B");
	choice.focus.thread = 7; /* no sample: nothing is frequent */
	CHECK_STR(chosen(graph, &choice), "");
}

static bool is_no_end(void *ctx, uint32_t place)
{
	return place != *(uint32_t *)ctx;
}

TEST(count_graph__of_eligible_places)
{
	struct count_graph *graph = graph_new();
	uint32_t end = D;
	struct count_choice choice = {
		.focus = all, .threshold = 0.2, .below = A, .is_eligible = is_no_end, .ctx = &end
	};

	add(graph, "ABCD", 0, 1);
	CHECK_STR(chosen(graph, &choice), "C");
	end = B; /* still connects C and D */
	CHECK_STR(chosen(graph, &choice), "D");
	choice.below = C;
	end = D;
	CHECK_STR(chosen(graph, &choice), "");
}

TEST(count_graph__connecting_places)
{
	struct count_graph *graph = paper();

	CHECK_STR(path(graph, A, D), "F"); /* shorter than by B or E, and C */
	CHECK_STR(path(graph, B, D), "C");
	CHECK_STR(path(graph, C, D), "");
	CHECK_STR(path(graph, D, A), "");
	CHECK_STR(path(graph, A, 99), "");
	add(graph, "AECG", 0, 1);
	CHECK_STR(path(graph, A, C), "E"); /* as long as by B, and more frequent */
}

TEST(count_graph__cleared)
{
	struct count_graph *graph = paper();

	count_graph_clear(graph);
	CHECK_STR(counts(graph, all), "A0 B0 C0 D0 E0 F0 G0");
	CHECK_STR(starters(graph, 0.2, COUNT_GRAPH_NONE), "");
	add(graph, "AFD", 3, 1);
	CHECK_STR(counts(graph, all), "A1 B0 C0 D1 E0 F1 G0");
	CHECK_INT(count_graph_depth(graph, D), 2);
	CHECK_STR(starters(graph, 0.2, A), "D");
}

TEST(count_graph__more_than_fits_is_counted)
{
	struct count_graph *graph = graph_new();
	const struct count_choice choice = { .focus = all, .threshold = 0, .below = A };
	uint32_t places[2] = { 77, 77 };

	add(graph, "AB", 0, 1);
	add(graph, "AC", 0, 1);
	CHECK_INT(count_graph_choose(graph, &choice, places, 1), 2);
	CHECK_INT(places[1], 77);
	add(graph, "BDEF", 0, 1);
	CHECK_INT(count_graph_path(graph, B, F, places, 1), 2);
	CHECK_INT(places[1], 77);
}

/* Whenever memory ends: false, and what is there can be read. */
TEST(count_graph__without_memory)
{
	const uint32_t stack[] = { A, B, C };
	bool whole = false;

	for (size_t pieces = 0; pieces < 32 && !whole; pieces++) {
		struct count_memory memory = { allocate, arena_new() };
		struct count_graph *graph;

		pieces_left = pieces;
		graph = count_graph_new(&memory);
		CHECK(graph || !pieces);
		if (!graph)
			continue;
		whole = count_graph_add(graph, stack, 3, 0, 1);
		starters(graph, 0.2, A);
		path(graph, A, C);
		CHECK_THAT(count_graph_count(graph, C, all), <=, 1);
	}
	CHECK(whole);
	pieces_left = SIZE_MAX;
}

/* A tree of regions of 3 levels, sampled on many threads. */
TEST(count_graph__many_places_and_threads)
{
	struct count_graph *graph = graph_new();
	const struct count_choice choice = { .focus = all, .threshold = 0.2, .below = 0 };
	uint32_t nr = SANITIZED ? 1000 : 5000, place;

	for (uint32_t i = 0; i < nr; i++)
		for (uint32_t thread = 0; thread < 64; thread++) {
			const uint32_t stack[] = { 0, 1 + i / 100, 1000 + i };

			CHECK(count_graph_add(graph, stack, 3, thread, i == 777 ? nr : 1));
		}
	CHECK_NEAR(count_graph_count(graph, 0, all), 64.0 * (2 * nr - 1), 0);
	CHECK_NEAR(count_graph_count(graph, 1777, (struct count_focus){ COUNT_GRAPH_ANY, 5 }), nr,
		   0);
	CHECK_INT(count_graph_depth(graph, 1777), 2);
	CHECK_INT(count_graph_choose(graph, &choice, &place, 1), 1);
	CHECK_INT(place, 1777);
}
