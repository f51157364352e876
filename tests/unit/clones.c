/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clones against originals: the same results, memory and kept registers, and what they record
 * against single steps through the original. Code of two compilers at three levels, of libc and of
 * libm.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/clone_calls.h"
#include "tests/unit/test.h"

#ifdef __x86_64__
#include <signal.h>
#include <ucontext.h>

#include "tests/unit/clones/call.h"
#include "tests/unit/clones/steps.h"

static void call_between_stops(void *ctx)
{
	raise(SIGSTOP);
	call_checked(ctx);
	raise(SIGSTOP);
}

static void show(const char *what, const struct count *count)
{
	printf("%s: %lu accesses, %lu bytes, %lx, %lx, %lx, %lu broken\n", what,
	       (unsigned long)count->nr, (unsigned long)count->bytes, (unsigned long)count->writes,
	       (unsigned long)count->addresses, (unsigned long)count->squares,
	       (unsigned long)count->broken);
}

static bool same(const struct count *a, const struct count *b)
{
	return a->nr == b->nr && a->bytes == b->bytes && a->addresses == b->addresses &&
	       a->squares == b->squares && a->writes == b->writes && !a->broken && !b->broken;
}

static uint64_t timed;   /* executions of loops with times */
static uint64_t untimed; /* kernels with exits without times, to code that is no clone */

static void check_times(const struct count *count)
{
	CHECK_INT(count->events[RECORD_ITERATION_BEGIN] + count->nr, 0);
	CHECK_THAT(count->events[RECORD_FUNCTION_ENTRY], >=, count->events[RECORD_FUNCTION_EXIT]);
	CHECK_THAT(count->events[RECORD_LOOP_ENTRY], >=, count->events[RECORD_LOOP_EXIT]);
	timed += count->events[RECORD_LOOP_EXIT];
	untimed += count->events[RECORD_LOOP_ENTRY] + count->events[RECORD_FUNCTION_ENTRY] !=
		   count->events[RECORD_LOOP_EXIT] + count->events[RECORD_FUNCTION_EXIT];
}

/* What is entered is left. */
static void check_balance(const struct count *count, uint32_t probes)
{
	if (probes & CLONE_TIMES) {
		check_times(count);
		return;
	}
	CHECK_INT(count->events[RECORD_FUNCTION_ENTRY], count->events[RECORD_FUNCTION_EXIT]);
	CHECK_INT(count->events[RECORD_LOOP_ENTRY], count->events[RECORD_LOOP_EXIT]);
	CHECK_INT(count->events[RECORD_ITERATION_BEGIN], count->events[RECORD_ITERATION_END]);
	CHECK_THAT((count->events[RECORD_FUNCTION_ENTRY] > 0), ==, !!(probes & CLONE_FUNCTION));
	CHECK_THAT(count->events[RECORD_ITERATION_BEGIN], >=, count->events[RECORD_LOOP_ENTRY]);
}

/*
 * Functions that are called through pointers are known after the first calls, before which the
 * clone is left.
 */
static void settle(struct call *cloned, uint64_t seed, uint32_t probes)
{
	uintptr_t targets[64];
	size_t nr, settled;

	do {
		fill(memory, seed);
		call_checked(cloned);
		nr = clone_take_missed(targets, 64);
		settled = 0;
		for (size_t i = 0; i < nr; i++)
			settled += clone_lets_call(targets[i], probes);
	} while (settled);
}

/* How often clones were left for their original so far. */
static uint64_t times_left(void)
{
	uint64_t all = 0;
	uintptr_t target;

	for (size_t i = 0; i < clone_nr_left(); i++)
		all += clone_left_before(i, &target);
	return all;
}

/*
 * The clone of a kernel does what the kernel does, and with `step` records what single steps find.
 * Returns how many accesses.
 */
static uint64_t compare(const char *name, kernel_run *run, uint64_t seed, uint32_t probes,
			bool step)
{
	static struct stepper stepper;
	const struct clone *clone = make(run, probes, 8);
	struct call original = { .run = run,
				 .memory = memory,
				 .seed = seed,
				 .stack = stack + MEMORY },
		    cloned = original;
	struct count count = { 0 };
	bool stepped = false;
	uint64_t left;

	CHECK(clone);
	cloned.run = (kernel_run *)clone->code;
	settle(&cloned, seed, probes);
	fill(memory, seed);
	if (step)
		stepped = steps_count(&stepper, call_between_stops, &original,
				      probes & CLONE_STACK);
	call_checked(&original);
	memcpy(expected, memory, MEMORY);
	fill(memory, seed);
	CHECK(record_thread_begin(65536, count_stream, &count));
	left = times_left();
	call_checked(&cloned);
	record_thread_end();
	if (cloned.result != original.result || cloned.lost || original.lost ||
	    memcmp(memory, expected, MEMORY))
		test_fail(__FILE__, __LINE__, "%s differs: %lx, not %lx; %lx not kept", name,
			  (long)cloned.result, (long)original.result, (long)cloned.lost);
	/*
	 * A sanitizer's memcpy and the like use return addresses: the rest of the kernel is not
	 * recorded.
	 */
	if (SANITIZED && times_left() != left)
		return count.nr;
	if (step && (!stepped || !same(&count, &stepper.count))) {
		show("clone", &count);
		show("steps", &stepper.count);
		test_fail(__FILE__, __LINE__, "%s is recorded wrongly (stepped: %d)", name,
			  stepped);
	}
	CHECK_INT(count.broken, 0);
	if (strcmp(name, "jumps"))
		check_balance(&count, probes);
	return count.nr;
}

/*
 * Steps take long: gcc's are taken through every second kernel at -O0 and at -O2, and clang's
 * through the others; at -O3 it is the other way around.
 */
static bool stepped_through(const char *compiler, const char *options, size_t nr)
{
	bool gcc = strncmp(compiler, "gcc", 3) == 0, o3 = strncmp(options, "-O3", 3) == 0;

	return test_sample(0, 1) || (options[1] == 'O' ? nr % 2 == (gcc != o3) : 1);
}

static void compare_all(const char *compiler, const char *options, const char *source,
			uint64_t at_least)
{
	const struct kernel *all, *kernel;
	uint64_t accesses = 0;

	need_clones();
	all = build(compiler, options, source);
	for (kernel = all; kernel->name; kernel++) {
		accesses += compare(kernel->name, kernel->run, 1, CLONE_ACCESSES,
				    stepped_through(compiler, options, (size_t)(kernel - all)));
		for (uint64_t seed = 2; seed < 12; seed++)
			accesses += compare(kernel->name, kernel->run, seed, CLONE_ACCESSES, false);
		accesses += compare(
			kernel->name, kernel->run, 3,
			CLONE_ACCESSES | CLONE_STACK | CLONE_FUNCTION | CLONE_LOOPS,
			strstr(options, "native") &&
				stepped_through(compiler, options, (size_t)(kernel - all)));
		compare(kernel->name, kernel->run, 4, CLONE_TIMES | CLONE_FUNCTION | CLONE_LOOPS,
			false);
	}
	CHECK_THAT(accesses, >, at_least);
	CHECK_THAT(timed, >, at_least / 1000);
	CHECK_THAT(untimed, <=, 1);
}

/* Stepping through the unwinder takes too long: only what is computed is compared. */
static void compare_exceptions(const char *compiler, const char *options)
{
	const struct kernel *kernel;

	if (SANITIZED)
		test_skip("sanitizers look at the stack when something is thrown");
	need_clones();
	for (kernel = build(compiler, options, "exceptions.cpp"); kernel->name; kernel++)
		for (uint64_t seed = 1; seed < 20; seed++)
			CHECK_THAT(compare(kernel->name, kernel->run, seed,
					   seed % 2 ? CLONE_ACCESSES : CLONE_ACCESSES | CLONE_STACK,
					   false),
				   >, 1000);
}

TEST(clones__exceptions_gcc)
{
	compare_exceptions("g++-12", "-O2");
}
TEST(clones__exceptions_gcc_O0)
{
	compare_exceptions("g++-12", "-O0");
}
TEST(clones__exceptions_clang)
{
	compare_exceptions("clang++-19", "-O3 -march=native");
}
TEST(clones__instructions)
{
	compare_all("gcc-12", "-march=native", "instructions.c", 1000);
}
TEST(clones__gcc_O0)
{
	compare_all("gcc-12", "-O0", "kernels.c", 10000);
}
TEST(clones__gcc_O2)
{
	compare_all("gcc-12", "-O2", "kernels.c", 10000);
}
TEST(clones__gcc_O3_native)
{
	compare_all("gcc-12", "-O3 -march=native", "kernels.c", 10000);
}
TEST(clones__clang_O0)
{
	compare_all("clang-19", "-O0", "kernels.c", 10000);
}
TEST(clones__clang_O2)
{
	compare_all("clang-19", "-O2", "kernels.c", 10000);
}
TEST(clones__clang_O3_native)
{
	compare_all("clang-19", "-O3 -march=native", "kernels.c", 10000);
}

/*
 * Without unwind information, as flang leaves it out where nothing can throw: known by its symbol.
 */
__asm__(".text\n.type bare_sum, @function\n"
	"bare_sum: xor %eax, %eax\n"
	"1: add (%rdi,%rsi,8), %rax\n add %rax, 8(%rdi,%rsi,8)\n dec %rsi\n jns 1b\n ret\n"
	".size bare_sum, . - bare_sum\n");
extern uint64_t bare_sum(uint64_t *values, uint64_t last);

TEST(clones__without_unwind_information)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };
	const struct clone *clone = clone_make((uintptr_t)bare_sum, &options);
	uint64_t values[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, again[9];
	struct count count = { 0 };

	CHECK(clone && clone->end - clone->start == (uintptr_t)clone->end - (uintptr_t)bare_sum);
	memcpy(again, values, sizeof(values));
	CHECK(record_thread_begin(64 * 1024, count_stream, &count));
	CHECK_INT(((uint64_t (*)(uint64_t *, uint64_t))clone->code)(again, 7), bare_sum(values, 7));
	record_thread_end();
	CHECK(!memcmp(values, again, sizeof(values)));
	CHECK_INT(count.nr, 2 * 8); /* one reads, one reads and writes */
}

/* A handler goes on behind int3, and passes over ud2. */
__asm__(".text\n.type trapped, @function\n"
	"trapped: .cfi_startproc\n lea 1(%rdi), %rax\n int3\n add (%rsi), %rax\n ud2\n add (%rsi), %rax\n ret\n.cfi_endproc\n"
	".size trapped, . - trapped\n");
extern uint64_t trapped(uint64_t value, const uint64_t *more);
static volatile int nr_traps;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)info;
	nr_traps++;
	if (signal == SIGILL)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

TEST(clones__traps)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };
	const struct clone *clone = clone_make((uintptr_t)trapped, &options);
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	uint64_t more = 100;

	CHECK(clone && !sigaction(SIGTRAP, &action, NULL) && !sigaction(SIGILL, &action, NULL));
	CHECK_INT(trapped(4, &more), 205);
	CHECK_INT(((uint64_t (*)(uint64_t, const uint64_t *))clone->code)(4, &more), 205);
	CHECK_INT(nr_traps, 4);
}

/*
 * Three transactions. Where the CPU has none a handler makes every second one begin, and the others
 * fail at once, as they all may; then the registers are as they were before, but rax.
 */
__asm__(".text\n.type transacted, @function\n"
	"transacted: .cfi_startproc\n mov $3, %ecx\n xor %edx, %edx\n"
	"1: mov $-1, %eax\n xbegin 2f\n add (%rdi), %rdx\n incq 8(%rdi)\n xend\n jmp 3f\n"
	"2: movslq %eax, %rax\n add %rax, 16(%rdi)\n incq 24(%rdi)\n"
	"3: dec %ecx\n jnz 1b\n mov %rdx, %rax\n ret\n.cfi_endproc\n.size transacted, . - transacted\n");
extern uint64_t transacted(uint64_t *values);
/* may be tried again; another thread wrote there: SDM 1, 16.3.5 */
enum { FAILED = 6 };

static void on_transaction(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *at = (const unsigned char *)registers[REG_RIP];
	int32_t away;

	(void)signal, (void)info;
	if (!memcmp(at, "\x0f\x01\xd5", 3)) { /* xend */
		registers[REG_RIP] += 3;
		return;
	}
	if (memcmp(at, "\xc7\xf8", 2))
		_exit(1);
	memcpy(&away, at + 2, sizeof(away));
	registers[REG_RIP] += 6;
	if (nr_traps++ % 2) {
		registers[REG_RIP] += away;
		registers[REG_RAX] = FAILED;
	}
}

TEST(clones__transactions)
{
	static const uint32_t probes[] = { CLONE_ACCESSES, CLONE_ACCESSES | CLONE_LOOPS |
								   CLONE_FUNCTION | CLONE_STACK };
	struct sigaction action = { .sa_sigaction = on_transaction, .sa_flags = SA_SIGINFO };

	CHECK(!sigaction(SIGILL, &action, NULL));
	for (int i = 0; i < 2; i++) {
		struct clone_options options = { .probes = probes[i] };
		const struct clone *clone = clone_make((uintptr_t)transacted, &options);
		uint64_t values[4] = { 1000, 0, 0, 0 }, result;
		struct count count = { 0 };

		CHECK(clone);
		CHECK(record_thread_begin(64 * 1024, count_stream, &count));
		result = ((uint64_t (*)(uint64_t *))clone->code)(values);
		record_thread_end();
		CHECK_INT(values[1] + values[3], 3);
		CHECK_INT(result, 1000 * values[1]);
		/* and the return */
		CHECK_INT(count.nr, 2 * values[1] + 2 * values[3] + (i ? 1 : 0));
		CHECK_INT(count.broken, 0);
		CHECK_INT(count.events[RECORD_ITERATION_BEGIN], i ? 3 : 0);
		if (!nr_traps)
			continue;
		CHECK_INT(values[3], 1 + i);
		CHECK_INT(values[2], FAILED * values[3]);
	}
	CHECK(!nr_traps || nr_traps == 6);
}

#else
TEST(clones__supported)
{
	test_skip("clones are made on x86-64 only");
}
#endif
