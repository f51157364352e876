/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks: mapped at thread begin, kept in one list, never unmapped. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "ompt_tool/process/thread.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/own_memory.h"
#include "analysis/base/own_stack.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread_times.h"

static struct thread *threads;
static uint32_t nr_threads;
static uint64_t refused;

static void adopt(struct thread *self, bool worker)
{
	self->depth = 0;
	self->worker = worker;
	self->runtimes = 1;
	self->skipped = 0;
	self->nr_tasks = 0;
	self->task_running = false;
	self->closed_region = MS_REGION_NONE;
	self->mutex_region = MS_REGION_NONE;
	self->release.region = MS_REGION_NONE;
	self->nr_held = 0;
	self->open = NULL;
	self->last_cpu = 0;
	self->cost_countdown = 1;
	/* Knuth's multiplicative hash: any odd start will do */
	self->cost_random = (self->index + 1) * 2654435761u;
	self->os_id = (int)syscall(SYS_gettid);
	self->stack = own_stack_programs();
}

/*
 * Reuses an ended thread's block; `ended` is changed atomically by both the end and the reuse.
 * `number`: that the ended thread had; 0: any.
 */
static struct thread *take_over(bool worker, bool any, uint32_t number)
{
	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread)) {
		uint32_t ended = 1;

		if ((any || (worker && thread->worker)) && (!number || thread->number == number) &&
		    __atomic_compare_exchange_n(&thread->ended, &ended, 0, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return thread;
	}
	return NULL;
}

static struct thread *make(void)
{
	struct thread *thread = own_memory(sizeof(*thread), 0);

	if (!thread)
		return NULL;
	thread->summary = summary_new();
	if (!thread->summary) {
		own_memory_give_back(thread, sizeof(*thread));
		return NULL;
	}
	thread->index = __atomic_fetch_add(&nr_threads, 1, __ATOMIC_RELAXED);
	return thread;
}

void *thread_memory(size_t bytes)
{
	void *memory = own_memory(bytes, 0);

	if (!memory)
		return NULL;
	if (!madvise(memory, bytes, MADV_WIPEONFORK))
		return memory;
	own_memory_give_back(memory, bytes);
	return NULL;
}

struct thread *thread_new_numbered(bool worker, uint32_t number)
{
	bool any = thread_count() >= THREAD_REUSE;
	struct thread *self = number ? take_over(worker, any, number) : NULL;

	self = self ? self : take_over(worker, any, 0);
	if (self) {
		self->successor = true;
		self->number = number;
		adopt(self, worker);
		return self;
	}
	self = make();
	if (!self) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	self->number = number;
	adopt(self, worker);
	self->next = __atomic_load_n(&threads, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&threads, &self->next, self, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return self;
}

struct thread *thread_new(bool worker)
{
	return thread_new_numbered(worker, 0);
}

void thread_end(struct thread *self)
{
	__atomic_store_n(&self->ended, 1, __ATOMIC_RELEASE);
}

struct thread *thread_next(const struct thread *thread)
{
	return thread ? thread->next : __atomic_load_n(&threads, __ATOMIC_ACQUIRE);
}

uint64_t thread_count(void)
{
	return __atomic_load_n(&nr_threads, __ATOMIC_RELAXED);
}

uint64_t thread_refused(void)
{
	return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}

uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t thread_page_faults(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)usage.ru_minflt;
}

struct thread_stretch thread_stretch_begin(void)
{
	return (struct thread_stretch){ .begin_ns = thread_clock_ns(),
					.begin_cpu_ns = thread_cpu_ns() };
}

uint64_t thread_stretch_end(struct thread *self, const struct thread_stretch *stretch)
{
	uint64_t ran_ns = thread_cpu_ns() - stretch->begin_cpu_ns,
		 elapsed_ns = thread_clock_ns() - stretch->begin_ns;

	__atomic_store_n(&self->waited_ns,
			 self->waited_ns + (elapsed_ns > ran_ns ? elapsed_ns - ran_ns : 0),
			 __ATOMIC_RELAXED);
	return elapsed_ns;
}
