/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A minimal OMPT tool: appends every begin event with its code addresses to the file $DUMP. With -DON_LIBGOMP it lies as libmemsearch.so
 * beside libmemsearch-gomp.so.
 */
#include <omp-tools.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/modules.h"

#define EVENTS_MAX 20000

struct event {
	const char *kind;
	const void *construct, *inside;
	size_t around;                   /* event of the parallel region around it; 0: none */
};

static struct event events[EVENTS_MAX];
static size_t nr_events = 1;             /* 0 is no event */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static ompt_get_parallel_info_t parallel_info;   /* NULL: on libgomp */

/* Events of the regions around the thread's code, outermost first, for libgomp. */
enum { DEPTH = 16 };
static _Thread_local size_t regions[DEPTH];
static _Thread_local unsigned int depth;

static size_t around(void)
{
	ompt_data_t *parallel = NULL;
	int size;

	if (!parallel_info)
		return depth && depth <= DEPTH ? regions[depth - 1] : 0;
	return parallel_info(0, &parallel, &size) == 2 && parallel && parallel->value < EVENTS_MAX ? parallel->value : 0;
}

static size_t add(const char *kind, const void *construct)
{
	size_t index = 0;

	pthread_mutex_lock(&mutex);
	if (nr_events < EVENTS_MAX)
		index = nr_events++;
	pthread_mutex_unlock(&mutex);
	events[index] = (struct event){ kind, construct, NULL, around() };
	return index;
}

static void add_inside(ompt_data_t *parallel, const void *address)
{
	if (parallel && parallel->value && parallel->value < EVENTS_MAX && address)
		__atomic_store_n(&events[parallel->value].inside, address, __ATOMIC_RELAXED);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
			      unsigned int threads, int flags, const void *address)
{
	(void)task, (void)frame, (void)threads, (void)flags;
	parallel->value = add("PARALLEL", address);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned int size, unsigned int index,
			     int flags)
{
	(void)task, (void)size, (void)index;
	if (flags & ompt_task_initial)
		return;
	if (endpoint == ompt_scope_end)
		depth--;
	else if (depth++ < DEPTH)
		regions[depth - 1] = parallel->value < EVENTS_MAX ? parallel->value : 0;
}

static void on_work(ompt_work_t work, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
		    uint64_t count, const void *address)
{
	const char *kind = work == ompt_work_sections ? "SECTIONS" :
			   work == ompt_work_single_executor ? "SINGLE" :
			   work == ompt_work_single_other || work == ompt_work_workshare ? NULL : "DO";

	(void)task, (void)count;
	if (endpoint != ompt_scope_begin)
		return;
	add_inside(parallel, address);
	if (kind && address)
		add(kind, address);
}

static void on_sync(ompt_sync_region_t sync, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
		    ompt_data_t *task, const void *address)
{
	(void)task;
	if (endpoint != ompt_scope_begin)
		return;
	if (sync == ompt_sync_region_taskwait || sync == ompt_sync_region_taskgroup)
		add("TASKWAIT", address);
	if (sync == ompt_sync_region_barrier_explicit || sync == ompt_sync_region_barrier_implementation) {
		add_inside(parallel, address);
		if (address)
			add(sync == ompt_sync_region_barrier_explicit ? "BARRIER" : "BARRIER?", address);
	}
}

static void on_mutex(ompt_mutex_t kind, unsigned int hint, unsigned int how, ompt_wait_id_t wait, const void *address)
{
	(void)hint, (void)how, (void)wait;
	if (kind == ompt_mutex_critical || kind == ompt_mutex_lock || kind == ompt_mutex_ordered)
		add(kind == ompt_mutex_lock ? "LOCK" : kind == ompt_mutex_ordered ? "ORDERED" : "CRITICAL", address);
}

static void on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *created, int flags,
			   int dependences, const void *address)
{
	(void)encountering, (void)frame, (void)created, (void)dependences;
	if (flags & ompt_task_explicit)
		add("TASK", address);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
	(void)prior, (void)status, (void)next;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
	set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
	set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
	set(ompt_callback_work, (ompt_callback_t)on_work);
	set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
	set(ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex);
	set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
	/* libmemsearch-gomp.so sends no task_create to tools without task_schedule */
	set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
	return 1;
}

static void print_address(FILE *file, const struct module *modules, size_t nr, const void *address)
{
	struct code_address found = modules_find(modules, nr, (uint64_t)address);

	if (found.module == UINT32_MAX)
		fprintf(file, " - - 0");
	else
		fprintf(file, " %s %s %llx", modules[found.module].path, modules[found.module].build_id,
			(unsigned long long)found.offset);
}

static void finalize(ompt_data_t *data)
{
	const char *path = getenv("DUMP");
	FILE *file = path ? fopen(path, "a") : NULL;
	struct arena *arena = arena_new();
	struct module *modules;
	size_t nr;

	(void)data;
	if (!file || !arena || modules_of_process(arena, &modules, &nr))
		return;
	for (size_t i = 0; i < nr; i++)
		fprintf(file, "MODULE %s %s\n", modules[i].path, modules[i].build_id);
	for (size_t i = 1; i < nr_events; i++) {
		fprintf(file, "%s", events[i].kind);
		print_address(file, modules, nr, events[i].construct);
		print_address(file, modules, nr, events[i].inside);
		print_address(file, modules, nr, events[events[i].around].construct);
		print_address(file, modules, nr, events[events[i].around].inside);
		fprintf(file, "\n");
	}
	fclose(file);
	arena_free(arena);
}

#ifdef ON_LIBGOMP
#define ompt_start_tool memsearch_start_tool

/* libgomp does not announce its end. */
__attribute__((destructor)) static void at_exit(void)
{
	finalize(NULL);
}
#endif

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned int version,
										 const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)version, (void)runtime;
	return &result;
}
