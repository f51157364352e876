/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a strategy behind sigsetjmp, with handlers of its faults. */
#define _GNU_SOURCE
#include "analysis/search/guarded_strategy.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "memsearch/strategy.h"

#define TEXT_OF_WORD(word) #word
#define TEXT_OF(macro) TEXT_OF_WORD(macro)

#define SIGNAL_STACK_BYTES (64u << 10)

/* SIGXCPU: of the timer; the kernel sends it, too. */
static const struct {
	int number;
	const char *why;
} signals[] = {
	{ SIGSEGV, "SIGSEGV" },
	{ SIGBUS, "SIGBUS" },
	{ SIGFPE, "SIGFPE" },
	{ SIGILL, "SIGILL" },
	{ SIGTRAP, "SIGTRAP" },
	{ SIGABRT, "SIGABRT" },
	{ SIGXCPU, TEXT_OF(GUARDED_SECONDS) " s of CPU time" },
};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

enum called { CALL_INIT, CALL_INITIAL, CALL_REFINE, CALL_FINI };

static struct {
	const struct ms_strategy *inner, *instead;
	struct ms_strategy own;
	bool failed;
	/* of the call */
	pid_t thread;
	sigjmp_buf back;
	struct sigaction before[SIGNALS];
	char signal_stack[SIGNAL_STACK_BYTES];
} guarded;

struct state {
	void *inner, *instead;
	bool instead_begun;
};

/* Arguments and result of a call. */
struct call {
	enum called function;
	struct state *state;
	const struct ms_host *host;
	const uint32_t *proven;
	size_t nr_proven;
	struct ms_candidate *out;
	size_t room, nr;
};

/* ------------------------------------------------------------------ signals */

/* From outside of the process, or in another thread: as without memsearch. */
static void pass_on(int number, const siginfo_t *info)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i].number == number)
			sigaction(number, &guarded.before[i], NULL);
	/* sent; an instruction that failed fails again */
	if (info->si_code <= 0 || number == SIGXCPU)
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	bool own = number == SIGXCPU ? info->si_code == SI_TIMER
				     : info->si_code > 0 || info->si_pid == getpid();

	(void)context;
	if (own && syscall(SYS_gettid) == guarded.thread)
		siglongjmp(guarded.back, number);
	pass_on(number, info);
}

/* The kernel's mask: glibc's leaves out signals of its own, which own_stack.h blocks. */
static uint64_t set_mask(int how, uint64_t mask)
{
	uint64_t before = 0;

	syscall(SYS_rt_sigprocmask, how, &mask, &before, sizeof(mask));
	return before;
}

static void handlers_set(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	uint64_t unblocked = 0;

	for (size_t i = 0; i < SIGNALS; i++) {
		sigaction(signals[i].number, &action, &guarded.before[i]);
		unblocked |= 1ull << (signals[i].number - 1);
	}
	set_mask(SIG_UNBLOCK, unblocked);
}

static void handlers_reset(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i].number, &guarded.before[i], NULL);
}

/* false: a strategy that does not return holds up the program. */
static bool timer_begin(timer_t *timer)
{
	const struct itimerspec limit = { .it_value.tv_sec = GUARDED_SECONDS };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGXCPU };

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer))
		return false;
	timer_settime(*timer, 0, &limit, NULL);
	return true;
}

/* ------------------------------------------------------------------ a call */

static void call_inner(struct call *call)
{
	const struct ms_strategy *inner = guarded.inner;
	void *state = call->state->inner;

	switch (call->function) {
	case CALL_INIT: call->state->inner = inner->init ? inner->init(call->host) : NULL; break;
	case CALL_INITIAL:
		call->nr = inner->initial(state, call->host, call->out, call->room);
		break;
	case CALL_REFINE:
		call->nr = inner->refine(state, call->host, call->proven, call->nr_proven,
					 call->out, call->room);
		break;
	case CALL_FINI:
		if (inner->fini)
			inner->fini(state);
		break;
	}
}

/* The signal that ended the call; 0: it returned. */
static int attempt(struct call *call)
{
	stack_t stack = { .ss_sp = guarded.signal_stack, .ss_size = SIGNAL_STACK_BYTES }, before;
	uint64_t mask = set_mask(SIG_BLOCK, 0);
	timer_t timer;
	bool timed;
	int number;

	guarded.thread = (pid_t)syscall(SYS_gettid);
	sigaltstack(&stack, &before);
	timed = timer_begin(&timer);
	number = sigsetjmp(guarded.back, 0);
	if (!number) {
		handlers_set();
		call_inner(call);
	}
	if (timed)
		timer_delete(timer);
	handlers_reset();
	guarded.thread = 0;
	sigaltstack(&before, NULL);
	set_mask(SIG_SETMASK, mask);
	return number;
}

static const char *signal_why(int number)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i].number == number)
			return signals[i].why;
	return "";
}

static void fail(const struct call *call, const char *why)
{
	static const char *const names[] = { "init", "initial", "refine", "fini" };

	guarded.failed = true;
	log_warning("the strategy '%s' fails in %s (%s): %s%s%s", guarded.inner->name,
		    names[call->function], why, guarded.instead ? "'" : "",
		    guarded.instead ? guarded.instead->name : "it proposes nothing any more",
		    guarded.instead ? "' is used" : "");
}

/* Now, or in the search so far. */
static bool is_without_end(const struct call *call)
{
	struct ms_candidate node;

	return call->nr > GUARDED_CANDIDATES ||
	       (call->function == CALL_REFINE &&
		call->host->node_candidate(call->host->ctx, GUARDED_CANDIDATES, &node));
}

/* False: it failed, now or before. */
static bool guard(struct call *call)
{
	int number = guarded.failed ? 0 : attempt(call);

	if (number)
		fail(call, signal_why(number));
	else if (!guarded.failed && is_without_end(call))
		fail(call, "more than " TEXT_OF(GUARDED_CANDIDATES) " candidates");
	return !guarded.failed;
}

/* ------------------------------------------------------------------ the strategy instead */

static size_t left(size_t room, size_t nr)
{
	return nr < room ? room - nr : 0;
}

/* Everything that follows from what is proven by now; the engine drops what was tested. */
static size_t propose_instead(struct state *state, const struct ms_host *host,
			      struct ms_candidate *out, size_t room)
{
	const struct ms_strategy *instead = guarded.instead;
	struct ms_candidate node;
	size_t nr;

	if (!instead)
		return 0;
	if (!state->instead_begun && instead->init)
		state->instead = instead->init(host);
	state->instead_begun = true;
	nr = instead->initial(state->instead, host, out, room);
	for (uint32_t id = 0; host->node_candidate(host->ctx, id, &node); id++)
		if (host->node_state(host->ctx, id) == MS_NODE_TRUE)
			nr += instead->refine(state->instead, host, &id, 1,
					      left(room, nr) ? out + nr : out, left(room, nr));
	return nr;
}

static void *init(const struct ms_host *host)
{
	struct call call = { .function = CALL_INIT,
			     .state = host->allocate(host->ctx, sizeof(struct state)),
			     .host = host };

	if (call.state)
		guard(&call);
	return call.state;
}

static size_t ask(struct call *call)
{
	if (!call->state)
		return 0;
	return guard(call) ? call->nr
			   : propose_instead(call->state, call->host, call->out, call->room);
}

static size_t initial(void *state, const struct ms_host *host, struct ms_candidate *out,
		      size_t room)
{
	struct call call = {
		.function = CALL_INITIAL, .state = state, .host = host, .out = out, .room = room
	};

	return ask(&call);
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	struct call call = { .function = CALL_REFINE,
			     .state = state,
			     .host = host,
			     .proven = proven,
			     .nr_proven = nr_proven,
			     .out = out,
			     .room = room };

	return ask(&call);
}

static void fini(void *state)
{
	struct call call = { .function = CALL_FINI, .state = state };

	if (!state)
		return;
	guard(&call);
	if (call.state->instead_begun && guarded.instead->fini)
		guarded.instead->fini(call.state->instead);
}

const struct ms_strategy *guarded_strategy(const struct ms_strategy *strategy,
					   const struct ms_strategy *instead)
{
	guarded.inner = strategy;
	guarded.instead = instead;
	guarded.failed = false;
	guarded.own = *strategy;
	guarded.own.init = init;
	guarded.own.initial = initial;
	guarded.own.refine = refine;
	guarded.own.fini = fini;
	return &guarded.own;
}

bool guarded_strategy_failed(void)
{
	return guarded.failed;
}
