/* SPDX-License-Identifier: Apache-2.0 */
/* Originals that must be called through guards. */
#define _GNU_SOURCE
#include "ompt_tool/clones/outside.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "analysis/base/arena.h"
#include "analysis/code/code.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/caller_use.h"
#include "ompt_tool/clones/cfi_copy.h"
#include "ompt_tool/clones/entry_table.h"
#include "ompt_tool/clones/runtime_entries.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/running_code.h"

#define ARGUMENT(n) (1u << (n))

/* The same by system call number: allocators map memory with these (mmap of gperftools). */
static const struct runtime_entry_call changing_calls[] = {
	{ SYS_mmap, .if_argument = 3, .if_bits = PROT_EXEC },
	{ SYS_mprotect, .if_argument = 3, .if_bits = PROT_EXEC },
	{ SYS_pkey_mprotect, .if_argument = 3, .if_bits = PROT_EXEC },
	{ .number = SYS_mremap },
	{ .number = SYS_rt_sigaction },
#ifdef SYS_arch_prctl
	{ .number = SYS_arch_prctl },
#endif
	{ 0 },
};

static const struct runtime_entry rows[] = {
	/* Call a function on this thread and do not store it: POSIX.1-2017, qsort_r of glibc. */
	{ "qsort", .callbacks = ARGUMENT(3) },
	{ "qsort_r", .callbacks = ARGUMENT(3) },
	{ "bsearch", .callbacks = ARGUMENT(4) },
	{ "lfind", .callbacks = ARGUMENT(4) },
	{ "lsearch", .callbacks = ARGUMENT(4) },
	{ "tsearch", .callbacks = ARGUMENT(2) },
	{ "tfind", .callbacks = ARGUMENT(2) },
	{ "tdelete", .callbacks = ARGUMENT(2) },
	{ "twalk", .callbacks = ARGUMENT(1) },
	/* They or their callees unwind the stack. */
	{ "backtrace", .leaves = LEAVES_STACK },
	{ "_Unwind_Backtrace", .leaves = LEAVES_STACK },
	{ "_Unwind_ForcedUnwind", .leaves = LEAVES_STACK },
	{ "_mcount", .leaves = LEAVES_STACK },
	{ "mcount", .leaves = LEAVES_STACK },
	{ "unw_backtrace", .leaves = LEAVES_STACK },
	{ "_Ux86_64_getcontext", .leaves = LEAVES_STACK },
	{ "_ULx86_64_init_local", .leaves = LEAVES_STACK },
	{ "_ULx86_64_init_local2", .leaves = LEAVES_STACK },
	{ "__fentry__", .leaves = LEAVES_STACK },
	/* Use their own return address: of glibc (complete by tests/unit/caller_use.c). */
	{ "dlsym", .leaves = LEAVES_CALL },
	{ "dlvsym", .leaves = LEAVES_CALL },
	{ "dl_iterate_phdr", .leaves = LEAVES_CALL },
	{ "getcontext", .leaves = LEAVES_CALL },
	{ "swapcontext", .leaves = LEAVES_CALL },
	{ "vfork", .leaves = LEAVES_CALL },
	{ "__vfork", .leaves = LEAVES_CALL },
	{ "_dl_mcount_wrapper", .leaves = LEAVES_STACK },
	{ "_dl_mcount_wrapper_check", .leaves = LEAVES_STACK },
	/* Load or unload code. */
	{ "dlopen", .leaves = LEAVES_STACK },
	{ "dlmopen", .leaves = LEAVES_STACK },
	{ "dlclose", .leaves = LEAVES_STACK, .stops = SWITCHING_LIBRARIES },
	/* Change code. */
	{ "mprotect", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 2,
	  .if_bits = PROT_EXEC },
	{ "pkey_mprotect", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 2,
	  .if_bits = PROT_EXEC },
	{ "mmap", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 2,
	  .if_bits = PROT_EXEC },
	{ "mmap64", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 2,
	  .if_bits = PROT_EXEC },
	{ "syscall", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_calls = changing_calls },
	/*
	 * They may bring about obstacles that are checked at phase boundaries
	 * (recording_obstacles.h). Signal handlers may call them: no stack is unwound.
	 */
	{ "sigaction", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 1,
	  .if_bits = UINT64_MAX },
	{ "signal", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 1,
	  .if_bits = UINT64_MAX },
	{ "bsd_signal", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 1,
	  .if_bits = UINT64_MAX },
	{ "sysv_signal", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 1,
	  .if_bits = UINT64_MAX },
	{ "__sysv_signal", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 1,
	  .if_bits = UINT64_MAX },
	{ "ssignal", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 1,
	  .if_bits = UINT64_MAX },
	{ "sigset", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL, .if_argument = 1,
	  .if_bits = UINT64_MAX },
	{ "pthread_setcanceltype", .leaves = LEAVES_CALL, .stops = SWITCHING_ALL },
	/*
	 * Store the return address for longjmp only, or search its function, whose clone has the
	 * same handlers.
	 */
	{ "setjmp", .as_it_is = true },
	{ "_setjmp", .as_it_is = true },
	{ "__sigsetjmp", .as_it_is = true },
	{ "_Unwind_Resume", .as_it_is = true },
	{ "_Unwind_Resume_or_Rethrow", .as_it_is = true },
	{ "_Unwind_RaiseException", .as_it_is = true },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
/* as the dynamic linker finds them, for calls through pointers */
static uintptr_t addresses[ROWS];

static void find_rows(void)
{
	static unsigned long long loaded;

	if (loaded == callee_loaded())
		return;
	loaded = callee_loaded();
	for (size_t i = 0; i < ROWS; i++)
		addresses[i] = (uintptr_t)dlsym(RTLD_DEFAULT, rows[i].name);
}

static const struct runtime_entry *row_at(uintptr_t function)
{
	find_rows();
	for (size_t i = 0; function && i < ROWS; i++)
		if (addresses[i] == function)
			return &rows[i];
	return NULL;
}

static const struct runtime_entry *row_of(const char *name)
{
	for (size_t i = 0; name && i < ROWS; i++)
		if (!strcmp(name, rows[i].name))
			return &rows[i];
	return NULL;
}

const struct runtime_entry *outside_everywhere(const char *name)
{
	const struct runtime_entry *row = row_of(name);

	return row && (row->leaves == LEAVES_STACK || row->stops) ? row : NULL;
}

/* ------------------------------------------------------------------ by their code */

/* depth of calls and of jumps; functions of one search */
enum { DEEPEST_CALL = 2, DEEPEST_JUMP = 16, VISITED = 256 };

/* Another function of the same module that the code calls or jumps to. */
struct edge {
	uintptr_t function;
	bool jumps;
};

/* Result for a function's own code. */
struct facts {
	enum caller_use use;
	enum caller_use behind; /* of its jumps to other modules, or through pointers */
	/* has syscall instructions, which may change code and bypass guards */
	bool system_calls;
	size_t nr;
	struct edge edges[];
};

static struct {
	struct arena *arena;           /* of the facts */
	struct entries *_Atomic facts; /* begin of a function → struct facts */
	/* function → enum caller_use + 1, of its code and its targets of calls and jumps */
	struct entries *_Atomic uses;
	/* function → 1 without use in its code and its targets of jumps */
	struct entries *_Atomic none;
	/* modules, when they were begun: others may lie at the same addresses since */
	unsigned long long unloaded;
} known;

/* Cleared for each function: mapping new memory takes longer than reading a function. */
static struct arena *scratch(void)
{
	static struct arena *arena;

	arena = arena ? arena : arena_new();
	if (arena)
		arena_reset(arena, (size_t)1 << 20);
	return arena;
}

static enum caller_use use_of_code(const struct code *code, const struct code_bounds *bounds)
{
	const char *why;
	struct cfi cfi;

	return caller_use_find(code, bounds->fde && unwind_cfi(bounds, &cfi, &why) ? &cfi : NULL);
}

static bool leads_out(const struct code_instruction *in, const struct code_bounds *bounds)
{
	return (in->kind == CODE_JUMP || in->kind == CODE_BRANCH || in->kind == CODE_CALL) &&
	       (in->target < bounds->start || in->target >= bounds->end);
}

/* clang -O0 jumps to a function's end after calls that do not return. */
static bool is_nowhere(uintptr_t address)
{
	struct code_bounds bounds;

	return code_bounds_find(address, &bounds) != CODE_BOUNDS_FOUND;
}

/*
 * A tail jump's target in another module sees the return address: by its row, or unknown if the
 * module is not surveyed.
 */
static enum caller_use use_of_jump(const struct callee *callee, uintptr_t function)
{
	const struct runtime_entry *row = callee->name ? row_of(callee->name) : row_at(function);

	if (row && !row->as_it_is)
		return row->leaves == LEAVES_STACK  ? CALLER_USE_FRAMES
		       : row->leaves == LEAVES_CALL ? CALLER_USE_OWN
						    : CALLER_USE_NONE;
	return row || callee_is_runtimes(function) || callee_is_surveyed(function) ? CALLER_USE_NONE
										   : CALLER_USE_OWN;
}

struct edges {
	struct arena *arena;
	struct edge *list;
	size_t nr, room;
};

static bool add_edge(struct edges *edges, const struct edge *edge)
{
	for (size_t i = 0; i < edges->nr; i++)
		if (edges->list[i].function == edge->function &&
		    edges->list[i].jumps == edge->jumps)
			return true;
	if (!ARENA_GROW(edges->arena, edges->list, edges->nr, edges->room))
		return false;
	edges->list[edges->nr++] = *edge;
	return true;
}

static bool add_instruction(struct edges *edges, enum caller_use *behind,
			    const struct code_instruction *in, const struct code_bounds *bounds)
{
	struct callee callee = { 0 };
	struct edge edge;

	if (in->kind == CODE_JUMP_INDIRECT && in->rip_offset) {
		callee = callee_through(in->target);
		*behind = caller_use_greater(*behind,
					     use_of_jump(&callee, callee_resolved(&callee)));
	}
	if (!leads_out(in, bounds) || (in->target == bounds->end && is_nowhere(in->target)))
		return true;
	callee = callee_of(in->target);
	edge = (struct edge){ callee_resolved(&callee), in->kind != CODE_CALL };
	if (callee_module(edge.function) == callee_module(bounds->start))
		return add_edge(edges, &edge);
	if (edge.jumps)
		*behind = caller_use_greater(*behind, use_of_jump(&callee, edge.function));
	return true;
}

/* Facts of code that was read into `arena`; NULL: no memory. */
static const struct facts *new_facts(struct arena *arena, const struct code *code,
				     const struct code_bounds *bounds)
{
	struct edges edges = { .arena = arena };
	enum caller_use behind = CALLER_USE_NONE;
	struct facts *facts;

	for (size_t i = 0; i < code->nr_instructions; i++)
		if (!add_instruction(&edges, &behind, &code->instructions[i], bounds))
			return NULL;
	known.arena = known.arena ? known.arena : arena_new();
	facts = known.arena ? arena_alloc(known.arena,
					  sizeof(*facts) + edges.nr * sizeof(edges.list[0]))
			    : NULL;
	if (!facts)
		return NULL;
	facts->use = use_of_code(code, bounds);
	facts->behind = behind;
	facts->system_calls = code->own_address;
	facts->nr = edges.nr;
	if (edges.nr)
		memcpy(facts->edges, edges.list, edges.nr * sizeof(edges.list[0]));
	entries_set(&known.facts, bounds->start, (uintptr_t)facts);
	return facts;
}

/* Of the function at an address, whose begin is *start_out; NULL: none, or unreadable. */
static const struct facts *facts_around(uintptr_t address, uintptr_t *start_out)
{
	const struct facts *facts = (const struct facts *)entries_get(&known.facts, address);
	struct arena *arena;
	struct code_bounds bounds;
	const struct code *code;
	const char *why;

	*start_out = address;
	if (facts)
		return facts;
	if (code_bounds_find(address, &bounds) != CODE_BOUNDS_FOUND)
		return NULL;
	*start_out = bounds.start;
	facts = (const struct facts *)entries_get(&known.facts, bounds.start);
	if (facts)
		return facts;
	arena = scratch();
	code = arena ? code_read(arena, bounds.start, bounds.end, NULL, &why) : NULL;
	return code ? new_facts(arena, code, &bounds) : NULL;
}

/* One search: visited functions, and depth. */
struct search {
	/* follows calls and jumps, within each function's module */
	bool calls;
	/* the search was limited: intermediate results are incomplete */
	bool cut;
	unsigned int depth;
	uintptr_t visited[VISITED];
	size_t nr;
};

static enum caller_use use_around(struct search *search, uintptr_t address);

/*
 * The target of a jump sees the same return address; a callee can reach it by frame pointers only.
 */
static enum caller_use use_behind(struct search *search, const struct edge *edge)
{
	enum caller_use use;

	if (!edge->jumps && (!search->calls || search->depth >= DEEPEST_CALL))
		return CALLER_USE_NONE;
	if (search->depth >= DEEPEST_JUMP) {
		search->cut = true;
		return CALLER_USE_NONE;
	}
	use = use_around(search, edge->function);
	return edge->jumps || use == CALLER_USE_FRAMES ? use : CALLER_USE_NONE;
}

static enum caller_use use_of_edges(struct search *search, const struct facts *facts, bool jumps)
{
	enum caller_use use = CALLER_USE_NONE;

	for (size_t i = 0; i < facts->nr && use != CALLER_USE_FRAMES; i++)
		if (facts->edges[i].jumps == jumps)
			use = caller_use_greater(use, use_behind(search, &facts->edges[i]));
	return use;
}

/*
 * Jumps first: what was visited by a call, which hides most uses, is not visited again. A clone's
 * own jumps to other modules go through guards; those of a function that is called as it is do not.
 */
static enum caller_use use_of_all(struct search *search, const struct facts *facts)
{
	enum caller_use use = search->calls ? caller_use_greater(facts->use, facts->behind)
					    : facts->use;

	search->depth++;
	use = caller_use_greater(use, use_of_edges(search, facts, true));
	if (use != CALLER_USE_FRAMES)
		use = caller_use_greater(use, use_of_edges(search, facts, false));
	search->depth--;
	return use;
}

/* True also if the table is full. */
static bool was_visited(struct search *search, uintptr_t start)
{
	for (size_t i = 0; i < search->nr; i++)
		if (search->visited[i] == start)
			return true;
	if (search->nr == VISITED) {
		search->cut = true;
		return true;
	}
	search->visited[search->nr++] = start;
	return false;
}

/*
 * Use by the function around an address and by its jump targets; functions visited before add
 * nothing. Unreadable code counts as using all return addresses.
 */
static enum caller_use use_around(struct search *search, uintptr_t address)
{
	uintptr_t start;
	const struct facts *facts = facts_around(address, &start);

	if (!facts)
		return CALLER_USE_OWN;
	if (!search->calls && entries_get(&known.none, start))
		return CALLER_USE_NONE;
	return was_visited(search, start) ? CALLER_USE_NONE : use_of_all(search, facts);
}

/* A complete search without a find holds for all visited functions. */
static void keep_none(const struct search *search, enum caller_use use)
{
	for (size_t i = 0; i < search->nr && use == CALLER_USE_NONE && !search->cut; i++)
		entries_set(&known.none, search->visited[i], true);
}

static enum caller_use use_from(uintptr_t function)
{
	uintptr_t found = entries_get(&known.uses, function);
	struct search search = { .calls = true };
	enum caller_use use;

	if (found)
		return (enum caller_use)(found - 1);
	use = use_around(&search, function);
	entries_set(&known.uses, function, use + 1);
	return use;
}

static void forget_unloaded(void)
{
	if (known.unloaded != callee_unloaded()) {
		known.facts = known.uses = known.none = NULL;
		arena_free(known.arena);
		known.arena = NULL;
	}
	known.unloaded = callee_unloaded();
}

static bool makes_system_calls(uintptr_t function)
{
	uintptr_t start;
	const struct facts *facts = facts_around(function, &start);

	return facts && facts->system_calls;
}

/* ------------------------------------------------------------------ which */

const struct runtime_entry *outside_entry(const struct callee *callee)
{
	static const struct runtime_entry leaves_call = { "", .leaves = LEAVES_CALL },
					  leaves_stack = { "", .leaves = LEAVES_STACK },
					  stops_all = { "", .leaves = LEAVES_CALL,
							.stops = SWITCHING_ALL };
	uintptr_t function = callee_resolved(callee);
	const struct runtime_entry *row = callee->name ? row_of(callee->name) : row_at(function);

	if (row)
		return row->as_it_is ? NULL : row;
	if (!function || !callee_module(function))
		return &leaves_call;
	if (callee_is_runtimes(function) || callee_is_surveyed(function))
		return NULL;
	forget_unloaded();
	switch (use_from(function)) {
	case CALLER_USE_OWN: return &leaves_call;
	case CALLER_USE_FRAMES: return &leaves_stack;
	default: return makes_system_calls(function) ? &stops_all : NULL;
	}
}

/* Including its outlined parts, and targets of its tail calls. */
bool outside_uses_callers(const struct code *code, const struct code_bounds *bounds)
{
	struct arena *arena = scratch();
	struct search search = { .depth = 0 };
	enum caller_use use = CALLER_USE_OWN;
	const struct runtime_entry *row = row_at(bounds->start);
	const struct facts *facts;

	if (row && row->leaves)
		return true;
	forget_unloaded();
	facts = arena ? new_facts(arena, code, bounds) : NULL;
	if (facts && !was_visited(&search, bounds->start))
		use = use_of_all(&search, facts);
	keep_none(&search, use);
	return use != CALLER_USE_NONE;
}
