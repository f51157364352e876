/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_SWITCHING_H
#define MEMSEARCH_CLONES_SWITCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Two ways to switch threads between originals and clones:
 *
 *   redirect    the runtime's entries that take a function (__kmpc_fork_call, GOMP_parallel*,
 *               GOMP_task, …) are replaced in the
 *               tables of addresses (GOT) of the program's modules by trampolines that pass
 *               clone_of(function)
 *   return      a thread inside the runtime has its return address replaced by the clone's
 *               (clone_after_call), or the
 *               original's: at these points both have the same registers and stack
 *
 * No text is written: a program may read its own code. Nothing here allocates on the program's
 * heap.
 */

/* Purpose for which the runtime calls a function. */
enum switching_use {
	SWITCHING_BODY,  /* of a parallel region */
	SWITCHING_TASK,  /* an explicit task */
	SWITCHING_OTHER, /* copies, reductions and the like */
};

/*
 * Called on a thread that has left clones for originals because of the function it is about to call
 * (guard.h): its further accesses are not recorded. `stops`: clones that no thread may enter until
 * the next phase boundary; unless SWITCHING_NONE the thread may have been in no clone. No malloc,
 * no lock.
 */
enum switching_stops { SWITCHING_NONE, SWITCHING_LIBRARIES, SWITCHING_ALL };
typedef void switching_left(enum switching_stops stops);
void switching_leaving(switching_left *left);

/*
 * Translates a function that is about to be passed to the runtime; callbacks allowed. The caller
 * decides which clones are active.
 */
typedef uintptr_t switching_translate(uintptr_t function, enum switching_use use);

struct switching_status {
	/* tables' entries replaced, those of earlier calls included */
	unsigned int slots;
	/* … that could not be, in this call: not writable, or of unknown target */
	unsigned int refused;
	bool shadow_stack; /* active: return addresses are not changed */
	const char *why;   /* why switching is impossible; NULL: possible */
};

/*
 * Enters trampolines into every loaded module except the runtime, libc and memsearch; call again
 * after dlopen. One thread, at a phase boundary or before there are others; not in other callbacks
 * (takes the dynamic linker's lock). False: no change, out->why is the reason. Not redirected:
 * functions that a module with device code passes to GOMP_target (libgomp identifies them by
 * address), and calls through an address that the program has read before.
 */
bool switching_redirect(switching_translate *translate, struct switching_status *out);
/*
 * The translation of a region's body, for calls that bypass the trampolines. Any thread, about to
 * enter the runtime.
 */
uintptr_t switching_body(uintptr_t body);
void switching_restore(void); /* restores the tables */
/*
 * true: translates only bodies of parallel regions, while nothing is recorded; a task then costs a
 * jump. One thread at a time; others may be in trampolines.
 */
void switching_rest(bool rest);

/*
 * Moves the calling thread, which is inside a call to the runtime that returns to *slot, into the
 * clone (on) or the original (off). `expected`: the return address the runtime reports for this
 * call (codeptr_ra). False: not the same, no clone continues there, or a shadow stack is active;
 * nothing was changed. Callbacks allowed.
 */
bool switching_return(uintptr_t *slot, uintptr_t expected, bool on);
/*
 * The same for all frames of the program above the caller's, by the unwinder; returns the number of
 * moved frames. Not in callbacks of workers.
 */
unsigned int switching_frames(bool on);

#endif
