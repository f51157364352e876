/* SPDX-License-Identifier: Apache-2.0 */
/* From the caller of malloc to the program's code that requested the memory. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "ompt_tool/arrays/origins.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unwind.h>

#include "analysis/base/hash.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/reserve.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/owners.h"
#include "ompt_tool/arrays/call_paths.h"
#include "ompt_tool/code/stack_walk.h"

#define DEPTH 64            /* frames examined */
#define ROWS_MAX (1u << 17) /* as many as array.c has */
/* size of the code before main, which calls libc: not larger on any processor */
#define ENTRY_BYTES 64
#define CALLERS_DEPTH 16 /* frames examined for further callers */
#define PATH_FRAMES 16   /* of a path that is learned */
#define PATHS_MAX 64     /* to one site that have rows of their own */
#define PLACES_BITS 6    /* of the runtime's own allocations */

/* OpenMP's own routines to allocate (5.2, 18.13), LLVM's, and the names Fortran calls them by. */
static const char *const allocation_names[] = {
	"omp_alloc",      "omp_aligned_alloc",   "omp_calloc",           "omp_aligned_calloc",
	"omp_realloc",    "kmp_malloc",          "kmp_aligned_malloc",   "kmp_calloc",
	"kmp_realloc",    "kmp_malloc_",         "kmp_aligned_malloc_",  "kmp_calloc_",
	"kmp_realloc_",   "__kmpc_alloc",        "__kmpc_aligned_alloc", "__kmpc_calloc",
	"__kmpc_realloc", "__kmpc_alloc_shared",
};
#define NR_ALLOCATIONS (sizeof(allocation_names) / sizeof(*allocation_names))

static uintptr_t allocations[NR_ALLOCATIONS];
static struct heap_origin *origins; /* by array */
static uint32_t *news;              /* by array */
static uint16_t paths_of[4096];     /* by the site's hash: paths with a row */
/* see heap_translate; NULL: there are no copies */
static uintptr_t (*original)(uintptr_t address);

struct walk {
	struct heap_origin origin;
	void *first;                    /* skip frames up to this one; NULL: reached */
	void *runtime;                  /* the previous frame, if it is the OpenMP runtime's */
	unsigned int looked_at, behind; /* frames in all, and outside of the site */
	bool nobodys;
	/* the previous frame was the site or a wrapper around it */
	bool wrapped;
	/* from the site to the first caller that is no wrapper; 0: it has none in the program */
	uint64_t path;
	struct path_frame frames[PATH_FRAMES]; /* frames of the path */
	size_t nr, nr_to_site;                 /* … up to and including the site */
	bool too_long;
};

void heap_translate(uintptr_t (*original_of)(uintptr_t address))
{
	original = original_of;
}

static void *translated(void *frame)
{
	return original ? (void *)original((uintptr_t)frame) : frame;
}

bool origins_start(void)
{
	for (size_t i = 0; i < NR_ALLOCATIONS; i++)
		allocations[i] = (uintptr_t)dlsym(RTLD_DEFAULT, allocation_names[i]);
	origins = reserve_kept(ROWS_MAX * sizeof(*origins));
	news = reserve_kept(ROWS_MAX * sizeof(*news));
	return origins && news && paths_start(original);
}

void origins_count_new(uint32_t array)
{
	if (array < ROWS_MAX)
		__atomic_fetch_add(&news[array], 1, __ATOMIC_RELAXED);
}

uint32_t origins_new(uint32_t array)
{
	return news && array < ROWS_MAX ? __atomic_load_n(&news[array], __ATOMIC_RELAXED) : 0;
}

static bool is_allocation_routine(void *frame)
{
	uintptr_t function = (uintptr_t)_Unwind_FindEnclosingFunction(frame);

	for (size_t i = 0; i < NR_ALLOCATIONS; i++)
		if (function && function == allocations[i])
			return true;
	return false;
}

/*
 * Whether the runtime's function is one of its allocation routines. Finding a function takes 0.2 us
 * and more; the runtime allocates at few places, some of them in each loop.
 */
static bool was_asked(void *frame)
{
	/* by place: the return address, doubled, and the answer; atomic */
	static uint64_t places[1 << PLACES_BITS];
	uint64_t *place = &places[hash_place((uintptr_t)frame, PLACES_BITS)],
		 known = __atomic_load_n(place, __ATOMIC_RELAXED);

	if (known >> 1 != (uintptr_t)frame) {
		known = (uint64_t)(uintptr_t)frame << 1 | is_allocation_routine(frame);
		__atomic_store_n(place, known, __ATOMIC_RELAXED);
	}
	return known & 1;
}

static bool is_programs(enum owner owner)
{
	return owner == OWNER_PROGRAM || owner == OWNER_WRAPPER;
}

/* Only consecutive functions of the program are hashed: other frames do not distinguish paths. */
static void add_to_path(struct walk *walk, void *frame, enum owner owner)
{
	if (is_programs(owner))
		walk->path = hash_word(walk->path) ^ (uintptr_t)frame;
	walk->wrapped = owner == OWNER_WRAPPER;
}

/* Adds a caller of the site. False: complete. */
static bool look_behind(struct walk *walk, void *frame)
{
	uint64_t *callers = walk->origin.callers;
	bool starts_program = (uintptr_t)frame - getauxval(AT_ENTRY) < ENTRY_BYTES;
	enum owner owner = starts_program ? OWNER_LIBRARY : owners_of((uintptr_t)frame - 1);
	unsigned int nr = 0;

	if (walk->wrapped)
		add_to_path(walk, frame, owner);
	while (nr < HEAP_CALLERS && callers[nr])
		nr++;
	if (nr < HEAP_CALLERS && is_programs(owner))
		callers[nr++] = (uintptr_t)frame;
	return nr < HEAP_CALLERS && ++walk->behind < CALLERS_DEPTH;
}

/* Classifies the next frame. False: the walk is complete. */
static bool look_at(struct walk *walk, void *frame)
{
	if (walk->origin.site)
		return look_behind(walk, frame);
	switch (owners_of((uintptr_t)frame - 1)) {
	case OWNER_PROGRAM:
	case OWNER_WRAPPER:
		walk->nobodys = walk->runtime && !was_asked(walk->runtime);
		walk->origin.site = (uintptr_t)frame;
		walk->nr_to_site = walk->nr;
		walk->wrapped = true;
		break;
	case OWNER_LIBRARY: walk->runtime = NULL; break;
	case OWNER_RUNTIME: walk->runtime = frame; break;
	case OWNER_CLOSED: walk->nobodys = true; break;
	}
	return !walk->nobodys && ++walk->looked_at < DEPTH;
}

static void note_frame(struct walk *walk, void *frame, uintptr_t stack)
{
	if (walk->origin.site && !walk->wrapped)
		return;
	if (walk->nr < PATH_FRAMES)
		walk->frames[walk->nr++] = (struct path_frame){ (uintptr_t)frame, stack };
	else
		walk->too_long = true;
}

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *argument)
{
	struct walk *walk = argument;
	void *frame = translated((void *)_Unwind_GetIP(context));

	if (frame == walk->first)
		walk->first = NULL;
	if (walk->first)
		return _URC_NO_REASON;
	note_frame(walk, frame, _Unwind_GetCFA(context));
	return look_at(walk, frame) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static uint32_t row_of_path(const struct walk *walk)
{
	uint64_t site = walk->origin.site;
	uint16_t *paths = &paths_of[hash_place(site, 12)];
	uint32_t array;

	if (!walk->path || paths_vary(walk->frames, walk->nr_to_site))
		return array_of_site(site);
	array = array_of_path(site, walk->path, false);
	if (array != ARRAY_NONE || __atomic_load_n(paths, __ATOMIC_RELAXED) >= PATHS_MAX)
		return array != ARRAY_NONE ? array : array_of_site(site);
	__atomic_fetch_add(paths, 1, __ATOMIC_RELAXED);
	return array_of_path(site, walk->path, true);
}

/* Another thread may store another valid path concurrently; the site is written last. */
static uint32_t row_of(const struct walk *walk)
{
	uint32_t array = walk->nobodys || !walk->origin.site ? ARRAY_NONE : row_of_path(walk);

	if (array >= ROWS_MAX || __atomic_load_n(&origins[array].site, __ATOMIC_ACQUIRE))
		return array;
	for (int i = 0; i < HEAP_CALLERS; i++)
		__atomic_store_n(&origins[array].callers[i], walk->origin.callers[i],
				 __ATOMIC_RELAXED);
	__atomic_store_n(&origins[array].site, walk->origin.site, __ATOMIC_RELEASE);
	return array;
}

static void unwind(void *walk)
{
	stack_walk(visit_frame, walk, NULL);
}

/* Where the site's own frame varies, the path ends there. */
static void learn(const struct walk *walk, const void *stack, uint32_t array)
{
	size_t to_site = walk->nr_to_site;

	if (walk->too_long || !walk->nr || walk->frames[0].stack != (uintptr_t)stack ||
	    (!walk->origin.site && !walk->nobodys))
		return;
	paths_learn(walk->frames, walk->nr, array);
	if (walk->origin.site && to_site < walk->nr && paths_vary(walk->frames, to_site))
		paths_learn(walk->frames, to_site, array);
}

uint32_t origins_array(void *return_address, const void *stack)
{
	void *caller = translated(return_address);
	struct walk walk = { .first = caller };
	uint32_t array;

	if (paths_find((uintptr_t)caller, stack, &array))
		return array;
	if (owners_of((uintptr_t)caller - 1) == OWNER_CLOSED)
		return ARRAY_NONE;
	own_stack_call(unwind, &walk);
	if (walk.first) /* the frame to begin at was not found */
		look_at(&walk, caller);
	array = row_of(&walk);
	if (stack && !walk.first)
		learn(&walk, stack, array);
	return array;
}

bool origins_are_runtimes(void *return_address)
{
	void *caller = translated(return_address);
	enum owner owner = owners_of((uintptr_t)caller - 1);

	return owner == OWNER_CLOSED || (owner == OWNER_RUNTIME && !was_asked(caller));
}

uint32_t origins_array_of_frames(void *const *frames, size_t nr)
{
	struct walk walk = { .first = NULL };

	for (size_t i = 0; i < nr && look_at(&walk, frames[i]); i++)
		continue;
	return row_of(&walk);
}

void origins_copy(uint32_t from, uint32_t to)
{
	if (from < ROWS_MAX && to < ROWS_MAX)
		origins[to] = origins[from];
}

bool heap_origin(uint32_t array, struct heap_origin *out)
{
	*out = (struct heap_origin){ 0 };
	if (!origins || array >= ROWS_MAX ||
	    !__atomic_load_n(&origins[array].site, __ATOMIC_ACQUIRE))
		return false;
	*out = origins[array];
	return true;
}
