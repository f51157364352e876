/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_GOMP_H
#define MEMSEARCH_GOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omp-tools.h>

#include "memsearch/gomp_tool.h"
#include "ompt_tool/gomp/gomp_thread.h"
#include "ompt_tool/gomp/libgomp.h"

/*
 * libmemsearch-gomp.so: OMPT events for GNU libgomp, which has none of its own. The library is
 * preloaded; it defines libgomp's entry points, calls libgomp's, and calls the callbacks that a
 * tool has registered. It needs libc only. To the tool it is an OMPT runtime, so that a libgomp
 * with OMPT can replace it.
 *
 *     program ─GOMP_parallel(body)▶ here ─GOMP_parallel(share)▶ libgomp ─share▶ here ─body▶ program
 *                                    └─parallel_begin, _end                       └─each thread:
 *                                                                      implicit_task, work, barrier
 *
 * All functions: any thread, in the program's calls of libgomp. Threads outside of libgomp's
 * control have no events.
 */

/* The tool's callbacks, by ompt_callbacks_t; NULL: not registered. Constant once gomp_is_live. */
enum { GOMP_CALLBACKS = 64 };
extern ompt_callback_t gomp_callbacks[GOMP_CALLBACKS] __attribute__((visibility("hidden")));
/*
 * Not started: no tool was searched for yet, or libgomp is not loaded. Live: a tool receives
 * events; off: there is none.
 */
enum { GOMP_NOT_STARTED, GOMP_LIVE, GOMP_OFF, GOMP_STARTING };
extern int gomp_state __attribute__((visibility("hidden")));
/*
 * Called before a lock is released; NULL: the tool did not register it. Constant once gomp_is_live.
 */
extern gomp_releasing *gomp_before_release __attribute__((visibility("hidden")));
/*
 * The tool has disabled events inside of parallel regions, see memsearch/gomp_tool.h; never with
 * local copies.
 */
extern bool gomp_rests __attribute__((visibility("hidden")));

typedef ompt_callback_mutex_t ompt_callback_mutex_acquired_t, ompt_callback_mutex_released_t;
#define GOMP_CALLBACK(event, ...) \
	do { \
		ompt_callback_##event##_t callback_ = (ompt_callback_##event##_t) \
			gomp_callbacks[ompt_callback_##event]; \
		if (callback_) \
			callback_(__VA_ARGS__); \
	} while (0)

/*
 * Finds libgomp and starts the tool, at the first call that finds it. True: events are wanted.
 * Preserves errno, never waits.
 */
bool gomp_start(void);
/* Sends thread_begin for the calling thread. */
void gomp_meet(struct gomp_thread *self, ompt_thread_t type);

static inline bool gomp_is_live(void)
{
	int state = __atomic_load_n(&gomp_state, __ATOMIC_ACQUIRE);

	return GOMP_LIKELY(state) ? state == GOMP_LIVE : gomp_start();
}

static inline bool gomp_is_at_rest(void)
{
	return __atomic_load_n(&gomp_rests, __ATOMIC_RELAXED);
}

/*
 * The calling thread, in a call by the code at `caller`, also while events are disabled; NULL:
 * there is no tool, or the thread is in a region that began while they were disabled.
 */
struct gomp_thread *gomp_self_look(const void *caller);
static inline struct gomp_thread *gomp_self_awake(const void *caller)
{
	return GOMP_LIKELY(gomp_self_.known && !gomp_self_.share.inside && !gomp_is_local)
		       ? &gomp_self_
		       : gomp_self_look(caller);
}
/* The function to run for the body of the region in whose call the tool was started. */
gomp_body *gomp_first_body(struct gomp_thread *self, gomp_body *body);
/* NULL: no events are wanted. */
#define gomp_self() (gomp_is_at_rest() ? NULL : gomp_self_awake(GOMP_RETURN_ADDRESS))

/*
 * For the most frequent calls: whether to forward a call to libgomp's entry of that name, by a
 * jump, so that no register is saved. All other work is in another function.
 */
#define GOMP_PASSES(name) (gomp_is_at_rest() && GOMP_LIKELY(libgomp.name != NULL))

/* The tool's data of the innermost team; NULL: serial code. */
static inline ompt_data_t *gomp_parallel_data(struct gomp_thread *self)
{
	return self->share.team ? &self->share.team->parallel : NULL;
}

/*
 * Sets the frame in which the thread entered libgomp, for ompt_get_task_info, and returns the one
 * before: calls nest, as waits execute tasks.
 */
static inline void *gomp_enter(struct gomp_thread *self, void *frame)
{
	void *outer = self->frame.enter_frame.ptr;

	self->frame.enter_frame.ptr = frame;
	return outer;
}
#define GOMP_FRAME __builtin_frame_address(0)
/* Current return address of the call; the tool may have replaced it (switching.h). */
#define GOMP_CODE_NOW (((void *volatile *)GOMP_FRAME)[1])

/* Number of iterations of a loop from `begin` up or down to, but without, `end`. */
uint64_t gomp_iterations(long begin, long end, long step);

/*
 * Largest number of dimensions of the doacross loops that have begun; 0: none has. Waits in any of
 * them have at most as many arguments. Atomic.
 */
extern unsigned int gomp_dimensions __attribute__((visibility("hidden")));

void gomp_begin_work(struct gomp_thread *self, ompt_work_t type, uint64_t count, const void *code);
void gomp_end_work(struct gomp_thread *self);

/* Sends the ENDs that are due: of the barrier that closes the team, and of the implicit task. */
void gomp_finish_share(struct gomp_thread *self);

#endif
