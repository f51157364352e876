/* SPDX-License-Identifier: Apache-2.0 */
/* task_create and task_schedule: which explicit task a thread executes, and for how long. */
#include "ompt_tool/events/frame.h"

void handle_task_create(struct thread *self, ompt_data_t *new_task, int flags, const void *codeptr)
{
	struct frame *team;
	uint32_t region;

	if (!(flags & ompt_task_explicit))
		return;
	team = frame_team(self);                  /* not the context: a recursive task is one region, wherever it is created */
	region = frame_lookup(self, MS_TASK_REGION, event_code(codeptr), team ? team->region : MS_REGION_USER);
	new_task->value = task_tag(TASK_EXPLICIT, region);
}

/* The running task stops running, for good or for now. */
static void pause_running(struct thread *self, uint64_t now_ns)
{
	uint64_t part_ns;

	if (!self->task_running)
		return;
	part_ns = now_ns - self->task_resumed_ns;
	self->tasks[self->nr_tasks - 1].elapsed_ns += part_ns;
	__atomic_store_n(&self->tasks_ns, self->tasks_ns + part_ns, __ATOMIC_RELAXED);
	self->task_running = false;
}

/* At a taskwait the task waits; others may run meanwhile, and when they are done it waits on. */
void task_wait_begin(struct thread *self, uint64_t now_ns)
{
	pause_running(self, now_ns);
}

void task_wait_end(struct thread *self)
{
	if (self->task_running || !self->nr_tasks || self->tasks[self->nr_tasks - 1].depth != self->depth)
		return;
	self->task_resumed_ns = thread_clock_ns();
	self->task_running = true;
}

static bool waits(struct thread *self)
{
	struct frame *top = frame_top(self);

	return top && top->type == FRAME_TASKWAIT && self->tasks[self->nr_tasks - 1].depth < self->depth;
}

static void finish(struct thread *self)
{
	struct task_run *run = &self->tasks[--self->nr_tasks];

	if (!(frame_requests(run->region) & CLOCK_BIT))
		return;
	summary_add(self->summary, run->region, MS_METRIC_TASKS, 1);
	summary_add(self->summary, run->region, MS_METRIC_TASK_TIME, (double)run->elapsed_ns);
}

static bool is_done(ompt_task_status_t status)
{
	return status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_late_fulfill;
}

/* Begins a task, or goes on with one that was suspended: the last, because tasks on one stack nest. */
static void run_next(struct thread *self, ompt_data_t *next, uint64_t now_ns)
{
	uint32_t region;

	if (!task_untag(next, TASK_EXPLICIT, &region))
		return;
	if (!self->nr_tasks || self->tasks[self->nr_tasks - 1].task != next) {
		if (self->nr_tasks == THREAD_TASKS) {
			thread_drop(self, THREAD_DROP_TASKS);
			return;
		}
		self->tasks[self->nr_tasks++] = (struct task_run){ .task = next, .region = region, .depth = self->depth };
	}
	self->task_resumed_ns = now_ns;
	self->task_running = !waits(self);
}

/* Tasks begun before the clock was asked for last time are not the ones on the stack now. */
static void forget_stale(struct thread *self)
{
	uint32_t generation = __atomic_load_n(&events.task_generation, __ATOMIC_RELAXED);

	if (self->task_generation == generation)
		return;
	self->task_generation = generation;
	self->task_running = false;
	self->nr_tasks = 0;
}

/* The task's code is no clone, so the accesses of who executes it are not whole. */
static void leave_clone(struct thread *self, ompt_data_t *next)
{
	struct frame *team = frame_team(self);
	uint32_t region;

	if (!task_untag(next, TASK_EXPLICIT, &region))
		return;
	if (team)
		frame_leave(self, team);
	else if (self->index == 0)
		serial_leave();
}

void handle_task_schedule(struct thread *self, ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
	uint64_t now_ns;

	if (event_requested() & 1u << MS_SENSOR_ACCESSES)
		leave_clone(self, next);
	if (!(event_requested() & CLOCK_BIT))
		return;
	forget_stale(self);
	now_ns = thread_clock_ns();
	pause_running(self, now_ns);
	if (is_done(status) && self->nr_tasks && self->tasks[self->nr_tasks - 1].task == prior)
		finish(self);
	run_next(self, next, now_ns);
}
