/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OMPT tool that checks the order of events. Built as libmemsearch.so beside libmemsearch-gomp.so. At exit it prints one line an event,
 * "EVENT COUNT", and one line a violation, "violation EVENT: RULE". RULES_REST: disables events in every other region of the first
 * thread's serial code. RULES_ROOTS: maximum number of initial threads (default 1).
 */
#define _GNU_SOURCE
#include <omp-tools.h>
#include <pthread.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64, VIOLATIONS = 20 };
enum construct { PARALLEL, SHARE, WORK, SYNC, TASK };
/* What is open on a thread, innermost last. */
struct open { enum construct construct; int kind; const void *key; };
struct thread { struct open open[DEPTH]; int depth; bool acquiring, arrived; uint64_t releasing; };

static _Atomic unsigned long counts[64], chunks, iterations, tasks_begun, tasks_done, taskwaits;
static struct { const char *event, *rule; } violations[VIOLATIONS];
static _Atomic unsigned int nr_violations;
static ompt_get_thread_data_t get_thread_data;
static void (*set_rest)(bool rest);      /* NULL: not wanted */
static _Atomic bool rests;
static struct thread *first;
static int roots = 1;
static _Atomic int nr_roots;

static void violated(const char *event, const char *rule)
{
	unsigned int at = nr_violations++;

	if (at < VIOLATIONS)
		violations[at].event = event, violations[at].rule = rule;
}
#define RULE(event, condition) do { if (!(condition)) violated(#event, #condition); } while (0)

static struct thread *self(void)
{
	ompt_data_t *data = get_thread_data();

	return data ? data->ptr : NULL;
}

static void push(struct thread *thread, enum construct construct, int kind, const void *key)
{
	if (thread && thread->depth < DEPTH)
		thread->open[thread->depth++] = (struct open){ construct, kind, key };
}

static struct open *top(struct thread *thread, enum construct construct)
{
	struct open *open = thread && thread->depth ? &thread->open[thread->depth - 1] : NULL;

	return open && open->construct == construct ? open : NULL;
}

/* END of single is never sent: the next event outside of it closes it. */
static void close_singles(struct thread *thread)
{
	struct open *open;

	while ((open = top(thread, WORK)) && (open->kind == ompt_work_single_executor || open->kind == ompt_work_single_other))
		thread->depth--;
}

static void thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	counts[ompt_callback_thread_begin]++;
	RULE(thread_begin, type == ompt_thread_initial || type == ompt_thread_worker);
	RULE(thread_begin, !data->ptr);
	data->ptr = calloc(1, sizeof(struct thread));
	RULE(thread_begin, type != ompt_thread_initial || ++nr_roots <= roots);
	first = first ? first : data->ptr;
	RULE(thread_begin, get_thread_data() == data);
}

static void thread_end(ompt_data_t *data)
{
	struct thread *thread = data->ptr;

	counts[ompt_callback_thread_end]++;
	RULE(thread_end, thread && !thread->depth);
	free(thread);
	data->ptr = NULL;
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned int threads, int flags, const void *code)
{
	(void)frame, (void)threads, (void)flags;
	counts[ompt_callback_parallel_begin]++;
	RULE(parallel_begin, self() && code && task && !parallel->ptr && (!rests || !self()->depth));
	close_singles(self());
	parallel->ptr = parallel;
	if (set_rest && self() == first && !first->depth) {
		static unsigned int nr;
		bool rest = ++nr % 2;

		rests = rest && roots == 1;
		set_rest(rest);
	}
	push(self(), PARALLEL, 0, parallel);
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
	struct open *open = top(self(), PARALLEL);

	(void)flags;
	counts[ompt_callback_parallel_end]++;
	RULE(parallel_end, code && task && open && open->key == parallel);
	if (open)
		self()->depth--;
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned int size, unsigned int index, int flags)
{
	struct thread *thread = self();
	struct open *open;

	counts[ompt_callback_implicit_task]++;
	RULE(implicit_task, thread);
	if (flags & ompt_task_initial)
		return;
	if (endpoint == ompt_scope_begin) {
		RULE(implicit_task, parallel && parallel->ptr == parallel && index < size && !task->value && !rests);
		RULE(implicit_task, index || top(thread, PARALLEL));
		task->value = 1;
		push(thread, SHARE, 0, task);
		return;
	}
	open = top(thread, SHARE);
	RULE(implicit_task, open && open->key == task && task->value == 1 && !thread->arrived);
	task->value = 0;
	if (open)
		thread->depth--;
}

static void work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count, const void *code)
{
	struct thread *thread = self();
	struct open *open;

	(void)parallel;
	counts[ompt_callback_work]++;
	RULE(work, thread && task && !rests);
	if (endpoint == ompt_scope_begin) {
		close_singles(thread);
		RULE(work, code);
		if (type != ompt_work_sections && type != ompt_work_single_executor && type != ompt_work_single_other)
			iterations += count;
		push(thread, WORK, type, NULL);
		return;
	}
	open = top(thread, WORK);
	RULE(work, open && open->kind == (int)type);
	if (open)
		thread->depth--;
}

static void dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
	struct open *open = top(self(), WORK);

	(void)parallel, (void)kind, (void)instance;
	counts[ompt_callback_dispatch]++;
	RULE(dispatch, task && open && !rests);
	if (open && (open->kind == ompt_work_loop_dynamic || open->kind == ompt_work_sections))
		chunks++;
}

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
	struct thread *thread = self();
	struct open *open;

	(void)parallel;
	counts[ompt_callback_sync_region]++;
	RULE(sync_region, thread && task);
	if (endpoint == ompt_scope_begin) {
		close_singles(thread);
		if (kind == ompt_sync_region_barrier_implicit_parallel) {
			if (top(thread, WORK))
				thread->depth--;         /* a cancelled loop has no END */
			RULE(sync_region, top(thread, SHARE) && !thread->arrived);
			thread->arrived = true;
		} else {
			RULE(sync_region, code);
		}
		taskwaits += kind == ompt_sync_region_taskwait;
		push(thread, SYNC, kind, task);
		return;
	}
	open = top(thread, SYNC);
	RULE(sync_region, open && open->kind == (int)kind && open->key == task);
	thread->arrived = kind == ompt_sync_region_barrier_implicit_parallel ? false : thread->arrived;
	if (open)
		thread->depth--;
}

/* Who has a lock, from mutex_acquired to the begin of its release; nest locks, how often. Each lock orders the accesses to its own row. */
enum { LOCKS = 16 };
static struct lock { _Atomic uint64_t wait; struct thread *owner; int times; } locks[LOCKS];

static struct lock *lock_of(ompt_mutex_t kind, ompt_wait_id_t wait)
{
	uint64_t key = kind == ompt_mutex_critical && !wait ? 1 : wait;

	for (int i = 0; i < LOCKS; i++) {
		uint64_t free = 0;

		if (locks[i].wait == key || __atomic_compare_exchange_n((uint64_t *)&locks[i].wait, &free, key, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) || free == key)
			return &locks[i];
	}
	return NULL;
}

static bool is_nest(ompt_mutex_t kind)
{
	return kind == ompt_mutex_nest_lock || kind == ompt_mutex_test_nest_lock;
}

static void mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int implementation, ompt_wait_id_t wait, const void *code)
{
	struct lock *lock = is_nest(kind) ? lock_of(kind, wait) : NULL;

	(void)hint, (void)implementation;
	counts[ompt_callback_mutex_acquire]++;
	if (lock && lock->owner == self())
		lock->times++;
	RULE(mutex_acquire, self() && code && !self()->acquiring && !rests);
	if (self())
		self()->acquiring = kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock;
}

static void got(struct lock *lock, ompt_mutex_t kind)
{
	bool again = lock && lock->owner == self() && is_nest(kind);

	RULE(mutex_acquired, lock && (again || !lock->owner));
	if (!lock || again)
		return;
	lock->owner = self();
	lock->times = 1;
}

static void mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
	bool test = kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock;

	counts[ompt_callback_mutex_acquired]++;
	RULE(mutex_acquired, self() && code && (test || self()->acquiring));
	if (kind != ompt_mutex_ordered)
		got(lock_of(kind, wait), kind);
	if (self())
		self()->acquiring = false;
}

static void releasing(ompt_mutex_t kind, ompt_wait_id_t wait)
{
	struct lock *lock = lock_of(kind, wait);

	RULE(releasing, self() && !self()->releasing && lock && lock->owner == self() && lock->times > 0);
	if (self())
		self()->releasing = wait + 1;
	if (lock && !--lock->times)
		lock->owner = NULL;
}

static void mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
	counts[ompt_callback_mutex_released]++;
	RULE(mutex_released, kind != ompt_mutex_ordered && self() && code && self()->releasing == wait + 1);
	if (self())
		self()->releasing = 0;
}

static void task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *new_task, int flags, int dependences, const void *code)
{
	(void)frame, (void)dependences;
	counts[ompt_callback_task_create]++;
	RULE(task_create, self() && task && code && flags & ompt_task_explicit && !new_task->value && !rests);
	new_task->value = 7;
}

static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
	struct thread *thread = self();
	struct open *open;

	counts[ompt_callback_task_schedule]++;
	RULE(task_schedule, thread && prior && next);
	if (status == ompt_task_switch) {
		RULE(task_schedule, next->value == 7);
		push(thread, TASK, 0, next);
		tasks_begun++;
		return;
	}
	close_singles(thread);
	open = top(thread, TASK);
	RULE(task_schedule, status == ompt_task_complete && open && open->key == prior);
	if (open)
		thread->depth--;
	tasks_done++;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
	void (*set_releasing)(void (*)(ompt_mutex_t kind, ompt_wait_id_t wait));

	(void)device, (void)data;
	get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
#define SET(event) set(ompt_callback_##event, (ompt_callback_t)event)
	SET(thread_begin), SET(thread_end), SET(parallel_begin), SET(parallel_end), SET(implicit_task), SET(work), SET(dispatch), SET(sync_region);
	SET(mutex_acquire), SET(mutex_acquired), SET(mutex_released), SET(task_create), SET(task_schedule);
	set_releasing = (void (*)(void (*)(ompt_mutex_t, ompt_wait_id_t)))lookup("memsearch_set_releasing");
	RULE(initialize, set_releasing);
	if (set_releasing)
		set_releasing(releasing);
	if (getenv("RULES_ROOTS"))
		roots = atoi(getenv("RULES_ROOTS"));
	if (getenv("RULES_REST"))
		set_rest = (void (*)(bool))lookup("memsearch_set_rest");
	RULE(initialize, set_rest || !getenv("RULES_REST"));
	return 1;
}

__attribute__((destructor)) static void print(void)
{
	if (!get_thread_data)
		return;
#define PRINT(event) fprintf(stderr, #event " %lu\n", counts[ompt_callback_##event])
	PRINT(parallel_begin), PRINT(parallel_end), PRINT(implicit_task), PRINT(work), PRINT(sync_region), PRINT(mutex_acquire), PRINT(mutex_acquired);
	PRINT(mutex_released), PRINT(task_create);
	fprintf(stderr, "chunks %lu\niterations %lu\ntasks_begun %lu\ntasks_done %lu\ntaskwaits %lu\n", chunks, iterations, tasks_begun, tasks_done, taskwaits);
	for (unsigned int i = 0; i < nr_violations && i < VIOLATIONS; i++)
		fprintf(stderr, "violation %s: %s\n", violations[i].event, violations[i].rule);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *memsearch_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { .initialize = initialize };

	return version && runtime ? &result : NULL;
}
