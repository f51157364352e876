/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of functions whose nesting is known, as both compilers write them. */
#define _GNU_SOURCE
#include "analysis/code/control_flow.h"
#include "tests/host/scratch.h"
#include "tests/unit/machine_code.h"

#ifdef __x86_64__

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/*
 * An empty asm keeps a loop from being removed, vectorised, merged or turned into a call, but not
 * from being copied.
 */
static const char source[] =
	"#define KEEP __asm__ volatile(\"\" : : : \"memory\")\n"
	"void one(int n, double *a) { for (int i = 0; i < n; i++) { a[i] *= 3; KEEP; } }\n"
	"void none(int n, double *a) { if (n > 3) a[n] = 1; else a[0] = n; KEEP; }\n"
	"void three_deep(int n, double *a, double *b, double *c) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {"
	" double s = 0; for (int k = 0; k < n; k++) { s += a[i * n + k] * b[k * n + j]; KEEP; } c[i * n + j] = s; } }\n"
	"void two_in_one(int n, double *a) { for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { a[j] += 1; KEEP; }"
	" for (int j = i; j < n; j++) { a[j] -= 1; KEEP; } } }\n"
	"void one_after_other(int n, double *a) { for (int i = 0; i < n; i++) { a[i] += 1; KEEP; } int j = n; while (j > 0) { a[--j] = 2; KEEP; }"
	" do { a[j] = j; KEEP; } while (++j < n); }\n"
	"int leaving(int n, const int *a) { for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { KEEP; if (a[j] == i) goto out; if (a[j] > n) break;"
	" if (a[j] < 0) continue; if (a[j] == 77) return j; KEEP; } } return -1; out: return -2; }\n"
	"int dispatch(int n, const int *a) { int s = 0; for (int i = 0; i < n; i++) { KEEP; switch (a[i]) { case 0: s++; break; case 1: s *= 3; break;"
	" case 2: s -= i; break; case 3: s ^= 9; break; case 4: s = ~s; break; case 5: s <<= 1; break; case 6: return s; default: s += 5; } KEEP; } return s; }\n"
	"void calls(int n, void (*f)(int)) { for (int i = 0; i < n; i++) { f(i); for (int j = 0; j < 3; j++) { f(j); KEEP; } f(-i); } f(n); }\n";

struct expected {
	const char *name;
	unsigned int at_depth[4];
	unsigned int nr_calls;
};

static const struct expected expected[] = {
	{ "one", { 1 }, 0 },
	{ "none", { 0 }, 0 },
	{ "three_deep", { 1, 1, 1 }, 0 },
	{ "two_in_one", { 1, 2 }, 0 },
	{ "one_after_other", { 3 }, 0 },
	{ "leaving", { 1, 1 }, 0 },
	{ "dispatch", { 1 }, 0 },
	{ "calls", { 1, 1 }, 4 },
};

static void compile(char *const arguments[])
{
	pid_t child;
	int status = 0;

	if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ))
		test_skip("no %s", arguments[0]);
	CHECK_THAT(waitpid(child, &status, 0), ==, child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		test_skip("no %s", arguments[0]);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
}

static const struct graph *graph_of_symbol(struct arena *arena, void *library, const char *name)
{
	struct code_bounds bounds;
	const struct graph *graph;

	CHECK_INT(code_bounds_find((uintptr_t)dlsym(library, name), &bounds), CODE_BOUNDS_FOUND);
	graph = graph_new(arena, read_code(arena, bounds.start, bounds.end, NULL), NULL, 0);
	CHECK(graph && graph->complete && !graph->code->refusal);
	return graph;
}

static void count_depths(const struct graph *graph, unsigned int *at_depth)
{
	memset(at_depth, 0, 4 * sizeof(*at_depth));
	for (size_t i = 0; i < graph->nr_loops; i++) {
		CHECK_THAT(graph->loops[i].depth, <=, 4);
		at_depth[graph->loops[i].depth - 1]++;
	}
}

/* Exactly, or, where a compiler may copy loops, at least and not deeper. */
static void check_function(const struct graph *graph, const struct expected *row, const char *how,
			   bool exactly)
{
	unsigned int at_depth[4];

	count_depths(graph, at_depth);
	for (unsigned int i = 0; i < 4; i++)
		if (exactly ? at_depth[i] != row->at_depth[i]
			    : at_depth[i] < row->at_depth[i] || (at_depth[i] && !row->at_depth[i]))
			test_fail(__FILE__, __LINE__, "%s %s: %u loops at depth %u, not %u",
				  row->name, how, at_depth[i], i + 1, row->at_depth[i]);
	if (exactly)
		CHECK_INT(graph->nr_calls, row->nr_calls);
}

static void check_calls(const struct graph *graph)
{
	unsigned int in_loop[3] = { 0 };

	for (size_t i = 0; i < graph->nr_calls; i++) {
		uint32_t loop = graph->calls[i].loop;

		in_loop[loop == GRAPH_NONE ? 0 : graph->loops[loop].depth]++;
	}
	CHECK_INT(in_loop[0], 1);
	CHECK_INT(in_loop[1], 2);
	CHECK_INT(in_loop[2], 1);
}

static void try_compiler(char *compiler, char *level, char *also, bool exactly)
{
	struct arena *arena = arena_new();
	char name[64], how[64];
	void *library;

	need_machine_code();
	file_write("loops.c", source, sizeof(source) - 1);
	snprintf(name, sizeof(name), "./loops%s.so", level);
	snprintf(how, sizeof(how), "by %s %s", compiler, level);
	compile((char *[]){ compiler, level, "-fno-unroll-loops", "-fno-optimize-sibling-calls",
			    "-w", "-shared", "-fPIC", "-o", name, "loops.c", also, NULL });
	library = dlopen(name, RTLD_NOW);
	CHECK(library);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		check_function(graph_of_symbol(arena, library, expected[i].name), &expected[i], how,
			       exactly);
	if (exactly)
		check_calls(graph_of_symbol(arena, library, "calls"));
	arena_free(arena);
}

static void try_levels(char *compiler)
{
	scratch_enter();
	try_compiler(compiler, "-O0", NULL, true);
	try_compiler(compiler, "-O1", NULL, true);
	try_compiler(compiler, "-O2", NULL, true);
	try_compiler(compiler, "-O3", "-march=native", false);
}

TEST(natural_loops__of_gcc)
{
	try_levels("gcc");
}
TEST(natural_loops__of_clang)
{
	try_levels("clang-19");
}

#endif
