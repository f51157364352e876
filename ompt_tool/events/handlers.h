/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_HANDLERS_H
#define MEMSEARCH_EVENTS_HANDLERS_H

#include <stdbool.h>
#include <stdint.h>
#include <omp-tools.h>

/* Handlers of OMPT events. */
struct thread;

/*
 * Handlers that callbacks.c calls after the gate, one family per file. Unneeded arguments of the
 * callback are omitted.
 */
void handle_parallel_begin(struct thread *self, ompt_data_t *parallel, const void *codeptr);
void handle_parallel_end(struct thread *self);
void handle_implicit_task(struct thread *self, ompt_scope_endpoint_t endpoint,
			  ompt_data_t *parallel, ompt_data_t *task, unsigned int size,
			  unsigned int index, int flags);
void handle_work(struct thread *self, ompt_work_t type, ompt_scope_endpoint_t endpoint,
		 uint64_t count, const void *codeptr);
void handle_dispatch(ompt_dispatch_t kind);
void handle_masked(struct thread *self, ompt_scope_endpoint_t endpoint, const void *codeptr);
void handle_sync_region(struct thread *self, ompt_sync_region_t kind,
			ompt_scope_endpoint_t endpoint, const void *codeptr);
void handle_reduction(struct thread *self, ompt_scope_endpoint_t endpoint, const void *codeptr);
void handle_mutex_acquire(struct thread *self, ompt_mutex_t kind, uint64_t wait,
			  const void *codeptr);
void handle_mutex_acquired(struct thread *self, ompt_mutex_t kind, uint64_t wait,
			   const void *codeptr);
/*
 * Before and after the release of a lock, on the thread that holds it. `variable`: address of the
 * program's lock variable, see mutexes.h.
 */
void handle_mutex_releasing(struct thread *self, ompt_mutex_t kind, uint64_t variable);
void handle_mutex_released(struct thread *self);
/* The lock is held no longer, as far as is measured. */
void handle_mutex_forgotten(struct thread *self, uint64_t variable);
void handle_task_create(struct thread *self, ompt_data_t *new_task, int flags, const void *codeptr);
void handle_task_schedule(struct thread *self, ompt_data_t *prior, ompt_task_status_t status,
			  ompt_data_t *next);
void handle_control_tool(struct thread *self, uint64_t command, uint64_t modifier);
/* `root`: the runtime did not create the thread. */
void handle_thread_begin(ompt_data_t *thread_data, bool worker, bool root);
/* `self` is the calling thread; libomp ends roots on other threads, too. */
void handle_thread_end(struct thread *self, ompt_data_t *thread_data);

#endif
