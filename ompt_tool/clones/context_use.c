/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses the handlers that are installed now. */
#define _GNU_SOURCE
#include "ompt_tool/clones/context_use.h"

#include <signal.h>
#include <stddef.h>

#include "analysis/base/hash.h"

#define CONTEXT (1u << 2)
#define INFO (1u << 1)

static const struct {
	int number;
	unsigned int arguments;
} signals[] = {
	{ SIGSEGV, CONTEXT },       { SIGBUS, CONTEXT },         { SIGFPE, INFO | CONTEXT },
	{ SIGILL, INFO | CONTEXT }, { SIGTRAP, INFO | CONTEXT }, { SIGSYS, INFO | CONTEXT },
};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

/* Cached while the handler is the same. */
static struct {
	uintptr_t handler;
	bool informed, uses;
} known[SIGNALS];

static uintptr_t handler_of(int number, bool *informed_out)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action))
		return 0;
	*informed_out = action.sa_flags & SA_SIGINFO;
	return action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN
		       ? 0
		       : (uintptr_t)action.sa_sigaction;
}

static bool uses(size_t i, uintptr_t handler, bool informed)
{
	if (known[i].handler != handler || known[i].informed != informed)
		known[i].uses = context_use_reads(
			handler, informed ? signals[i].arguments : CONTEXT, informed);
	known[i].handler = handler;
	known[i].informed = informed;
	return known[i].uses;
}

uint64_t context_use_handlers(void)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < SIGNALS; i++) {
		bool informed = false;

		hash = hash_word(hash ^ handler_of(signals[i].number, &informed)) + informed;
	}
	return hash;
}

int context_use_signal(uintptr_t *handler_out)
{
	for (size_t i = 0; i < SIGNALS; i++) {
		bool informed = false;

		*handler_out = handler_of(signals[i].number, &informed);
		if (*handler_out && uses(i, *handler_out, informed))
			return signals[i].number;
	}
	return 0;
}
