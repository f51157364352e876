/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync_region: barriers, the barrier that closes a parallel region, taskwait, taskgroup; reduction.
 */
#include "ompt_tool/events/event_code.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/move.h"
#include "ompt_tool/events/region_parts.h"
#include "ompt_tool/regions/region_loops.h"

/*
 * Whether a barrier closes the parallel region. libomp before 19 has one kind for these and
 * for the barriers of loops: there the closing one has no code address of its own.
 */
static bool closes_region(struct frame *team, ompt_sync_region_t kind, uint64_t code)
{
	struct region *region;

	if (kind == ompt_sync_region_barrier_implicit_parallel ||
	    kind == ompt_sync_region_barrier_teams)
		return true;
	if (kind != ompt_sync_region_barrier_implicit)
		return false;
	region = region_table_at(events.regions, team->region);
	return !code || (region && region->construct == code);
}

/* The last arrival ends the waiting of the others; the time after that is the barrier's own. */
static void note_arrival(struct frame *team, uint64_t now_ns)
{
	struct parallel *parallel = team->parallel;
	uint64_t last_ns = __atomic_load_n(&parallel->last_ns, __ATOMIC_RELAXED);

	while (last_ns < now_ns &&
	       !__atomic_compare_exchange_n(&parallel->last_ns, &last_ns, now_ns, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * A thread has arrived at the end of the region. Its own end event may be sent much later, so
 * measuring stops here; only the encountering thread is notified of the barrier's end in time.
 */
static void arrive(struct thread *self, struct frame *team, uint64_t now_ns)
{
	now_ns = parts_catch_up(self, now_ns);
	frame_leave_static_loop(self, 0);
	frame_close(self, (uint32_t)(team - self->frames) + 1, now_ns);
	frame_stop(self, team, now_ns);
	self->closed_region = MS_REGION_NONE;
	self->event_region = team->region;
	team->arrival_ns = now_ns;
	team->tasks_ns = self->tasks_ns;
	if ((team->requests & CLOCK_BIT) && team->parallel)
		note_arrival(team, now_ns);
	if (team->team_index != 0)
		pending_publish(self, team);
}

static void leave(struct thread *self, struct frame *team)
{
	uint64_t now_ns, last_ns;

	self->event_region = team->region;
	if (team->team_index != 0) {
		pending_settle(self);
		return;
	}
	if (!team->requests && !event_requested())
		return; /* parallel_end sets the end */
	now_ns = thread_clock_ns();
	if (__atomic_load_n(&team->parallel->sequence, __ATOMIC_RELAXED) == team->sequence)
		__atomic_store_n(&team->parallel->end_ns, now_ns, __ATOMIC_SEQ_CST);
	if (!(team->requests & CLOCK_BIT))
		return;
	frame_wait(self, team->region, team->arrival_ns, team->tasks_ns, now_ns);
	last_ns = __atomic_load_n(&team->parallel->last_ns, __ATOMIC_RELAXED);
	if (last_ns >= team->arrival_ns && now_ns >= last_ns)
		summary_add(self->summary, team->region, MS_METRIC_RELEASE_DELAY,
			    (double)(now_ns - last_ns));
}

/* A barrier that may close the construct that ended just before it on this thread. */
static bool may_close(ompt_sync_region_t kind)
{
	return kind == ompt_sync_region_barrier_implicit_workshare ||
	       kind == ompt_sync_region_barrier_implicit ||
	       kind == ompt_sync_region_barrier_implementation;
}

/*
 * The phase detection was notified of the barriers of static loops before these loops were known,
 * and must still be.
 */
static void tell_barrier(struct thread *self, uint32_t closed, const void *codeptr,
			 uint64_t *now_ns)
{
	if (region_static_loop(region_table_at(events.regions, closed)))
		frame_region(self, MS_BARRIER_REGION, event_code(codeptr), frame_context(self),
			     now_ns);
}

static void open_barrier(struct thread *self, ompt_sync_region_t kind, const void *codeptr,
			 uint64_t now_ns)
{
	struct frame *top;
	uint32_t closed, region;

	frame_leave_static_loop(self, event_code(codeptr));
	top = frame_top(self);
	/* a barrier cannot be inside work: the work's end event was never sent */
	if (top && top->type == FRAME_WORK)
		frame_close(self, self->depth - 1, now_ns);
	closed = self->closed_region;
	if (closed != MS_REGION_NONE && may_close(kind)) {
		tell_barrier(self, closed, codeptr, &now_ns);
		move_in(self, codeptr);
		frame_push(self, FRAME_BARRIER, closed, frame_requests(closed) & CLOCK_BIT, now_ns);
		return;
	}
	region = frame_region(self, MS_BARRIER_REGION, event_code(codeptr), frame_context(self),
			      &now_ns);
	move_in(self, codeptr);
	frame_push(self, FRAME_BARRIER, region, frame_requests(region), now_ns);
}

static void begin_barrier(struct thread *self, ompt_sync_region_t kind, const void *codeptr)
{
	uint64_t now_ns = event_now(), code = event_code(codeptr);
	struct frame *team = frame_team(self);

	if (team && closes_region(team, kind, code)) {
		if (!team->stopped)
			arrive(self, team,
			       now_ns           ? now_ns
			       : team->requests ? thread_clock_ns()
						: 0);
		return;
	}
	open_barrier(self, kind, codeptr, now_ns);
	move_out(self, codeptr);
}

/*
 * In a wait tasks are executed, which wait in turn, to any depth: those that are not followed lie
 * in the team's region, not in the wait.
 */
static uint32_t context_of_wait(struct thread *self)
{
	const struct frame *top = frame_top(self), *team = frame_team(self);
	uint32_t context = frame_context(self);

	if (!top || top->type != FRAME_TASKWAIT || context != top->region)
		return context;
	return team ? team->region : MS_REGION_USER;
}

static void begin_taskwait(struct thread *self, const void *codeptr)
{
	uint32_t region = frame_lookup(self, MS_TASKWAIT_REGION, event_code(codeptr),
				       context_of_wait(self));
	uint64_t now_ns = event_now();

	if (self->task_running)
		task_wait_begin(self, now_ns ? now_ns : thread_clock_ns());
	frame_push(self, FRAME_TASKWAIT, region, frame_requests(region), now_ns);
}

/* Begins the static loop that follows the barrier in the region's own code. */
static void begin_behind(struct thread *self, const void *codeptr)
{
	const struct frame *top = frame_top(self);
	const struct region *region = top && top->type == FRAME_PARALLEL && !top->stopped
					      ? region_table_at(events.regions, top->region)
					      : NULL;

	if (!region)
		return;
	move_due(self, codeptr);
	frame_push_static_loop(self,
			       region_loop_behind(events.regions, region, event_code(codeptr)), 0);
}

/*
 * Ends according to the thread's current construct: after `teams` the kinds of the begin and end
 * events differ.
 */
static void end_sync(struct thread *self, ompt_sync_region_t kind, const void *codeptr)
{
	bool taskwait = kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup;
	struct frame *top = frame_top(self);

	if (frame_skipped(self) || !top)
		return;
	if (top->type == FRAME_PARALLEL && top->stopped && !taskwait)
		leave(self, top);
	else if (top->type == (taskwait ? FRAME_TASKWAIT : FRAME_BARRIER))
		frame_close(self, self->depth - 1, 0);
	if (taskwait)
		task_wait_end(self);
	move_back(self, codeptr);
	if (!taskwait)
		begin_behind(self, codeptr);
}

/* Constructs are skipped, and the event is not of the barrier that closes the region. */
static bool is_skipped(struct thread *self, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		       const void *codeptr)
{
	struct frame *team = event_constructs() ? NULL : frame_team(self);

	if (!team)
		return false;
	return endpoint == ompt_scope_end ? !team->stopped
					  : !closes_region(team, kind, event_code(codeptr));
}

void handle_sync_region(struct thread *self, ompt_sync_region_t kind,
			ompt_scope_endpoint_t endpoint, const void *codeptr)
{
	if (kind == ompt_sync_region_reduction || is_skipped(self, kind, endpoint, codeptr))
		return;
	if (endpoint == ompt_scope_end)
		end_sync(self, kind, codeptr);
	else if (kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup)
		begin_taskwait(self, codeptr);
	else
		begin_barrier(self, kind, codeptr);
}

void handle_reduction(struct thread *self, ompt_scope_endpoint_t endpoint, const void *codeptr)
{
	uint32_t depth, region;

	if (endpoint == ompt_scope_begin) {
		region = frame_lookup(self, MS_REDUCTION_REGION, event_code(codeptr),
				      frame_context(self));
		frame_push(self, FRAME_REDUCTION, region, frame_requests(region), event_now());
	} else if (!frame_skipped(self) && (depth = frame_find(self, FRAME_REDUCTION))) {
		frame_close(self, depth - 1, 0);
	}
}
