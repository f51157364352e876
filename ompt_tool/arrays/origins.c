/* SPDX-License-Identifier: Apache-2.0 */
/* From the caller of malloc to the program's own code that asked for the memory. */
#define _GNU_SOURCE              /* RTLD_DEFAULT */
#include "ompt_tool/arrays/origins.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unwind.h>

#include "analysis/base/own_stack.h"
#include "analysis/base/reserve.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/owners.h"

#define DEPTH 64                         /* frames looked at */
#define ROWS_MAX (1u << 17)              /* as many as array.c has */
#define ENTRY_BYTES 64                   /* of the code before main, which calls libc: on no processor more */
#define CALLERS_DEPTH 16                 /* frames looked at for further callers */

/* OpenMP's own routines to allocate (5.2, 18.13), LLVM's, and the names Fortran calls them by. */
static const char *const allocation_names[] = {
	"omp_alloc", "omp_aligned_alloc", "omp_calloc", "omp_aligned_calloc", "omp_realloc", "kmp_malloc", "kmp_aligned_malloc",
	"kmp_calloc", "kmp_realloc", "kmp_malloc_", "kmp_aligned_malloc_", "kmp_calloc_", "kmp_realloc_", "__kmpc_alloc",
	"__kmpc_aligned_alloc", "__kmpc_calloc", "__kmpc_realloc", "__kmpc_alloc_shared",
};
#define NR_ALLOCATIONS (sizeof(allocation_names) / sizeof(*allocation_names))

static uintptr_t allocations[NR_ALLOCATIONS];
static struct heap_origin *origins;      /* by array */
static uint32_t *news;                   /* by array */
static uintptr_t (*original)(uintptr_t address);         /* see heap_translate; NULL: there are no copies */

struct walk {
	struct heap_origin origin;
	void *first;                     /* the frame to begin at; NULL: begun */
	void *runtime;                   /* the frame before, if it is the OpenMP runtime's */
	unsigned int looked_at, behind;  /* frames in all, and behind the site */
	bool nobodys;
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
	return origins && news;
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

/* Whether the program asked the runtime for memory, and not for something else. */
static bool was_asked(void *frame)
{
	uintptr_t function = (uintptr_t)_Unwind_FindEnclosingFunction(frame);

	for (size_t i = 0; i < NR_ALLOCATIONS; i++)
		if (function && function == allocations[i])
			return true;
	return false;
}

/* One more caller of the site. */
static bool look_behind(struct walk *walk, void *frame)
{
	uint64_t *callers = walk->origin.callers;
	unsigned int nr = 0;

	while (nr < HEAP_CALLERS && callers[nr])
		nr++;
	if (nr < HEAP_CALLERS && (uintptr_t)frame - getauxval(AT_ENTRY) >= ENTRY_BYTES && owners_of((uintptr_t)frame - 1) == OWNER_PROGRAM)
		callers[nr++] = (uintptr_t)frame;
	return nr < HEAP_CALLERS && ++walk->behind < CALLERS_DEPTH;
}

/* False: enough seen. */
static bool look_at(struct walk *walk, void *frame)
{
	if (walk->origin.site)
		return look_behind(walk, frame);
	switch (owners_of((uintptr_t)frame - 1)) {
	case OWNER_PROGRAM:
		walk->nobodys = walk->runtime && !was_asked(walk->runtime);
		walk->origin.site = (uintptr_t)frame;
		break;
	case OWNER_LIBRARY:
		walk->runtime = NULL;
		break;
	case OWNER_RUNTIME:
		walk->runtime = frame;
		break;
	case OWNER_CLOSED:
		walk->nobodys = true;
		break;
	}
	return !walk->nobodys && ++walk->looked_at < DEPTH;
}

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *argument)
{
	struct walk *walk = argument;
	void *frame = translated((void *)_Unwind_GetIP(context));

	if (frame == walk->first)
		walk->first = NULL;
	return walk->first || look_at(walk, frame) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Another thread may do the same, with an as good path; the site is written last. */
static uint32_t row_of(const struct walk *walk)
{
	uint32_t array = walk->nobodys || !walk->origin.site ? ARRAY_NONE : array_of_site(walk->origin.site);

	if (array >= ROWS_MAX || __atomic_load_n(&origins[array].site, __ATOMIC_ACQUIRE))
		return array;
	for (int i = 0; i < HEAP_CALLERS; i++)
		__atomic_store_n(&origins[array].callers[i], walk->origin.callers[i], __ATOMIC_RELAXED);
	__atomic_store_n(&origins[array].site, walk->origin.site, __ATOMIC_RELEASE);
	return array;
}

/* The row of a caller in the program's own code whose path is known: no need to look further. */
static uint32_t known(void *caller)
{
	uint32_t array = array_of_site((uintptr_t)caller);

	return array < ROWS_MAX && __atomic_load_n(&origins[array].site, __ATOMIC_ACQUIRE) ? array : ARRAY_NONE;
}

static void unwind(void *walk)
{
	_Unwind_Backtrace(visit_frame, walk);
}

uint32_t origins_array(void *return_address)
{
	void *caller = translated(return_address);
	struct walk walk = { .first = caller };
	enum owner owner = owners_of((uintptr_t)caller - 1);
	uint32_t array = owner == OWNER_PROGRAM ? known(caller) : ARRAY_NONE;

	if (array != ARRAY_NONE || owner == OWNER_CLOSED)
		return array;
	own_stack_call(unwind, &walk);
	if (walk.first)                  /* it did not get there */
		look_at(&walk, caller);
	return row_of(&walk);
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
	if (!origins || array >= ROWS_MAX || !__atomic_load_n(&origins[array].site, __ATOMIC_ACQUIRE))
		return false;
	*out = origins[array];
	return true;
}
