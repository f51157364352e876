/* SPDX-License-Identifier: Apache-2.0 */
/* Which executions of parallel regions are recorded while no phase is known, and for how long. */
#include "ompt_tool/recording/first_execution.h"

#include "analysis/base/hash.h"
#include "analysis/base/own_stack.h"
#include "memsearch/sensor.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/burst_pace.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_times.h"
#include "ompt_tool/recording/static_loops.h"
#include "ompt_tool/regions/region_table.h"

#define BODIES 1024 /* a power of two; those beyond are not recorded */
/*
 * ratio of the time of all executions to that of executions with bursts at which the next burst is
 * due; doubles with each burst
 */
#define AGAIN 4
/* bursts at most that are repeated because a call through a pointer ended them */
#define LEFT 3
/* a shorter burst does not double AGAIN: executions may become longer */
#define SHORT_NS 1e6
#define ASKED (1u << MS_SENSOR_ACCESSES)

/*
 * Budget of CPU time: START_NS at once, because a region that is executed once may be all of the
 * program; START_PART of the elapsed time until both are START_MOST_NS; and the limit. At most 13 %
 * of a program of 0.5 s.
 */
#define START_NS 15e6
#define START_PART 0.1
#define START_MOST_NS 40e6

struct body {
	uintptr_t function;
	double all_ns, recorded_ns; /* wall time of its executions, and of those with bursts */
	unsigned int bursts;        /* that were not short */
	unsigned int left;          /* bursts in which threads had to leave their clones */
};

static struct {
	struct region_table *regions; /* NULL: nothing is recorded */
	double limit;
	uint64_t begin_ns;
	/* CPU time of ended bursts, on the thread where it is highest, and of making clones */
	double spent_ns;
	bool passed; /* a clone was passed whose region has not begun */
	/* passed last, at body_ns; NULL: none, or the table was full */
	struct body *body;
	uint64_t body_ns;
	struct region *recorded; /* the region being recorded; NULL: none */
	struct body bodies[BODIES];
} first;

void first_execution_start(struct region_table *regions, double limit)
{
	if (!first.begin_ns)
		first.begin_ns = thread_clock_ns();
	first.limit = limit;
	if (first.regions)
		return;
	first.regions = regions;
	accesses_trace_alone(true);
}

bool first_execution_is_on(void)
{
	return first.regions != NULL;
}

double first_execution_spent_ns(void)
{
	return first.spent_ns;
}

static double left_ns(void)
{
	double elapsed_ns = (double)(thread_clock_ns() - first.begin_ns),
	       start_ns = START_NS + START_PART * elapsed_ns;

	return (start_ns < START_MOST_NS ? start_ns : START_MOST_NS) + first.limit * elapsed_ns -
	       first.spent_ns;
}

/* NULL: the table is full. */
static struct body *body_of(uintptr_t function)
{
	for (uint32_t i = 0, at = (uint32_t)hash_word(function) % BODIES; i < BODIES;
	     i++, at = (at + 1) % BODIES) {
		struct body *body = &first.bodies[at];

		if (!body->function)
			body->function = function;
		if (body->function == function)
			return body;
	}
	return NULL;
}

static bool is_due(const struct body *body)
{
	return body->all_ns >=
	       body->recorded_ns * (double)(AGAIN << (body->bursts < 16 ? body->bursts : 16));
}

bool first_execution_wants(const struct thread *self, uintptr_t function)
{
	if (self->index || self->depth)
		return false;
	first.passed = false; /* the body passed last began no region */
	first.body = body_of(function);
	first.body_ns = thread_clock_ns();
	return first.body && is_due(first.body) && left_ns() >= BURST_LEAST_NS;
}

bool first_execution_passes(uint64_t took_ns, bool made)
{
	double left;

	first.spent_ns += (double)took_ns;
	left = left_ns();
	first.passed = made && left >= BURST_LEAST_NS;
	if (first.passed)
		accesses_burst_begins(left, first.limit);
	return first.passed;
}

static bool is_inside(const struct region *region, const struct region *of)
{
	while (region && region != of && region->id != MS_REGION_USER)
		region = region_table_at(first.regions, region->parent);
	return region == of;
}

/* The region and all regions inside it, those that are not known yet, too. */
static void ask(struct region *of, bool on)
{
	for (uint32_t id = of->id; id < region_table_count(first.regions); id++) {
		struct region *region = region_table_at(first.regions, id);

		if (!is_inside(region, of))
			continue;
		if (on)
			__atomic_fetch_or(&region->requests, ASKED, __ATOMIC_RELAXED);
		else
			__atomic_fetch_and(&region->requests, ~ASKED, __ATOMIC_RELAXED);
		__atomic_store_n(&region->subregion_kinds[MS_SENSOR_ACCESSES], on ? UINT32_MAX : 0,
				 __ATOMIC_RELAXED);
	}
}

/* Before threads begin the region, so that its first execution has times of its loops. */
static void find_loops(void *regions)
{
	struct thread_stretch stretch = thread_stretch_begin();
	struct thread *self = events_self();
	uint64_t cpu_ns = thread_cpu_ns();

	static_loops_find(regions);
	first.spent_ns += (double)(thread_cpu_ns() - cpu_ns);
	__atomic_store_n(&self->boundary_ns, self->boundary_ns + thread_stretch_end(self, &stretch),
			 __ATOMIC_RELAXED);
}

void first_execution_begins(struct region *region)
{
	if (!first.passed || !first.regions)
		return;
	first.passed = false;
	first.recorded = region;
	own_stack_call(find_loops, first.regions);
	ask(region, true);
}

void first_execution_ask_again(void)
{
	if (first.recorded)
		ask(first.recorded, true);
}

static void end_burst(double wall_ns)
{
	bool left;
	double cpu_ns = accesses_burst_ends(&left);

	ask(first.recorded, false);
	first.recorded = NULL;
	first.spent_ns += cpu_ns;
	if (!first.body)
		return;
	if (left && first.body->left < LEFT)
		first.body->left++;
	else
		first.body->recorded_ns += wall_ns;
	first.body->bursts += cpu_ns >= SHORT_NS;
}

void first_execution_ends(void)
{
	double wall_ns = first.regions ? (double)(thread_clock_ns() - first.body_ns) : 0;

	if (!first.regions)
		return;
	if (first.recorded)
		end_burst(wall_ns);
	if (first.body)
		first.body->all_ns += wall_ns;
	first.body = NULL;
}

void first_execution_stop(void)
{
	if (!first.regions)
		return;
	first_execution_ends();
	accesses_trace_alone(false);
	first.passed = false;
	first.regions = NULL;
}

void first_execution_forget(void)
{
	first.passed = false;
	first.recorded = NULL;
	first.body = NULL;
	first.regions = NULL;
}
