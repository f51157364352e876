/* SPDX-License-Identifier: Apache-2.0 */
/* Strategies with one mistake each, by -DMISTAKE=NAME; see tests/live/plug_ins.sh. */
#include <stdint.h>
#include <stdlib.h>

#include <memsearch/strategy.h>

#define NONE 0
#define OTHER_ABI 1
#define CRASHES_IN_INIT 2
#define ABORTS 3
#define RECURSES 4
#define LOOPS 5
#define ENDLESS 6
#define COUNTS_WRONGLY 7
#define CRASHES_IN_REFINE 8
#define CRASHES_WHEN_LOADED 9
#define UNDEFINED 10

#if MISTAKE == CRASHES_WHEN_LOADED
__attribute__((constructor)) static void crash_early(void)
{
	*(volatile int *)8 = 1;
}
#endif

int missing_function(void);
static volatile unsigned int sink;

static int recurse(volatile int *up)
{
	volatile int here[1000] = { *up + 1 };

	return recurse(here) + here[0];
}

static void *init(const struct ms_host *host)
{
	int zero = 0;

	(void)host;
	if (MISTAKE == CRASHES_IN_INIT)
		*(volatile int *)8 = 1;
	if (MISTAKE == ABORTS)
		abort();
	if (MISTAKE == RECURSES)
		sink = (unsigned int)recurse(&zero);
#if MISTAKE == UNDEFINED
	sink = (unsigned int)missing_function();
#endif
	while (MISTAKE == LOOPS)
		sink++;
	return NULL;
}

static size_t initial(void *state, const struct ms_host *host, struct ms_candidate *out, size_t room)
{
	uint32_t roots[256];
	size_t nr = host->property_roots(host->ctx, roots, 256);

	(void)state;
	for (size_t i = 0; i < nr && i < room; i++)
		out[i] = (struct ms_candidate){ .property = roots[i], .region = MS_REGION_USER, .thread = MS_REQUEST_ALL_THREADS, .parent = MS_NODE_NONE };
	return MISTAKE == COUNTS_WRONGLY ? SIZE_MAX / 2 : nr;
}

/* ENDLESS: one more thread each time, which does not exist. */
static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven, size_t nr, struct ms_candidate *out, size_t room)
{
	static uint32_t thread;

	(void)state, (void)host, (void)proven;
	if (MISTAKE == CRASHES_IN_REFINE && nr)
		*(volatile int *)8 = 1;
	if (MISTAKE == COUNTS_WRONGLY)
		return SIZE_MAX;
	for (size_t i = 0; MISTAKE == ENDLESS && i < room; i++)
		out[i] = (struct ms_candidate){ .property = i % 50, .region = MS_REGION_USER, .thread = thread++ / 50, .parent = MS_NODE_NONE };
	return MISTAKE == ENDLESS ? room : 0;
}

const struct ms_strategy ms_strategy = {
	.abi = MISTAKE == OTHER_ABI ? 99 : MS_STRATEGY_ABI,
	.size = sizeof(ms_strategy),
	.name = "bad",
	.summary = "a mistake",
	.describe = "Makes a mistake.",
	.init = init,
	.initial = initial,
	.refine = refine,
};
