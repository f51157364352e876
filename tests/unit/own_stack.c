/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls on stacks of memsearch's own: where they run, signals, handlers that leave, threads,
 * backtraces.
 */
#define _GNU_SOURCE
#include "analysis/base/own_stack.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "tests/unit/test.h"

#ifdef __x86_64__
#define SMALL (16 << 10)

static uintptr_t here(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

/* Of the calling thread. */
static bool in_own_stack(uintptr_t address)
{
	pthread_attr_t attributes;
	void *low;
	size_t bytes;

	CHECK(!pthread_getattr_np(pthread_self(), &attributes) &&
	      !pthread_attr_getstack(&attributes, &low, &bytes));
	pthread_attr_destroy(&attributes);
	return address - (uintptr_t)low < bytes;
}

static void note_here(void *address)
{
	*(uintptr_t *)address = here();
}

TEST(own_stack__runs_elsewhere)
{
	uintptr_t there = 0;

	own_stack_call(note_here, &there);
	CHECK(there && !in_own_stack(there));
	CHECK(own_stack_deepest() > 0 && own_stack_deepest() < 4096);
}

struct nest {
	uintptr_t outer, inner, programs;
};

static void call_again(void *argument)
{
	struct nest *nest = argument;

	nest->outer = here();
	nest->programs = own_stack_programs();
	own_stack_call(note_here, &nest->inner);
}

TEST(own_stack__a_call_from_there_runs_directly)
{
	struct nest nest = { 0 };

	own_stack_call(call_again, &nest);
	CHECK(nest.outer >= nest.inner && nest.outer - nest.inner < 1024);
	CHECK(in_own_stack(nest.programs) && nest.programs < here() &&
	      here() - nest.programs < 4096);
	CHECK(in_own_stack(own_stack_programs()));
}

static void fill(void *bytes)
{
	volatile char memory[OWN_STACK_BYTES / 2];

	for (size_t i = 0; i < sizeof(memory); i += 64)
		memory[i] = 1;
	*(size_t *)bytes = sizeof(memory);
}

static void *fill_thread(void *bytes)
{
	own_stack_call(fill, bytes);
	return NULL;
}

TEST(own_stack__a_thread_with_a_small_stack)
{
	pthread_attr_t attributes;
	pthread_t thread;
	size_t bytes = 0;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, SMALL) ||
	    pthread_create(&thread, &attributes, fill_thread, &bytes))
		test_skip("threads here need more stack");
	pthread_join(thread, NULL);
	CHECK(bytes && own_stack_deepest() >= bytes);
}

struct big {
	size_t bytes;
};

static void fill_most(void *argument)
{
	size_t bytes = ((const struct big *)argument)->bytes / 4 * 3;
	volatile char memory[bytes];

	for (size_t i = 0; i < bytes; i += 64)
		memory[i] = 1;
}

TEST(own_stack__a_stack_for_one_call)
{
	struct big big = { 4 << 20 };
	long before = test_resident_kib();

	own_stack_run(big.bytes, fill_most, &big);
	own_stack_run(big.bytes, fill_most, &big);
	CHECK(SANITIZED || test_resident_kib() < before + 1024);
}

static void set_errno(void *value)
{
	errno = *(int *)value;
}

TEST(own_stack__errno_is_kept)
{
	int value = EXDEV;

	errno = ENOENT;
	own_stack_call(set_errno, &value);
	CHECK_INT(errno, ENOENT);
}

/* ------------------------------------------------------------------ signals */

static volatile uintptr_t handled_at;
static sigjmp_buf back;

static void note_handler(int number)
{
	(void)number;
	handled_at = here();
}

static void raise_signal(void *argument)
{
	(void)argument;
	raise(SIGUSR1);
	CHECK(!handled_at);
}

TEST(own_stack__a_handler_runs_behind_on_the_programs_stack)
{
	sigset_t before, after;

	signal(SIGUSR1, note_handler);
	sigprocmask(SIG_BLOCK, NULL, &before);
	own_stack_call(raise_signal, NULL);
	sigprocmask(SIG_BLOCK, NULL, &after);
	CHECK(in_own_stack(handled_at));
	for (int number = 1; number < NSIG; number++)
		CHECK_INT(sigismember(&before, number), sigismember(&after, number));
}

TEST(own_stack__what_the_program_blocks_stays_blocked)
{
	sigset_t blocked;
	uintptr_t there;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	signal(SIGUSR1, note_handler);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGUSR1);
	own_stack_call(note_here, &there);
	CHECK(!handled_at);
}

static void leave(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void fault(void *page)
{
	*(volatile char *)page = 1;
}

TEST(own_stack__a_handler_that_leaves)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int left = 0;
	uintptr_t there = 0;

	if (SANITIZED)
		test_skip("a sanitizer is not told when a handler leaves");
	signal(SIGSEGV, leave);
	for (volatile int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1))
			left++;
		else
			own_stack_call(fault, page);
	}
	CHECK_INT(left, 3);
	own_stack_call(note_here, &there);
	CHECK(there && !in_own_stack(there));
}

/* A handler that comes back: what it calls must not run where the interrupted call does. */
static void *protected_page;
static volatile bool intact;

static void overwrite(void *argument)
{
	volatile char memory[8192];

	(void)argument;
	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = 0x55;
}

static void unprotect(int number)
{
	(void)number;
	own_stack_call(overwrite, NULL);
	mprotect(protected_page, 4096, PROT_READ | PROT_WRITE);
}

static void write_protected(void *page)
{
	volatile uint64_t mine[64];

	for (int i = 0; i < 64; i++)
		mine[i] = (uint64_t)i;
	*(volatile char *)page = 1;
	intact = true;
	for (int i = 0; i < 64; i++)
		intact = intact && mine[i] == (uint64_t)i;
}

TEST(own_stack__a_handler_on_a_stack_of_its_own_that_calls)
{
	static char memory[65536];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	struct sigaction action = { .sa_handler = unprotect, .sa_flags = SA_ONSTACK };

	protected_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(!sigaltstack(&stack, NULL) && !sigaction(SIGSEGV, &action, NULL));
	own_stack_call(write_protected, protected_page);
	CHECK(intact);
}

/* ------------------------------------------------------------------ threads */

static void cancel_self(void *came_back)
{
	pthread_cancel(pthread_self());
	pthread_testcancel();
	*(bool *)came_back = true;
}

static void *cancelled(void *came_back)
{
	own_stack_call(cancel_self, came_back);
	pthread_testcancel();
	return NULL;
}

TEST(own_stack__a_thread_is_cancelled_behind)
{
	bool came_back = false;
	pthread_t thread;
	void *result;

	CHECK(!pthread_create(&thread, NULL, cancelled, &came_back) &&
	      !pthread_join(thread, &result));
	CHECK(came_back && result == PTHREAD_CANCELED);
}

enum { THREADS = 8, CALLS = 2000 };

static void count_with_room(void *argument)
{
	volatile uint64_t words[512];

	for (int i = 0; i < 512; i++)
		words[i] = (uintptr_t)argument + (uint64_t)i;
	for (int i = 0; i < 512; i++)
		CHECK_THAT(words[i], ==, (uintptr_t)argument + (uint64_t)i);
	++*(unsigned int *)argument;
}

static void *call_often(void *argument)
{
	for (int i = 0; i < CALLS; i++)
		own_stack_call(count_with_room, argument);
	return NULL;
}

TEST(own_stack__threads_have_different_ones)
{
	unsigned int counts[THREADS] = { 0 };
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, call_often, &counts[i]));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(counts[i], CALLS);
	}
}

/* ------------------------------------------------------------------ backtraces */

struct walk {
	uintptr_t function; /* looked for */
	bool found;
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *ctx)
{
	struct walk *walk = ctx;

	walk->found |= (uintptr_t)_Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context)) ==
		       walk->function;
	return _URC_NO_REASON;
}

static void unwind(void *walk)
{
	_Unwind_Backtrace(look_at, walk);
}

__attribute__((noinline)) static void unwind_there(struct walk *walk)
{
	walk->function = (uintptr_t)unwind_there;
	own_stack_call(unwind, walk);
	__asm__ volatile("" : : : "memory");
}

TEST(own_stack__unwinding_passes_to_the_programs_frames)
{
	struct walk walk = { 0 };

	unwind_there(&walk);
	CHECK(walk.found);
}

#else

TEST(own_stack__calls)
{
	test_skip("calls run in place on this processor");
}
#endif
