/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clones among signals, threads and threads without a buffer, and the ways back from their
 * addresses.
 */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#ifdef __x86_64__
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "analysis/base/arena.h"
#include "analysis/code/code.h"
#include "ompt_tool/clones/clone_calls.h"
#include "ompt_tool/clones/pointers.h"
#include "ompt_tool/code/running_code.h"
#include "tests/unit/clones/call.h"
#include "tests/unit/clones/count.h"

static const struct kernel *find(const struct kernel *from, const char *name)
{
	while (from->name && strcmp(from->name, name))
		from++;
	CHECK(from->name);
	return from;
}

static uint64_t run(kernel_run *function, unsigned char *at, uint64_t seed)
{
	fill(at, seed);
	return function(at, seed);
}

static void count_run(kernel_run *function, unsigned char *at, uint64_t seed, size_t bytes,
		      struct count *count)
{
	fill(at, seed);
	CHECK(record_thread_begin(bytes, count_stream, count));
	function(at, seed);
	record_thread_end();
}

static kernel_run *handler_run;
static unsigned char handler_memory[MEMORY];
static uint64_t handler_expected;
static volatile uint64_t handled, handled_wrong;

static void on_alarm(int signal)
{
	(void)signal;
	handled++;
	handled_wrong += run(handler_run, handler_memory, 3) != handler_expected;
}

static void start_alarms(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };
	struct itimerval often = { { 0, 700 }, { 0, 700 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void stop_alarms(void)
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
}

/*
 * The handler runs clones, too: between any two instructions of clones, and of the buffer's handing
 * over.
 */
static void under_signals(const char *compiler, const char *options)
{
	const struct kernel *all;
	struct count count = { 0 };

	need_clones();
	all = build(compiler, options, "kernels.c");
	handler_expected = run(find(all, "switches")->run, handler_memory, 3);
	handler_run = (kernel_run *)make(find(all, "switches")->run, CLONE_ACCESSES, 8)->code;
	CHECK(record_thread_begin(65536, count_stream, &count));
	for (const struct kernel *kernel = all; kernel->name; kernel++) {
		kernel_run *clones[] = {
			(kernel_run *)make(kernel->run, CLONE_ACCESSES | CLONE_LOOPS, 8)->code,
			(kernel_run *)make(kernel->run, CLONE_ACCESSES, 8)->code
		};
		uint64_t want = run(kernel->run, memory, 5);

		start_alarms(on_alarm);
		for (int i = 0; i < 300; i++)
			if (run(clones[i % 2], memory, 5) != want)
				test_fail(__FILE__, __LINE__, "%s differs under signals",
					  kernel->name);
		stop_alarms();
	}
	record_thread_end();
	CHECK_THAT(handled, >, 20);
	CHECK_INT(handled_wrong, 0);
	CHECK_THAT(count.nr, >, 100000);
}

TEST(clones_running__signals_gcc)
{
	under_signals("gcc-12", "-O2");
}
TEST(clones_running__signals_clang)
{
	under_signals("clang-19", "-O3 -march=native");
}
TEST(clones_running__signals_crowded)
{
	under_signals("gcc-12", "-O0");
}

static sigjmp_buf out;
static void leave(int signal)
{
	(void)signal;
	handled++;
	siglongjmp(out, 1);
}

/* Loops that are left for good by a signal lose what they recorded; later ones do not. */
TEST(clones_running__left_by_signals)
{
	if (THREAD_SANITIZED)
		test_skip("ThreadSanitizer puts signals off that functions are left by");
	struct count before = { 0 }, after = { 0 }, garbage = { 0 };
	kernel_run *original, *clone;
	volatile uint64_t want, rounds = 0;

	need_clones();
	original = find(build("gcc-12", "-O2", "kernels.c"), "matrix")->run;
	clone = (kernel_run *)make(original, CLONE_ACCESSES, 0)->code;
	want = run(original, memory, 4);
	count_run(clone, memory, 4, 65536, &before);
	CHECK(record_thread_begin(65536, count_stream, &garbage));
	while (handled < 50) {
		if (sigsetjmp(out, 1) == 0) {
			start_alarms(leave);
			for (;;) {
				CHECK_THAT(run(clone, memory, 4), ==, want);
				rounds++;
			}
		}
		stop_alarms();
	}
	record_thread_end();
	count_run(clone, memory, 4, 65536, &after);
	CHECK_THAT(rounds, >, 0);
	CHECK_INT(after.nr, before.nr);
	CHECK_INT(after.addresses, before.addresses);
	CHECK_INT(after.broken, 0);
}

struct job {
	kernel_run *clone;
	unsigned char *memory;
	uint64_t want;
	struct count count;
	bool right;
};

static void *run_job(void *ctx)
{
	struct job *job = ctx;

	job->right = true;
	for (int i = 0; i < 200; i++) {
		if (i == 100 && !record_thread_begin(65536 << (i % 3), count_stream, &job->count))
			job->right = false;
		job->right &= run(job->clone, job->memory, 7) == job->want;
	}
	record_thread_end();
	return NULL;
}

/* Each thread runs clones without a buffer first, then with one. */
TEST(clones_running__threads)
{
	static struct job jobs[8];
	pthread_t threads[8];
	struct count one = { 0 };
	kernel_run *original, *clone;

	need_clones();
	original = find(build("clang-19", "-O2", "kernels.c"), "stencil")->run;
	clone = (kernel_run *)make(original, CLONE_ACCESSES, 0)->code;
	count_run(clone, memory, 7, 65536, &one);
	CHECK_THAT(one.nr, >, 100);
	for (int i = 0; i < 8; i++) {
		jobs[i] = (struct job){ .clone = clone,
					.memory = malloc(MEMORY),
					.want = run(original, memory, 7) };
		CHECK_INT(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		CHECK(jobs[i].right);
		CHECK_INT(jobs[i].count.nr, 100 * one.nr);
		CHECK_INT(jobs[i].count.broken, 0);
	}
}

/* Buffers of all sizes hand over the same, and are handed over often. */
TEST(clones_running__full_buffers)
{
	static const size_t sizes[] = { 64 << 10, 256 << 10, 4 << 20 };
	struct count counts[3] = { { 0 } };
	kernel_run *clone;

	need_clones();
	clone = (kernel_run *)make(find(build("gcc-12", "-O2", "kernels.c"), "triad")->run,
				   CLONE_ACCESSES, 0)
			->code;
	for (int i = 0; i < 3; i++) {
		CHECK(record_thread_begin(sizes[i], count_stream, &counts[i]));
		for (int j = 0; j < 1000; j++)
			clone(memory, 3);
		record_flush();
		record_thread_end();
		CHECK_THAT(counts[i].nr, >, 100000);
		CHECK_INT(counts[i].nr, counts[0].nr);
		CHECK_INT(counts[i].addresses, counts[0].addresses);
		CHECK_INT(counts[i].broken, 0);
	}
	CHECK(!record_thread_begin(1000, count_stream, &counts[0]));
	CHECK(!record_thread_begin(96 << 10, count_stream, &counts[0]));
}

struct leaving {
	struct count count;
	uint64_t after;
	unsigned int calls;
};

static void leave_after(void *ctx, const uint64_t *words, size_t nr)
{
	struct leaving *leaving = ctx;

	count_stream(&leaving->count, words, nr);
	leaving->calls++;
	if (leaving->count.nr >= leaving->after)
		record_leave();
}

/*
 * A thread that leaves goes on in the original, from the midst of a loop, and records nothing more
 * until it resumes.
 */
static void leaves(const char *compiler, const char *options, const char *kernel)
{
	kernel_run *original = find(build(compiler, options, "kernels.c"), kernel)->run,
		   *clone = (kernel_run *)make(original, CLONE_ACCESSES, 0)->code;
	uint64_t want = run(original, memory, 3);
	struct leaving leaving = { .after = 1 };
	uint64_t nr;

	CHECK(record_thread_begin(65536, leave_after, &leaving));
	for (int i = 0; i < 1000; i++)
		CHECK_INT(run(clone, memory, 3), want);
	CHECK_INT(leaving.calls, 1);
	nr = leaving.count.nr;
	record_flush();
	CHECK_INT(run(clone, memory, 3), want);
	CHECK_INT(leaving.count.nr, nr);
	leaving.after = UINT64_MAX;
	record_resume();
	for (int i = 0; i < 1000; i++)
		CHECK_INT(run(clone, memory, 3), want);
	record_thread_end();
	CHECK_THAT(leaving.count.nr, >, 2 * nr);
	CHECK_INT(leaving.count.broken, 0);
}

TEST(clones_running__leaving)
{
	need_clones();
	leaves("gcc-12", "-O2", "triad");
	leaves("gcc-12", "-O0", "triad");
	leaves("clang-19", "-O3 -march=native", "triad");
}

/*
 * Every address of a clone leads back to an instruction of its original, the points after calls
 * exactly.
 */
TEST(clones_running__ways_back)
{
	struct arena *arena = arena_new();
	const struct clone *clone;
	const struct code *code;
	const char *why;
	int calls = 0;

	need_clones();
	clone = make(find(build("gcc-12", "-O2", "kernels.c"), "strings")->run, CLONE_ACCESSES, 0);
	code = code_read(arena, clone->start, clone->end, NULL, &why);
	CHECK_INT(clone_of(clone->start), clone->code);
	for (uintptr_t at = clone->code; at < clone->code_end; at++) {
		uintptr_t original = clone_original(at);

		CHECK_THAT(clone_around(at), ==, clone);
		CHECK(original == clone->end || code_at(code, original));
	}
	for (size_t i = 0; i + 1 < code->nr_instructions; i++) {
		uintptr_t next = code->start + code->instructions[i + 1].offset,
			  after = clone_after_call(next);

		CHECK_THAT((after != 0), ==, (code->instructions[i].kind == CODE_CALL));
		CHECK(!after || (clone_original(after) == next && clone_around(after) == clone));
		calls += after != 0;
	}
	CHECK_THAT(calls, >, 2);
	CHECK_INT(clone_original((uintptr_t)&calls), (uintptr_t)&calls);
	CHECK(!clone_around(clone->start));
	CHECK_THAT(make((kernel_run *)clone->start, CLONE_ACCESSES, 0), ==, clone);
	arena_free(arena);
}

static struct count count_of(const char *name)
{
	kernel_run *original = find(build("clang-19", "-O2", "kernels.c"), name)->run;
	struct count count = { 0 };

	count_run((kernel_run *)make(original, CLONE_ACCESSES | CLONE_FUNCTION, 2)->code, memory, 8,
		  65536, &count);
	return count;
}

/* memcpy and its like are recorded as ranges, called or jumped to. */
TEST(clones_running__ranges)
{
	struct count count;

	need_clones();
	count = count_of("copies");
	CHECK_INT(count.events[RECORD_RANGE], 3);
	CHECK_INT(count.range_bytes, 1008 + 708 + 308);
	count = count_of("tail_copies");
	CHECK_INT(count.events[RECORD_RANGE], 5);
	CHECK_INT(count.range_bytes, 5 * 50 + 10);
	CHECK_INT(count.events[RECORD_FUNCTION_ENTRY], 6);
	CHECK_INT(count.events[RECORD_FUNCTION_EXIT], 6);
}

/*
 * A library is unloaded and another takes its place: what was cloned of the first is nobody's any
 * more.
 */
TEST(clones_running__unloaded)
{
	static const char *const options[] = { "-O1", "-O2", "-O3", "-O1", "-O2 -fno-inline" };
	uintptr_t places[5];
	int same_place = 0;

	need_clones();
	for (int i = 0; i < 5; i++) {
		const struct kernel *all = build("gcc-12", options[i], "kernels.c");
		Dl_info info;

		CHECK(dladdr(all, &info));
		places[i] = (uintptr_t)info.dli_fbase;
		same_place += i && places[i] == places[i - 1];
		for (const struct kernel *kernel = all; kernel->name; kernel++) {
			uint64_t want = run(kernel->run, memory, 6);

			CHECK_INT(run((kernel_run *)make(kernel->run, CLONE_ACCESSES, 8)->code,
				      memory, 6),
				  want);
		}
		CHECK(!dlclose(last_library));
	}
	CHECK(same_place > 0 || SANITIZED);
}

TEST(clones_running__missed_and_refused)
{
	struct clone_options options = { .probes = CLONE_ACCESSES };
	const struct clone_missed *missed;
	const struct clone_refusal *refusals;
	uint32_t calls = 0;
	size_t nr;

	need_clones();
	CHECK(make(find(build("gcc-12", "-O1", "kernels.c"), "elementary")->run, CLONE_ACCESSES,
		   3));
	nr = clone_missed(&missed);
	for (size_t i = 0; i < nr; i++)
		calls += missed[i].target && strstr(missed[i].why, "in another library")
				 ? missed[i].calls
				 : 0;
	CHECK_THAT(calls, >=, 3);
	CHECK_INT(clone_refusals(&refusals), 0);
	CHECK(!clone_make((uintptr_t)memory, &options));
	CHECK_INT(clone_refusals(&refusals), 1);
	CHECK_INT(refusals[0].function, (uintptr_t)memory);
	CHECK_THAT(strlen(refusals[0].why), >, 3);
}

#define PLAIN NOT_INSTRUMENTED

/* As compilers of Fortran call them; only those whose symbol starts so. */
PLAIN uint64_t _FortranAioOutputTest(uint64_t x);
PLAIN uint64_t _FortranAioOutputTest(uint64_t x)
{
	return x + 1;
}
PLAIN uint64_t _gfortran_st_test(uint64_t x);
PLAIN uint64_t _gfortran_st_test(uint64_t x)
{
	return x + 2;
}
PLAIN uint64_t no_FortranAio(uint64_t x);
PLAIN uint64_t no_FortranAio(uint64_t x)
{
	return x + 3;
}
PLAIN static uint64_t write_statement(uint64_t x)
{
	return no_FortranAio(_gfortran_st_test(_FortranAioOutputTest(x))) + 1;
}

TEST(clones_running__statements_of_input_and_output_are_not_followed)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES, .depth = 3 };
	const struct clone_missed *missed;
	const struct clone *clone;
	uint32_t calls = 0;
	size_t nr;

	need_clones();
	clone = clone_make((uintptr_t)write_statement, &options);
	CHECK(clone);
	CHECK_INT(((uint64_t (*)(uint64_t))clone->code)(1), 8);
	CHECK(clone_of((uintptr_t)no_FortranAio));
	CHECK(!clone_of((uintptr_t)_FortranAioOutputTest) &&
	      !clone_of((uintptr_t)_gfortran_st_test));
	nr = clone_missed(&missed);
	for (size_t i = 0; i < nr; i++)
		calls += !strcmp(missed[i].why,
				 "input and output of the language's library are not recorded")
				 ? missed[i].calls
				 : 0;
	CHECK_INT(calls, 2);
}
PLAIN static uint64_t add_one(uint64_t x)
{
	return x + 1;
}
PLAIN static uint64_t add_two(uint64_t x)
{
	return x + 2;
}
static uint64_t (*volatile const adding[])(uint64_t x) = { add_one, add_two };

PLAIN static uint64_t add_through_pointers(uint64_t x)
{
	for (int i = 0; i < 10; i++)
		x = adding[i % 2](x);
	return x;
}

/*
 * Before a call to a function that is not known the clone is left; each is noted once, as long as
 * there is no clone.
 */
TEST(clones_running__what_pointers_lead_to)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };
	const struct clone *clone;
	uintptr_t targets[64];

	need_clones();
	clone = clone_make((uintptr_t)add_through_pointers, &options);
	CHECK(clone);
	CHECK_INT(((uint64_t (*)(uint64_t))clone->code)(1), 16);
	CHECK_INT(clone_take_missed(targets, 64), 1);
	CHECK_INT(targets[0], (uintptr_t)add_one);
	CHECK_INT(clone_take_missed(targets, 64), 0);
	CHECK(clone_make((uintptr_t)add_one, &options));
	CHECK_INT(((uint64_t (*)(uint64_t))clone->code)(1), 16);
	CHECK_INT(clone_take_missed(targets, 64), 1);
	CHECK_INT(targets[0], (uintptr_t)add_two);
	CHECK(clone_lets_call((uintptr_t)add_two, CLONE_ACCESSES) &&
	      !clone_lets_call((uintptr_t)add_two, CLONE_ACCESSES));
	CHECK(!clone_with((uintptr_t)add_two, CLONE_ACCESSES));
	CHECK_INT(((uint64_t (*)(uint64_t))clone->code)(1), 16);
	/* called as it is, but it may get a clone */
	CHECK(clone_take_missed(targets, 64) == 1 && targets[0] == (uintptr_t)add_two);
}

PLAIN static uint64_t times_three(uint64_t x)
{
	return 3 * x;
}
static uint64_t (*volatile table_of_one[])(uint64_t) = { times_three };
PLAIN static uint64_t through_table(uint64_t x)
{
	return table_of_one[0](x) + table_of_one[0](1);
}

/*
 * What the module's data point to is known once a call through a pointer was met: from then on the
 * clone goes on behind such calls.
 */
TEST(clones_running__what_tables_point_to)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES, .depth = 1 };
	struct count count = { 0 };
	const struct clone *clone;
	uintptr_t target;

	need_clones();
	clone = clone_make((uintptr_t)through_table, &options);
	CHECK(clone);
	CHECK_INT(((uint64_t (*)(uint64_t))clone->code)(5), 18);
	CHECK(clone_take_missed(&target, 1) == 1 && target == (uintptr_t)times_three);
	pointers_learn(target, CLONE_ACCESSES);
	CHECK(record_thread_begin(65536, count_stream, &count));
	CHECK_INT(((uint64_t (*)(uint64_t))clone->code)(5), 18);
	record_thread_end();
	CHECK_THAT(count.nr, >=, 2); /* the table is read twice */
	CHECK_INT(count.events[RECORD_LEFT], 0);
	CHECK(clone_take_missed(&target, 1) == 1 && target == (uintptr_t)times_three);
}

typedef long distance(long x);

PLAIN static long one_more(distance *volatile const *function)
{
	return (*function)(-3) + 1;
}

/*
 * A pointer may lead to an entry of the linkage table, as another file's functions do in programs
 * that are not position-independent.
 */
TEST(clones_running__what_entries_of_linkage_tables_lead_to)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };
	distance *volatile entry, *behind = (distance *)dlsym(RTLD_DEFAULT, "labs");
	const struct clone *clone;
	uintptr_t missed;

	need_clones();
	__asm__("lea labs@PLT(%%rip), %0" : "=r"(entry));
	/* the linker looks for it now, if not before */
	CHECK_INT(entry(-3), 3);
	CHECK(entry != behind && clone_behind_linkage((uintptr_t)entry) == (uintptr_t)behind);
	CHECK_THAT(clone_behind_linkage((uintptr_t)add_one), ==, (uintptr_t)add_one);
	clone = clone_make((uintptr_t)one_more, &options);
	CHECK(clone);
	CHECK_INT(((long (*)(distance *volatile const *))clone->code)(&entry), 4);
	CHECK(clone_take_missed(&missed, 1) == 1 && missed == (uintptr_t)entry);
	CHECK(!clone_through_linkage((uintptr_t)entry, CLONE_ACCESSES));
	CHECK(clone_make((uintptr_t)behind, &options));
	CHECK(clone_through_linkage((uintptr_t)entry, CLONE_ACCESSES) &&
	      !clone_through_linkage((uintptr_t)entry, CLONE_ACCESSES));
	CHECK_INT(((long (*)(distance *volatile const *))clone->code)(&entry), 4);
	CHECK_INT(clone_take_missed(&missed, 1), 0);
}

typedef double real_run(double x);
typedef double real_run_2(double x, double y);

static bool same_bits(double a, double b)
{
	return !memcmp(&a, &b, sizeof(a));
}

/*
 * libm's functions, cloned with what they call, as the dynamic linker has chosen them for this CPU.
 */
TEST(clones_running__libm)
{
	static const char *const names[] = { "sin",  "cos",    "tan",   "exp",  "log",  "log2",
					     "exp2", "atan",   "asin",  "sinh", "tanh", "cbrt",
					     "erf",  "lgamma", "floor", "rint", "j0",   "expm1" };
	struct count count = { 0 };
	volatile double keep = sin(handled + 0.5) + pow(handled + 0.5, 0.3);

	(void)keep;
	need_clones();
	CHECK(record_thread_begin(65536, count_stream, &count));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		real_run *original = (real_run *)dlsym(RTLD_DEFAULT, names[i]), *clone;

		if (SANITIZED && !strcmp(names[i], "lgamma"))
			/*
			 * it has one of its own, which uses its return address and is instrumented
			 */
			continue;
		CHECK(original);
		CHECK(make((kernel_run *)(void *)original, CLONE_ACCESSES, 4));
		clone = (real_run *)clone_of((uintptr_t)original);
		for (int j = -2000; j < 2000; j++)
			if (!same_bits(clone(j * 0.37 + j * j * 1e-3),
				       original(j * 0.37 + j * j * 1e-3)))
				test_fail(__FILE__, __LINE__, "%s(%d) differs", names[i], j);
	}
	real_run_2 *power = (real_run_2 *)dlsym(RTLD_DEFAULT, "pow"), *clone;

	clone = (real_run_2 *)make((kernel_run *)(void *)power, CLONE_ACCESSES, 4)->code;
	for (int j = 0; j < 4000; j++)
		CHECK(same_bits(clone(j * 0.011, j * 0.007 - 3), power(j * 0.011, j * 0.007 - 3)));
	record_thread_end();
	CHECK_THAT(count.nr, >, 100000);
	CHECK_INT(count.broken, 0);
}

typedef size_t length_run(const char *text);
typedef int compare_run(const char *a, const char *b);
typedef char *find_run(const char *text, int c);
typedef long parse_run(const char *text, char **end, int base);
typedef void sort_run(void *base, size_t nr, size_t size,
		      int (*order)(const void *a, const void *b));

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *library_clone(const char *name)
{
	void *original = dlsym(RTLD_DEFAULT, name);

	CHECK(original);
	CHECK(make((kernel_run *)original, CLONE_ACCESSES | CLONE_STACK, 4));
	return (void *)clone_of((uintptr_t)original);
}

/* What the product never does: libc's own functions. */
TEST(clones_running__libc)
{
	struct count count = { 0 };
	char text[600], other[600];
	int numbers[500];

	if (SANITIZED)
		test_skip("sanitizers have strlen and others of their own");
	need_clones();
	CHECK(record_thread_begin(65536, count_stream, &count));
	length_run *length = (length_run *)library_clone("strlen");
	compare_run *order = (compare_run *)library_clone("strcmp");
	find_run *last = (find_run *)library_clone("strrchr"),
		 *first = (find_run *)library_clone("strchr");
	parse_run *parse = (parse_run *)library_clone("strtol");
	sort_run *sort_numbers = (sort_run *)library_clone("qsort");

	for (int i = 0; i < 500; i++) {
		memset(text, 'a' + i % 7, sizeof(text));
		text[i] = 0;
		memcpy(other, text, sizeof(text));
		other[i / 2] = 'b';
		CHECK_INT(length(text + i / 3), strlen(text + i / 3));
		CHECK_INT(order(text, other) > 0, strcmp(text, other) > 0);
		CHECK(last(other, 'b') == strrchr(other, 'b') &&
		      first(other, 'b') == strchr(other, 'b'));
		snprintf(text, sizeof(text), " -%dx", i * 7919);
		CHECK_INT(parse(text, NULL, 10), -i * 7919);
		numbers[i] = i * 7919 % 501;
	}
	sort_numbers(numbers, 500, sizeof(numbers[0]), by_value);
	for (int i = 1; i < 500; i++)
		CHECK_THAT(numbers[i - 1], <=, numbers[i]);
	record_thread_end();
	CHECK_THAT(count.nr, >, 10000);
	CHECK_INT(count.broken, 0);
}

typedef void *allocate_run(size_t bytes);
typedef void free_run(void *block);

/* More blocks than a thread's cache takes, so that others are put aside by compare and exchange. */
static void *allocate_and_free(void *ctx)
{
	allocate_run *allocate = (allocate_run *)clone_of((uintptr_t)dlsym(RTLD_DEFAULT, "malloc"));
	free_run *give_back = (free_run *)clone_of((uintptr_t)dlsym(RTLD_DEFAULT, "free"));
	struct count *count = ctx;
	unsigned char *blocks[40];

	CHECK(record_thread_begin(65536, count_stream, count));
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 40; i++) {
			blocks[i] = allocate(40 + (size_t)(round % 3) * 16);
			CHECK(blocks[i]);
			memset(blocks[i], i, 40);
		}
		for (int i = 0; i < 40; i++) {
			CHECK(blocks[i][0] == i && blocks[i][39] == i);
			give_back(blocks[i]);
		}
	}
	record_thread_end();
	return NULL;
}

/* libc leaves out lock prefixes as long as there is one thread, by jumps past them. */
TEST(clones_running__malloc)
{
	struct count alone = { 0 }, beside = { 0 };
	pthread_t thread;

	if (SANITIZED)
		test_skip("sanitizers have malloc of their own");
	need_clones();
	library_clone("malloc");
	library_clone("free");
	allocate_and_free(&alone);
	CHECK(!pthread_create(&thread, NULL, allocate_and_free, &beside) &&
	      !pthread_join(thread, NULL));
	allocate_and_free(&alone);
	CHECK(alone.nr > 20000 && beside.nr > 10000);
	CHECK_INT(alone.broken + beside.broken, 0);
}

typedef int put_run(const char *text, FILE *to);
typedef char *get_run(char *to, int nr, FILE *from);
typedef int seek_run(FILE *file, long offset, int whence);
typedef long tell_run(FILE *file);
typedef ssize_t lines_run(char **line, size_t *room, int end, FILE *from);

/* Those that lock files have cleanups. */
TEST(clones_running__stdio)
{
	struct count count = { 0 };
	char line[80], want[80], *grown = NULL;
	size_t room = 0;
	FILE *file = tmpfile();

	if (SANITIZED)
		test_skip("sanitizers have fgets and others of their own");
	need_clones();
	CHECK(file && record_thread_begin(65536, count_stream, &count));
	put_run *put = (put_run *)library_clone("fputs");
	get_run *get = (get_run *)library_clone("fgets");
	seek_run *seek = (seek_run *)library_clone("fseek");
	tell_run *tell = (tell_run *)library_clone("ftell");
	lines_run *get_line = (lines_run *)library_clone("getdelim");

	for (int i = 0; i < 2000; i++) {
		CHECK_INT(tell(file), 10 * i);
		snprintf(line, sizeof(line), "line %4d\n", i);
		CHECK_THAT(put(line, file), >=, 0);
	}
	for (int i = 1999; i >= 0; i -= 7) {
		snprintf(want, sizeof(want), "line %4d\n", i);
		CHECK(!seek(file, 10 * i, SEEK_SET));
		CHECK_STR(get(line, sizeof(line), file), want);
		CHECK(!seek(file, -10, SEEK_CUR));
		CHECK_INT(get_line(&grown, &room, '\n', file), 10);
		CHECK_STR(grown, want);
	}
	record_thread_end();
	free(grown);
	fclose(file);
	CHECK_THAT(count.nr, >, 100000);
	CHECK_INT(count.broken, 0);
}

/*
 * Ended while it waits for what it reads, with the file locked, which fgets unlocks then: by the
 * tables of libc's own personality routine.
 */
struct reader {
	char *(*get)(char *to, int nr, FILE *from);
	FILE *file;
	struct count count;
};

static void end_reader(void *reader)
{
	(void)reader;
	record_thread_end();
}

static void *read_line(void *ctx)
{
	struct reader *reader = ctx;
	char line[80];

	if (!record_thread_begin(65536, count_stream, &reader->count))
		return NULL;
	pthread_cleanup_push(end_reader, reader);
	reader->get(line, sizeof(line), reader->file);
	pthread_cleanup_pop(1);
	return NULL;
}

static bool is_locked(FILE *file)
{
	if (ftrylockfile(file))
		return true;
	funlockfile(file);
	return false;
}

TEST(clones_running__cancelled_in_libc)
{
	static struct reader reader;
	const struct timespec moment = { .tv_nsec = 1000000 };
	pthread_t thread;
	int ends[2];
	void *result;

	if (SANITIZED)
		test_skip("sanitizers have fgets and others of their own");
	need_clones();
	CHECK(!pipe(ends));
	reader.get = (char *(*)(char *, int, FILE *))library_clone("fgets");
	for (int i = 0; i < 5; i++) {
		reader.count = (struct count){ 0 };
		reader.file = fdopen(dup(ends[0]), "r");
		CHECK(reader.file && !is_locked(reader.file));
		CHECK(!pthread_create(&thread, NULL, read_line, &reader));
		while (!is_locked(reader.file))
			nanosleep(&moment, NULL);
		CHECK(!pthread_cancel(thread) && !pthread_join(thread, &result));
		CHECK_THAT(result, ==, PTHREAD_CANCELED);
		CHECK(!is_locked(reader.file));
		CHECK_THAT(reader.count.nr, >, 20);
		CHECK_INT(reader.count.broken, 0);
		fclose(reader.file);
	}
}

#else
TEST(clones_running__supported)
{
	test_skip("clones are made on x86-64 only");
}
#endif

PLAIN static uint64_t debugged(uint64_t x)
{
	__asm__ volatile("nop\n\tnop" : "+r"(x));
	return x + handled;
}

/* A debugger's or probe's breakpoint must not get into a clone, where no debugger expects it. */
TEST(clones_running__with_a_breakpoint)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };
	unsigned char *code = (unsigned char *)debugged,
		      *page = (unsigned char *)((uintptr_t)debugged & ~4095ul), *nop, before;

	if (THREAD_SANITIZED)
		test_skip("ThreadSanitizer has no shadow of code that is written");
	need_clones();
	nop = memmem(code, 64, "\x90\x90", 2);
	CHECK(nop && !mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC));
	before = *nop;
	*nop = 0xcc;
	CHECK(!mprotect(page, 8192, PROT_READ | PROT_EXEC));
	CHECK(!clone_make((uintptr_t)debugged, &options));
	CHECK(!mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC));
	*nop = before;
}

PLAIN static uint64_t innermost_constant(uint64_t x)
{
	__asm__ volatile("lea 1000(%0), %0\n\tnop" : "+r"(x));
	return x;
}
PLAIN static uint64_t around_constant(uint64_t x)
{
	return innermost_constant(x) + handled;
}

/*
 * Clones call each other directly: a clone whose original has changed must not be called by those
 * that were made with it.
 */
TEST(clones_running__when_code_has_changed)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES, .depth = 2 };
	unsigned char *code = (unsigned char *)innermost_constant,
		      *page = (unsigned char *)((uintptr_t)code & ~4095ul);
	static const uint32_t before = 1000, after = 2000;
	const struct clone *clone;
	unsigned char *constant;
	uint64_t want;

	if (THREAD_SANITIZED)
		test_skip("ThreadSanitizer has no shadow of code that is written");
	need_clones();
	clone = clone_make((uintptr_t)around_constant, &options);
	CHECK(clone && clone_with((uintptr_t)innermost_constant, CLONE_ACCESSES));
	want = around_constant(5);
	CHECK_INT(((uint64_t (*)(uint64_t))clone->code)(5), want);
	clone_check();
	/* nothing has changed */
	CHECK_THAT(clone_of((uintptr_t)around_constant), ==, clone->code);
	constant = memmem(code, 64, &before, 4);
	CHECK(constant && !mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC));
	memcpy(constant, &after, 4);
	CHECK(!mprotect(page, 8192, PROT_READ | PROT_EXEC));
	clone_pause();
	CHECK(!clone_after_call(0) && !clone_with((uintptr_t)around_constant, CLONE_ACCESSES));
	clone_check();
	CHECK(!clone_of((uintptr_t)around_constant));
	clone = clone_make((uintptr_t)around_constant, &options);
	CHECK(clone);
	CHECK_INT(((uint64_t (*)(uint64_t))clone->code)(5), want + 1000);
}
