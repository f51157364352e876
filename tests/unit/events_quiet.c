/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks allocate nothing, take no lock, write nothing and never end the program: all of these
 * are interposed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

static const char *broken;

#if !SANITIZED /* sanitizers have their own malloc */
static void forbid(const char *what)
{
	if (host_in_callback && !broken)
		broken = what;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t nr, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void __libc_free(void *memory);

void *malloc(size_t bytes)
{
	forbid("malloc");
	return __libc_malloc(bytes);
}
void *calloc(size_t nr, size_t bytes)
{
	forbid("calloc");
	return __libc_calloc(nr, bytes);
}
void *realloc(void *memory, size_t bytes)
{
	forbid("realloc");
	return __libc_realloc(memory, bytes);
}
void free(void *memory)
{
	forbid("free");
	__libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *mutex);

	forbid("pthread_mutex_lock");
	if (!next)
		next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	return next(mutex);
}

ssize_t write(int fd, const void *bytes, size_t nr)
{
	forbid("write");
	return syscall(SYS_write, fd, bytes, nr);
}

int open(const char *path, int flags, ...)
{
	forbid("open");
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
}

void exit(int status)
{
	void (*next)(int) = (void (*)(int))dlsym(RTLD_NEXT, "exit");

	forbid("exit");
	next(status);
	__builtin_unreachable();
}

void abort(void)
{
	forbid("abort");
	_exit(134);
}
#endif

static struct host_thread threads[3];
static struct host_task tasks[3], initial, inner_task, explicit_task;
static struct host_team team, inner;

static void constructs(struct host_task *own, uint64_t code)
{
	static const ompt_work_t works[] = { ompt_work_loop_static,  ompt_work_loop_dynamic,
					     ompt_work_sections,     ompt_work_single_executor,
					     ompt_work_single_other, ompt_work_workshare,
					     ompt_work_distribute,   ompt_work_taskloop };
	static const ompt_sync_region_t syncs[] = { ompt_sync_region_barrier_explicit,
						    ompt_sync_region_barrier_implementation,
						    ompt_sync_region_taskwait,
						    ompt_sync_region_taskgroup,
						    ompt_sync_region_barrier_implicit_workshare };

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		host_work(works[i], ompt_scope_begin, 10, code + i);
		host_work(works[i], ompt_scope_end, 0, code + i);
	}
	for (size_t i = 0; i < sizeof(syncs) / sizeof(syncs[0]); i++) {
		host_sync(syncs[i], ompt_scope_begin, code + 16 + i);
		host_sync(syncs[i], ompt_scope_end, code + 16 + i);
	}
	host_masked(ompt_scope_begin, code + 32);
	host_masked(ompt_scope_end, code + 32);
	host_reduction(ompt_scope_begin);
	host_reduction(ompt_scope_end);
	for (ompt_mutex_t kind = ompt_mutex_lock; kind <= ompt_mutex_ordered; kind++) {
		host_acquire(kind, code + 48);
		host_acquired(kind, code + 48);
	}
	host_task_create(&explicit_task, code + 64);
	host_task_schedule(own, ompt_task_switch, &explicit_task);
	host_task_schedule(&explicit_task, ompt_task_complete, own);
	host_control(64, 1);
}

static void region(uint64_t code, bool late)
{
	host_on(&threads[0]);
	host_parallel_begin(&team, 2, code);
	host_implicit_begin(&team, &tasks[0], 0);
	host_on(&threads[1]);
	if (late)
		host_leave_late(&tasks[1]);
	host_implicit_begin(&team, &tasks[1], 1);
	constructs(&tasks[1], code + 0x100);
	host_parallel_begin(&inner, 1, code + 0x200);
	host_implicit_begin(&inner, &inner_task, 0);
	host_implicit_end(&inner_task, 0);
	host_parallel_end(&inner);
	host_arrive();
	host_on(&threads[0]);
	constructs(&tasks[0], code + 0x100);
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
}

static const enum ms_metric everything[] = { MS_METRIC_TIME, MS_METRIC_CPU_TIME, MS_METRIC_SAMPLES,
					     MS_METRIC_FAULT_SAMPLES };

TEST(events_quiet__no_malloc_no_lock_no_output_no_exit)
{
	char path[] = "/tmp/memsearch-quiet-XXXXXX";
	int file = mkstemp(path), saved;
	struct stat after;

	fake_online.metrics = everything;
	fake_online.nr_metrics = 4;
	CHECK_THAT(file, >=, 0);
	unlink(path);
	CHECK(host_start(core_start));
	fflush(stdout);
	saved = dup(1);
	dup2(file, 1);
	host_thread_begin(&threads[0], ompt_thread_initial);
	host_initial_task(&initial);
	host_thread_begin(&threads[1], ompt_thread_worker);
	for (uint64_t i = 0; i < 2000; i++)
		region(0x10000 * (1 + i % 40), i > 0);
	host_on(&threads[1]);
	host_leave_late(&tasks[1]);
	host_thread_end(&threads[1]);
	fflush(stdout);
	dup2(saved, 1);
	CHECK_THAT(fstat(file, &after), ==, 0);
	CHECK_INT(after.st_size, 0);
	CHECK_STR(broken ? broken : "nothing", "nothing");
	fake_fold();
	CHECK_THAT(fake_stat(fake_region(MS_PARALLEL_REGION, 0x10000, 0), 1, MS_METRIC_TIME).count,
		   ==, 50);
	CHECK_THAT(
		fake_stat(fake_region(MS_PARALLEL_REGION, 0x10000, 0), 1, MS_METRIC_CPU_TIME).count,
		==, 50);
}

#if !SANITIZED
/* The test above can fail: the interposers see a callback that allocates. */
TEST(events_quiet__interposers_work)
{
	void *volatile memory;

	host_in_callback = 1;
	memory = malloc(10);
	host_in_callback = 0;
	CHECK_STR(broken ? broken : "nothing", "malloc");
	free(memory);
}
#endif
