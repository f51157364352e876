/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the code that was to be recorded and was not. */
#define _GNU_SOURCE
#include "ompt_tool/recording/recording_gaps.h"

#include <dlfcn.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/sort.h"
#include "analysis/elf/function_names.h"
#include "analysis/options/followed.h"
#include "analysis/record/run.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/clone_calls.h"
#include "ompt_tool/events/event_code.h"
#include "ompt_tool/process/thread.h"

#define CALLS_NAMED 12 /* functions; the rest is counted */

/* Calls that lead to one function. */
struct called {
	const struct clone_missed *first;
	const char *library; /* path; NULL: the program */
	/* rank by relevance to the program's arrays; 0: most likely */
	int rank;
	uint64_t calls;
};

static void keep(struct run *run, struct arena *arena, struct run_dropped dropped)
{
	dropped.topic = RUN_RECORDING;
	if (dropped.what && dropped.why)
		run_note_dropped(run, arena, dropped);
}

static void keep_refusals(struct run *run, struct arena *arena)
{
	const struct clone_refusal *refusals;
	size_t nr = clone_refusals(&refusals);

	for (size_t i = 0; i < nr; i++)
		keep(run, arena,
		     (struct run_dropped){
			     .what = "accesses of",
			     .why = arena_printf(arena, "its code could not be copied: %s",
						 refusals[i].why),
			     .code = modules_find(run->modules, run->nr_modules,
						  refusals[i].function),
		     });
}

/* ------------------------------------------------------------------ calls */

/* Allocators access their own tables, which belong to no array. */
static bool is_allocation(const char *name)
{
	static const char *const names[] = { "malloc",        "calloc",         "realloc", "free",
					     "aligned_alloc", "posix_memalign", "memalign" };
	static const char *const operators[] = { "_Znw", "_Zna", "_Zdl", "_Zda" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(name, operators[i], strlen(operators[i])))
			return true;
	return false;
}

/*
 * The present target of an import; 0: the dynamic linker has not resolved it, so it was never
 * called.
 */
static uintptr_t function_of(const struct clone_missed *missed)
{
	struct callee callee = callee_of(missed->target);

	if (!callee.name)
		callee = callee_through(missed->target);
	return callee.name ? callee.function : missed->target;
}

/* Sites that were recorded, one bit each. */
struct sites {
	uint64_t bits[ACCESS_SITES / 64];
};

static void add_site(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct sites *sites = ctx;

	(void)executions;
	if (row->counts.reads + row->counts.writes)
		sites->bits[row->site / 64] |= (uint64_t)1 << row->site % 64;
}

static void find_sites(struct sites *sites)
{
	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		accesses_each(thread, add_site, sites);
}

/*
 * Whether the call is in code that was executed while recorded. Calls beyond the table, or without
 * a site, count as executed.
 */
static bool is_reached(const struct sites *sites, const struct clone_missed *missed)
{
	for (uint32_t site = missed->first_site; site - missed->first_site < missed->nr_sites;
	     site++)
		if (site >= ACCESS_SITES || sites->bits[site / 64] >> site % 64 & 1)
			return true;
	return !missed->nr_sites;
}

/*
 * The runtime's accesses to its own data are not the program's, either. Targets of pointers are
 * reported separately (clone_miss).
 */
static bool is_reported(const struct clone_missed *missed)
{
	if (missed->through_pointer || !event_code((const void *)missed->target))
		return false;
	return !missed->name || !(is_allocation(missed->name) || !function_of(missed));
}

/* A print statement calls several functions of the language's library: reported as one. */
static bool is_statement(const struct clone_missed *missed)
{
	uintptr_t function = function_of(missed);

	return function && callee_is_statement(function);
}

static bool is_one_function(const struct clone_missed *a, const struct clone_missed *b)
{
	if (is_statement(a) && is_statement(b))
		return callee_module(function_of(a)) == callee_module(function_of(b));
	return a->name && b->name
		       ? !strcmp(a->name, b->name)
		       : !a->name && !b->name && a->target == b->target && !strcmp(a->why, b->why);
}

static int more_calls(const void *left, const void *right)
{
	const struct called *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return (a->first > b->first) - (a->first < b->first);
}

/* The library that contains the function; NULL: the program. */
static const char *library_of(uintptr_t function)
{
	Dl_info info;

	if (!dladdr((const void *)function, &info) || !info.dli_fname ||
	    !strstr(info.dli_fname, ".so"))
		return NULL;
	return info.dli_fname;
}

/* A numerical library accesses its arguments, run-time libraries mostly their own data. */
static int rank_of(const char *library)
{
	if (!library || !module_is_foreign(library))
		return 0;
	return strstr(library, "/libm.") ? 1 : 2;
}

static size_t gather(struct arena *arena, struct called **out)
{
	const struct clone_missed *missed;
	struct sites *sites = arena_alloc(arena, sizeof(*sites));
	size_t nr_missed = clone_missed(&missed), nr = 0;
	struct called *called = arena_alloc(arena, (nr_missed + 1) * sizeof(*called));

	if (!sites || !callee_look())
		return 0;
	find_sites(sites);
	for (size_t i = 0; called && i < nr_missed; i++) {
		size_t at = 0;

		if (!is_reported(&missed[i]) || !is_reached(sites, &missed[i]))
			continue;
		while (at < nr && !is_one_function(called[at].first, &missed[i]))
			at++;
		if (at == nr) {
			const char *library = library_of(function_of(&missed[i]));

			called[nr++] = (struct called){ &missed[i], library, rank_of(library), 0 };
		}
		called[at].calls += missed[i].calls;
	}
	if (called)
		sort(called, nr, sizeof(*called), more_calls);
	*out = called;
	return called ? nr : 0;
}

static const char *why_not(struct arena *arena, const struct clone_missed *missed,
			   const char *library)
{
	const char *name;
	size_t length = library ? followed_name(library, &name) : 0;

	if (!library || followed_has(library))
		return missed->why;
	if (!length)
		return "what it accesses there is not recorded";
	return arena_printf(arena,
			    "in another library; --follow %.*s records what it accesses there, too",
			    (int)length, name);
}

static void keep_calls(struct run *run, struct arena *arena, const struct called *called)
{
	const struct clone_missed *missed = called->first;
	const char *library = called->library, *file = library ? base_name(library) : NULL;
	const char *name = missed->name ? name_user(arena, missed->name, false) : NULL;
	struct run_dropped dropped = { .count = called->calls,
				       .why = why_not(arena, missed, library) };

	dropped.what = called->calls == 1 ? "call in recorded code to"
					  : "calls in recorded code to";
	if (is_statement(missed))
		dropped.what = arena_printf(arena, "%s functions of input and output%s%s%s",
					    dropped.what, file ? " (" : "", file ? file : "",
					    file ? ")" : "");
	else if (name && file)
		dropped.what = arena_printf(arena, "%s %s (%s)", dropped.what, name, file);
	else if (name)
		dropped.what = arena_printf(arena, "%s %s", dropped.what, name);
	else
		dropped.code = modules_find(run->modules, run->nr_modules, missed->target);
	keep(run, arena, dropped);
}

static void keep_missed(struct run *run, struct arena *arena)
{
	struct called *called;
	uint64_t others = 0;
	size_t nr = gather(arena, &called), named = 0;

	for (size_t i = 0; i < nr; i++) {
		if (named++ < CALLS_NAMED)
			keep_calls(run, arena, &called[i]);
		else
			others += called[i].calls;
	}
	if (others)
		keep(run, arena,
		     (struct run_dropped){ .count = others,
					   .what = "calls in recorded code to other functions",
					   .why = "they are not recorded, too" });
}

/* ------------------------------------------------------------------ where clones were left */

static void keep_left(struct run *run, struct arena *arena, uint64_t times, uintptr_t target)
{
	struct run_dropped dropped = {
		.count = times,
		.what = "times recording was left before a call of",
		.why = "it uses return addresses, and must see the program's own",
	};
	struct callee callee = callee_look() ? callee_of(target) : (struct callee){ 0 };
	const char *name = callee.name;
	Dl_info info;

	if (!name && dladdr((const void *)target, &info) && info.dli_saddr == (const void *)target)
		name = info.dli_sname;
	if (!target)
		dropped = (struct run_dropped){
			.count = times,
			.what = "times recording was left before a call through a pointer",
			.why = "nothing was known of the code that it led to"
		};
	else if (name)
		dropped.what = arena_printf(arena, "%s %s", dropped.what,
					    name_user(arena, name, false));
	else
		dropped.code = modules_find(run->modules, run->nr_modules, target);
	keep(run, arena, dropped);
}

static void keep_all_left(struct run *run, struct arena *arena)
{
	for (size_t i = 0; i < clone_nr_left(); i++) {
		uintptr_t target;
		uint64_t times = clone_left_before(i, &target);

		if (times)
			keep_left(run, arena, times, target);
	}
}

void recording_gaps(struct run *run, struct arena *arena)
{
	keep_refusals(run, arena);
	keep_all_left(run, arena);
	keep_missed(run, arena);
}
