/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops with chunks, sections and single: work and dispatch. Static loops are compiled inline and
 * make no call.
 */
#include "ompt_tool/gomp/gomp.h"

static void dispatch(struct gomp_thread *self, ompt_dispatch_t kind)
{
	ompt_data_t instance = { 0 };

	GOMP_CALLBACK(dispatch, gomp_parallel_data(self), self->share.task, kind, instance);
}

void gomp_begin_work(struct gomp_thread *self, ompt_work_t type, uint64_t count, const void *code)
{
	self->share.work = type;
	GOMP_CALLBACK(work, type, ompt_scope_begin, gomp_parallel_data(self), self->share.task,
		      count, code);
}

void gomp_end_work(struct gomp_thread *self)
{
	GOMP_CALLBACK(work, self->share.work, ompt_scope_end, gomp_parallel_data(self),
		      self->share.task, 0, NULL);
}

/*
 * Sends the begin of a loop; `got`: the thread has a first chunk. A macro, for the caller's frame
 * and return address.
 */
#define BEGIN_LOOP(type, count, kind, got) \
	do { \
		struct gomp_thread *self_ = gomp_self(); \
\
		if (self_) { \
			void *outer_ = gomp_enter(self_, GOMP_FRAME); \
\
			gomp_begin_work(self_, type, count, GOMP_RETURN_ADDRESS); \
			gomp_enter(self_, outer_); \
			if (got) \
				dispatch(self_, kind); \
		} \
	} while (0)
#define CHUNK ompt_dispatch_ws_loop_chunk

static uint64_t iterations_ull(bool up, gomp_ull begin, gomp_ull end, gomp_ull step)
{
	if (up)
		return step && begin < end ? (end - begin - 1) / step + 1 : 0;
	return step && begin > end ? (begin - end - 1) / -step + 1 : 0;
}

/*
 * The schedules of GOMP_loop_start: enum gomp_schedule_type of libgomp.h; the top bit is the
 * monotonic modifier.
 */
static ompt_work_t type_of(long schedule)
{
	switch (schedule & 0xff) {
	case 1: return ompt_work_loop_static;
	case 2: return ompt_work_loop_dynamic;
	case 3: return ompt_work_loop_guided;
	default: return ompt_work_loop_other;
	}
}

/* ------------------------------------------------------------------ start */

#define DEFINE_START(name, type) \
	GOMP_EXPORT bool GOMP_loop_##name##_start(long begin, long end, long step, long chunk, \
						  long *first, long *last) \
	{ \
		bool got = GOMP_REAL(GOMP_loop_##name##_start)(begin, end, step, chunk, first, \
							       last); \
\
		BEGIN_LOOP(type, gomp_iterations(begin, end, step), CHUNK, got); \
		return got; \
	} \
	GOMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, gomp_ull begin, gomp_ull end, \
						      gomp_ull step, gomp_ull chunk, \
						      gomp_ull *first, gomp_ull *last) \
	{ \
		bool got = GOMP_REAL(GOMP_loop_ull_##name##_start)(up, begin, end, step, chunk, \
								   first, last); \
\
		BEGIN_LOOP(type, iterations_ull(up, begin, end, step), CHUNK, got); \
		return got; \
	}
GOMP_LOOP_STARTS(DEFINE_START)

#define DEFINE_RUNTIME_START(name) \
	GOMP_EXPORT bool GOMP_loop_##name##_start(long begin, long end, long step, long *first, \
						  long *last) \
	{ \
		bool got = GOMP_REAL(GOMP_loop_##name##_start)(begin, end, step, first, last); \
\
		BEGIN_LOOP(ompt_work_loop_other, gomp_iterations(begin, end, step), CHUNK, got); \
		return got; \
	} \
	GOMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, gomp_ull begin, gomp_ull end, \
						      gomp_ull step, gomp_ull *first, \
						      gomp_ull *last) \
	{ \
		bool got = GOMP_REAL(GOMP_loop_ull_##name##_start)(up, begin, end, step, first, \
								   last); \
\
		BEGIN_LOOP(ompt_work_loop_other, iterations_ull(up, begin, end, step), CHUNK, \
			   got); \
		return got; \
	}
GOMP_RUNTIME_STARTS(DEFINE_RUNTIME_START)

/*
 * Before libgomp's start. Not per thread: loops nest, and threads differ. Waits need an upper bound
 * only.
 */
static void note_dimensions(unsigned int dimensions)
{
	unsigned int largest = __atomic_load_n(&gomp_dimensions, __ATOMIC_RELAXED);

	while (dimensions > largest &&
	       !__atomic_compare_exchange_n(&gomp_dimensions, &largest, dimensions, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

#define DEFINE_DOACROSS_START(name, type) \
	GOMP_EXPORT bool GOMP_loop_doacross_##name##_start(unsigned int dimensions, long *counts, \
							   long chunk, long *first, long *last) \
	{ \
		bool got; \
\
		note_dimensions(dimensions); \
		got = GOMP_REAL(GOMP_loop_doacross_##name##_start)(dimensions, counts, chunk, \
								   first, last); \
		BEGIN_LOOP(type, (uint64_t)counts[0], CHUNK, got); \
		return got; \
	} \
	GOMP_EXPORT bool GOMP_loop_ull_doacross_##name##_start(unsigned int dimensions, \
							       gomp_ull *counts, gomp_ull chunk, \
							       gomp_ull *first, gomp_ull *last) \
	{ \
		bool got; \
\
		note_dimensions(dimensions); \
		got = GOMP_REAL(GOMP_loop_ull_doacross_##name##_start)(dimensions, counts, chunk, \
								       first, last); \
		BEGIN_LOOP(type, counts[0], CHUNK, got); \
		return got; \
	}
GOMP_DOACROSS_STARTS(DEFINE_DOACROSS_START)

GOMP_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned int dimensions, long *counts,
						  long *first, long *last)
{
	bool got;

	note_dimensions(dimensions);
	got = GOMP_REAL(GOMP_loop_doacross_runtime_start)(dimensions, counts, first, last);
	BEGIN_LOOP(ompt_work_loop_other, (uint64_t)counts[0], CHUNK, got);
	return got;
}

GOMP_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned int dimensions, gomp_ull *counts,
						      gomp_ull *first, gomp_ull *last)
{
	bool got;

	note_dimensions(dimensions);
	got = GOMP_REAL(GOMP_loop_ull_doacross_runtime_start)(dimensions, counts, first, last);
	BEGIN_LOOP(ompt_work_loop_other, counts[0], CHUNK, got);
	return got;
}

/* Without `first` the loop is static and computes its chunks inline (GCC 9). */
GOMP_EXPORT bool GOMP_loop_start(long begin, long end, long step, long schedule, long chunk,
				 long *first, long *last, uintptr_t *reductions, void **memory)
{
	bool got = GOMP_REAL(GOMP_loop_start)(begin, end, step, schedule, chunk, first, last,
					      reductions, memory);

	BEGIN_LOOP(first ? type_of(schedule) : ompt_work_loop_static,
		   gomp_iterations(begin, end, step), CHUNK, got && first);
	return got;
}

GOMP_EXPORT bool GOMP_loop_ordered_start(long begin, long end, long step, long schedule, long chunk,
					 long *first, long *last, uintptr_t *reductions,
					 void **memory)
{
	bool got = GOMP_REAL(GOMP_loop_ordered_start)(begin, end, step, schedule, chunk, first,
						      last, reductions, memory);

	BEGIN_LOOP(type_of(schedule), gomp_iterations(begin, end, step), CHUNK, got);
	return got;
}

GOMP_EXPORT bool GOMP_loop_doacross_start(unsigned int dimensions, long *counts, long schedule,
					  long chunk, long *first, long *last,
					  uintptr_t *reductions, void **memory)
{
	bool got;

	note_dimensions(dimensions);
	got = GOMP_REAL(GOMP_loop_doacross_start)(dimensions, counts, schedule, chunk, first, last,
						  reductions, memory);
	BEGIN_LOOP(type_of(schedule), (uint64_t)counts[0], CHUNK, got);
	return got;
}

GOMP_EXPORT bool GOMP_loop_ull_start(bool up, gomp_ull begin, gomp_ull end, gomp_ull step,
				     long schedule, gomp_ull chunk, gomp_ull *first, gomp_ull *last,
				     uintptr_t *reductions, void **memory)
{
	bool got = GOMP_REAL(GOMP_loop_ull_start)(up, begin, end, step, schedule, chunk, first,
						  last, reductions, memory);

	BEGIN_LOOP(first ? type_of(schedule) : ompt_work_loop_static,
		   iterations_ull(up, begin, end, step), CHUNK, got && first);
	return got;
}

GOMP_EXPORT bool GOMP_loop_ull_ordered_start(bool up, gomp_ull begin, gomp_ull end, gomp_ull step,
					     long schedule, gomp_ull chunk, gomp_ull *first,
					     gomp_ull *last, uintptr_t *reductions, void **memory)
{
	bool got = GOMP_REAL(GOMP_loop_ull_ordered_start)(up, begin, end, step, schedule, chunk,
							  first, last, reductions, memory);

	BEGIN_LOOP(type_of(schedule), iterations_ull(up, begin, end, step), CHUNK, got);
	return got;
}

GOMP_EXPORT bool GOMP_loop_ull_doacross_start(unsigned int dimensions, gomp_ull *counts,
					      long schedule, gomp_ull chunk, gomp_ull *first,
					      gomp_ull *last, uintptr_t *reductions, void **memory)
{
	bool got;

	note_dimensions(dimensions);
	got = GOMP_REAL(GOMP_loop_ull_doacross_start)(dimensions, counts, schedule, chunk, first,
						      last, reductions, memory);
	BEGIN_LOOP(type_of(schedule), counts[0], CHUNK, got);
	return got;
}

/* ------------------------------------------------------------------ next */

#define DEFINE_NEXT_OF(name, number) \
	__attribute__((noinline)) static bool next_##name(number *first, number *last, \
							  const void *caller) \
	{ \
		struct gomp_thread *self = gomp_is_at_rest() ? NULL : gomp_self_awake(caller); \
		bool got = GOMP_REAL_FOR(name, caller)(first, last); \
\
		if (got && self) \
			dispatch(self, CHUNK); \
		return got; \
	} \
	GOMP_EXPORT bool name(number *first, number *last) \
	{ \
		return GOMP_PASSES(name) ? libgomp.name(first, last) \
					 : next_##name(first, last, GOMP_RETURN_ADDRESS); \
	}
#define DEFINE_NEXT(name) \
	DEFINE_NEXT_OF(GOMP_loop_##name##_next, long) \
	DEFINE_NEXT_OF(GOMP_loop_ull_##name##_next, gomp_ull)
GOMP_LOOP_NEXTS(DEFINE_NEXT)

/* ------------------------------------------------------------------ sections and single */

GOMP_EXPORT unsigned int GOMP_sections_start(unsigned int count)
{
	unsigned int section = GOMP_REAL(GOMP_sections_start)(count);

	BEGIN_LOOP(ompt_work_sections, count, ompt_dispatch_section, section);
	return section;
}

GOMP_EXPORT unsigned int GOMP_sections2_start(unsigned int count, uintptr_t *reductions,
					      void **memory)
{
	unsigned int section = GOMP_REAL(GOMP_sections2_start)(count, reductions, memory);

	BEGIN_LOOP(ompt_work_sections, count, ompt_dispatch_section, section);
	return section;
}

GOMP_EXPORT unsigned int GOMP_sections_next(void)
{
	unsigned int section = GOMP_REAL(GOMP_sections_next)();
	struct gomp_thread *self = gomp_self();

	if (section && self)
		dispatch(self, ompt_dispatch_section);
	return section;
}

/* Its END is compiled inline. */
GOMP_EXPORT bool GOMP_single_start(void)
{
	bool executes = GOMP_REAL(GOMP_single_start)();

	BEGIN_LOOP(executes ? ompt_work_single_executor : ompt_work_single_other, 1, CHUNK, false);
	return executes;
}

/* With copyprivate: all threads except the executing one wait here for its data. */
GOMP_EXPORT void *GOMP_single_copy_start(void)
{
	void *data = GOMP_REAL(GOMP_single_copy_start)();

	BEGIN_LOOP(data ? ompt_work_single_other : ompt_work_single_executor, 1, CHUNK, false);
	return data;
}

GOMP_EXPORT void GOMP_single_copy_end(void *data)
{
	struct gomp_thread *self = gomp_self();

	GOMP_REAL(GOMP_single_copy_end)(data);
	if (self)
		gomp_end_work(self);
}

/* ------------------------------------------------------------------ end */

/* The implicit barrier of a construct is inside its end. */
#define BEGIN_WAIT(self) \
	do { \
		outer = gomp_enter(self, GOMP_FRAME); \
		gomp_end_work(self); \
		GOMP_CALLBACK(sync_region, ompt_sync_region_barrier_implicit_workshare, \
			      ompt_scope_begin, gomp_parallel_data(self), (self)->share.task, \
			      GOMP_RETURN_ADDRESS); \
	} while (0)
#define END_WAIT(self) \
	do { \
		GOMP_CALLBACK(sync_region, ompt_sync_region_barrier_implicit_workshare, \
			      ompt_scope_end, gomp_parallel_data(self), (self)->share.task, \
			      GOMP_CODE_NOW); \
		gomp_enter(self, outer); \
	} while (0)

#define DEFINE_END(name) \
	GOMP_EXPORT void name(void) \
	{ \
		struct gomp_thread *self = gomp_self(); \
		void *outer; \
\
		if (self) \
			BEGIN_WAIT(self); \
		GOMP_REAL(name)(); \
		if (self) \
			END_WAIT(self); \
	} \
	GOMP_EXPORT bool name##_cancel(void) \
	{ \
		struct gomp_thread *self = gomp_self(); \
		bool cancelled; \
		void *outer; \
\
		if (self) \
			BEGIN_WAIT(self); \
		cancelled = GOMP_REAL(name##_cancel)(); \
		if (self) \
			END_WAIT(self); \
		return cancelled; \
	} \
	GOMP_EXPORT void name##_nowait(void) \
	{ \
		struct gomp_thread *self = gomp_self(); \
\
		GOMP_REAL(name##_nowait)(); \
		if (self) \
			gomp_end_work(self); \
	}
DEFINE_END(GOMP_loop_end)
DEFINE_END(GOMP_sections_end)
