/* SPDX-License-Identifier: Apache-2.0 */
/* What the hooks of allocations take on each thread. */
#include "ompt_tool/arrays/heap_cost.h"

#include <stddef.h>

#include "analysis/base/clock_cost.h"
#include "analysis/base/thread_clock.h"

/* Longer hooks include a preemption or first touches of pages, which do not occur in every one. */
#define RARE_NS 200000
/* 1024ths: 2.5 % */
#define DEFAULT_SHARE 25
/* of 1024ths: above it hooks may take all the time */
#define MOST_SHARE (1u << 20)

static uint64_t clock_read_ns, share_1024 = DEFAULT_SHARE;
static uint64_t elsewhere_ns; /* of threads without account */

/* Initial-exec: access calls no function, and so allocates nothing. */
static __thread struct {
	uint64_t spent_ns, *account;
	uint32_t left, random; /* hooks before the next timed one; 0: none was timed yet */
} here __attribute__((tls_model("initial-exec")));

void heap_cost_start(void)
{
	clock_read_ns = clock_cost_ns();
}

/* Uniform in 1 … 2 * HEAP_COST_PERIOD - 1. */
static uint32_t next_distance(void)
{
	here.random = here.random * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
	return 1 + (here.random >> 16) % (2 * HEAP_COST_PERIOD - 1);
}

uint64_t heap_cost_begin(void)
{
	if (!here.left)
		here.left = next_distance();
	return --here.left ? 0 : thread_clock_ns();
}

void heap_cost_end(uint64_t begin_ns)
{
	uint64_t elapsed_ns, own_ns;

	if (!begin_ns)
		return;
	elapsed_ns = thread_clock_ns() - begin_ns;
	own_ns = elapsed_ns > clock_read_ns ? elapsed_ns - clock_read_ns : 0;
	own_ns = own_ns * (own_ns < RARE_NS ? HEAP_COST_PERIOD : 1) + 2 * clock_read_ns;
	here.spent_ns += own_ns;
	if (here.account)
		__atomic_store_n(here.account, *here.account + own_ns, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&elsewhere_ns, own_ns, __ATOMIC_RELAXED);
}

uint64_t heap_cost_elsewhere_ns(void)
{
	return __atomic_load_n(&elsewhere_ns, __ATOMIC_RELAXED);
}

uint64_t heap_cost_ns(void)
{
	return here.spent_ns;
}

void heap_cost_account(uint64_t *spent_ns)
{
	here.account = spent_ns;
}

void heap_cost_limit(double share)
{
	share_1024 = share < MOST_SHARE / 1024 ? (uint64_t)(1024 * share) : MOST_SHARE;
}

bool heap_cost_exceeds(uint64_t spent_ns, uint64_t since_ns)
{
	return 1024 * spent_ns > share_1024 * since_ns;
}
