/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit tasks: libgomp gets a wrapper of the task's function, with a header before its data. */
#include "ompt_tool/gomp/gomp.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* gomp-constants.h of GCC: the handle of the event is stored in the data's first word. */
#define TASK_FLAG_DETACH (1u << 13)
/* Larger data are not copied to the stack, but to a mapping. */
#define STACK_BYTES_MAX 4096
#define ALIGNMENT_MAX 4096

/*
 * libgomp stores words at the begin of the data, and reads one: the handle (detach), the bounds
 * (taskloop; its third word is the reductions). The first words of the header take their place, and
 * are copied from there to the task's own data.
 *
 *     struct task │ padding │ data of the program's task
 */
struct task {
	uintptr_t head[3];
	unsigned int nr_head; /* words that libgomp stores */
	unsigned int offset;  /* of the data, from the header */
	gomp_body *body;
	gomp_copy *copy;  /* NULL: bytes are copied */
	void *data;       /* the encountering thread's */
	ompt_data_t ompt; /* the tool's */
};

static void run_task(void *argument)
{
	struct task *task = argument;
	struct gomp_thread *self = &gomp_self_;
	char *data = (char *)task + task->offset;
	ompt_data_t *prior;

	if (!self->known)
		gomp_meet(self, ompt_thread_worker);
	prior = self->share.task;
	memcpy(data, task->head, task->nr_head * sizeof(task->head[0]));
	self->share.task = &task->ompt;
	GOMP_CALLBACK(task_schedule, prior, ompt_task_switch, &task->ompt);
	task->body(data);
	self->share.task = prior;
	GOMP_CALLBACK(task_schedule, &task->ompt, ompt_task_complete, prior);
}

/* libgomp calls it instead of `copy`, on the encountering thread. */
static void copy_task(void *to, void *from)
{
	struct task *task = from;

	memcpy(to, task, sizeof(*task));
	if (task->nr_head)
		memcpy(task->data, task->head, task->nr_head * sizeof(task->head[0]));
	task->copy((char *)to + task->offset, task->data);
}

static size_t offset_of_data(long alignment)
{
	size_t unit = alignment > 0 ? (size_t)alignment : 1;

	return (sizeof(struct task) + unit - 1) / unit * unit;
}

/*
 * `place`: the header, and room for the data if there is no copy function. Adding one would change
 * how libgomp cancels the task.
 */
static void fill(struct task *place, gomp_body *body, void *data, gomp_copy *copy, size_t bytes,
		 size_t offset, unsigned int nr_head)
{
	*place = (struct task){ .nr_head = nr_head,
				.offset = (unsigned int)offset,
				.body = body,
				.copy = copy,
				.data = data };
	if (data && bytes)
		memcpy(place->head, data,
		       bytes < sizeof(place->head) ? bytes : sizeof(place->head));
	if (!copy && data)
		memcpy((char *)place + offset, data, bytes);
}

static void create(struct gomp_thread *self, struct task *task, int flags, bool dependences,
		   const void *code)
{
	GOMP_CALLBACK(task_create, self->share.task, NULL, &task->ompt, ompt_task_explicit | flags,
		      dependences, code);
}

static bool is_wrapped(long alignment)
{
	return alignment <= ALIGNMENT_MAX && gomp_callbacks[ompt_callback_task_schedule];
}

/* By a system call, because a tool may interpose mmap. NULL: no memory. */
static void *map(size_t bytes)
{
	int error = errno;
	long place = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

	errno = error;
	return place == -1 ? NULL : (void *)place;
}

/*
 * The header and its data, until libgomp has copied them, with room to align them. A macro, for the
 * stack; `task` is NULL if there is no memory: such a task has no events.
 */
#define MAKE_TASK(task, offset, copy, bytes, unit) \
	size_t offset = offset_of_data(unit), \
	       room_ = offset + ((copy) ? 0 : (size_t)(bytes)) + (size_t)(unit); \
	char stack_[room_ <= STACK_BYTES_MAX ? room_ : 1], \
		*block_ = room_ <= STACK_BYTES_MAX ? stack_ : map(room_); \
	struct task *task = (struct task *)(((uintptr_t)block_ + (uintptr_t)(unit) - 1) & \
					    ~((uintptr_t)(unit) - 1))
#define GIVE_BACK() \
	do { \
		if (block_ && block_ != stack_) \
			syscall(SYS_munmap, block_, room_); \
	} while (0)

__attribute__((noinline)) static void make_task(gomp_body *body, void *data, gomp_copy *copy,
						long bytes, long alignment, bool deferrable,
						unsigned int flags, void **dependences,
						int priority, void *detach, const void *code)
{
	struct gomp_thread *self = gomp_is_at_rest() ? NULL : gomp_self_awake(code);
	__typeof__(libgomp.GOMP_task) real = GOMP_REAL_FOR(GOMP_task, code);
	long unit = alignment > (long)_Alignof(struct task) ? alignment
							    : (long)_Alignof(struct task);

	if (self && is_wrapped(unit)) {
		MAKE_TASK(task, offset, copy, bytes, unit);

		if (task) {
			fill(task, body, data, copy, (size_t)bytes, offset,
			     flags & TASK_FLAG_DETACH ? 1 : 0);
			create(self, task, deferrable ? 0 : ompt_task_undeferred, dependences,
			       code);
			real(run_task, task, copy ? copy_task : NULL, (long)offset + bytes, unit,
			     deferrable, flags, dependences, priority, detach);
			GIVE_BACK();
			return;
		}
	}
	real(body, data, copy, bytes, alignment, deferrable, flags, dependences, priority, detach);
}

GOMP_EXPORT void GOMP_task(gomp_body *body, void *data, gomp_copy *copy, long bytes, long alignment,
			   bool deferrable, unsigned int flags, void **dependences, int priority,
			   void *detach)
{
	if (GOMP_PASSES(GOMP_task))
		libgomp.GOMP_task(body, data, copy, bytes, alignment, deferrable, flags,
				  dependences, priority, detach);
	else
		make_task(body, data, copy, bytes, alignment, deferrable, flags, dependences,
			  priority, detach, GOMP_RETURN_ADDRESS);
}

/*
 * Not gomp_begin_work, as a taskloop may lie in a worksharing loop, whose END needs its own type.
 */
static void send_taskloop(struct gomp_thread *self, ompt_scope_endpoint_t endpoint, uint64_t count,
			  const void *code)
{
	GOMP_CALLBACK(work, ompt_work_taskloop, endpoint, gomp_parallel_data(self),
		      self->share.task, count, code);
}

#define DEFINE_TASKLOOP(name, number) \
	GOMP_EXPORT void name(gomp_body *body, void *data, gomp_copy *copy, long bytes, \
			      long alignment, unsigned int flags, unsigned long tasks, \
			      int priority, number begin, number end, number step) \
	{ \
		struct gomp_thread *self = gomp_self(); \
		long unit = alignment > (long)_Alignof(struct task) ? alignment \
								    : (long)_Alignof(struct task); \
\
		if (self && is_wrapped(unit)) { \
			MAKE_TASK(task, offset, copy, bytes, unit); \
\
			if (task) { \
				fill(task, body, data, copy, (size_t)bytes, offset, 2); \
				send_taskloop(self, ompt_scope_begin, \
					      (uint64_t)gomp_iterations((long)begin, (long)end, \
									(long)step), \
					      GOMP_RETURN_ADDRESS); \
				create(self, task, 0, false, GOMP_RETURN_ADDRESS); \
				GOMP_REAL(name)(run_task, task, copy ? copy_task : NULL, \
						(long)offset + bytes, unit, flags, tasks, \
						priority, begin, end, step); \
				send_taskloop(self, ompt_scope_end, 0, GOMP_RETURN_ADDRESS); \
				GIVE_BACK(); \
				return; \
			} \
		} \
		GOMP_REAL(name)(body, data, copy, bytes, alignment, flags, tasks, priority, begin, \
				end, step); \
	}
DEFINE_TASKLOOP(GOMP_taskloop, long)
DEFINE_TASKLOOP(GOMP_taskloop_ull, gomp_ull)
