/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heap blocks: the hooks' bookkeeping against a model that is a plain list, and recognising glibc's
 * chunks.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "ompt_tool/arrays/heap.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/thread_clock.h"
#include "analysis/debuginfo/declared.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/fortran_descriptor.h"
#include "ompt_tool/arrays/glibc_blocks.h"
#include "ompt_tool/arrays/heap_cost.h"
#include "ompt_tool/arrays/origins.h"
#include "ompt_tool/arrays/call_paths.h"
#include "ompt_tool/arrays/siblings.h"
#include "ompt_tool/arrays/small_sites.h"
#include "tests/unit/test.h"

/* -- hooks without a program: addresses that nobody reads */

static const struct heap_hooks *const *slot;
static const struct heap_gone *before; /* a block that came before the core, or NULL */

static void start(const struct heap_hooks *const *where,
		  void (*earlier)(const struct heap_gone *block, bool mapped))
{
	if (before)
		earlier(before, false);
	slot = where;
}

static const struct heap_hooks *begin(void)
{
	static const struct heap_interposer offer = { .preloaded = true, .start = start };
	struct heap_status status;

	heap_offer(&offer);
	CHECK(heap_start(&status));
	CHECK(status.preloaded);
	CHECK_STR(status.why, "");
	CHECK(slot && *slot);
	return *slot;
}

/* Not preloaded, and nobody calls what allocates: all that comes is seen, as nothing does. */
TEST(heap__nobody_allocates)
{
	static const struct heap_stand_in stand_ins[] = { { "no_such_function_anywhere",
							    (void *)begin, true } };
	static const struct heap_interposer offer = { .start = start,
						      .stand_ins = { { stand_ins, 1 } } };
	struct heap_status status;

	heap_offer(&offer);
	CHECK(heap_start(&status));
	CHECK(status.patched && !status.preloaded);
	CHECK_INT(status.slots, 0);
	CHECK(strstr(status.why, "blocks from before the OpenMP runtime's begin"));
}

#define BASE 0x100000000000u
#define SITE(n) ((void *)(uintptr_t)(0x7000 + 16 * (n)))

static uint64_t site_at(uintptr_t address)
{
	struct array_place place;
	struct heap_origin origin;

	if (!array_at(address, array_time(), UINT64_MAX, &place))
		return 0;
	CHECK(heap_origin(place.array, &origin));
	CHECK(!array_get(place.array)->site || array_get(place.array)->site == origin.site);
	return origin.site;
}

TEST(heap__block_comes_and_goes)
{
	const struct heap_hooks *hooks = begin();
	struct heap_gone gone;
	uintptr_t block = BASE;

	hooks->allocated((void *)block, 8192, SITE(1), NULL);
	CHECK_INT(site_at(block), SITE(1));
	CHECK_INT(site_at(block + 8191), SITE(1));
	CHECK_INT(site_at(block + 8192), 0);
	hooks->freed((void *)block, &gone);
	CHECK_INT(gone.bytes, 8192);
	CHECK_INT(site_at(block), 0);
	hooks->freed((void *)block, &gone); /* the program's mistake */
	CHECK_INT(gone.bytes, 0);
	hooks->allocated((void *)block, 4096, SITE(2), NULL);
	CHECK_INT(site_at(block), SITE(2));
}

/*
 * What the OpenMP runtime allocates for itself, as LLVM's does for each chunk, is not the
 * program's; what its allocation routines do is.
 */
TEST(heap__allocations_of_the_runtime_are_not_counted)
{
	void *runtime = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
	char *own = runtime ? dlsym(runtime, "omp_get_num_threads") : NULL,
	     *asked = runtime ? dlsym(runtime, "omp_alloc") : NULL;
	const struct heap_hooks *hooks = begin();
	uint64_t earlier = heap_allocations();

	if (!own || !asked)
		test_skip("no libgomp");
	hooks->allocated((void *)BASE, 8192, own + 4, NULL);
	hooks->sampled((void *)(BASE + 8192), 64, own + 4, NULL, 100);
	CHECK_INT(heap_allocations() - earlier, 0);
	hooks->allocated((void *)(BASE + 16384), 8192, asked + 4, NULL);
	hooks->sampled((void *)(BASE + 32768), 64, SITE(1), NULL, 100);
	CHECK_INT(heap_allocations() - earlier, 101);
}

/*
 * A block that grows stays what it is, wherever the call stands; one that was not known gets the
 * call's site.
 */
TEST(heap__realloc)
{
	const struct heap_hooks *hooks = begin();
	struct heap_gone gone;
	uintptr_t block = BASE, elsewhere = BASE + (1 << 20);

	hooks->allocated((void *)block, 8192, SITE(1), NULL);
	hooks->freed((void *)block, &gone);
	hooks->moved(&gone, (void *)elsewhere, 16384, SITE(2), NULL);
	CHECK_INT(site_at(block), 0);
	CHECK_INT(site_at(elsewhere + 16383), SITE(1));
	hooks->freed((void *)elsewhere, &gone);
	hooks->kept(&gone);
	CHECK_INT(site_at(elsewhere + 16383), SITE(1));
	hooks->freed((void *)(BASE + (2 << 20)), &gone);
	CHECK_INT(gone.bytes, 0);
	hooks->moved(&gone, (void *)(BASE + (2 << 20)), 5000, SITE(3), NULL);
	CHECK_INT(site_at(BASE + (2 << 20)), SITE(3));
}

TEST(heap__block_from_before)
{
	static const struct heap_gone early = {
		.start = BASE,
		.bytes = 5000,
		.array = ARRAY_NONE,
		.nr_frames = 2,
		.frames = { SITE(5), SITE(6) },
	};
	struct heap_origin origin;
	struct array_place place;

	before = &early;
	begin();
	CHECK_INT(site_at(BASE + 4999), SITE(5));
	CHECK(array_at(BASE + 4999, array_time(), UINT64_MAX, &place) &&
	      heap_origin(place.array, &origin));
	CHECK_INT(origin.callers[0], SITE(6));
	CHECK_INT(origin.callers[1], 0);
}

/* Of small blocks the site of most, each address once: strings that come and go are few. */
TEST(heap__small_blocks_have_the_site_of_most)
{
	static const struct heap_gone early = {
		.start = BASE + (1 << 20),
		.bytes = 16,
		.array = ARRAY_NONE,
		.nr_frames = 1,
		.weight = HEAP_SAMPLED,
		.frames = { SITE(6) },
	};
	const struct heap_hooks *hooks;
	struct small_site most[3];
	struct heap_origin origin;
	uintptr_t block = BASE;

	before = &early;
	hooks = begin();
	CHECK_INT(small_sites_most(most, 3), 1);
	CHECK(heap_origin(most[0].array, &origin));
	CHECK_INT(origin.site, SITE(6));
	for (int i = 0; i < 100; i++) {
		CHECK(hooks->sampled((void *)(block + 32 * (uintptr_t)(i < 70 ? i : 0)), 24,
				     SITE(1), NULL, HEAP_SAMPLED));
		CHECK(hooks->sampled((void *)(block + (2 << 20)), 30, SITE(2), NULL, HEAP_SAMPLED));
	}
	for (int i = 0; i < 7; i++)
		CHECK(hooks->sampled((void *)(block + (3 << 20) + 64 * (uintptr_t)i), 30, SITE(2),
				     NULL, HEAP_SAMPLED));
	CHECK_INT(small_sites_most(most, 3), 3);
	CHECK(heap_origin(most[0].array, &origin));
	CHECK_INT(origin.site, SITE(1));
	CHECK_NEAR(most[0].share, 70 / 79.0, 1e-9);
	CHECK(heap_origin(most[1].array, &origin));
	CHECK_INT(origin.site, SITE(2));
	CHECK_NEAR(most[1].share, 8 / 79.0, 1e-9);
	CHECK(!hooks->forgotten((void *)block)); /* a sampled block's end is not reported */
	CHECK_INT(site_at(block), 0);            /* no array of its own */
}

/* small_sites_divide passes this on as heap.c does, whose blocks have chunks. */
static void add(uint32_t array, uintptr_t block, uint64_t bytes)
{
	CHECK(array_block_add(array, block, bytes));
}

/*
 * A site of which only blocks of weight 1 are known is an array of its own, from
 * small_sites_divide on; its blocks are no small heap blocks then.
 */
TEST(heap__few_small_blocks_are_an_array)
{
	const struct heap_hooks *hooks = begin();
	const uintptr_t counters = BASE, nodes = BASE + (1 << 20), text = BASE + (2 << 20);
	struct small_site most[3];
	struct heap_origin origin;

	CHECK(hooks->sampled((void *)counters, 32, SITE(1), NULL, 1));
	CHECK(hooks->sampled((void *)text, 20, SITE(3), NULL, 1));
	CHECK(hooks->forgotten((void *)text));
	CHECK(!hooks->forgotten((void *)text));
	for (uintptr_t i = 0; i < 100; i++)
		CHECK(hooks->sampled((void *)(nodes + 32 * i), 24, SITE(2), NULL, 1));
	CHECK(hooks->sampled((void *)(nodes + 32 * 100), 24, SITE(2), NULL, HEAP_SAMPLED));
	small_sites_divide(add);
	CHECK_INT(site_at(counters), SITE(1));
	CHECK_INT(site_at(counters + 31), SITE(1));
	CHECK_INT(site_at(counters + 32), 0);
	CHECK_INT(site_at(nodes), 0);
	CHECK_INT(site_at(text), 0);
	CHECK_INT(small_sites_most(most, 3), 2);
	CHECK(heap_origin(most[0].array, &origin));
	CHECK_INT(origin.site, SITE(2));
	CHECK_NEAR(most[0].share, 164 / 165.0, 1e-9);
	CHECK(hooks->forgotten((void *)counters));
	CHECK(!hooks->forgotten((void *)counters));
}

/* -- blocks that come and go */

static uint64_t now_ns, hook_ns; /* hook_ns: that a hook takes, so that each reading is later */

uint64_t thread_clock_ns(void)
{
	return now_ns += hook_ns;
}

uint64_t thread_coarse_clock_ns(void)
{
	return now_ns;
}

extern void *__libc_malloc(size_t bytes);

/* Hooks of glibc's malloc; `memory`: for chunks of blocks. */
static const struct heap_hooks *begin_with_chunks(char **memory_out)
{
	static struct heap_interposer offer = { .preloaded = true, .start = start };
	struct heap_status status;

	*memory_out = mmap(NULL, 1 << 26, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	CHECK(*memory_out != MAP_FAILED);
	offer.allocator = (const void *)__libc_malloc;
	heap_offer(&offer);
	CHECK(heap_start(&status));
	return *slot;
}

static void *block_of(char *memory, size_t bytes)
{
	size_t *block = (size_t *)(memory + 16);

	block[-1] = bytes + 16;
	return block;
}

/* A free of the program's own is not seen, and the allocator has given the page back. */
TEST(heap__block_from_before_whose_memory_is_gone)
{
	static struct heap_gone early = {
		.bytes = 5000, .array = ARRAY_NONE, .nr_frames = 1, .frames = { SITE(5) }
	};
	struct array_place place;
	char *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	CHECK(memory != MAP_FAILED);
	early.start = (uintptr_t)memory + 16;
	CHECK_INT(munmap(memory, 1 << 16), 0);
	before = &early;
	begin_with_chunks(&memory);
	CHECK(!array_at(early.start, array_time(), UINT64_MAX, &place));
}

/*
 * Blocks of 1000 to 1500 bytes, each at a place and of a size of its own; ns: each takes, and
 * 300 ns in hooks.
 */
static void churn(const struct heap_hooks *hooks, char *memory, int nr, uint64_t ns)
{
	struct heap_gone gone;

	hook_ns = hook_ns ? hook_ns : 150;
	for (int i = 0; i < nr; i++) {
		void *block = block_of(memory + 4096 * (size_t)(i % 1000),
				       1008 + 16 * (size_t)(i % 31));

		now_ns += ns;
		hooks->allocated(block, 1000 + 16 * (size_t)(i % 31), SITE(1), NULL);
		hooks->freed(block, &gone);
	}
}

static uint64_t times_recorded(uint64_t site)
{
	return array_get(array_of_site(site))->blocks;
}

/* Whether a block of that size is recorded now. */
static bool is_recorded(const struct heap_hooks *hooks, char *memory, size_t bytes)
{
	void *block = block_of(memory + (1 << 25), bytes);
	struct heap_gone gone;
	bool recorded;

	hooks->allocated(block, bytes, SITE(2), NULL);
	recorded = site_at((uintptr_t)block) == (uintptr_t)SITE(2);
	hooks->freed(block, &gone);
	CHECK_INT(gone.bytes, recorded ? bytes : 0);
	CHECK_INT(site_at((uintptr_t)block), 0);
	return recorded;
}

/* Its end was missed, and its memory is no longer mapped: its header must not be read. */
TEST(heap__sampled_block_whose_memory_is_gone)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);
	void *stays = block_of(memory, 32), *gone = block_of(memory + 64 * page, 32);

	CHECK(hooks->sampled(stays, 24, SITE(1), NULL, 1));
	CHECK(hooks->sampled(gone, 24, SITE(2), NULL, 1));
	munmap(memory + 64 * page, page);
	heap_update();
	CHECK_INT(site_at((uintptr_t)stays), SITE(1));
	CHECK_INT(site_at((uintptr_t)gone), 0);
}

TEST(heap__churn_is_not_recorded_for_a_while)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);
	struct heap_status status;

	churn(hooks, memory, 20000, 1000);
	CHECK_THAT(times_recorded((uintptr_t)SITE(1)), <, 4000);
	CHECK(!is_recorded(hooks, memory, 1200));
	CHECK(is_recorded(hooks, memory, 5000));
	heap_status(&status);
	CHECK_THAT(status.small_lost, >, 16000);
	now_ns += 1000000000;
	churn(hooks, memory, 20 * HEAP_SAMPLED, 300000000);
	CHECK(is_recorded(hooks, memory, 1200));
}

TEST(heap__slow_churn_is_recorded)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);

	churn(hooks, memory, 20000, 30000);
	array_settle();
	CHECK_INT(times_recorded((uintptr_t)SITE(1)), 20000);
	CHECK(is_recorded(hooks, memory, 1200));
}

/* The limit is of time, not of a number of blocks. */
TEST(heap__slow_churn_of_slow_hooks_is_not_recorded)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);

	hook_ns = 3000;
	churn(hooks, memory, 20000, 30000);
	CHECK_THAT(times_recorded((uintptr_t)SITE(1)), <, 5000);
}

TEST(heap__churn_within_the_limit_is_recorded)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);

	heap_cost_limit(0.5);
	churn(hooks, memory, 20000, 1000);
	array_settle();
	CHECK_INT(times_recorded((uintptr_t)SITE(1)), 20000);
}

/* One hook in 16 is timed, and stands for 16; no thread but the one that has the account. */
TEST(heap__time_in_hooks)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);
	uint64_t spent_ns = 7;

	heap_cost_limit(1);
	churn(hooks, memory, 1000, 1000);
	CHECK_NEAR((double)heap_cost_ns(), 2 * 1000 * 150.0, 0.2 * 300000);
	heap_cost_account(&spent_ns);
	churn(hooks, memory, 10000, 1000);
	CHECK_NEAR((double)spent_ns, 2 * 10000 * 150.0, 0.1 * 3000000);
	heap_cost_account(NULL);
	churn(hooks, memory, 1000, 1000);
	CHECK_NEAR((double)heap_cost_ns() - (double)spent_ns, 2 * 2000 * 150.0, 0.2 * 600000);
	CHECK_NEAR((double)heap_cost_elsewhere_ns(), 2 * 2000 * 150.0, 0.2 * 600000);
}

/* A hook that is interrupted stands for itself alone. */
TEST(heap__long_hook_counts_once)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);

	hook_ns = 5000000;
	churn(hooks, memory, 1000, 1000);
	CHECK_NEAR((double)heap_cost_ns(), 2000 / HEAP_COST_PERIOD * 5e6,
		   0.3 * 2000 / HEAP_COST_PERIOD * 5e6);
}

/* Rows of a table: many at once, none of which is freed. */
TEST(heap__many_blocks_that_stay)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);

	for (size_t i = 0; i < 10000; i++) {
		now_ns += 1000;
		hooks->allocated(block_of(memory + 4096 * i, 2000), 2000, SITE(1), NULL);
	}
	CHECK_INT(times_recorded((uintptr_t)SITE(1)), 10000);
	CHECK(is_recorded(hooks, memory, 2000));
}

/* Each row is made with a temporary that is freed, and comes again at the same place. */
TEST(heap__rows_with_a_temporary_each)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);
	void *other = block_of(memory + (1 << 25), 1000);
	struct heap_gone gone;

	for (size_t i = 0; i < 8000; i++) {
		now_ns += 1000;
		hooks->allocated(other, 1000, SITE(3), NULL);
		hooks->allocated(block_of(memory + 4096 * i, 2000), 2000, SITE(1), NULL);
		hooks->freed(other, &gone);
	}
	CHECK_INT(times_recorded((uintptr_t)SITE(1)), 8000);
}

/* Arrays that are allocated a while after that are recorded, whatever else is not. */
TEST(heap__a_while_after_churn)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);

	churn(hooks, memory, 20000, 1000);
	CHECK(!is_recorded(hooks, memory, 1200));
	now_ns += 5000000000;
	CHECK(is_recorded(hooks, memory, 1200));
}

/* A block that is freed and allocated again is another one only if its own memory was used. */
TEST(heap__blocks_beside_that_come_again)
{
	char *memory;
	const struct heap_hooks *hooks = begin_with_chunks(&memory);
	void *one = block_of(memory, 4000), *other = block_of(memory + (1 << 22), 4000);
	struct heap_gone gone;
	uint64_t time;

	hooks->allocated(one, 4000, SITE(1), NULL);
	hooks->freed(one, &gone);
	hooks->allocated(other, 4000, SITE(2), NULL);
	time = array_time();
	hooks->allocated(one, 4000, SITE(1), NULL);
	CHECK_INT(array_time(), time); /* as if it had never been freed */
	hooks->freed(one, &gone);
	hooks->allocated(block_of(memory + 1024, 100000), 100000, SITE(3), NULL);
	hooks->allocated(one, 4000, SITE(1), NULL);
	CHECK_INT(site_at((uintptr_t)one), SITE(1));
	CHECK_INT(site_at((uintptr_t)one + 50000), SITE(3));
}

/* -- call paths */

/* Two callers of one allocation wrapper have an array each. */
TEST(heap__callers_of_a_wrapper)
{
	void *const first[] = { SITE(5), SITE(6) }, *const second[] = { SITE(5), SITE(7) };
	struct heap_origin origin;
	uint32_t array;

	begin();
	array = origins_array_of_frames(first, 2);
	CHECK_THAT(array, !=, origins_array_of_frames(second, 2));
	CHECK_INT(origins_array_of_frames(first, 2), array);
	CHECK(heap_origin(array, &origin));
	CHECK_INT(origin.site, SITE(5));
	CHECK_INT(origin.callers[0], SITE(6));
	CHECK(heap_origin(origins_array_of_frames(second, 2), &origin));
	CHECK_INT(origin.site, SITE(5));
	CHECK_INT(origin.callers[0], SITE(7));
}

/* A function that everybody calls has not an array for each of them. */
TEST(heap__callers_without_end)
{
	uint32_t last = ARRAY_NONE, previous;

	begin();
	for (int i = 0; i < 1000; i++) {
		void *const frames[] = { SITE(5), SITE(6 + i) };

		previous = last;
		last = origins_array_of_frames(frames, 2);
	}
	CHECK(last == previous && last != ARRAY_NONE);
	CHECK_THAT(array_count(), <, 100);
}

static uint32_t learned(struct path_frame *frames, uintptr_t *stack, size_t nr, uint32_t value)
{
	uint32_t found = ARRAY_NONE;

	for (size_t i = 0; i < nr; i++)
		stack[frames[i].stack - 1] = frames[i].address,
					frames[i].stack = (uintptr_t)&stack[frames[i].stack];
	paths_learn(frames, nr, value);
	return paths_find(frames[0].address, (const void *)frames[0].stack, &found) ? found
										    : ARRAY_NONE;
}

TEST(paths__are_read_where_they_were)
{
	uintptr_t stack[64] = { 0 };
	uint32_t found;

	CHECK(paths_start(NULL));
	CHECK(!paths_find(100, stack + 4, &found));
	/* unwound once */
	CHECK_INT(learned((struct path_frame[]){ { 100, 4 }, { 200, 10 } }, stack, 2, 7),
		  ARRAY_NONE);
	CHECK_INT(learned((struct path_frame[]){ { 100, 4 }, { 200, 10 } }, stack, 2, 7), 7);
	CHECK(paths_find(100, stack + 4, &found) && found == 7);
	stack[9] = 300; /* a caller that was never unwound */
	CHECK(!paths_find(100, stack + 4, &found));
	CHECK(!paths_find(100, NULL, &found));
	CHECK_INT(learned((struct path_frame[]){ { 100, 20 }, { 300, 26 } }, stack, 2, 8), 8);
	stack[9] = 200;
	CHECK(paths_find(100, stack + 4, &found) && found == 7);
}

TEST(paths__of_frames_that_vary_are_unwound)
{
	uintptr_t stack[1024] = { 0 };
	uint32_t found;

	CHECK(paths_start(NULL));
	for (int i = 0; i < 3; i++)
		learned((struct path_frame[]){ { 100, 4 }, { 200, 10 } }, stack, 2, 7);
	CHECK(paths_find(100, stack + 4, &found));
	CHECK_INT(learned((struct path_frame[]){ { 100, 4 }, { 200, 12 } }, stack, 2, 7),
		  ARRAY_NONE);
	CHECK(paths_vary((struct path_frame[]){ { 100, 0 } }, 1));
	/* it ends there from then on */
	CHECK_INT(learned((struct path_frame[]){ { 100, 4 } }, stack, 1, 9), 9);
	/* a large frame is not read: beyond a smaller one there may be nothing */
	for (int i = 0; i < 3; i++)
		CHECK_INT(learned((struct path_frame[]){ { 500, 4 }, { 600, 900 } }, stack, 2, 7),
			  ARRAY_NONE);
}

/* In a child nothing is called any more. */
TEST(heap__fork)
{
	const struct heap_hooks *hooks = begin();
	int status;
	pid_t child;

	hooks->allocated((void *)BASE, 8192, SITE(1), NULL);
	child = fork();
	if (!child)
		_exit(*slot ? 1 : 7);
	CHECK_THAT(waitpid(child, &status, 0), ==, child);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 7);
	CHECK_THAT(*slot, ==, hooks);
}

/* -- against a model: what each page belongs to */

#define PAGE 4096u
#define PAGES 512
static uint64_t model[PAGES]; /* site of the mapping; 0: none */

static uint32_t seed = 20;
static uint32_t any(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u; /* Numerical Recipes' generator */
	return (seed >> 8) % below;
}

static void compare(unsigned int step)
{
	for (uint32_t i = 0; i < PAGES; i++)
		if (site_at(BASE + i * PAGE + any(PAGE)) != model[i])
			test_fail(__FILE__, __LINE__, "step %u: page %u has site %#llx, not %#llx",
				  step, i, (unsigned long long)site_at(BASE + i * PAGE),
				  (unsigned long long)model[i]);
}

static void step_map(const struct heap_hooks *hooks, uint32_t first, uint32_t nr, uint32_t site)
{
	struct heap_torn torn;

	/* a mapping over others */
	hooks->unmapping((void *)(uintptr_t)(BASE + first * PAGE), nr * PAGE, &torn);
	hooks->mapped((void *)(uintptr_t)(BASE + first * PAGE), nr * PAGE, SITE(site), NULL);
	for (uint32_t i = first; i < first + nr; i++)
		model[i] = (uintptr_t)SITE(site);
}

static void step_unmap(const struct heap_hooks *hooks, uint32_t first, uint32_t nr)
{
	struct heap_torn torn;

	hooks->unmapping((void *)(uintptr_t)(BASE + first * PAGE), nr * PAGE, &torn);
	for (uint32_t i = first; i < first + nr; i++)
		model[i] = 0;
}

/* Refused by the kernel: nothing changes, as long as what was torn fits. */
static void step_fail(const struct heap_hooks *hooks, uint32_t first, uint32_t nr)
{
	struct heap_torn torn;

	hooks->unmapping((void *)(uintptr_t)(BASE + first * PAGE), nr * PAGE, &torn);
	if (torn.nr < HEAP_PIECES) {
		hooks->unmap_failed(&torn);
		return;
	}
	for (uint32_t i = first; i < first + nr; i++)
		model[i] = 0;
	for (uint32_t i = 0; i < torn.nr; i++)
		for (uintptr_t at = torn.pieces[i].start;
		     at < torn.pieces[i].start + torn.pieces[i].bytes; at += PAGE)
			model[(at - BASE) / PAGE] = array_get(torn.pieces[i].array)->site;
	hooks->unmap_failed(&torn);
}

TEST(heap__mappings_as_the_model)
{
	const struct heap_hooks *hooks = begin();

	for (unsigned int step = 0; step < 4000; step++) {
		uint32_t first = any(PAGES - 40), nr = 1 + any(40), what = any(8);

		if (what < 4)
			step_map(hooks, first, nr, 1 + any(30));
		else if (what < 7)
			step_unmap(hooks, first, nr);
		else
			step_fail(hooks, first, nr);
		if (step % 8 == 0)
			compare(step);
	}
	compare(4000);
}

TEST(heap__mremap)
{
	const struct heap_hooks *hooks = begin();
	struct heap_torn torn;

	hooks->mapped((void *)(uintptr_t)BASE, 16 * PAGE, SITE(1), NULL);
	hooks->unmapping((void *)(uintptr_t)(BASE + 8 * PAGE), 8 * PAGE, &torn);
	CHECK_INT(torn.nr, 1);
	hooks->remapped(&torn, (void *)(uintptr_t)(BASE + 8 * PAGE),
			(void *)(uintptr_t)(BASE + 64 * PAGE), 32 * PAGE, SITE(2));
	CHECK_INT(site_at(BASE + 7 * PAGE), SITE(1));
	CHECK_INT(site_at(BASE + 8 * PAGE), 0);
	CHECK_INT(site_at(BASE + 95 * PAGE), SITE(1));
}

/*
 * Of a mapping from before memsearch nothing is known: it is the call's, even where there is no
 * array yet.
 */
TEST(heap__mremap_of_an_unknown_mapping)
{
	const struct heap_hooks *hooks = begin();
	struct heap_torn torn;

	hooks->unmapping((void *)(uintptr_t)BASE, 8 * PAGE, &torn);
	CHECK_INT(torn.nr, 0);
	hooks->remapped(&torn, (void *)(uintptr_t)BASE, (void *)(uintptr_t)(BASE + 64 * PAGE),
			16 * PAGE, SITE(3));
	CHECK_INT(site_at(BASE + 79 * PAGE), SITE(3));
}

/* Heap blocks: random calls, and a list of what lives. */
#define BLOCKS 64
static struct {
	uint64_t site;
	size_t bytes;
} live[BLOCKS];

static uintptr_t address_of(uint32_t block)
{
	return BASE + (uintptr_t)block * (1 << 20);
}

static void step_block(const struct heap_hooks *hooks, uint32_t block)
{
	uint32_t site = 1 + any(9), other = any(BLOCKS);
	size_t bytes = HEAP_SMALL + any(900000);
	struct heap_gone gone;

	if (!live[block].bytes) {
		hooks->allocated((void *)address_of(block), bytes, SITE(site), NULL);
		live[block].site = (uintptr_t)SITE(site);
		live[block].bytes = bytes;
		return;
	}
	hooks->freed((void *)address_of(block), &gone);
	CHECK_INT(gone.bytes, live[block].bytes);
	if (any(2)) {
		live[block].bytes = 0;
	} else if (any(4) == 0) {
		hooks->kept(&gone);
	} else {
		other = live[other].bytes ? block : other;
		hooks->moved(&gone, (void *)address_of(other), bytes, SITE(site), NULL);
		live[other].site = live[block].site;
		live[block].bytes = 0;
		live[other].bytes = bytes;
	}
}

TEST(heap__blocks_as_the_model)
{
	const struct heap_hooks *hooks = begin();
	uint64_t nr = 0, listed = 0;

	for (int step = 0; step < 20000; step++) {
		uint32_t block = any(BLOCKS);

		step_block(hooks, block);
		CHECK_INT(site_at(address_of(block)), live[block].bytes ? live[block].site : 0);
		if (live[block].bytes) {
			CHECK_INT(site_at(address_of(block) + live[block].bytes - 1),
				  live[block].site);
			CHECK_INT(site_at(address_of(block) + live[block].bytes), 0);
		}
	}
	array_settle();
	for (int i = 0; i < BLOCKS; i++)
		nr += live[i].bytes != 0;
	for (uint32_t i = 0; i < array_count(); i++)
		listed += array_get(i)->live_blocks;
	CHECK_THAT(nr, >, 10);
	CHECK_INT(listed, nr);
}

/* -- blocks that are there already */

static uintptr_t found_at[16];
static uint64_t found_bytes[16];
static size_t nr_found;

static void take(uintptr_t at, uint64_t bytes)
{
	CHECK_THAT(nr_found, <, 16);
	found_at[nr_found] = at;
	found_bytes[nr_found++] = bytes;
}

static char *pages(size_t nr)
{
	char *memory = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

static void write_chunk(char *at, size_t size)
{
	((size_t *)at)[1] = size;
}

TEST(heap__found_mapped_chunks)
{
	char *memory = pages(200);
	unsigned char there[200];
	uintptr_t low = (uintptr_t)memory;

	memset(there, 1, sizeof(there));
	write_chunk(memory, 40 * PAGE | 2);
	write_chunk(memory + 40 * PAGE, 33 * PAGE | 2);
	write_chunk(memory + 80 * PAGE, 50 * PAGE | 2); /* behind something else */
	/* inside: data that looks like one */
	write_chunk(memory + 85 * PAGE, 40 * PAGE | 2);
	write_chunk(memory + 140 * PAGE, 20 * PAGE | 2);        /* too small */
	write_chunk(memory + 150 * PAGE, (40 * PAGE + 16) | 2); /* no whole pages */
	write_chunk(memory + 160 * PAGE, 41 * PAGE | 2);        /* beyond the end */
	CHECK_INT(glibc_blocks_mapped(low, low + 200 * PAGE, there, PAGE, take), 3);
	CHECK_INT(found_at[0], low + 16);
	CHECK_INT(found_bytes[0], 40 * PAGE - 16);
	CHECK_INT(found_at[1], low + 40 * PAGE + 16);
	CHECK_INT(found_at[2], low + 80 * PAGE + 16);
	there[80] = 0; /* never touched: not read */
	nr_found = 0;
	CHECK_INT(glibc_blocks_mapped(low, low + 82 * PAGE, there, PAGE, take), 2);
}

TEST(heap__found_in_the_heap)
{
	char *memory = pages(64);
	uintptr_t low = (uintptr_t)memory;

	write_chunk(memory, 0x290 | 1);
	write_chunk(memory + 0x290, 0x2000 | 1);                /* in use, as the next one says */
	write_chunk(memory + 0x2290, 0x3000 | 1);               /* free */
	write_chunk(memory + 0x5290, 0x1010);                   /* in use */
	write_chunk(memory + 0x62a0, (64 * PAGE - 0x62a0) | 1); /* the top */
	CHECK_INT(glibc_blocks_heap(low, low + 64 * PAGE, take), 2);
	CHECK_INT(found_at[0], low + 0x2a0);
	CHECK_INT(found_bytes[0], 0x2000 - 8);
	CHECK_INT(found_at[1], low + 0x52a0);
	write_chunk(memory + 0x2290, 0x3008 | 1); /* not glibc's */
	CHECK_INT(glibc_blocks_heap(low, low + 64 * PAGE, take), 0);
	write_chunk(memory + 0x2290, 0);
	CHECK_INT(glibc_blocks_heap(low, low + 64 * PAGE, take), 0);
	CHECK_INT(nr_found, 2);
}

/* What glibc really writes. */
TEST(heap__found_of_this_process)
{
	char *volatile small = malloc(6000), *volatile large = malloc(3000000),
		       *volatile gone = malloc(2000000);
	bool has_large = false, has_gone = false;

	CHECK(small && large && gone);
	if (SANITIZED)
		test_skip("this process does not use glibc's malloc");
	glibc_blocks_note();
	free(gone);
	glibc_blocks_tell(take);
	for (size_t i = 0; i < nr_found; i++) {
		has_large |= found_at[i] == (uintptr_t)large && found_bytes[i] >= 3000000 &&
			     found_bytes[i] < 3000000 + 2 * PAGE;
		has_gone |= found_at[i] == (uintptr_t)gone;
	}
	CHECK(has_large);
	CHECK(!has_gone);
	free(small);
	free(large);
}

/* -- names */

static uintptr_t pointer_a, pointer_b, pointer_inside, pointer_rows;

static int first_bias(struct dl_phdr_info *info, size_t bytes, void *bias)
{
	(void)bytes;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;
}

static struct declared variable(const char *name, const char *type, const void *at)
{
	uintptr_t bias;
	struct declared item = { .pointer = true };

	dl_iterate_phdr(first_bias, &bias);
	item.array = (struct array){
		.kind = ARRAY_STATIC, .name = name, .type = type, .file = "x.c", .module = ""
	};
	item.address = (uintptr_t)at - bias;
	return item;
}

static void name_all(struct declared *items, size_t nr)
{
	const struct declared_list list = { .items = items, .nr = nr, .why = "" };
	uintptr_t bias;

	dl_iterate_phdr(first_bias, &bias);
	heap_name_blocks(&list, bias);
}

static const struct array *array_of(uintptr_t address)
{
	struct array_place place;

	CHECK(array_at(address, array_time(), UINT64_MAX, &place));
	return array_get(place.array);
}

/* The row of a site's only block gets the name, also for what was seen before. */
TEST(heap__name_of_an_only_block)
{
	const struct heap_hooks *hooks = begin();
	struct declared items[] = { variable("inside", "double", &pointer_inside),
				    variable("a", "double", &pointer_a) };
	struct heap_gone gone;
	uint32_t row;

	hooks->allocated((void *)(uintptr_t)BASE, 8192, SITE(1), NULL);
	row = array_of(BASE)->id;
	pointer_a = BASE;
	pointer_inside = BASE + 800;
	name_all(items, 2);
	CHECK_STR(array_of(BASE)->name, "a");
	CHECK_INT(array_of(BASE)->id, row);
	CHECK_INT(array_of(BASE)->kind, ARRAY_HEAP);
	CHECK_STR(array_of(BASE)->type, "double");
	hooks->freed((void *)(uintptr_t)BASE, &gone);
	hooks->moved(&gone, (void *)(uintptr_t)(BASE + 65536), 16384, SITE(2), NULL);
	pointer_a = BASE + 65536;
	name_all(items, 2);
	CHECK_INT(array_of(BASE + 65536)->id, row);
	CHECK_STR(array_of(BASE + 65536)->name, "a");
}

/* One routine allocated both; a pointer that changes later changes no names. */
TEST(heap__names_of_one_site)
{
	const struct heap_hooks *hooks = begin();
	struct declared items[] = { variable("a", "double", &pointer_a),
				    variable("b", "double", &pointer_b) };
	uintptr_t other = BASE + 65536, third = BASE + 2 * 65536;
	struct heap_origin origin;

	hooks->allocated((void *)(uintptr_t)BASE, 8192, SITE(1), NULL);
	hooks->allocated((void *)other, 8192, SITE(1), NULL);
	hooks->allocated((void *)third, 8192, SITE(1), NULL);
	pointer_a = BASE;
	pointer_b = other;
	name_all(items, 2);
	CHECK_STR(array_of(BASE)->name, "a");
	CHECK_STR(array_of(other)->name, "b");
	CHECK_STR(array_of(third)->name, "");
	CHECK(heap_origin(array_of(other)->id, &origin));
	CHECK_INT(origin.site, SITE(1));
	pointer_a = other;
	pointer_b = BASE;
	name_all(items, 2);
	CHECK_STR(array_of(BASE)->name, "a");
	CHECK_STR(array_of(other)->name, "b");
	CHECK_INT(array_of(BASE)->live_blocks, 1);
}

/*
 * Large blocks of one site are told apart from the begin, so that names found later count for what
 * was seen before, too.
 */
TEST(heap__siblings)
{
	const struct heap_hooks *hooks = begin();
	struct declared items[] = { variable("a", "double", &pointer_a),
				    variable("b", "double", &pointer_b) };
	uintptr_t other = BASE + (1 << 20);
	struct heap_origin origin;
	struct heap_gone gone;
	uint32_t first, second, rows;

	hooks->allocated((void *)(uintptr_t)BASE, 100000, SITE(1), NULL);
	hooks->allocated((void *)other, 100000, SITE(1), NULL);
	first = array_of(BASE)->id;
	second = array_of(other)->id;
	CHECK_THAT(first, !=, second);
	CHECK(heap_origin(second, &origin));
	CHECK_INT(origin.site, SITE(1));
	pointer_a = BASE;
	pointer_b = other;
	name_all(items, 2);
	CHECK_INT(array_of(BASE)->id, first);
	CHECK_INT(array_of(other)->id, second);
	CHECK_STR(array_get(first)->name, "a");
	CHECK_STR(array_get(second)->name, "b");
	hooks->freed((void *)other, &gone); /* b = realloc(b), by another routine */
	hooks->moved(&gone, (void *)(other + (1 << 20)), 200000, SITE(2), NULL);
	CHECK_INT(array_of(other + (1 << 20))->id, second);
	rows = array_count();
	for (int i = 0; i < 1000; i++) { /* passing blocks of another site share two rows */
		hooks->allocated((void *)(uintptr_t)(BASE + (8 << 20)), 100000, SITE(3), NULL);
		hooks->allocated((void *)(uintptr_t)(BASE + (9 << 20)), 100000, SITE(3), NULL);
		hooks->freed((void *)(uintptr_t)(BASE + (8 << 20)), &gone);
		hooks->freed((void *)(uintptr_t)(BASE + (9 << 20)), &gone);
	}
	CHECK_INT(array_count(), rows + 2);
}

/* More of them at once than there are rows for share the site's. */
TEST(heap__many_siblings)
{
	const struct heap_hooks *hooks = begin();
	uint32_t before_them = array_count();

	for (uintptr_t i = 0; i < 3 * SIBLINGS_MAX; i++)
		hooks->allocated((void *)(BASE + (i << 20)), 100000, SITE(1), NULL);
	CHECK_INT(array_count(), before_them + 1 + SIBLINGS_MAX);
	CHECK_INT(array_get(array_of_site((uintptr_t)SITE(1)))->live_blocks, 2 * SIBLINGS_MAX);
}

TEST(heap__names_of_rows)
{
	const struct heap_hooks *hooks = begin();
	struct declared items[] = { variable("table", "double *", &pointer_rows) };
	uintptr_t *pointers = (uintptr_t *)pages(2);

	hooks->allocated(pointers, 8192, SITE(1), NULL);
	for (uintptr_t i = 0; i < 1000; i++) {
		pointers[i] = BASE + 65536 * i;
		hooks->allocated((void *)pointers[i], 8192, SITE(2), NULL);
	}
	pointer_rows = (uintptr_t)pointers;
	name_all(items, 1);
	CHECK_STR(array_of(pointer_rows)->name, "table");
	CHECK_STR(array_of(BASE + 65536 * 999)->name, "table[]");
	CHECK_STR(array_of(BASE + 65536 * 999)->type, "double");
	CHECK_INT(array_of(BASE)->live_blocks, 1000);
	name_all(items, 1);
	CHECK_INT(array_of(BASE)->blocks, 1000);
}

/* DWARF may say anything: only the file's own data is read. */
TEST(heap__lying_addresses)
{
	const struct heap_hooks *hooks = begin();
	struct declared items[] = {
		variable("nowhere", "double", (const void *)16),
		variable("code", "double", (const void *)(uintptr_t)name_all),
		variable("high", "double", (const void *)UINTPTR_MAX),
		variable("a", "double", &pointer_a),
	};

	hooks->allocated((void *)(uintptr_t)BASE, 8192, SITE(1), NULL);
	pointer_a = BASE + 4;
	name_all(items, 4);
	CHECK_STR(array_of(BASE)->name, "a");
	pointer_a = 12345;
	name_all(items, 4);
}

TEST(heap__descriptor_of_gfortran)
{
	int64_t words[] = { BASE, -201, 8, 0x30200000000, 8, 1, 0, 199, 200, 1, 100 };
	struct array row = { .nr_dimensions = 0 };

	CHECK(fortran_descriptor_read((const unsigned char *)words, sizeof(words), 8 * 200 * 100,
				      &row));
	CHECK_INT(row.nr_dimensions, 2);
	CHECK_INT(row.element_bytes, 8);
	CHECK_INT(row.lower[0], 0);
	CHECK_INT(row.extent[0], 200);
	CHECK_INT(row.lower[1], 1);
	CHECK_INT(row.extent[1], 100);
	CHECK(row.column_major);
	CHECK(!fortran_descriptor_read((const unsigned char *)words, sizeof(words), 8 * 200 * 99,
				       &row));
	CHECK(!fortran_descriptor_read((const unsigned char *)words, sizeof(words) - 8,
				       8 * 200 * 100, &row));
	words[7] = INT64_MIN;
	CHECK(!fortran_descriptor_read((const unsigned char *)words, sizeof(words), UINT64_MAX,
				       &row));
	words[6] = 1;
	CHECK(!fortran_descriptor_read((const unsigned char *)words, sizeof(words), UINT64_MAX,
				       &row));
}

TEST(heap__descriptor_of_flang)
{
	int64_t words[] = { BASE, 4, 20180515 | ((int64_t)2 << 32), -1, 50, 4, 1, 60, 200 };
	struct array row = { .nr_dimensions = 0 };

	CHECK(fortran_descriptor_read((const unsigned char *)words, sizeof(words), 4 * 50 * 60,
				      &row));
	CHECK_INT(row.nr_dimensions, 2);
	CHECK_INT(row.element_bytes, 4);
	CHECK_INT(row.lower[0], -1);
	CHECK_INT(row.extent[0], 50);
	CHECK_INT(row.extent[1], 60);
	CHECK(!fortran_descriptor_read((const unsigned char *)words, 24, 4 * 50 * 60, &row));
	CHECK(!fortran_descriptor_read((const unsigned char *)words, 0, 4 * 50 * 60, &row));
}
