/* SPDX-License-Identifier: Apache-2.0 */
/* Which execution of the phase has how many threads. */
#include "ompt_tool/session/thread_plan.h"

#include <stdlib.h>

#define WARM_UP 1 /* executions */
#define BLOCK_LEAST 2
#define BLOCK_MOST 16

static bool has(const struct thread_plan *plan, unsigned long count)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (plan->counts[i] == count)
			return true;
	return false;
}

bool thread_plan_read(struct thread_plan *plan, const char *text)
{
	*plan = (struct thread_plan){ 0 };
	for (;; text++) {
		char *end;
		unsigned long count = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;

		if (!count || count > INT32_MAX || has(plan, count) || plan->nr == THREAD_PLAN_MOST)
			return false;
		plan->counts[plan->nr++] = (uint32_t)count;
		text = end;
		if (*text != ',')
			break;
	}
	thread_plan_restart(plan);
	return !*text;
}

void thread_plan_restart(struct thread_plan *plan)
{
	plan->at = 0;
	plan->backward = false;
	plan->block = BLOCK_LEAST;
	plan->done = 0;
}

bool thread_plan_is_warm_up(const struct thread_plan *plan)
{
	return plan->done < WARM_UP;
}

static void turn_round(struct thread_plan *plan)
{
	if (plan->backward && plan->block < BLOCK_MOST)
		plan->block *= 2;
	plan->backward = !plan->backward;
}

bool thread_plan_next(struct thread_plan *plan)
{
	if (++plan->done < WARM_UP + plan->block)
		return false;
	plan->done = 0;
	if (plan->at == (plan->backward ? 0 : plan->nr - 1))
		turn_round(plan);
	else if (plan->backward)
		plan->at--;
	else
		plan->at++;
	return true;
}
