/* SPDX-License-Identifier: Apache-2.0 */
/* Which signal handlers may use the interrupted context. */
#define _GNU_SOURCE
#include "ompt_tool/clones/context_use.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "analysis/code/decode.h"
#include "ompt_tool/clones/callee.h"
#include "tests/unit/test.h"

#define HANDLER NOT_INSTRUMENTED __attribute__((used)) static void

static volatile long noted;
static sigjmp_buf back;
static void (*volatile chained)(int, siginfo_t *, void *);

HANDLER ignores(int number, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	noted += number;
}
HANDLER writes(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
	if (write(2, "x", 1) != 1)
		_exit(1);
}
HANDLER jumps(int number, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	siglongjmp(back, number);
}
HANDLER uses_place(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	noted = (long)info->si_addr;
}
HANDLER uses_context(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	noted = ((ucontext_t *)context)->uc_flags;
}
HANDLER hands_on(int number, siginfo_t *info, void *context)
{
	uses_context(number, info, context);
}
HANDLER chains(int number, siginfo_t *info, void *context)
{
	chained(number, info, context);
}
HANDLER hands_on_to_one_that_ignores(int number, siginfo_t *info, void *context)
{
	ignores(number, info, context);
	noted++;
}

void pass_on(int number, siginfo_t *info, void *context);
__attribute__((noinline, visibility("default"))) void pass_on(int number, siginfo_t *info,
							      void *context)
{
	(void)number, (void)info;
	noted = ((ucontext_t *)context)->uc_flags;
}
HANDLER hands_on_by_linkage(int number, siginfo_t *info, void *context)
{
	__asm__ volatile("" : : "D"((long)number), "S"(info), "d"(context));
	__asm__ volatile("call pass_on@PLT"
			 :
			 :
			 : "memory", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			   "cc");
}

enum { INFO = 2, CONTEXT = 4 };

TEST(context_use__of_handlers)
{
	static const struct {
		int line;
		void *handler;
		bool info, context;
	} rows[] = {
		{ __LINE__, ignores, false, false },
		{ __LINE__, writes, false, false },
		{ __LINE__, jumps, false, false },
		{ __LINE__, uses_place, true, false },
		{ __LINE__, uses_context, false, true },
		{ __LINE__, hands_on, false, true },
		{ __LINE__, hands_on_by_linkage, false, true },
		{ __LINE__, chains, true, true },
		{ __LINE__, hands_on_to_one_that_ignores, false, false },
	};

	if (decode_unsupported() || SANITIZED)
		test_skip("handlers cannot be read here");
	CHECK(callee_look());
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (context_use_reads((uintptr_t)rows[i].handler, INFO, true) != rows[i].info ||
		    context_use_reads((uintptr_t)rows[i].handler, CONTEXT, true) != rows[i].context)
			test_fail(__FILE__, rows[i].line, "read otherwise");
}

static void install(int number, void *handler, int flags)
{
	struct sigaction action = { .sa_sigaction = (void (*)(int, siginfo_t *, void *))handler,
				    .sa_flags = flags };

	CHECK(!sigaction(number, &action, NULL));
}

TEST(context_use__of_what_is_installed)
{
	uintptr_t handler;

	if (decode_unsupported() || SANITIZED)
		test_skip("handlers cannot be read here");
	CHECK(callee_look());
	CHECK_INT(context_use_signal(&handler), 0);
	install(SIGSEGV, ignores, SA_SIGINFO);
	install(SIGBUS, uses_place, SA_SIGINFO); /* the address of what was accessed */
	install(SIGALRM, uses_place, SA_SIGINFO);
	install(SIGPROF, uses_context, 0); /* which it does not get */
	CHECK_INT(context_use_signal(&handler), 0);
	install(SIGPROF, uses_context, SA_SIGINFO);
	CHECK_INT(context_use_signal(&handler), SIGPROF);
	signal(SIGPROF, SIG_DFL);
	install(SIGFPE, uses_place, SA_SIGINFO); /* the address of the instruction */
	CHECK_INT(context_use_signal(&handler), SIGFPE);
	CHECK_THAT(handler, ==, (uintptr_t)uses_place);
	install(SIGFPE, uses_place, 0); /* which it does not get then */
	CHECK_INT(context_use_signal(&handler), 0);
	install(SIGSEGV, uses_context, SA_SIGINFO);
	CHECK_INT(context_use_signal(&handler), SIGSEGV);
	signal(SIGSEGV, SIG_DFL);
	CHECK_INT(context_use_signal(&handler), 0);
}
