/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps at the begin of functions, while other threads sleep, run, or vouch for themselves. */
#define _GNU_SOURCE
#include "ompt_tool/clones/switching.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/entry_bytes.h"
#include "ompt_tool/clones/other_threads.h"
#include "ompt_tool/code/decode.h"
#include "ompt_tool/code/writing.h"
#include "tests/unit/assembly.h"
#include "tests/unit/test.h"

#ifdef __x86_64__

#define CYCLES 1000

/* One or the other is called, by the jump alone: through a pointer that the compiler cannot see through. */
typedef int function_of_one(int);
function_of_one fit_code, longer_code, twin_code, ends_with_call;
function_of_one hands_on, jumped_into, returned_into, too_short, unknown_jumps, cold_hot, cold_part, calls_itself, waiting_code;

__asm__(".pushsection .text, \"ax\", @progbits\n"
	BEGIN(fit_code) "	push %rbx\n	mov %edi, %ebx\n	lea 1(%rbx), %eax\n	pop %rbx\n	ret\n" END(fit_code)
	BEGIN(longer_code) "	mov $1000, %eax\n	add %edi, %eax\n	ret\n" END(longer_code)
	BEGIN(twin_code) "	lea 2(%rdi), %eax\n	ret\n" END(twin_code)
	BEGIN(hands_on) "	lea fit_code(%rip), %rax\n	lea longer_code+5(%rip), %rcx\n	lea 4f(%rip), %rdx\n"
			"	mov twin_kept(%rip), %rsi\n4:	ret\n" END(hands_on)
	BEGIN(ends_with_call) "	add $5, %edi\n	nop\n	nop\n	jmp *abs@GOTPCREL(%rip)\n" END(ends_with_call)
	BEGIN(jumped_into) "	xor %eax, %eax\n1:	add %edi, %eax\n	dec %edi\n	jnz 1b\n	ret\n" END(jumped_into)
	BEGIN(returned_into) "	call *%rdi\n	nop\n	nop\n	nop\n	nop\n	ret\n" END(returned_into)
	BEGIN(too_short) "	mov %edi, %eax\n	ret\n" END(too_short)
	BEGIN(unknown_jumps) "	mov $7, %eax\n	jmp *%rdi\n	ret\n" END(unknown_jumps)
	BEGIN(calls_itself) "	push %rbx\n2:	mov %edi, %eax\n	nop\n	nop\n	nop\n	pop %rbx\n	call 2b\n	ret\n" END(calls_itself)
	BEGIN(cold_hot) "	nop\n3:	mov %edi, %eax\n	test %eax, %eax\n	js cold_part\n	ret\n" END(cold_hot)
	/* futex(rdi, FUTEX_WAIT, 0), the address in two registers; the call is in the first bytes */
	BEGIN(waiting_code) "	push %rbx\n	syscall\n	nop\n	nop\n	pop %rbx\n	ret\n" END(waiting_code)
	".popsection\n.pushsection .text.unlikely, \"ax\", @progbits\n"
	BEGIN(cold_part) "	neg %edi\n	jmp 3b\n" END(cold_part)
	".popsection\n");

static function_of_one *volatile called = fit_code;
extern function_of_one *volatile twin_kept;
__attribute__((visibility("hidden"))) function_of_one *volatile twin_kept = twin_code;

static void needs_machine_code(void)
{
	if (decode_unsupported())
		test_skip("%s", decode_unsupported());
}

static bool is_handed(uintptr_t function)
{
	size_t i = 0;

	while (clone_handed(i) && clone_handed(i) != function)
		i++;
	return clone_handed(i);
}

/* Its own file's functions, by their begin, also those that a variable holds; not labels. */
TEST(entry__functions_that_code_hands_on)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };

	needs_machine_code();
	CHECK(!is_handed((uintptr_t)fit_code) && !is_handed((uintptr_t)twin_code));
	CHECK(clone_make((uintptr_t)hands_on, &options));
	CHECK(is_handed((uintptr_t)fit_code) && is_handed((uintptr_t)twin_code));
	CHECK(!is_handed((uintptr_t)longer_code) && !is_handed((uintptr_t)longer_code + 5) && !is_handed((uintptr_t)hands_on));
}

/* ThreadSanitizer's own thread runs now and then. */
#define TRIES (__has_feature(thread_sanitizer) ? 5000 : 1)

static bool turn(function_of_one *function, bool on)
{
	const char *why = "nothing was said";
	bool done = false;

	for (int i = 0; i < TRIES && !done; i++)
		done = switching_entry((uintptr_t)function, (uintptr_t)twin_code, on, NULL, NULL, &why);
	CHECK(done == !why);
	if (why)
		printf("refused: %s\n", why);
	return done;
}

TEST(entry__on_and_off)
{
	unsigned char before[16], after[16];

	needs_machine_code();
	memcpy(before, (const void *)fit_code, sizeof(before));
	CHECK_INT(called(3), 4);
	CHECK(turn(fit_code, false));
	CHECK(turn(fit_code, true));
	CHECK_INT(called(3), 5);
	CHECK(turn(fit_code, true));
	CHECK_INT(called(3), 5);
	CHECK(turn(fit_code, false));
	CHECK_INT(called(3), 4);
	CHECK(turn(fit_code, false));
	memcpy(after, (const void *)fit_code, sizeof(after));
	CHECK(!memcmp(before, after, sizeof(before)));
}

TEST(entry__from_one_clone_to_another)
{
	const char *why;

	needs_machine_code();
	CHECK(turn(fit_code, true));
	CHECK(switching_entry((uintptr_t)fit_code, (uintptr_t)longer_code, true, NULL, NULL, &why));
	CHECK_INT(called(3), 1003);
	CHECK(turn(longer_code, true));
	CHECK_INT(called(3), 5);
	CHECK(turn(fit_code, false));
	CHECK_INT(called(3), 4);
	CHECK(turn(longer_code, false));
	CHECK_INT(longer_code(3), 1003);
}

TEST(entry__cycles_leave_the_original_bytes)
{
	unsigned char before[4096], after[4096];
	const unsigned char *around = (const unsigned char *)((uintptr_t)fit_code & -(uintptr_t)4096);

	needs_machine_code();
	memcpy(before, around, sizeof(before));
	for (int i = 0; i < CYCLES; i++) {
		CHECK(turn(fit_code, true));
		CHECK(turn(longer_code, true));
		CHECK_INT(called(i), i + 2);
		CHECK(turn(fit_code, false));
		CHECK(turn(longer_code, false));
		CHECK_INT(called(i), i + 1);
	}
	memcpy(after, around, sizeof(after));
	CHECK(!memcmp(before, after, sizeof(before)));
	CHECK_INT(writing_protection((uintptr_t)around), PROT_READ | PROT_EXEC);
}

static const char *refusal(function_of_one *function)
{
	const char *why = NULL;

	CHECK(!switching_entry((uintptr_t)function, (uintptr_t)twin_code, true, NULL, NULL, &why));
	return why;
}

TEST(entry__refused_where_somebody_may_come_to_its_middle)
{
	needs_machine_code();
	CHECK_STR(refusal(jumped_into), "a jump leads into its first bytes");
	CHECK_STR(refusal(returned_into), "a call returns into its first bytes");
	CHECK_STR(refusal(calls_itself), "a call leads into its first bytes");
	CHECK_STR(refusal(too_short), "it is too short for a jump to its copy");
	CHECK_STR(refusal(unknown_jumps), "it has jumps whose targets are not known");
	CHECK_STR(refusal(cold_hot), "another function jumps into its first bytes");
	CHECK_STR(refusal((function_of_one *)((uintptr_t)fit_code + 1)), "no function begins there");
	CHECK_INT(jumped_into(3), 6);
	CHECK_INT(cold_hot(-3), 3);
}

static int data;

TEST(entry__refused_where_there_is_no_code)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *why = NULL;

	CHECK(page != MAP_FAILED && munmap(page, 4096) == 0);
	CHECK_STR(refusal((function_of_one *)page), "the function's code cannot be read");
	CHECK(refusal((function_of_one *)(uintptr_t)&data));
	CHECK(!switching_entry((uintptr_t)fit_code, (uintptr_t)fit_code + ((uintptr_t)3 << 31), true, NULL, NULL, &why));
	CHECK_STR(why, "the clone is too far away for a jump");
}

/* A jump table, as compilers make it of this. */
static __attribute__((noinline)) int with_table(int n)
{
	switch (n) {
	case 0: return called(n) * 3;
	case 1: return called(n) ^ 77;
	case 2: return called(n) - 1000;
	case 3: return called(n) << 3;
	case 4: return called(n) % 7 + 50;
	case 5: return -called(n);
	case 6: return called(n) * called(n);
	default: return called(n) | 256;
	}
}

TEST(entry__jump_table)
{
	function_of_one *volatile through = with_table;

	needs_machine_code();
	CHECK_INT(through(6), 49);
	CHECK(turn(with_table, true));
	CHECK_INT(through(6), 8);
	CHECK(turn(with_table, false));
	CHECK_INT(through(6), 49);
}

TEST(entry__last_call_through_a_slot)
{
	needs_machine_code();
	CHECK_INT(ends_with_call(-8), 3);
	CHECK(turn(ends_with_call, true));
	CHECK_INT(ends_with_call(-8), -6);
	CHECK(turn(ends_with_call, false));
	CHECK_INT(ends_with_call(-8), 3);
}

TEST(entry__changed_by_somebody_else)
{
	unsigned char before[ENTRY_BYTES];
	const char *why = NULL;

	needs_machine_code();
	memcpy(before, (const void *)fit_code, ENTRY_BYTES);
	CHECK(turn(fit_code, true));
	CHECK(writing_text((uintptr_t)fit_code, "\xb8\x09\x00\x00\x00\xc3", 6));        /* mov $9, %eax; ret */
	CHECK(!switching_entry((uintptr_t)fit_code, 0, false, NULL, NULL, &why));
	CHECK_STR(why, "somebody else has changed the function's begin");
	CHECK_INT(called(3), 9);
}

/* ------------------------------------------------------------- other threads */

enum task { SLEEP, RUN, WAIT_INSIDE };
static _Atomic int thread_id, ending;
static int futex_word;

static void *thread_main(void *task)
{
	thread_id = (int)syscall(SYS_gettid);
	while (!ending && *(enum task *)task == RUN)
		;
	if (*(enum task *)task == SLEEP)
		syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	if (*(enum task *)task == WAIT_INSIDE) {
		register long timeout __asm__("r10") = 0;
		long result = SYS_futex;

		__asm__ volatile("call waiting_code" : "+a"(result)
				 : "D"(&futex_word), "S"((long)FUTEX_WAIT_PRIVATE), "d"(0L), "r"(timeout) : "rcx", "r11", "memory");
	}
	return NULL;
}

static pthread_t begin_thread(enum task *task)
{
	pthread_t thread;
	const char *why;

	CHECK(pthread_create(&thread, NULL, thread_main, task) == 0);
	while (!thread_id)
		usleep(1000);
	for (int i = 0; i < 2000 && *task != RUN && !other_threads_outside(0, 0, NULL, NULL, &why); i++)
		usleep(1000);
	return thread;
}

static void end_thread(pthread_t thread)
{
	ending = 1;
	futex_word = 1;
	syscall(SYS_futex, &futex_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	CHECK(pthread_join(thread, NULL) == 0);
	for (int i = 0; i < 5000 && !syscall(SYS_tgkill, getpid(), thread_id, 0); i++)   /* joined before it is gone */
		usleep(1000);
}

TEST(entry__a_thread_that_sleeps)
{
	enum task task = SLEEP;
	pthread_t thread;

	needs_machine_code();
	thread = begin_thread(&task);
	CHECK(turn(fit_code, true));
	CHECK_INT(called(3), 5);
	CHECK(turn(fit_code, false));
	end_thread(thread);
}

static bool vouch(void *ctx, int os_id)
{
	(*(int *)ctx)++;
	return os_id == thread_id;
}

TEST(entry__a_thread_that_runs)
{
	enum task task = RUN;
	const char *why = NULL;
	pthread_t thread;
	int asked = 0;

	needs_machine_code();
	thread = begin_thread(&task);
	CHECK(!switching_entry((uintptr_t)fit_code, (uintptr_t)twin_code, true, NULL, NULL, &why));
	CHECK_STR(why, "another thread is running, and is not known to wait in the OpenMP runtime");
	CHECK_INT(called(3), 4);
	CHECK(switching_entry((uintptr_t)fit_code, (uintptr_t)twin_code, true, vouch, &asked, &why));
	CHECK(asked >= 1);       /* sanitizers have threads, too */
	CHECK_INT(called(3), 5);
	CHECK(switching_entry((uintptr_t)fit_code, (uintptr_t)twin_code, false, vouch, &asked, &why));
	end_thread(thread);
	CHECK(turn(fit_code, true));
}

/* ThreadSanitizer has a thread of its own, which runs now and then, and may be anywhere then. */
static bool none_in(uintptr_t start, uintptr_t end)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const char *why = NULL;

	for (int tries = THREAD_SANITIZED ? 1000 : 1; tries > 0; tries--) {
		if (other_threads_outside(start, end, NULL, NULL, &why))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

TEST(entry__a_thread_in_the_first_bytes)
{
	enum task task = WAIT_INSIDE;
	uintptr_t start = (uintptr_t)waiting_code;
	const char *why = NULL;
	pthread_t thread;

	needs_machine_code();
	thread = begin_thread(&task);
	CHECK(!other_threads_outside(start, start + ENTRY_BYTES, NULL, NULL, &why));
	CHECK_STR(why, "another thread is in the function's first bytes");
	CHECK(!turn(waiting_code, true));
	CHECK(none_in(start + 3, start + 8));        /* behind the system call */
	CHECK(turn(fit_code, true));
	end_thread(thread);
	CHECK(turn(waiting_code, true));
}

#else

TEST(entry__no_jumps_here)
{
	test_skip("functions are not copied on this architecture");
}

#endif
