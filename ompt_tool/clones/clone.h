/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CLONE_H
#define MEMSEARCH_CLONES_CLONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A copy of a function's machine code near the original, with probes. Made on demand, at a
 * phase boundary, on one thread; kept per (function, probes) and never freed, because a thread may
 * be in it. Whatever is not understood makes the function refused, with a reason; original
 * and clone can be run in turn and at the same time by any threads.
 */
enum clone_probes {                      /* bits */
	CLONE_ACCESSES = 1,              /* every memory operand, with address */
	CLONE_FUNCTION = 2,              /* entry, exit */
	CLONE_LOOPS = 4,                 /* entry, exit, begin and end of iteration of natural loops */
	CLONE_STACK = 8,                 /* implicit accesses of push, pop, call, return, too */
};

struct clone_options {
	uint32_t probes;
	uint32_t depth;                  /* callees reached by direct calls are cloned, too, so deep; 0: only this function */
	bool runtime_calls_it;           /* reached through a pointer given to the OpenMP runtime: see liveness.h */
	/* Whether a callee may be cloned; NULL: all of the function's own module. Called while cloning. */
	bool (*follow)(void *ctx, uintptr_t function);
	void *ctx;
};

struct clone {
	uint32_t number;
	uintptr_t start, end;            /* the original */
	uintptr_t code, code_end;        /* the copy; callers enter at `code` */
	uint32_t probes;
	uint32_t nr_sites, nr_loops;
	uint32_t first_loop;             /* number of its first loop */
};

struct clone_refusal { uintptr_t function; uintptr_t at; const char *why; };
struct clone_missed {                    /* calls that leave clones, by static call site */
	uintptr_t target;
	uint32_t calls;
	const char *why;
	const char *name;                /* of an import; NULL: it is none */
	bool through_pointer;            /* `target` says nothing */
	/* Sites of which some were recorded if these calls were reached, and none if not, as near as that is known; nr 0: it is not. */
	uint32_t first_site, nr_sites;
};

/* NULL: refused, clone_refusals() has grown by one. Same function and probes: the same clone. */
const struct clone *clone_make(uintptr_t function, const struct clone_options *options);

/* Where to enter instead of an original's start, in its newest clone; 0: it has none. Lock-free, callbacks allowed. */
uintptr_t clone_of(uintptr_t function);
/* The same in the newest clone that has exactly these probes. */
uintptr_t clone_with(uintptr_t function, uint32_t probes);
/*
 * Address in an original behind one in any clone, instruction by instruction (a probe belongs to the instruction it
 * precedes), so that codes reported by the runtime lead to the same regions; other addresses come back
 * unchanged. Lock-free, callbacks allowed.
 */
uintptr_t clone_original(uintptr_t address);
/* Address in the newest clone at which to go on instead of `address`, the point after a call in its original; 0: none. */
uintptr_t clone_after_call(uintptr_t address);
const struct clone *clone_around(uintptr_t address_in_clone);
/* Whether any clone was ever made. Lock-free, callbacks allowed. */
bool clone_exists(void);

/* Code of a natural loop that is in no inner one: a block. `end_at`: its last instruction, if the loop goes back or is left there; 0. */
struct clone_loop_block { uintptr_t start, end, end_at; };

struct clone_loop {                      /* numbers from 1, outer loops before those inside */
	uintptr_t header, function;
	uint32_t parent, depth;          /* parent 0: none */
	uint32_t nr_blocks;
	const struct clone_loop_block *blocks;
	/*
	 * Compilers make several loops of one source loop: vectorised, remainder, unswitched. The first of these, and
	 * the first of those around them (0: none); set by code that knows the source. Atomic; 0: not set yet.
	 */
	uint32_t joined, joined_parent;
};
const struct clone_loop *clone_loop(uint32_t number);
/* `joined` is at most `number`, `joined_parent` below `joined`. One thread at a time, once for each loop. */
void clone_loop_join(uint32_t number, uint32_t joined, uint32_t joined_parent);
uint32_t clone_nr_loops(void);           /* numbers given out so far are at most this */

/* Takes targets of indirect calls from clones that had no clone since the last call, each once, and not all if they are many. */
size_t clone_take_missed(uintptr_t *out, size_t room);
/*
 * Where such a target leads: behind an entry of a linkage table, which is what a pointer to another file's function is in programs that are not
 * position-independent, the function; any other is itself.
 */
uintptr_t clone_behind_linkage(uintptr_t target);
/*
 * From now on a function that has no clone and gets none is called from clones with these probes as outside.h says; until then a clone is left before it
 * calls the function through a pointer. False: no code is known there, it is so already, or no memory.
 */
bool clone_lets_call(uintptr_t function, uint32_t probes);
/*
 * Until the next clone_make or clone_lets_call clones know no function that they call through a pointer: a library is about to be unloaded, and
 * another may come to its place. Any thread, no lock.
 */
void clone_pause(void);
bool clone_is_paused(void);               /* likewise */
/*
 * Whether clones may be begun: not, and they are paused, where code of which there are clones was changed since they were made. Any thread in serial code, not in
 * callbacks of workers: takes the dynamic linker's lock.
 */
bool clone_is_current(void);
/*
 * At a phase boundary, before clones are begun: forgets the clones of functions whose code has changed since, or may change now as it is
 * writable. Threads that are in one stay in it.
 */
void clone_check(void);
/* From now on the entry leads clones with these probes to the function's clone. False: it did already, there is no clone, or no memory. */
bool clone_through_linkage(uintptr_t entry, uint32_t probes);

size_t clone_refusals(const struct clone_refusal **out);
size_t clone_missed(const struct clone_missed **out);
/* Adds a function of another library that was called through a pointer, and is to have no clone; each once. */
void clone_miss(uintptr_t function);

/*
 * How often threads left clones before calls of a function that uses return addresses, by number below clone_nr_left;
 * the last one stands for all unknown code, its target is 0.
 */
uint64_t clone_left_before(size_t number, uintptr_t *target_out);
size_t clone_nr_left(void);

/* Why no function can be cloned here (other architecture, no executable memory, built without Zydis …); NULL: they can. */
const char *clone_unsupported(void);

#endif
