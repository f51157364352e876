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
/* calls from clones to code without a clone, by static call site */
struct clone_missed {
	uintptr_t target;
	uint32_t calls;
	const char *why;
	const char *name;     /* of an import; NULL: no import */
	bool through_pointer; /* `target` is unknown */
	/*
	 * Sites that are recorded if and only if the calls are reached (control_equivalence.h); nr
	 * 0: unknown.
	 */
	uint32_t first_site, nr_sites;
};

/* NULL: refused, clone_refusals() has grown by one. Same function and probes: the same clone. */
const struct clone *clone_make(uintptr_t function, const struct clone_options *options);

/*
 * All clones, from the newest on, also those that are not entered any more; NULL: no more. At a
 * phase boundary.
 */
const struct clone *clone_newest(void);
const struct clone *clone_made_before(const struct clone *clone);

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
 * A block of a natural loop that is in no inner loop. `end_at`: its last instruction, if that is a
 * back edge or an exit; else 0.
 */
struct clone_loop_block {
	uintptr_t start, end, end_at;
};

/*
 * Numbers from 1, outer loops before those inside. A function that code calls has a row, too, around
 * its loops: its header is its begin, its block all of it.
 */
struct clone_loop {
	uintptr_t header, function;
	uint32_t parent, depth; /* parent 0: none */
	bool is_function;
	uint32_t nr_blocks;
	const struct clone_loop_block *blocks;
	/*
	 * Compilers create several loops of one source loop: vectorised, remainder, unswitched.
	 * `joined`: the first of these; `joined_parent`: the first of those around them (0: none).
	 * Set from debug information. Atomic; 0: not set yet.
	 */
	uint32_t joined, joined_parent;
};
const struct clone_loop *clone_loop(uint32_t number);
/*
 * `joined` is at most `number`, `joined_parent` below `joined`. One thread at a time, once for each
 * loop.
 */
void clone_loop_join(uint32_t number, uint32_t joined, uint32_t joined_parent);
uint32_t clone_nr_loops(void); /* highest number so far */

/*
 * Returns targets of indirect calls from clones without a clone since the last call; each once, a
 * limited number.
 */
size_t clone_take_missed(uintptr_t *out, size_t room);
/*
 * Resolves such a target: an entry of a linkage table, to which function pointers refer in programs
 * that are not position-independent, gives its function; other targets are unchanged.
 */
uintptr_t clone_behind_linkage(uintptr_t target);
/*
 * From now on clones with these probes call the function, which has and gets no clone, by the rules
 * of outside.h; before that, a thread leaves its clone before it calls the function through a
 * pointer. False: no known code, no change, or no memory.
 */
bool clone_lets_call(uintptr_t function, uint32_t probes);
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
/*
 * From now on clones with these probes call the function's clone through the entry. False: no
 * change, no clone, or no memory.
 */
bool clone_through_linkage(uintptr_t entry, uint32_t probes);

size_t clone_refusals(const struct clone_refusal **out);
size_t clone_missed(const struct clone_missed **out);
/*
 * Adds a function of another library that was called through a pointer and gets no clone; each
 * once.
 */
void clone_miss(uintptr_t function);

/*
 * How often threads left clones before calls of a function that uses return addresses, by number
 * below clone_nr_left; the last number is for all unknown code, with target 0.
 */
uint64_t clone_left_before(size_t number, uintptr_t *target_out);
size_t clone_nr_left(void);

/*
 * Why no function can be cloned here (other architecture, no executable memory, built without Zydis
 * …); NULL: they can.
 */
const char *clone_unsupported(void);

#endif
