/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads' buffers: placed so that a byte of the cursor shows whether they are full; flushed,
 * released.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/buffer.h"

#include <errno.h>
#include <stdatomic.h>

#include "analysis/base/own_memory.h"
#include "analysis/base/own_stack.h"
#include "ompt_tool/clones/word_buffer.h"

struct buffer_thread {
	char *mapping;
	size_t mapped;  /* bytes */
	uint64_t start; /* first word */
	record_consume *consume;
	void *ctx;
	/* the cursor stays at the bound, so that every check calls flush.c */
	bool leaves;
};

_Thread_local struct buffer_self buffer_self
	__attribute__((tls_model("initial-exec"))) = { .cursor = (uint64_t)BUFFER_NOWHERE };
uint64_t buffer_nowhere;

static const uint64_t stride = 1ull << 32, bound_in_stride = 16 << 20;
enum { SMALLEST = 64 << 10, LARGEST = 4 << 20, PAGE = 4096 };
/*
 * Multiples of 4 GiB tried before giving up: a thread takes one, and 2^15 of them are the user's
 * half of the address space.
 */
enum { TRIES = 8192 };

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* From below the kernel's mappings, downwards; each search continues at the last result. */
static uint64_t next_stride(void)
{
	static _Atomic uint64_t last;
	uint64_t none = 0, top = (uint64_t)(uintptr_t)&none & ~(stride - 1);

	if (!atomic_load(&last))
		atomic_compare_exchange_strong(&last, &none, top - stride);
	return atomic_fetch_sub(&last, stride) - stride;
}

/* Maps [bound - before, bound + slack) at a suitable `bound`; 0: none is free. */
static uint64_t map_before_bound(size_t before)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t bound = next_stride() + bound_in_stride;
		void *at;

		if (bound > 1ull << 47)
			return 0;
		at = own_memory_at((void *)(uintptr_t)(bound - before), before + BUFFER_SLACK);
		if (at)
			return bound;
		if (errno == ENOMEM)
			return 0;
	}
	return 0;
}

bool buffer_prepare(void)
{
	uint64_t bound = buffer_nowhere ? 0 : map_before_bound(SMALLEST);

	if (bound)
		buffer_nowhere = bound - SMALLEST;
	return buffer_nowhere != 0;
}

struct full {
	const struct buffer_thread *thread;
	uint64_t end;
};

static void consume(void *argument)
{
	const struct full *full = argument;
	const struct buffer_thread *thread = full->thread;

	thread->consume(thread->ctx, (const uint64_t *)(uintptr_t)thread->start,
			(full->end - thread->start) / 8);
}

static bool stopped; /* atomic */

void buffer_stop(void)
{
	__atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
}

static void redirect(const struct buffer_thread *thread, uint64_t end)
{
	int error = errno;

	if (end > thread->start && !thread->leaves && !__atomic_load_n(&stopped, __ATOMIC_RELAXED))
		own_stack_call(consume, &(struct full){ thread, end });
	errno = error;
}

static uint64_t cursor_after(const struct buffer_self *self)
{
	return self->thread->leaves ? self->bound : self->thread->start;
}

struct buffer_flushed buffer_flush(uint64_t end)
{
	redirect(buffer_self.thread, end);
	return (struct buffer_flushed){ cursor_after(&buffer_self),
					buffer_self.thread->leaves ? BUFFER_LEAVE : 0 };
}

bool record_thread_begin(size_t bytes, record_consume *consume, void *ctx)
{
	size_t state = buffer_state_bytes(),
	       head = round_up(64 + sizeof(struct buffer_thread) + state, PAGE);
	struct buffer_thread *thread;
	uint64_t bound;

	if (bytes < SMALLEST || bytes > LARGEST || bytes & (bytes - 1) || !state) {
		errno = state ? EINVAL : ENOTSUP;
		return false;
	}
	record_thread_end();
	bound = map_before_bound(bytes + head);
	if (!bound) {
		errno = ENOMEM;
		return false;
	}
	thread = (struct buffer_thread *)(uintptr_t)(bound - bytes - head + round_up(state, 64));
	*thread = (struct buffer_thread){ (char *)(uintptr_t)(bound - bytes - head),
					  bytes + head + BUFFER_SLACK,
					  bound - bytes,
					  consume,
					  ctx,
					  false };
	buffer_self = (struct buffer_self){
		.cursor = bound - bytes, .bound = bound, .state = thread->mapping, .thread = thread
	};
	return true;
}

/* Lent, busy or nowhere: a signal handler jumped out of a loop, whose recorded words are lost. */
static bool cursor_is_in(const struct buffer_self *self)
{
	return self->cursor >= self->thread->start && self->cursor <= self->bound + BUFFER_SLACK;
}

void record_flush(void)
{
	struct buffer_self *self = &buffer_self;
	uint64_t end = self->cursor;

	if (!self->thread)
		return;
	if (cursor_is_in(self)) {
		self->cursor = (uint64_t)BUFFER_BUSY;
		atomic_signal_fence(memory_order_seq_cst);
		redirect(self->thread, end);
		atomic_signal_fence(memory_order_seq_cst);
	}
	self->cursor = cursor_after(self);
}

void record_leave(void)
{
	if (buffer_self.thread)
		buffer_self.thread->leaves = true;
}

void record_resume(void)
{
	if (!buffer_self.thread || !buffer_self.thread->leaves)
		return;
	buffer_self.thread->leaves = false;
	buffer_self.cursor = buffer_self.thread->start;
}

void record_thread_end(void)
{
	struct buffer_thread *thread = buffer_self.thread;

	if (!thread)
		return;
	record_flush();
	buffer_self = (struct buffer_self){ .cursor = (uint64_t)BUFFER_NOWHERE };
	own_memory_give_back(thread->mapping, thread->mapped);
}
