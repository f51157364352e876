/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, critical sections, locks, ordered; the waits for tasks. */
#include "ompt_tool/gomp/gomp.h"

#include <stdarg.h>

/* Around a call that waits. Macros, for the caller's frame and return address. */
#define BEGIN_SYNC(self, kind) \
	do { \
		outer = gomp_enter(self, GOMP_FRAME); \
		GOMP_CALLBACK(sync_region, kind, ompt_scope_begin, gomp_parallel_data(self), \
			      (self)->share.task, GOMP_RETURN_ADDRESS); \
	} while (0)
#define END_SYNC(self, kind) \
	do { \
		GOMP_CALLBACK(sync_region, kind, ompt_scope_end, gomp_parallel_data(self), \
			      (self)->share.task, GOMP_CODE_NOW); \
		gomp_enter(self, outer); \
	} while (0)

#define DEFINE_WAIT(name, kind, parameters, arguments) \
	GOMP_EXPORT void name parameters \
	{ \
		struct gomp_thread *self = gomp_self(); \
		void *outer; \
\
		if (self) \
			BEGIN_SYNC(self, kind); \
		GOMP_REAL(name) arguments; \
		if (self) \
			END_SYNC(self, kind); \
	}

/* Explicit, or that of a static loop or single: both are the same call. */
DEFINE_WAIT(GOMP_barrier, ompt_sync_region_barrier_implementation, (void), ())
DEFINE_WAIT(GOMP_workshare_task_reduction_unregister, ompt_sync_region_barrier_implementation,
	    (bool cancelled), (cancelled))
DEFINE_WAIT(GOMP_taskwait, ompt_sync_region_taskwait, (void), ())
DEFINE_WAIT(GOMP_taskwait_depend, ompt_sync_region_taskwait, (void **dependences), (dependences))
DEFINE_WAIT(GOMP_taskgroup_end, ompt_sync_region_taskgroup, (void), ())

GOMP_EXPORT bool GOMP_barrier_cancel(void)
{
	struct gomp_thread *self = gomp_self();
	bool cancelled;
	void *outer;

	if (self)
		BEGIN_SYNC(self, ompt_sync_region_barrier_implementation);
	cancelled = GOMP_REAL(GOMP_barrier_cancel)();
	if (self)
		END_SYNC(self, ompt_sync_region_barrier_implementation);
	return cancelled;
}

#define DEFINE_MUTEX(name, kind, parameters, arguments, address) \
	GOMP_EXPORT void name parameters \
	{ \
		struct gomp_thread *self = gomp_self(); \
		ompt_wait_id_t wait = (ompt_wait_id_t)(uintptr_t)(address); \
\
		if (self) \
			GOMP_CALLBACK(mutex_acquire, kind, 0, 0, wait, GOMP_RETURN_ADDRESS); \
		GOMP_REAL(name) arguments; \
		if (self) \
			GOMP_CALLBACK(mutex_acquired, kind, wait, GOMP_RETURN_ADDRESS); \
	}
DEFINE_MUTEX(GOMP_critical_start, ompt_mutex_critical, (void), (), 0)
DEFINE_MUTEX(GOMP_critical_name_start, ompt_mutex_critical, (void **name), (name), name)
DEFINE_MUTEX(GOMP_ordered_start, ompt_mutex_ordered, (void), (), 0)
/* libgomp's one lock of reductions of several variables and of atomics that no instruction does */
static const char atomic_lock;
DEFINE_MUTEX(GOMP_atomic_start, ompt_mutex_atomic, (void), (), &atomic_lock)

unsigned int gomp_dimensions;

/*
 * ordered depend(sink): as many arguments as the loop has dimensions. C calls take a fixed number,
 * so the next larger one of 16, 64, 256 and 1024 is passed. The last `nr - DIMENSIONS` words read
 * are arbitrary words on the caller's stack. libgomp ignores them. Loops of more than 1024
 * dimensions would wait for wrong iterations.
 */
#define WORDS_4(at, i) at[i], at[(i) + 1], at[(i) + 2], at[(i) + 3]
#define WORDS_16(at, i) \
	WORDS_4(at, i), WORDS_4(at, (i) + 4), WORDS_4(at, (i) + 8), WORDS_4(at, (i) + 12)
#define WORDS_64(at, i) \
	WORDS_16(at, i), WORDS_16(at, (i) + 16), WORDS_16(at, (i) + 32), WORDS_16(at, (i) + 48)
#define WORDS_256(at, i) \
	WORDS_64(at, i), WORDS_64(at, (i) + 64), WORDS_64(at, (i) + 128), WORDS_64(at, (i) + 192)
#define WORDS_1024(at, i) \
	WORDS_256(at, i), WORDS_256(at, (i) + 256), WORDS_256(at, (i) + 512), \
		WORDS_256(at, (i) + 768)

/* A function for each size, for its stack. `nr`: words to read, at most `size`. */
#define DEFINE_SINK_CALL(name, number, size) \
	__attribute__((noinline)) static void name##_##size( \
		__typeof__(libgomp.name) real, unsigned int nr, number first, va_list list) \
	{ \
		number at[size] = { first }; \
\
		for (unsigned int i = 1; i < nr && i < (size); i++) \
			at[i] = va_arg(list, number); \
		real(WORDS_##size(at, 0)); \
	}
#define DEFINE_SINK(name, number) \
	DEFINE_SINK_CALL(name, number, 16) \
	DEFINE_SINK_CALL(name, number, 64) \
	DEFINE_SINK_CALL(name, number, 256) \
	DEFINE_SINK_CALL(name, number, 1024) \
	GOMP_EXPORT void name(number first, ...) \
	{ \
		struct gomp_thread *self = gomp_self(); \
		__typeof__(libgomp.name) real = GOMP_REAL(name); \
		unsigned int nr = __atomic_load_n(&gomp_dimensions, __ATOMIC_RELAXED); \
		va_list list; \
\
		if (self) \
			GOMP_CALLBACK(mutex_acquire, ompt_mutex_ordered, 0, 0, 0, \
				      GOMP_RETURN_ADDRESS); \
		va_start(list, first); \
		if (GOMP_LIKELY(nr <= 16)) \
			name##_16(real, 16, first, list); \
		else \
			(nr <= 64    ? name##_64 \
			 : nr <= 256 ? name##_256 \
				     : name##_1024)(real, nr, first, list); \
		va_end(list); \
		if (self) \
			GOMP_CALLBACK(mutex_acquired, ompt_mutex_ordered, 0, GOMP_RETURN_ADDRESS); \
	}
DEFINE_SINK(GOMP_doacross_wait, long)
DEFINE_SINK(GOMP_doacross_ull_wait, gomp_ull)

DEFINE_MUTEX(omp_set_lock, ompt_mutex_lock, (void *lock), (lock), lock)
DEFINE_MUTEX(omp_set_nest_lock, ompt_mutex_nest_lock, (void *lock), (lock), lock)
DEFINE_MUTEX(omp_set_lock_, ompt_mutex_lock, (void *lock), (lock), lock)
DEFINE_MUTEX(omp_set_nest_lock_, ompt_mutex_nest_lock, (void *lock), (lock), lock)

/*
 * The thread has acquired the lock if the result is 1; a larger result: it already held the nest
 * lock.
 */
#define DEFINE_TEST(name, kind) \
	GOMP_EXPORT int name(void *lock) \
	{ \
		struct gomp_thread *self = gomp_self(); \
		ompt_wait_id_t wait = (ompt_wait_id_t)(uintptr_t)lock; \
		int result; \
\
		if (self) \
			GOMP_CALLBACK(mutex_acquire, kind, 0, 0, wait, GOMP_RETURN_ADDRESS); \
		result = GOMP_REAL(name)(lock); \
		if (self && result == 1) \
			GOMP_CALLBACK(mutex_acquired, kind, wait, GOMP_RETURN_ADDRESS); \
		return result; \
	}
DEFINE_TEST(omp_test_lock, ompt_mutex_test_lock)
DEFINE_TEST(omp_test_nest_lock, ompt_mutex_test_nest_lock)
DEFINE_TEST(omp_test_lock_, ompt_mutex_test_lock)
DEFINE_TEST(omp_test_nest_lock_, ompt_mutex_test_nest_lock)

#define DEFINE_RELEASE(name, kind, parameters, arguments, address) \
	GOMP_EXPORT void name parameters \
	{ \
		struct gomp_thread *self = gomp_self(); \
		ompt_wait_id_t wait = (ompt_wait_id_t)(uintptr_t)(address); \
\
		if (self && gomp_before_release) \
			gomp_before_release(kind, wait); \
		GOMP_REAL(name) arguments; \
		if (self) \
			GOMP_CALLBACK(mutex_released, kind, wait, GOMP_RETURN_ADDRESS); \
	}
DEFINE_RELEASE(GOMP_critical_end, ompt_mutex_critical, (void), (), 0)
DEFINE_RELEASE(GOMP_critical_name_end, ompt_mutex_critical, (void **name), (name), name)
DEFINE_RELEASE(GOMP_atomic_end, ompt_mutex_atomic, (void), (), &atomic_lock)
DEFINE_RELEASE(omp_unset_lock, ompt_mutex_lock, (void *lock), (lock), lock)
DEFINE_RELEASE(omp_unset_nest_lock, ompt_mutex_nest_lock, (void *lock), (lock), lock)
DEFINE_RELEASE(omp_unset_lock_, ompt_mutex_lock, (void *lock), (lock), lock)
DEFINE_RELEASE(omp_unset_nest_lock_, ompt_mutex_nest_lock, (void *lock), (lock), lock)

/* Also while events are disabled: phases may be marked meanwhile. */
static ompt_callback_control_tool_t control(const void *caller)
{
	bool wanted = gomp_is_at_rest() ? gomp_is_live() : gomp_self_awake(caller) != NULL;

	return wanted ? (ompt_callback_control_tool_t)gomp_callbacks[ompt_callback_control_tool]
		      : NULL;
}

/* libgomp has none; without a tool it returns omp_control_tool_notool (OpenMP 5.2, 18.14). */
GOMP_EXPORT int omp_control_tool(int command, int modifier, void *argument)
{
	ompt_callback_control_tool_t callback = control(GOMP_RETURN_ADDRESS);

	return callback ? callback((uint64_t)command, (uint64_t)modifier, argument,
				   GOMP_RETURN_ADDRESS)
			: -2;
}

GOMP_EXPORT int omp_control_tool_(const int *command, const int *modifier)
{
	ompt_callback_control_tool_t callback = control(GOMP_RETURN_ADDRESS);

	return callback ? callback((uint64_t)*command, (uint64_t)*modifier, NULL,
				   GOMP_RETURN_ADDRESS)
			: -2;
}
