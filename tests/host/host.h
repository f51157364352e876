/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_HOST_HOST_H
#define MEMSEARCH_TESTS_HOST_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include <omp-tools.h>

/*
 * A fake OMPT host: an OpenMP runtime that only tells its tool what a script says. It knows
 * nothing of the tool but its start function, delivers events exactly as told (late, without code
 * addresses, without END …), and presents many threads on one OS thread, or real ones.
 *
 * Every host_… event is one callback on the current thread; see host_on. host_in_callback is
 * set meanwhile, for tests that interpose malloc and the like.
 */
extern __thread int host_in_callback;

struct host_thread {
	ompt_data_t data;
};

/* The runtime's data of one region on one thread of its team. */
struct host_task {
	ompt_data_t data;
};

struct host_team {
	ompt_data_t parallel;
	unsigned int size;
};

/* Events the runtime says it never has, e.g. libomp 14's dispatch; before host_start. */
void host_never(ompt_callbacks_t id);
/* ompt_start_tool and initialize. False: the tool does not want to run. */
bool host_start(ompt_start_tool_result_t *(*start_tool)(unsigned int omp_version,
							const char *runtime_version));
void host_finalize(void);
/* Whether the tool asked for an event. */
bool host_registered(ompt_callbacks_t id);

/*
 * Makes `thread` the one that events come from, on this OS thread; NULL: a thread the runtime does
 * not know.
 */
void host_on(struct host_thread *thread);
void host_thread_begin(struct host_thread *thread, ompt_thread_t type);
void host_thread_end(struct host_thread *thread);

/*
 * What ompt_get_task_info says from now on of an implicit task: where its call into the runtime has
 * its frame. NULL: nothing.
 */
void host_frame(void *enter_frame);
unsigned int host_asked_for_frame(void);

void host_parallel_begin(struct host_team *team, unsigned int size, uint64_t code);
void host_parallel_end(struct host_team *team);
void host_initial_task(struct host_task *task);
void host_implicit_begin(struct host_team *team, struct host_task *task, unsigned int index);
/* As libomp sends it: no parallel data, an index that may be any. */
void host_implicit_end(struct host_task *task, unsigned int index);

void host_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, uint64_t count, uint64_t code);
void host_dispatch(ompt_dispatch_t kind);
void host_masked(ompt_scope_endpoint_t endpoint, uint64_t code);
void host_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, uint64_t code);
void host_reduction(ompt_scope_endpoint_t endpoint);
void host_acquire(ompt_mutex_t kind, uint64_t code);
void host_acquired(ompt_mutex_t kind, uint64_t code);
/*
 * Of the lock with this number: mutex_acquire and mutex_acquired; what comes before a release
 * (gomp_tool.h), and mutex_released.
 */
void host_acquire_lock(ompt_mutex_t kind, uint64_t wait, uint64_t code);
void host_acquired_lock(ompt_mutex_t kind, uint64_t wait, uint64_t code);
void host_releasing(ompt_mutex_t kind, uint64_t wait);
void host_released(ompt_mutex_t kind, uint64_t wait);
/* Whether the runtime says before a release that it comes; before host_start. */
void host_tells_releases(void);
void host_task_create(struct host_task *task, uint64_t code);
/* Executed at once by who creates it: `if(0)`, or within a final one. */
void host_task_create_undeferred(struct host_task *task, uint64_t code);
/* `next` NULL: the thread goes on with what it does. */
void host_task_schedule(struct host_task *prior, ompt_task_status_t status, struct host_task *next);
int host_control(uint64_t command, uint64_t modifier);

/* Begin and end of an implicit task that is a worker's: to its arrival, and the late rest. */
void host_arrive(void);
void host_leave_late(struct host_task *task);

#endif
