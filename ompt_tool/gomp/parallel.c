/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions: the body that libgomp calls on each thread of a team is wrapped. */
#include "ompt_tool/gomp/gomp.h"

#include <sys/mman.h>

void gomp_finish_share(struct gomp_thread *self)
{
	struct gomp_share *share = &self->share;

	if (!share->arrived)
		return;
	share->arrived = false;
	GOMP_CALLBACK(sync_region, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL,
		      &share->implicit, NULL);
	GOMP_CALLBACK(implicit_task, ompt_scope_end, NULL, &share->implicit, 0, share->index,
		      ompt_task_implicit);
}

static void begin_share(struct gomp_thread *self, struct gomp_team *team, unsigned int index)
{
	struct gomp_share *share = &self->share;

	if (index)
		gomp_finish_share(self); /* a worker's previous team */
	*share = (struct gomp_share){ .team = team, .index = index };
	share->task = &share->implicit;
	GOMP_CALLBACK(implicit_task, ompt_scope_begin, &team->parallel, share->task,
		      (unsigned int)libgomp.omp_get_num_threads(), index, ompt_task_implicit);
	if (team->work)
		gomp_begin_work(self, team->work, team->count, team->code);
}

static void end_share(struct gomp_thread *self, struct gomp_team *team)
{
	self->share.task = &self->share.implicit;
	GOMP_CALLBACK(sync_region, ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin,
		      &team->parallel, &self->share.implicit, NULL);
	self->share.arrived = true;
}

/* The function that libgomp calls instead of the body. */
static void run_share(void *argument)
{
	struct gomp_team *team = argument;
	struct gomp_thread *self = &gomp_self_;
	unsigned int index = (unsigned int)libgomp.omp_get_thread_num();

	if (!self->known)
		gomp_meet(self, ompt_thread_worker);
	begin_share(self, team, index);
	team->body(team->data);
	end_share(self, team);
}

static void begin_team(struct gomp_thread *self, struct gomp_team *team,
		       struct gomp_share *outer_out, unsigned int threads, gomp_body *outlined)
{
	*outer_out = self->share;
	self->outlined = outlined;
	GOMP_CALLBACK(parallel_begin, self->share.task, NULL, &team->parallel, threads,
		      ompt_parallel_team | ompt_parallel_invoker_program, team->code);
	self->outlined = NULL;
}

static void end_team(struct gomp_thread *self, struct gomp_team *team,
		     const struct gomp_share *outer)
{
	gomp_finish_share(self);
	self->share = *outer;
	GOMP_CALLBACK(parallel_end, &team->parallel, self->share.task,
		      ompt_parallel_team | ompt_parallel_invoker_program, team->code);
}

/* Whether the calling thread is in a region that began while events rested. */
static bool is_inside(const struct gomp_thread *self)
{
	return self->known ? self->worker || self->share.inside : libgomp.omp_get_level() > 0;
}

/* The calling thread, about to begin a region; NULL: that has no events. */
static struct gomp_thread *self_before_team(const void *caller)
{
	bool starts = !__atomic_load_n(&gomp_state, __ATOMIC_RELAXED);
	struct gomp_thread *self = gomp_is_at_rest() && is_inside(&gomp_self_)
					   ? NULL
					   : gomp_self_awake(caller);

	if (starts && self)
		self->started = true;
	return self;
}
#define SELF_BEFORE_TEAM() self_before_team(GOMP_RETURN_ADDRESS)

/*
 * A parallel region around a call of libgomp with `run_, argument_` for the body and its data:
 * wrapped, or the program's own if the tool has disabled events within parallel_begin.
 */
#define IN_TEAM(self, team, threads, call) \
	do { \
		struct gomp_share outer_; \
		gomp_body *run_ = run_share; \
		void *argument_ = team; \
\
		if ((self)->started) \
			(team)->body = gomp_first_body(self, body); \
		begin_team(self, team, &outer_, threads, body); \
		if (gomp_is_at_rest()) { \
			run_ = body; \
			argument_ = data; \
			self->share.inside = true; \
		} \
		call; \
		end_team(self, team, &outer_); \
	} while (0)

GOMP_EXPORT void GOMP_parallel(gomp_body *body, void *data, unsigned int threads,
			       unsigned int flags)
{
	struct gomp_thread *self = SELF_BEFORE_TEAM();
	struct gomp_team team = { .body = body, .data = data, .code = GOMP_RETURN_ADDRESS };

	if (!self)
		GOMP_REAL(GOMP_parallel)(body, data, threads, flags);
	else
		IN_TEAM(self, &team, threads,
			libgomp.GOMP_parallel(run_, argument_, threads, flags));
}

GOMP_EXPORT unsigned int GOMP_parallel_reductions(gomp_body *body, void *data, unsigned int threads,
						  unsigned int flags)
{
	struct gomp_thread *self = SELF_BEFORE_TEAM();
	struct gomp_team team = { .body = body, .data = data, .code = GOMP_RETURN_ADDRESS };
	unsigned int size;

	if (!self)
		return GOMP_REAL(GOMP_parallel_reductions)(body, data, threads, flags);
	team.reductions = *(uintptr_t **)data;
	IN_TEAM(self, &team, threads,
		size = libgomp.GOMP_parallel_reductions(run_, argument_, threads, flags));
	return size;
}

GOMP_EXPORT void GOMP_parallel_sections(gomp_body *body, void *data, unsigned int threads,
					unsigned int count, unsigned int flags)
{
	struct gomp_thread *self = SELF_BEFORE_TEAM();
	struct gomp_team team = { .body = body,
				  .data = data,
				  .code = GOMP_RETURN_ADDRESS,
				  .work = ompt_work_sections,
				  .count = count };

	if (!self)
		GOMP_REAL(GOMP_parallel_sections)(body, data, threads, count, flags);
	else
		IN_TEAM(self, &team, threads,
			libgomp.GOMP_parallel_sections(run_, argument_, threads, count, flags));
}

/* ------------------------------------------------------------------ parallel loops */

uint64_t gomp_iterations(long begin, long end, long step)
{
	if (step > 0)
		return begin < end ? ((unsigned long)end - (unsigned long)begin - 1) /
						     (unsigned long)step +
					     1
				   : 0;
	return step && begin > end
		       ? ((unsigned long)begin - (unsigned long)end - 1) / -(unsigned long)step + 1
		       : 0;
}

#define LOOP_TEAM(type) \
	{ .body = body, \
	  .data = data, \
	  .code = GOMP_RETURN_ADDRESS, \
	  .work = type, \
	  .count = gomp_iterations(begin, end, step) }

#define DEFINE_PARALLEL_LOOP(name, type) \
	GOMP_EXPORT void GOMP_parallel_loop_##name(gomp_body *body, void *data, \
						   unsigned int threads, long begin, long end, \
						   long step, long chunk, unsigned int flags) \
	{ \
		struct gomp_thread *self = SELF_BEFORE_TEAM(); \
		struct gomp_team team = LOOP_TEAM(type); \
\
		if (!self) \
			GOMP_REAL(GOMP_parallel_loop_##name)(body, data, threads, begin, end, \
							     step, chunk, flags); \
		else \
			IN_TEAM(self, &team, threads, \
				libgomp.GOMP_parallel_loop_##name(run_, argument_, threads, begin, \
								  end, step, chunk, flags)); \
	}
GOMP_PARALLEL_LOOPS(DEFINE_PARALLEL_LOOP)

#define DEFINE_PARALLEL_RUNTIME(name) \
	GOMP_EXPORT void GOMP_parallel_loop_##name(gomp_body *body, void *data, \
						   unsigned int threads, long begin, long end, \
						   long step, unsigned int flags) \
	{ \
		struct gomp_thread *self = SELF_BEFORE_TEAM(); \
		struct gomp_team team = LOOP_TEAM(ompt_work_loop_other); \
\
		if (!self) \
			GOMP_REAL(GOMP_parallel_loop_##name)(body, data, threads, begin, end, \
							     step, flags); \
		else \
			IN_TEAM(self, &team, threads, \
				libgomp.GOMP_parallel_loop_##name(run_, argument_, threads, begin, \
								  end, step, flags)); \
	}
GOMP_PARALLEL_RUNTIME_LOOPS(DEFINE_PARALLEL_RUNTIME)

/* ------------------------------------------------------------------ GCC up to 4.8 */

/*
 * GOMP_parallel_start returns, and the program calls the body itself on the encountering thread,
 * then GOMP_parallel_end. NULL: nested too deep; the region has no events.
 */
static struct gomp_team *open_team(struct gomp_thread *self, const struct gomp_team *team,
				   unsigned int threads)
{
	struct gomp_open *open;

	if (!self->open && !self->nr_open) {
		void *rows = mmap(NULL, GOMP_OPEN_MAX * sizeof(*open), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		self->open = rows == MAP_FAILED ? NULL : rows;
	}
	/* the program has the body's address, and calls it itself */
	self->started = false;
	if (self->nr_open++ >= GOMP_OPEN_MAX || !self->open)
		return NULL;
	open = &self->open[self->nr_open - 1];
	open->team = *team;
	begin_team(self, &open->team, &open->outer, threads, team->body);
	return &open->team;
}

/* In a region without events, begins and ends are counted, to identify the end of that region. */
#define START_TEAM(self, team, threads, name, ...) \
	do { \
		struct gomp_team *opened_ = self ? open_team(self, &(team), threads) : NULL; \
		bool wrapped_ = opened_ && !gomp_is_at_rest(); \
\
		if (!self && gomp_self_.share.inside) \
			gomp_self_.nr_inside++; \
		GOMP_REAL(name)(wrapped_ ? run_share : body, wrapped_ ? opened_ : data, threads, \
				##__VA_ARGS__); \
		if (wrapped_) \
			begin_share(self, opened_, 0); \
		else if (opened_) \
			self->share.inside = true; \
	} while (0)

GOMP_EXPORT void GOMP_parallel_start(gomp_body *body, void *data, unsigned int threads)
{
	struct gomp_thread *self = SELF_BEFORE_TEAM();
	struct gomp_team team = { .body = body, .data = data, .code = GOMP_RETURN_ADDRESS };

	START_TEAM(self, team, threads, GOMP_parallel_start);
}

GOMP_EXPORT void GOMP_parallel_sections_start(gomp_body *body, void *data, unsigned int threads,
					      unsigned int count)
{
	struct gomp_thread *self = SELF_BEFORE_TEAM();
	struct gomp_team team = { .body = body,
				  .data = data,
				  .code = GOMP_RETURN_ADDRESS,
				  .work = ompt_work_sections,
				  .count = count };

	START_TEAM(self, team, threads, GOMP_parallel_sections_start, count);
}

GOMP_EXPORT void GOMP_parallel_loop_runtime_start(gomp_body *body, void *data, unsigned int threads,
						  long begin, long end, long step)
{
	struct gomp_thread *self = SELF_BEFORE_TEAM();
	struct gomp_team team = LOOP_TEAM(ompt_work_loop_other);

	START_TEAM(self, team, threads, GOMP_parallel_loop_runtime_start, begin, end, step);
}

#define DEFINE_PARALLEL_LOOP_START(name, type) \
	GOMP_EXPORT void GOMP_parallel_loop_##name##_start(gomp_body *body, void *data, \
							   unsigned int threads, long begin, \
							   long end, long step, long chunk) \
	{ \
		struct gomp_thread *self = SELF_BEFORE_TEAM(); \
		struct gomp_team team = LOOP_TEAM(type); \
\
		START_TEAM(self, team, threads, GOMP_parallel_loop_##name##_start, begin, end, \
			   step, chunk); \
	}
GOMP_PARALLEL_LOOP_STARTS(DEFINE_PARALLEL_LOOP_START)

/* The calling thread, about to end a region that has events; NULL: it has none. */
static struct gomp_thread *self_at_end(const void *caller)
{
	struct gomp_thread *self = &gomp_self_;

	if (self->nr_inside) {
		self->nr_inside--;
		return NULL;
	}
	return self->known && (self->share.inside || self->nr_open) ? self
								    : self_before_team(caller);
}

GOMP_EXPORT void GOMP_parallel_end(void)
{
	struct gomp_thread *self = self_at_end(GOMP_RETURN_ADDRESS);
	struct gomp_open *open = self && self->open && self->nr_open &&
						 self->nr_open <= GOMP_OPEN_MAX
					 ? &self->open[self->nr_open - 1]
					 : NULL;

	if (open && !self->share.inside)
		end_share(self, &open->team);
	GOMP_REAL(GOMP_parallel_end)();
	if (self && self->nr_open)
		self->nr_open--;
	if (open)
		end_team(self, &open->team, &open->outer);
}
