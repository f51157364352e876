/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CLONE_H
#define MEMSEARCH_CLONES_CLONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A copy of a function's machine code near the original, with probes. Created on demand, at a phase
 * boundary, on one thread; one per (function, probes), never freed, because a thread may be in it.
 * A function with unsupported code is refused, with a reason. Any threads may run original and
 * clone concurrently.
 */
/* bits */
enum clone_probes {
	CLONE_ACCESSES = 1, /* every memory operand, with address */
	CLONE_FUNCTION = 2, /* entry, exit */
	/* entry, exit, begin and end of iteration of natural loops */
	CLONE_LOOPS = 4,
	CLONE_STACK = 8, /* implicit accesses of push, pop, call, return, too */
	/*
	 * with FUNCTION and LOOPS, without ACCESSES: entries and exits have the time (loop_clock.h),
	 * iterations have no event
	 */
	CLONE_TIMES = 16,
};

struct clone_options {
	uint32_t probes;
	/* callees by direct calls are cloned, too, up to this depth; 0: only this function */
	uint32_t depth;
	/* called through a pointer passed to the OpenMP runtime: see liveness.h */
	bool runtime_calls_it;
	/*
	 * Whether a callee may be cloned; NULL: all of the function's own module. Called while
	 * cloning.
	 */
	bool (*follow)(void *ctx, uintptr_t function);
	void *ctx;
};

struct clone {
	uint32_t number;
	uintptr_t start, end;     /* the original */
	uintptr_t code, code_end; /* the copy; callers enter at `code` */
	uint32_t probes;
	uint32_t nr_sites, nr_loops;
	uint32_t first_loop;   /* number of its first loop */
	uint32_t around_loops; /* number of the function itself; 0: the runtime calls it */
	/*
	 * functions of the explicit tasks that it creates, each once, as far as its code shows them
	 * (created_tasks.h)
	 */
	const uintptr_t *tasks;
	uint32_t nr_tasks;
};

struct clone_refusal {
	uintptr_t function;
	uintptr_t at;
	const char *why;
};

/* NULL: refused, clone_refusals() has grown by one. Same function and probes: the same clone. */
const struct clone *clone_make(uintptr_t function, const struct clone_options *options);

/*
 * All clones, from the newest on, also those that are not entered any more; NULL: no more. At a
 * phase boundary.
 */
const struct clone *clone_newest(void);
const struct clone *clone_made_before(const struct clone *clone);

/*
 * Whether clone_of and clone_after_call are about clones with CLONE_TIMES from now on, or (at first)
 * about the other ones. At a phase boundary.
 */
void clone_use_times(bool on);
/* Entry of the function's newest clone; 0: none. Lock-free, callbacks allowed. */
uintptr_t clone_of(uintptr_t function);
/* The same in the newest clone that has exactly these probes. */
uintptr_t clone_with(uintptr_t function, uint32_t probes);
/*
 * Maps an address in any clone to the original, by instruction (a probe belongs to the instruction
 * after it), so that code addresses reported by the runtime give the same regions; returns other
 * addresses unchanged. Lock-free, callbacks allowed.
 */
uintptr_t clone_original(uintptr_t address);
/*
 * Address in the newest clone that continues at `address`, the return point of a call in the
 * original; 0: none.
 */
uintptr_t clone_after_call(uintptr_t address);
const struct clone *clone_around(uintptr_t address_in_clone);
/* Whether any clone was ever made. Lock-free, callbacks allowed. */
bool clone_exists(void);

/*
 * Until the next clone_make or clone_lets_call clones treat all functions called through pointers
 * as unknown: a library is being unloaded, and another may get its addresses. Any thread,
 * lock-free.
 */
void clone_pause(void);
bool clone_is_paused(void); /* likewise */
/*
 * Whether clones may be entered. False, and pauses clones, if cloned code has changed since. Any
 * thread in serial code, not in callbacks of workers: takes the dynamic linker's lock.
 */
bool clone_is_current(void);
/*
 * At a phase boundary, before clones are entered: drops the clones of functions whose code has
 * changed or is writable. Threads inside one stay in it.
 */
void clone_check(void);

size_t clone_refusals(const struct clone_refusal **out);

/*
 * Why no function can be cloned here (other architecture, no executable memory, built without Zydis
 * …); NULL: they can.
 */
const char *clone_unsupported(void);

#endif
