/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a sample inside libm or libc to the program's line that called it, through optimised code
 * without frame pointers.
 */
#define _GNU_SOURCE
#include "analysis/base/arena.h"
#include "analysis/debuginfo/modules.h"
#include "ompt_tool/sampling/unwinder.h"
#include "tests/unit/sampling.h"

#include <time.h>

static int calling_line;

/* The library's own, not a sanitizer's stand-in, which is part of this program. */
static void *in_libc(const char *name)
{
	void *function = dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), name);

	CHECK(function);
	return function;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

NOT_INLINED static double sum_of_exp(double value, int rounds)
{
	calling_line = __LINE__ + 2;
	for (int i = 0; i < rounds; i++)
		value += exp(value * 1e-9 + i * 1e-6);
	return value;
}

NOT_INLINED static double more_of_exp(double value, int rounds)
{
	for (int i = 0; i < rounds; i++)
		value += exp(value * 1e-9 - i * 1e-6);
	return value;
}

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

typedef void sorter(void *items, size_t nr, size_t bytes,
		    int (*compare)(const void *, const void *));

NOT_INLINED static void sort(sorter *library_sort, int *numbers, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		numbers[i] = (int)(i * 2654435761u >> 3);
	calling_line = __LINE__ + 1;
	library_sort(numbers, nr, sizeof(*numbers), by_value);
	__asm__ volatile("" : : "r"(numbers) : "memory");
}

NOT_INLINED static void clear(char *memory, size_t bytes)
{
	void *(*library_set)(void *, int,
			     size_t) = (void *(*)(void *, int, size_t))in_libc("memset");

	calling_line = __LINE__ + 1;
	library_set(memory, 1, bytes);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

NOT_INLINED static void clear_other(char *memory, size_t bytes)
{
	void *(*library_set)(void *, int,
			     size_t) = (void *(*)(void *, int, size_t))in_libc("memset");

	library_set(memory, 2, bytes);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

struct traced {
	struct arena *arena;
	struct unwinder *unwinder;
	const char *library; /* sites in other modules are passed over … */
	const struct module *modules;
	size_t nr_modules;
	const char *function; /* … the others should lead here */
	uint64_t in_library, right, wrong;
};

/* A caller further out, or another function of this test: a frame was skipped or made up. */
static bool is_wrong(const char *function)
{
	static const char *const others[] = { "main",        "run_one",  "sum_of_exp",
					      "more_of_exp", "sort",     "clear",
					      "clear_other", "by_value", "?" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(function, others[i]))
			return true;
	return !strncmp(function, "test_", 5);
}

static void trace(void *ctx, const struct sample_site *site)
{
	struct traced *traced = ctx;
	struct code_address at = modules_find(traced->modules, traced->nr_modules, site->ip);
	uint64_t own = 0;

	if (at.module == UINT32_MAX || !strstr(traced->modules[at.module].path, traced->library))
		return;
	traced->in_library += site->count;
	if (unwinder_own_code(traced->unwinder, site, &own) != MS_OK)
		return;
	CHECK_THAT(own, !=, site->ip);
	/* the sensor's own calls of libc, a sanitizer's … */
	if (strcmp(function_at(own - 1), traced->function))
		traced->wrong += is_wrong(function_at(own - 1)) ? site->count : 0;
	else if (line_at(own - 1) == calling_line)
		traced->right += site->count;
	else
		traced->wrong += site->count;
}

static void start(struct traced *traced)
{
	struct module *modules = NULL;

	traced->arena = arena_new();
	CHECK_INT(modules_of_process(traced->arena, &modules, &traced->nr_modules), MS_OK);
	traced->modules = modules;
	traced->unwinder = unwinder_new(traced->arena, modules, traced->nr_modules);
	CHECK(traced->unwinder);
}

static void finish(struct traced *traced)
{
	unwinder_free(traced->unwinder);
	arena_free(traced->arena);
}

TEST(unwinder__libm_leads_to_the_line_that_calls_it)
{
	struct traced traced = { .library = "/libm", .function = "sum_of_exp" };
	double end = cpu_seconds() + 0.4;
	volatile double value = 1;
	struct thread *self;

	need_sensor(&sensor_samples);
	configure(&sensor_samples, &(struct options){ .sampling_rate = 4000 }, NULL);
	self = begin_thread(&sensor_samples, 0);
	enter(&sensor_samples, self, 1);
	while (cpu_seconds() < end)
		value += sum_of_exp(1, 100000);
	leave(&sensor_samples, self);
	start(&traced);
	samples_each(self, MS_SENSOR_SAMPLES, trace, &traced);
	CHECK_THAT(traced.in_library, >, 200);
	CHECK_THAT(traced.right, >=, traced.in_library * 995 / 1000);
	CHECK_INT(traced.wrong, 0);
	finish(&traced);
}

/* Which of two callers a library's samples are of. */
struct callers {
	struct traced traced;
	const char *names[2];
	uint64_t counts[2];
};

static void tell_callers(void *ctx, const struct sample_site *site)
{
	struct callers *callers = ctx;
	uint64_t own = 0;

	if (unwinder_own_code(callers->traced.unwinder, site, &own) != MS_OK || own == site->ip)
		return;
	for (int i = 0; i < 2; i++)
		if (!strcmp(function_at(own - 1), callers->names[i]))
			callers->counts[i] += site->count;
}

TEST(unwinder__two_callers_of_libm_share_its_samples)
{
	struct callers callers = { .names = { "sum_of_exp", "more_of_exp" } };
	double end = cpu_seconds() + 0.4;
	volatile double value = 1;
	struct thread *self;

	need_sensor(&sensor_samples);
	configure(&sensor_samples, &(struct options){ .sampling_rate = 4000 }, NULL);
	self = begin_thread(&sensor_samples, 0);
	enter(&sensor_samples, self, 1);
	while (cpu_seconds() < end)
		value += sum_of_exp(1, 25000) + more_of_exp(1, 75000);
	leave(&sensor_samples, self);
	start(&callers.traced);
	samples_each(self, MS_SENSOR_SAMPLES, tell_callers, &callers);
	CHECK_THAT(callers.counts[0] + callers.counts[1], >, 200);
	CHECK(callers.counts[1] > 2 * callers.counts[0] &&
	      callers.counts[1] < 4.5 * callers.counts[0]);
	finish(&callers.traced);
}

TEST(unwinder__faults_in_memset_lead_to_two_calls_of_it)
{
	enum { PAGES = 1000 };
	struct callers callers = { .names = { "clear", "clear_other" } };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = fresh_pages(3 * PAGES);
	struct thread *self;

	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, self, 1);
	clear(memory, PAGES * page);
	clear_other(memory + PAGES * page, 2 * PAGES * page);
	leave(&sensor_faults, self);
	start(&callers.traced);
	samples_each(self, MS_SENSOR_FAULTS, tell_callers, &callers);
	/* memory by the MiB: one of them is of both, and at either end there is less */
	CHECK(callers.counts[0] >= PAGES - 3 * (1 << 20) / page &&
	      callers.counts[0] <= PAGES + (1 << 20) / page);
	CHECK(callers.counts[1] >= 2 * PAGES - 3 * (1 << 20) / page &&
	      callers.counts[1] <= 2 * PAGES + (1 << 20) / page);
	finish(&callers.traced);
}

/*
 * The merge sort recurses deeper than 256 bytes of stack: few samples can be followed, but these
 * are right.
 */
TEST(unwinder__libc_never_leads_to_a_wrong_function)
{
	enum { NR = 200000 };
	struct traced traced = { .library = "/libc.", .function = "sort" };
	sorter *library_sort = (sorter *)in_libc("qsort");
	static int numbers[NR];
	struct thread *self;

	need_sensor(&sensor_samples);
	configure(&sensor_samples, &(struct options){ .sampling_rate = 4000 }, NULL);
	self = begin_thread(&sensor_samples, 0);
	enter(&sensor_samples, self, 1);
	for (int i = 0; i < 30; i++)
		sort(library_sort, numbers, NR);
	leave(&sensor_samples, self);
	start(&traced);
	samples_each(self, MS_SENSOR_SAMPLES, trace, &traced);
	CHECK_THAT(traced.in_library, >, 50);
	CHECK_INT(traced.wrong, 0);
	finish(&traced);
}

TEST(unwinder__faults_in_memset_lead_to_its_call)
{
	enum { PAGES = 1000 };
	struct traced traced = { .library = "/libc.", .function = "clear" };
	struct thread *self;

	need_sensor(&sensor_faults);
	self = begin_thread(&sensor_faults, 0);
	enter(&sensor_faults, self, 1);
	clear(fresh_pages(PAGES), PAGES * (size_t)sysconf(_SC_PAGESIZE));
	leave(&sensor_faults, self);
	start(&traced);
	samples_each(self, MS_SENSOR_FAULTS, trace, &traced);
	CHECK_THAT(traced.in_library, >=, PAGES);
	CHECK_THAT(traced.right, >=, PAGES - 40);
	CHECK_INT(traced.wrong, 0);
	finish(&traced);
}

TEST(unwinder__own_code_is_its_own_answer)
{
	struct sample_site site = { .ip = (uintptr_t)sort + 4 };
	struct traced traced = { .library = "" };
	uint64_t own = 0;

	start(&traced);
	CHECK_INT(unwinder_own_code(traced.unwinder, &site, &own), MS_OK);
	CHECK_INT(own, site.ip);
	finish(&traced);
}

TEST(unwinder__no_stack_or_nonsense_is_not_found)
{
	struct sample_site site = { .ip = (uintptr_t)in_libc("qsort") + 4 };
	struct traced traced = { .library = "" };
	uint64_t own = 1;

	start(&traced);
	CHECK_INT(unwinder_own_code(traced.unwinder, &site, &own), MS_ERR_NOT_FOUND);
	CHECK_INT(own, 0);
	site.has_stack = 1;
	site.stack_bytes = SAMPLE_STACK_BYTES;
	/* any bytes: no crash, no answer outside of the program */
	for (uint32_t seed = 1; seed < 2000; seed++) {
		uint32_t random = seed * 2654435761u;

		for (size_t i = 0; i < sizeof(site.stack); i++)
			site.stack[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
		for (int i = 0; i < SAMPLE_REGISTERS; i++)
			site.registers[i] = (uint64_t)random << 8 << (i % 16 * 3);
		site.ip = (uintptr_t)in_libc("qsort") + seed % 512;
		if (unwinder_own_code(traced.unwinder, &site, &own) == MS_OK)
			CHECK_THAT(modules_find(traced.modules, traced.nr_modules, own).module, !=,
				   UINT32_MAX);
	}
	site.ip = 8;
	CHECK_INT(unwinder_own_code(traced.unwinder, &site, &own), MS_ERR_NOT_FOUND);
	finish(&traced);
}
