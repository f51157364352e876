/* SPDX-License-Identifier: Apache-2.0 */
/* Switches events off in the rest of a region whose events alone exceed the limit. */
#include "ompt_tool/session/resting.h"

#include "ompt_tool/events/events.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/watching.h"

/* Callbacks may exceed the limit by this much: finding a phase takes its time. */
#define EXCEEDED_NS 250e6
/* The cost is judged at this distance, and no earlier in a region. */
#define JUDGED_NS 10000000ull

/* Since the last judgement. */
static struct {
	uint64_t begin_ns, cost_ns, timed_ns;
} window;

static bool exceeds(uint64_t cost_ns, uint64_t timed_ns, double allowed_ns)
{
	return cost_ns > timed_ns && (double)(cost_ns - timed_ns) > allowed_ns;
}

/* Both in the whole run and at present: measuring less may have helped already. */
static bool is_dear(const struct thread *self, uint64_t now_ns)
{
	double limit = online.options.overhead,
	       lived_ns = (double)(now_ns - online.start_ns + online.age_at_start_ns);

	return exceeds(self->cost_ns, self->timed_ns, limit * lived_ns + EXCEEDED_NS) &&
	       exceeds(self->cost_ns - window.cost_ns, self->timed_ns - window.timed_ns,
		       limit * (double)(now_ns - window.begin_ns));
}

/* Integers only: in the program's floating-point environment. */
bool resting_is_judged(uint64_t now_ns)
{
	return (online.state == ONLINE_WATCHING || online.state == ONLINE_SEARCHING) &&
	       !online.rest_ns && now_ns > window.begin_ns + JUDGED_NS;
}

/* Its next executions are measured without constructs, which would exceed the limit again. */
static void drop_constructs(void)
{
	if (online.state == ONLINE_SEARCHING && !detector_needs_constructs(online.detector))
		database_drop(online.phase.db, online.region);
}

static void begin(struct thread *self, uint64_t now_ns)
{
	drop_constructs();
	experiment_request(online.experiment, NULL, 0);
	events_rest_of_region();
	online.rest_ns = now_ns;
	online.run.cost.limit_bound = true;
	thread_drop(self, THREAD_DROP_REST);
}

/* The rest of a short region is not worth it. */
void resting_judge(struct thread *self, uint64_t now_ns)
{
	if (online.region_ns && now_ns > online.region_ns + JUDGED_NS && is_dear(self, now_ns) &&
	    events_can_rest())
		begin(self, now_ns);
	window.begin_ns = now_ns;
	window.cost_ns = self->cost_ns;
	window.timed_ns = self->timed_ns;
}

/* The stretch ended when the rest began. */
static void go_on_watching(uint64_t rest_ns)
{
	watching_checkpoint(rest_ns);
	watching_begin();
}

/* Executions that were not seen, and what was measured of the one in progress, belong to none. */
static void go_on_searching(uint64_t now_ns)
{
	online.run.phase.before_ns += (double)(now_ns - online.stretch_ns);
	online.repetitions = 0;
	experiment_skip(online.experiment, false);
	requests_apply(&online.phase);
}

void resting_end(uint64_t now_ns)
{
	uint64_t rest_ns = online.rest_ns;

	if (!rest_ns)
		return;
	online.rest_ns = 0;
	events_rest(false);
	if (online.state == ONLINE_WATCHING)
		go_on_watching(rest_ns);
	else if (online.state == ONLINE_SEARCHING)
		go_on_searching(now_ns);
	online.stretch_ns = now_ns;
}
