/* SPDX-License-Identifier: Apache-2.0 */
/* The fake OMPT host: keeps the tool's callbacks and calls them as the test says. */
#include "tests/host/host.h"

#include <string.h>

#include "memsearch/gomp_tool.h"

#define CALLBACKS 64

__thread int host_in_callback;
static __thread struct host_thread *current;

static ompt_callback_t callbacks[CALLBACKS];
static bool never[CALLBACKS];
static ompt_start_tool_result_t *tool;

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
	if (never[event])
		return ompt_set_never;
	callbacks[event] = callback;
	return ompt_set_always;
}

static ompt_data_t *get_thread_data(void)
{
	return current ? &current->data : NULL;
}

static ompt_frame_t task_frame;
static unsigned int asked_for_frame;

static int get_task_info(int ancestor, int *flags, ompt_data_t **task, ompt_frame_t **frame,
			 ompt_data_t **parallel, int *thread)
{
	asked_for_frame++;
	*flags = ompt_task_implicit;
	*task = *parallel = NULL;
	*frame = &task_frame;
	*thread = 0;
	return ancestor == 0 && task_frame.enter_frame.ptr ? 2 : 0;
}

void host_frame(void *enter_frame)
{
	task_frame.enter_frame.ptr = enter_frame;
}

unsigned int host_asked_for_frame(void)
{
	return asked_for_frame;
}

static bool tells_releases;
static gomp_releasing *before_release;

static void set_releasing(gomp_releasing *releasing)
{
	before_release = releasing;
}

void host_tells_releases(void)
{
	tells_releases = true;
}

static ompt_interface_fn_t lookup(const char *name)
{
	if (tells_releases && !strcmp(name, GOMP_SET_RELEASING))
		return (ompt_interface_fn_t)set_releasing;
	if (!strcmp(name, "ompt_set_callback"))
		return (ompt_interface_fn_t)set_callback;
	if (!strcmp(name, "ompt_get_thread_data"))
		return (ompt_interface_fn_t)get_thread_data;
	if (!strcmp(name, "ompt_get_task_info"))
		return (ompt_interface_fn_t)get_task_info;
	return NULL;
}

void host_never(ompt_callbacks_t id)
{
	never[id] = true;
}

bool host_start(ompt_start_tool_result_t *(*start_tool)(unsigned int omp_version,
							const char *runtime_version))
{
	tool = start_tool(201611, "fake OMP version");
	return tool && tool->initialize(lookup, 0, &tool->tool_data);
}

void host_finalize(void)
{
	tool->finalize(&tool->tool_data);
}

bool host_registered(ompt_callbacks_t id)
{
	return callbacks[id] != NULL;
}

void host_on(struct host_thread *thread)
{
	current = thread;
}

/* One event, if the tool registered it. */
#define CALL(event, ...) \
	do { \
		ompt_callback_##event##_t call_ = (ompt_callback_##event##_t) \
			callbacks[ompt_callback_##event]; \
		host_in_callback++; \
		if (call_) \
			call_(__VA_ARGS__); \
		host_in_callback--; \
	} while (0)

void host_thread_begin(struct host_thread *thread, ompt_thread_t type)
{
	host_on(thread);
	CALL(thread_begin, type, &thread->data);
}

void host_thread_end(struct host_thread *thread)
{
	CALL(thread_end, &thread->data);
}

void host_parallel_begin(struct host_team *team, unsigned int size, uint64_t code)
{
	ompt_data_t task = { 0 };

	team->parallel = (ompt_data_t){ 0 };
	team->size = size;
	CALL(parallel_begin, &task, NULL, &team->parallel, size, ompt_parallel_team,
	     (const void *)code);
}

void host_parallel_end(struct host_team *team)
{
	ompt_data_t task = { 0 };

	CALL(parallel_end, &team->parallel, &task, ompt_parallel_team, NULL);
}

void host_initial_task(struct host_task *task)
{
	ompt_data_t parallel = { 0 };

	task->data = (ompt_data_t){ 0 };
	CALL(implicit_task, ompt_scope_begin, &parallel, &task->data, 1, 1, ompt_task_initial);
}

void host_implicit_begin(struct host_team *team, struct host_task *task, unsigned int index)
{
	task->data = (ompt_data_t){ 0 };
	CALL(implicit_task, ompt_scope_begin, &team->parallel, &task->data, team->size, index,
	     ompt_task_implicit);
}

void host_implicit_end(struct host_task *task, unsigned int index)
{
	CALL(implicit_task, ompt_scope_end, NULL, &task->data, 0, index, ompt_task_implicit);
}

void host_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, uint64_t count, uint64_t code)
{
	ompt_data_t parallel = { 0 }, task = { 0 };

	CALL(work, type, endpoint, &parallel, &task, endpoint == ompt_scope_begin ? count : 0,
	     (const void *)code);
}

void host_masked(ompt_scope_endpoint_t endpoint, uint64_t code)
{
	ompt_data_t parallel = { 0 }, task = { 0 };

	CALL(masked, endpoint, &parallel, &task, (const void *)code);
}

void host_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, uint64_t code)
{
	ompt_data_t parallel = { 0 }, task = { 0 };

	CALL(sync_region, kind, endpoint, &parallel, &task, (const void *)code);
}

void host_dispatch(ompt_dispatch_t kind)
{
	ompt_callback_dispatch_t call = (ompt_callback_dispatch_t)callbacks[ompt_callback_dispatch];
	ompt_dispatch_chunk_t chunk = { .start = 1, .iterations = 1 };
	ompt_data_t parallel = { 0 }, task = { 0 }, instance = { .ptr = &chunk };

	host_in_callback++;
	if (call)
		call(&parallel, &task, kind, instance);
	host_in_callback--;
}

void host_reduction(ompt_scope_endpoint_t endpoint)
{
	ompt_callback_sync_region_t call = (ompt_callback_sync_region_t)
		callbacks[ompt_callback_reduction];
	ompt_data_t parallel = { 0 }, task = { 0 };

	host_in_callback++;
	if (call)
		call(ompt_sync_region_reduction, endpoint, &parallel, &task, NULL);
	host_in_callback--;
}

void host_acquire_lock(ompt_mutex_t kind, uint64_t wait, uint64_t code)
{
	CALL(mutex_acquire, kind, 0, 0, wait, (const void *)code);
}

static void call_mutex(ompt_callbacks_t event, ompt_mutex_t kind, uint64_t wait, uint64_t code)
{
	ompt_callback_mutex_t call = (ompt_callback_mutex_t)callbacks[event];

	host_in_callback++;
	if (call)
		call(kind, wait, (const void *)code);
	host_in_callback--;
}

void host_acquired_lock(ompt_mutex_t kind, uint64_t wait, uint64_t code)
{
	call_mutex(ompt_callback_mutex_acquired, kind, wait, code);
}

void host_acquire(ompt_mutex_t kind, uint64_t code)
{
	host_acquire_lock(kind, 1, code);
}

void host_acquired(ompt_mutex_t kind, uint64_t code)
{
	host_acquired_lock(kind, 1, code);
}

void host_releasing(ompt_mutex_t kind, uint64_t wait)
{
	host_in_callback++;
	if (before_release)
		before_release(kind, wait);
	host_in_callback--;
}

void host_released(ompt_mutex_t kind, uint64_t wait)
{
	call_mutex(ompt_callback_mutex_released, kind, wait, 0);
}

static void create(struct host_task *task, int flags, uint64_t code)
{
	ompt_data_t parent = { 0 };

	task->data = (ompt_data_t){ 0 };
	CALL(task_create, &parent, NULL, &task->data, flags, 0, (const void *)code);
}

void host_task_create(struct host_task *task, uint64_t code)
{
	create(task, ompt_task_explicit, code);
}

void host_task_create_undeferred(struct host_task *task, uint64_t code)
{
	create(task, ompt_task_explicit | ompt_task_undeferred, code);
}

void host_task_schedule(struct host_task *prior, ompt_task_status_t status, struct host_task *next)
{
	CALL(task_schedule, &prior->data, status, next ? &next->data : NULL);
}

int host_control(uint64_t command, uint64_t modifier)
{
	ompt_callback_control_tool_t call = (ompt_callback_control_tool_t)
		callbacks[ompt_callback_control_tool];
	int result;

	host_in_callback++;
	result = call ? call(command, modifier, NULL, NULL) : -1;
	host_in_callback--;
	return result;
}

void host_arrive(void)
{
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin, 0);
}

void host_leave_late(struct host_task *task)
{
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(task, 7);
}
