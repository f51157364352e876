/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses the handlers that are installed now. */
#define _GNU_SOURCE
#include "ompt_tool/clones/context_use.h"

#include <signal.h>
#include <stddef.h>

#include "analysis/base/hash.h"

#define CONTEXT (1u << 2)
#define INFO (1u << 1)

/* Of other signals a handler gets an address only if it asks for it. */
static unsigned int arguments_of(int number, bool informed)
{
	switch (number) {
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
	case SIGSYS: return informed ? INFO | CONTEXT : CONTEXT;
	case SIGSEGV:
	case SIGBUS: return CONTEXT;
	default: return informed ? CONTEXT : 0;
	}
}

/* Cached while the handler is the same. */
static struct {
	uintptr_t handler;
	bool informed, uses;
} known[NSIG];

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

static bool uses(int number, uintptr_t handler, bool informed)
{
	unsigned int arguments = arguments_of(number, informed);

	if (!arguments)
		return false;
	if (known[number].handler != handler || known[number].informed != informed)
		known[number].uses = context_use_reads(handler, arguments, informed);
	known[number].handler = handler;
	known[number].informed = informed;
	return known[number].uses;
}

uint64_t context_use_handlers(void)
{
	uint64_t hash = HASH_START;

	for (int number = 1; number < NSIG; number++) {
		bool informed = false;

		hash = hash_word(hash ^ handler_of(number, &informed)) + informed;
	}
	return hash;
}

int context_use_signal(uintptr_t *handler_out)
{
	for (int number = 1; number < NSIG; number++) {
		bool informed = false;

		*handler_out = handler_of(number, &informed);
		if (*handler_out && uses(number, *handler_out, informed))
			return number;
	}
	return 0;
}
