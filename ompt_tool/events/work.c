/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work: loops, sections, single, workshare, distribute, taskloop; dispatch of their chunks; masked.
 */
#include "ompt_tool/events/event_code.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/move.h"

/* One row per kind of work that runtimes report. */
static const struct work_kind {
	uint8_t known, kind, type, other;
} kinds[] = {
	/* libomp before 19 */
	[ompt_work_loop] = { 1, MS_DO_REGION, FRAME_WORK, 0 },
	[ompt_work_loop_static] = { 1, MS_DO_REGION, FRAME_WORK, 0 },
	[ompt_work_loop_dynamic] = { 1, MS_DO_REGION, FRAME_WORK, 0 },
	[ompt_work_loop_guided] = { 1, MS_DO_REGION, FRAME_WORK, 0 },
	[ompt_work_loop_other] = { 1, MS_DO_REGION, FRAME_WORK, 0 },
	[ompt_work_distribute] = { 1, MS_DO_REGION, FRAME_WORK, 0 },
	[ompt_work_taskloop] = { 1, MS_DO_REGION, FRAME_TASKLOOP, 0 },
	[ompt_work_sections] = { 1, MS_SECTIONS_REGION, FRAME_WORK, 0 },
	[ompt_work_single_executor] = { 1, MS_SINGLE_REGION, FRAME_WORK, 0 },
	[ompt_work_single_other] = { 1, MS_SINGLE_REGION, FRAME_WORK, 1 },
	[ompt_work_workshare] = { 1, MS_WORKSHARE_REGION, FRAME_WORK, 0 },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/*
 * gcc's combined loops have the parallel construct's address on the encountering thread and none on
 * the others: one region, whose address is unknown.
 */
static uint64_t code_of(struct thread *self, const void *codeptr)
{
	struct frame *team = frame_team(self);
	struct region *region = team ? region_table_at(events.regions, team->region) : NULL;
	uint64_t code = event_code(codeptr);

	return region && region->construct == code ? 0 : code;
}

/* The reported number is the loop's, not the thread's: it is added once per team. */
static void add_iterations(struct thread *self, uint32_t region, uint64_t count)
{
	struct frame *team = frame_team(self);

	if (!team || team->team_index == 0)
		summary_add(self->summary, region, MS_METRIC_ITERATIONS, (double)count);
}

static void begin_work(struct thread *self, const struct work_kind *kind, uint64_t count,
		       const void *codeptr)
{
	uint64_t now_ns = event_now(), code = code_of(self, codeptr);
	struct frame *top = frame_top(self), *frame;
	uint32_t region, requests;

	/* work does not nest in work, so the open one's end event was never sent: gcc's single */
	if (kind->type == FRAME_WORK && top && top->type == FRAME_WORK)
		frame_close(self, self->depth - 1, now_ns);
	region = frame_region(self, kind->kind, code, frame_context(self), &now_ns);
	if (kind->kind == MS_SINGLE_REGION &&
	    region_end_is_unseen(region_table_at(events.regions, region))) {
		self->closed_region = MS_REGION_NONE; /* the next barrier is not its own */
		return;
	}
	requests = frame_requests(region);
	move_in(self, codeptr);
	move_due(self, codeptr);
	frame = frame_push(self, kind->type, region, kind->other ? requests & CLOCK_BIT : requests,
			   now_ns);
	move_out(self, codeptr);
	if (!frame)
		return;
	frame->other = kind->other;
	if ((requests & CLOCK_BIT) && kind->kind == MS_DO_REGION)
		add_iterations(self, region, count);
}

/* Ends the innermost construct of that type in this team, and what is open inside. */
static void end_of_type(struct thread *self, enum frame_type type)
{
	uint32_t depth = frame_find(self, type);

	if (!frame_skipped(self) && depth)
		frame_close(self, depth - 1, event_requested() ? thread_clock_ns() : 0);
}

void handle_work(struct thread *self, ompt_work_t type, ompt_scope_endpoint_t endpoint,
		 uint64_t count, const void *codeptr)
{
	if ((unsigned int)type >= NR_KINDS || !kinds[type].known)
		return;
	if (endpoint == ompt_scope_end)
		end_of_type(self, kinds[type].type);
	else
		begin_work(self, &kinds[type], count, codeptr);
}

/*
 * Called once per chunk, so it only counts. Chunks of a taskloop are tasks; whatever else libomp
 * reports as a chunk (also gcc's sections) counts as one.
 */
void handle_dispatch(ompt_dispatch_t kind)
{
	struct thread *self;
	struct frame *top;

	if (kind == ompt_dispatch_section || kind == ompt_dispatch_taskloop_chunk ||
	    !(self = event_self()))
		return;
	top = frame_top(self);
	if (top && top->type == FRAME_WORK && (top->requests & CLOCK_BIT))
		top->chunks++;
}

void handle_masked(struct thread *self, ompt_scope_endpoint_t endpoint, const void *codeptr)
{
	if (endpoint == ompt_scope_end) {
		end_of_type(self, FRAME_MASKED);
	} else {
		uint32_t region = frame_lookup(self, MS_MASTER_REGION, event_code(codeptr),
					       frame_context(self));
		uint32_t requests = frame_requests(region);

		frame_push(self, FRAME_MASKED, region, requests, requests ? thread_clock_ns() : 0);
	}
}
