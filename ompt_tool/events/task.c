/* SPDX-License-Identifier: Apache-2.0 */
/* task_create and task_schedule: which explicit task a thread executes, and for how long. */
#include "memsearch/sensor.h"
#include "ompt_tool/events/event_code.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/task_tag.h"

/* The trampoline has stored the task's function. Only a taskloop creates several tasks from one. */
static void note_code(struct thread *self, uint32_t id)
{
	struct region *region = self->next_task_body ? region_table_at(events.regions, id) : NULL;
	struct frame *top = frame_top(self);

	if (region)
		region_note_body(region, self->next_task_body);
	if (!top || top->type != FRAME_TASKLOOP)
		self->next_task_body = 0;
}

/* If a construct address has several constructs, they are distinguished by their functions. */
static bool is_of_another(const struct region *region, uint64_t function)
{
	return __atomic_load_n(&region->bodies[0], __ATOMIC_RELAXED) &&
	       !region_has_body(region, function);
}

/*
 * The result after searching all regions, reused for the next task. If no region has the body, a
 * later one may.
 */
static uint32_t region_of_body(struct thread *self, uint32_t parent)
{
	struct task_body *last = &self->task_body;
	uint32_t regions = region_table_count(events.regions);

	if (last->function == self->next_task_body && last->parent == parent &&
	    (last->id != MS_REGION_NONE || last->regions == regions))
		return last->id;
	*last = (struct task_body){ .function = self->next_task_body,
				    .parent = parent,
				    .regions = regions };
	last->id = region_table_of_body(events.regions, MS_TASK_REGION, parent,
					self->next_task_body);
	return last->id;
}

/*
 * Not the context's region: a recursive task is one region, wherever it is created. gcc's tasks
 * that are executed within a call of GOMP_task, or at the end of GOMP_parallel, create tasks with
 * that call's address (libomp to 19): these are identified by their function.
 */
static uint32_t region_of(struct thread *self, const void *codeptr)
{
	const struct frame *team = frame_team(self);
	const struct region *around = team ? region_table_at(events.regions, team->region) : NULL,
			    *region;
	uint32_t parent = team ? team->region : MS_REGION_USER, id, true_id = MS_REGION_NONE;
	uint64_t code = event_code(codeptr);

	id = frame_lookup(self, MS_TASK_REGION, code, parent);
	region = self->next_task_body ? region_table_at(events.regions, id) : NULL;
	if (region &&
	    ((around && around->construct == code) || is_of_another(region, self->next_task_body)))
		true_id = region_of_body(self, parent);
	return true_id == MS_REGION_NONE ? id : true_id;
}

void handle_task_create(struct thread *self, ompt_data_t *new_task, int flags, const void *codeptr)
{
	uint32_t region;

	if (!(flags & ompt_task_explicit))
		return;
	region = self->event_region = region_of(self, codeptr);
	note_code(self, region);
	new_task->value = task_tag(TASK_EXPLICIT, region) |
			  (flags & ompt_task_undeferred ? TASK_UNDEFERRED : 0);
}

/* The running task is suspended or ends. */
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

/*
 * At a taskwait the task waits; other tasks may run meanwhile, and after them it continues to wait.
 */
void task_wait_begin(struct thread *self, uint64_t now_ns)
{
	pause_running(self, now_ns);
}

void task_wait_end(struct thread *self)
{
	if (self->task_running || !self->nr_tasks ||
	    self->tasks[self->nr_tasks - 1].depth != self->depth)
		return;
	self->task_resumed_ns = thread_clock_ns();
	self->task_running = true;
}

static bool waits(struct thread *self)
{
	struct frame *top = frame_top(self);

	return top && top->type == FRAME_TASKWAIT &&
	       self->tasks[self->nr_tasks - 1].depth < self->depth;
}

static void sensors_end(struct thread *self, struct task_run *run)
{
	for (uint32_t rest = event_requested(); rest; rest &= rest - 1) {
		const struct sensor *sensor = sensors[__builtin_ctz(rest)];

		if (sensor && sensor->task_end)
			sensor->task_end(self, run);
	}
}

void tasks_moved(struct thread *self)
{
	for (uint32_t rest = event_requested(); rest; rest &= rest - 1) {
		const struct sensor *sensor = sensors[__builtin_ctz(rest)];

		if (sensor && sensor->moved)
			sensor->moved(self);
	}
}

/*
 * The last task is complete, or continues on another thread, as untied ones may between their
 * parts.
 */
static void end_last(struct thread *self, bool done)
{
	struct task_run *run = &self->tasks[self->nr_tasks - 1];

	sensors_end(self, run);
	self->nr_tasks--;
	if (!(run->requests & frame_requests(run->region) & CLOCK_BIT))
		return;
	if (done)
		summary_add(self->summary, run->region, MS_METRIC_TASKS, 1);
	summary_add(self->summary, run->region, MS_METRIC_TASK_TIME, (double)run->elapsed_ns);
}

/* With `detach` the code has ended; the wait for the event does not belong to the task. */
static bool is_done(ompt_task_status_t status)
{
	return status == ompt_task_complete || status == ompt_task_cancel ||
	       status == ompt_task_detach;
}

/* Number of tasks begun outside of the thread's current team. */
static uint32_t begun_outside(struct thread *self)
{
	const struct frame *team = frame_team(self);
	uint32_t inside = team ? (uint32_t)(team - self->frames) + 1 : 0, nr = self->nr_tasks;

	while (nr && self->tasks[nr - 1].depth >= inside)
		nr--;
	return nr;
}

/* Tasks on one stack nest, so those above one that continues have left. */
static void leave_to(struct thread *self, uint32_t nr)
{
	while (self->nr_tasks > nr)
		end_last(self, false);
}

/*
 * No room for the task: its accesses would be attributed to the last task with room, so those of
 * both are dropped.
 */
static void skip(struct thread *self, uint32_t region)
{
	struct region *entry = region_table_at(events.regions, region);

	thread_drop(self, THREAD_DROP_TASKS);
	self->tasks[self->nr_tasks - 1].code = TASK_ORIGINAL;
	if (entry && (region_requests(entry) & ACCESSES_BIT))
		__atomic_fetch_add(&entry->unrecorded, 1, __ATOMIC_RELAXED);
}

static void begin(struct thread *self, const ompt_data_t *task, uint32_t region)
{
	self->event_region = region;
	self->tasks[self->nr_tasks++] = (struct task_run){
		.task = task,
		.region = region,
		.depth = self->depth,
		.requests = frame_requests(region),
		.called = !!(task->value & TASK_UNDEFERRED),
	};
}

/* Begins a task, or continues a suspended one or the implicit one. */
static void run_next(struct thread *self, const ompt_data_t *next, uint64_t now_ns)
{
	uint32_t outside = begun_outside(self), nr = self->nr_tasks, region;

	if (!task_untag(next, TASK_EXPLICIT, &region)) {
		leave_to(self, outside);
		return;
	}
	while (nr > outside && self->tasks[nr - 1].task != next)
		nr--;
	if (nr > outside) {
		leave_to(self, nr);
	} else if (self->nr_tasks == THREAD_TASKS) {
		skip(self, region);
		return;
	} else {
		begin(self, next, region);
	}
	self->next_task_body = 0;
	self->task_resumed_ns = now_ns;
	self->task_running = !waits(self);
}

void tasks_forget(struct thread *self)
{
	if (!self->nr_tasks)
		return;
	self->task_running = false;
	self->nr_tasks = 0;
	tasks_moved(self);
}

/* Tasks begun before the present requests are not the ones on the stack now. */
static void forget_stale(struct thread *self)
{
	uint32_t generation = __atomic_load_n(&events.task_generation, __ATOMIC_RELAXED);

	if (self->task_generation == generation)
		return;
	self->task_generation = generation;
	tasks_forget(self);
}

/* Without `next` the event concerns a task that others wait for; the thread continues unchanged. */
void handle_task_schedule(struct thread *self, ompt_data_t *prior, ompt_task_status_t status,
			  ompt_data_t *next)
{
	uint64_t now_ns;

	if (!next || !(event_requested() & FOLLOWS_TASKS))
		return;
	forget_stale(self);
	if (self->nr_tasks)
		self->event_region = self->tasks[self->nr_tasks - 1].region;
	now_ns = thread_clock_ns();
	pause_running(self, now_ns);
	if (is_done(status) && self->nr_tasks && self->tasks[self->nr_tasks - 1].task == prior)
		end_last(self, true);
	run_next(self, next, now_ns);
	tasks_moved(self);
}
