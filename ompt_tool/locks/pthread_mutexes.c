/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers of the thread library's functions that lock and unlock mutexes. */
#define _GNU_SOURCE /* RTLD_DEFAULT, pthread_mutex_clocklock */
#include "ompt_tool/locks/pthread_mutexes.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "analysis/debuginfo/modules.h"
#include "analysis/elf/binary.h"
#include "ompt_tool/clones/runtime_entries.h"
#include "ompt_tool/code/slots.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/lock_events.h"

/*
 * X(function, parameters). Of glibc's two versions of waits for conditions the newer ones are
 * called, which programs have from glibc 2.3.2 (2003) on.
 */
/* clang-format off */
#define MUTEX_FUNCTIONS(X) \
	X(pthread_mutex_lock, (pthread_mutex_t *mutex)) \
	X(pthread_mutex_trylock, (pthread_mutex_t *mutex)) \
	X(pthread_mutex_timedlock, (pthread_mutex_t *mutex, const struct timespec *until)) \
	X(pthread_mutex_clocklock, (pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)) \
	X(pthread_mutex_unlock, (pthread_mutex_t *mutex))
#define CONDITION_FUNCTIONS(X) \
	X(pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex)) \
	X(pthread_cond_timedwait, (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)) \
	X(pthread_cond_clockwait, (pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until))
#define FUNCTIONS(X) MUTEX_FUNCTIONS(X) CONDITION_FUNCTIONS(X)
/* clang-format on */

/* libc's functions; constant once calls are redirected. */
static struct {
#define X(function, parameters) int(*function) parameters;
	FUNCTIONS(X)
#undef X
} real;

/* glibc's struct_mutex.h and pthreadP.h: types, beside flags of robust and other mutexes. */
#define KIND_MASK 3
#define KIND_RECURSIVE 1

static bool is_recursive(const pthread_mutex_t *mutex)
{
	return (mutex->__data.__kind & KIND_MASK) == KIND_RECURSIVE;
}

static bool is_locked(int status)
{
	return !status || status == EOWNERDEAD;
}

static ompt_wait_id_t wait_of(const pthread_mutex_t *mutex)
{
	return (ompt_wait_id_t)(uintptr_t)mutex;
}

/*
 * While no metric of locks is requested the mutex is not read: its cache line would be fetched from
 * the core that holds it, and once more to be locked.
 */
#define LOCK(mutex, plain, nest, call) \
	do { \
		ompt_mutex_t kind; \
		int status; \
\
		if (!event_locks()) \
			return call; \
		kind = is_recursive(mutex) ? (nest) : (plain); \
		events_acquire(kind, wait_of(mutex), __builtin_return_address(0)); \
		status = call; \
		if (is_locked(status)) \
			events_acquired(kind, wait_of(mutex), __builtin_return_address(0)); \
		return status; \
	} while (0)

static int our_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	LOCK(mutex, ompt_mutex_lock, ompt_mutex_nest_lock, real.pthread_mutex_lock(mutex));
}

static int our_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	LOCK(mutex, ompt_mutex_test_lock, ompt_mutex_test_nest_lock,
	     real.pthread_mutex_trylock(mutex));
}

static int our_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	LOCK(mutex, ompt_mutex_lock, ompt_mutex_nest_lock,
	     real.pthread_mutex_timedlock(mutex, until));
}

static int our_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
				       const struct timespec *until)
{
	LOCK(mutex, ompt_mutex_lock, ompt_mutex_nest_lock,
	     real.pthread_mutex_clocklock(mutex, clock, until));
}

/* The mutex may be freed by another thread as soon as it is unlocked. */
static int our_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	ompt_mutex_t kind;
	int status;

	if (!event_locks())
		return real.pthread_mutex_unlock(mutex);
	kind = is_recursive(mutex) ? ompt_mutex_nest_lock : ompt_mutex_lock;
	events_releasing(kind, wait_of(mutex));
	status = real.pthread_mutex_unlock(mutex);
	events_released(kind);
	return status;
}

static int our_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	events_forget_lock(wait_of(mutex));
	return real.pthread_cond_wait(condition, mutex);
}

static int our_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
				      const struct timespec *until)
{
	events_forget_lock(wait_of(mutex));
	return real.pthread_cond_timedwait(condition, mutex, until);
}

static int our_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
				      clockid_t clock, const struct timespec *until)
{
	events_forget_lock(wait_of(mutex));
	return real.pthread_cond_clockwait(condition, mutex, clock, until);
}

/* -- redirection */

static bool is_programs(const char *path)
{
	return runtime_entry_is_outside(path) && !binary_is_system_library(path);
}

static struct slots_change changes[] = {
#define X(function, parameters) \
	{ .name = #function, .with = (uintptr_t)our_##function, .from = UINTPTR_MAX },
	FUNCTIONS(X)
#undef X
};
#define X(function, parameters) +1
enum { NR = sizeof(changes) / sizeof(changes[0]), NR_MUTEX = 0 MUTEX_FUNCTIONS(X) };
#undef X
_Static_assert(sizeof(real) == NR * sizeof(void *), "one pointer for each function");

static bool led;
static struct modules_count count; /* modules whose tables are redirected */

static void *look_up(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function)
		dlerror(); /* the program's own errors are for the program */
	return function;
}

/* Before glibc 2.34 a library of its own; from then on it depends on libc. */
static void *thread_library(void)
{
	void *library = dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);

	return library ? library : dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
}

/* Only calls that lead to libc: the program or a tool may have functions of these names. */
static bool find_functions(void)
{
	void *library = thread_library(), **functions = (void **)&real;

	if (!library)
		return false;
	for (size_t i = 0; i < NR; i++) {
		functions[i] = look_up(library, changes[i].name);
		if (!functions[i])
			continue;
		changes[i].from = (uintptr_t)functions[i];
		changes[i].unbound = look_up(RTLD_DEFAULT, changes[i].name) == functions[i];
	}
	dlclose(library);
	return real.pthread_mutex_lock && real.pthread_mutex_unlock;
}

static void change_tables(void)
{
	count = modules_count();
	/* libstdc++ has std::condition_variable::wait */
	slots_change(changes + NR_MUTEX, NR - NR_MUTEX, runtime_entry_is_outside);
	slots_change(changes, NR_MUTEX, is_programs);
}

void pthread_mutexes_lead(void)
{
	if (led || !find_functions())
		return;
	led = true;
	change_tables();
}

void pthread_mutexes_follow(void)
{
	if (led && modules_count().loaded != count.loaded)
		change_tables();
}
