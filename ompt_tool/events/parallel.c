/* SPDX-License-Identifier: Apache-2.0 */
/* parallel_begin and parallel_end on the encountering thread, implicit_task on its team. */
#include "analysis/base/own_stack.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/events/call_path.h"
#include "ompt_tool/events/event_code.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/serial.h"
#include "ompt_tool/events/task_tag.h"
#include "ompt_tool/regions/region_loops.h"

static void note_outlined(struct region *region)
{
	const void *outlined = NULL;

	for (int i = 0; i < EVENT_RUNTIMES && !outlined; i++)
		outlined = events.runtimes[i].get_outlined ? events.runtimes[i].get_outlined()
							   : NULL;
	/* may be the address of a clone */
	region_note_outlined(region, (const void *)clone_original((uintptr_t)outlined));
}

struct addresses {
	uint64_t one, other;
	bool same;
};

static void compare_functions(void *argument)
{
	struct addresses *addresses = argument;
	struct code_bounds bounds;

	addresses->same = code_bounds_find(addresses->one, &bounds) == CODE_BOUNDS_FOUND &&
			  addresses->other >= bounds.start && addresses->other < bounds.end;
}

static bool are_in_one_function(uint64_t construct, uint64_t other)
{
	struct addresses addresses = { construct, other, false };

	own_stack_call(compare_functions, &addresses);
	return addresses.same;
}

static uint32_t region_of(struct thread *self, uint64_t construct)
{
	bool new;
	uint32_t parent = frame_context(self);
	uint64_t body = !self->index && !self->depth ? self->next_body : 0;
	uint32_t id = region_table_get_of_body(events.regions, MS_PARALLEL_REGION, construct,
					       parent, body, are_in_one_function, &new);
	struct region *region = region_table_at(events.regions, id);

	if (new && region)
		note_outlined(region);
	if (new && region && !self->depth)
		call_path_first(region, !self->index);
	return id;
}

/* A slot whose region has ended, the longest ago; NULL: nested too deep. */
static struct parallel *slot_of(struct thread *self)
{
	for (int i = 0; i < THREAD_PARALLELS; i++) {
		struct parallel *slot = &self->parallels[self->next_parallel++ % THREAD_PARALLELS];

		if (!slot->live)
			return slot;
	}
	return NULL;
}

/* The trampoline has stored the body, and whether it runs as a clone. */
static bool note_body(struct thread *self, uint32_t id)
{
	struct region *region = self->next_body ? region_table_at(events.regions, id) : NULL;
	bool clone = self->next_body && self->next_body_is_clone;

	if (region)
		region_note_body(region, self->next_body);
	self->next_body = 0;
	return clone;
}

static struct parallel *open_parallel(struct thread *self, uint32_t region, uint64_t now_ns)
{
	struct parallel *parallel = slot_of(self);

	if (!parallel) {
		self->skipped_parallels++;
		thread_drop(self, THREAD_DROP_PARALLELS);
		return NULL;
	}
	/* before end_ns, see pending.c */
	__atomic_store_n(&parallel->sequence, ++self->parallel_sequence, __ATOMIC_SEQ_CST);
	__atomic_store_n(&parallel->end_ns, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&parallel->last_ns, 0, __ATOMIC_RELAXED);
	parallel->begin_ns = parallel->part_ns = now_ns;
	parallel->region = region;
	parallel->live = 1;
	parallel->outer = self->open;
	self->open = parallel;
	return parallel;
}

/*
 * Frames of an older epoch have lost their ENDs; in serial code no region can be open, and a
 * construct that is there is gcc's single, whose END is never sent.
 */
static void forget_stale(struct thread *self, uint64_t now_ns)
{
	struct frame *top = frame_top(self);

	if (top && top->epoch != __atomic_load_n(&events.epoch, __ATOMIC_RELAXED))
		self->depth = 0;
	if (frame_team(self))
		return;
	frame_close(self, 0, now_ns);
	self->skipped = 0;
	for (; self->open; self->open = self->open->outer)
		self->open->live = 0;
	self->skipped_parallels = 0;
}

/*
 * While events inside of regions are disabled, only begins of regions that the initial thread
 * encounters in serial code are handled; nested ones are recognised by counting. If more are open
 * than can be nested, an end event was lost.
 */
static bool is_of_no_interest(const struct thread *self)
{
	return !event_inside() && (self->index || self->skipped_parallels) &&
	       self->skipped_parallels < THREAD_PARALLELS;
}

/* Returns the time to continue with. */
static uint64_t begin_clone(struct thread *self, uint32_t region, uint64_t now_ns)
{
	uint64_t boundary_ns = self->boundary_ns;

	events.listener->clone_begins(region_table_at(events.regions, region));
	return self->boundary_ns == boundary_ns ? now_ns : thread_clock_ns();
}

static struct parallel *begin_parallel(struct thread *self, const void *codeptr)
{
	struct parallel *parallel;
	uint64_t construct = event_code(codeptr);
	uint64_t now_ns = event_now();
	struct call_path path = { 0, 0 };
	uint32_t region;
	bool recorded;

	forget_stale(self, now_ns);
	region = self->event_region = region_of(self, construct);
	self->closed_region = MS_REGION_NONE;
	if (!self->depth && self->index == 0) {
		struct region *is = region_table_at(events.regions, region);

		if (is)
			path = call_path_region(is, (uintptr_t)__builtin_frame_address(0),
						self->next_body && self->next_body_is_clone);
		serial_look(codeptr, construct);
		serial_end(self, region, is ? is->construct : construct, now_ns);
		now_ns = frame_phase(self, 0, region, path.number, now_ns);
	}
	recorded = note_body(self, region);
	if (recorded && region != MS_REGION_NONE)
		now_ns = begin_clone(self, region, now_ns);
	parallel = event_inside() ? open_parallel(self, region, now_ns) : NULL;
	if (parallel) {
		parallel->recorded = recorded;
		parallel->call = path.region;
	} else if (!event_inside()) {
		self->skipped_parallels++;
	}
	return parallel;
}

void handle_parallel_begin(struct thread *self, ompt_data_t *parallel, const void *codeptr)
{
	if (is_of_no_interest(self))
		self->skipped_parallels++;
	else
		parallel->ptr = begin_parallel(self, codeptr);
}

static void end_parallel(struct thread *self, struct parallel *parallel, uint64_t now_ns)
{
	if (!__atomic_load_n(&parallel->end_ns, __ATOMIC_RELAXED))
		__atomic_store_n(&parallel->end_ns, now_ns, __ATOMIC_SEQ_CST);
	parallel->live = 0;
	if (parallel->part_ns && now_ns && (frame_requests(parallel->region) & CLOCK_BIT))
		summary_add(self->summary, parallel->region, MS_METRIC_WALL_TIME,
			    (double)(now_ns - parallel->part_ns));
}

/*
 * Regions nest on a thread, and libomp ends gcc's `teams` under another parallel_data than it began
 * them: the innermost ends.
 */
void handle_parallel_end(struct thread *self)
{
	struct parallel *parallel;
	uint64_t now_ns;

	if (self->skipped_parallels) {
		self->skipped_parallels--;
		return;
	}
	if (!self->open)
		return;
	parallel = self->open;
	self->event_region = parallel->region;
	now_ns = event_now();
	/* requested at its begin: others may wait for its end */
	if (!now_ns && parallel->part_ns)
		now_ns = thread_clock_ns();
	self->open = parallel->outer;
	end_parallel(self, parallel, now_ns);
	if (self->index == 0 && !self->depth) {
		struct region *region = region_table_at(events.regions, parallel->region);

		events_skip_constructs(false);
		events.listener->serial_begins();
		serial_begin(self, region ? region->construct : 0, now_ns);
	}
}

/*
 * A thread that is a worker in its new team was idle before: frames on its stack have lost their
 * end events.
 */
static void drop_stale(struct thread *self, unsigned int index)
{
	if (index != 0) {
		self->depth = 0;
		tasks_forget(self);
	}
	self->skipped = 0;
}

static void begin_implicit(struct thread *self, struct parallel *parallel, ompt_data_t *task,
			   unsigned int size, unsigned int index)
{
	uint32_t requests = frame_requests(parallel->region);
	uint64_t now_ns = requests ? thread_clock_ns() : 0;
	struct frame *frame;

	__atomic_store_n(&self->teams, self->teams + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&parallel->threads, size, __ATOMIC_RELAXED);
	frame = frame_open(self, FRAME_PARALLEL, parallel->region, requests, now_ns);
	if (!frame)
		return;
	frame->team_index = index;
	frame->parallel = parallel;
	if (!(requests & ACCESSES_BIT) && (event_requested() & ACCESSES_BIT) && self->depth > 1)
		tasks_moved(self);
	frame->in_clone = parallel->recorded;
	frame->outside = parallel->recorded ? 0 : FRAME_BEGUN_OUTSIDE;
	self->choice = 0;
	frame->sequence = __atomic_load_n(&parallel->sequence, __ATOMIC_RELAXED);
	frame_begin(self, frame);
	if (self->depth == 1)
		self->part_ns = now_ns;
	task->value = task_tag(TASK_IMPLICIT, self->depth);
	if ((requests & CLOCK_BIT) && parallel->begin_ns)
		summary_add(self->summary, parallel->region, MS_METRIC_START_DELAY,
			    (double)(now_ns - parallel->begin_ns));
	if (!event_constructs())
		return;
	frame_push_static_loop(
		self, region_static_loop(region_table_at(events.regions, parallel->region)),
		now_ns);
}

/*
 * `parallel` is NULL for the initial task and where the slots were full; the initial tasks of a
 * league have one. Serial code begins once.
 */
static void begin_task(struct thread *self, struct parallel *parallel, ompt_data_t *task,
		       unsigned int size, unsigned int index, int flags)
{
	if (parallel || !(flags & ompt_task_initial))
		drop_stale(self, index);
	if (parallel)
		begin_implicit(self, parallel, task, size, index);
	else if (self->index == 0 && (flags & ompt_task_initial) && self->runtimes == 1)
		serial_begin(self, 0, thread_clock_ns());
}

/*
 * On workers this event is sent when they are needed again; measuring stopped at their closing
 * barrier.
 */
static void end_implicit(struct thread *self, ompt_data_t *task)
{
	uint32_t depth;

	if (!task_untag(task, TASK_IMPLICIT, &depth))
		return;
	task->value = 0;
	if (depth > self->depth || self->frames[depth - 1].type != FRAME_PARALLEL)
		return;
	frame_leave_static_loop(self, 0);
	frame_close(self, depth - 1, 0);
	self->skipped = 0;
	if (self->depth && (event_requested() & ACCESSES_BIT))
		tasks_moved(self);
}

void handle_implicit_task(struct thread *self, ompt_scope_endpoint_t endpoint,
			  ompt_data_t *parallel, ompt_data_t *task, unsigned int size,
			  unsigned int index, int flags)
{
	pending_settle(self);
	if (endpoint == ompt_scope_end)
		end_implicit(self, task);
	else
		begin_task(self, parallel ? parallel->ptr : NULL, task, size, index, flags);
}
