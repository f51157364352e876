/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_SWITCHING_H
#define MEMSEARCH_CLONES_SWITCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Two ways to let threads run clones, and the originals again:
 *
 *   redirect    the runtime's entries that take a function (__kmpc_fork_call, GOMP_parallel*, GOMP_task, …) are replaced in the
 *               tables of addresses (GOT) of the program's modules by stand-ins that pass clone_of(function)
 *   return      a thread inside the runtime has its return address replaced by the clone's (clone_after_call), or the
 *               original's: at these points both have the same registers and stack
 *
 * No text is written: a program may read its own code. Nothing here allocates on the program's heap.
 */

/* What the runtime will call a function for. */
enum switching_use {
	SWITCHING_BODY,                  /* of a parallel region */
	SWITCHING_TASK,                  /* an explicit task */
	SWITCHING_OTHER,                 /* copies, reductions and the like */
};

/*
 * Called on a thread in the middle of its code, when it has left clones for their originals because of what it is about to call (guard.h): what it
 * accesses from here on is not recorded. `stops`: which clones are not to be begun until the next phase boundary, by any thread; where this is not
 * SWITCHING_NONE the thread may have been in none. No malloc, no lock.
 */
enum switching_stops { SWITCHING_NONE, SWITCHING_LIBRARIES, SWITCHING_ALL };
typedef void switching_left(enum switching_stops stops);
void switching_leaving(switching_left *left);

/* Translates a function that is about to be handed to the runtime; callbacks allowed. Which clones are on decides the caller. */
typedef uintptr_t switching_translate(uintptr_t function, enum switching_use use);

struct switching_status {
	unsigned int slots;              /* tables' entries replaced, those of earlier calls included */
	unsigned int refused;            /* … that could not be, in this call: not writable, or of unknown target */
	bool shadow_stack;               /* active: return addresses must not be touched, and are not */
	const char *why;                 /* why nothing can be switched; NULL: something can */
};

/*
 * Puts the stand-ins into every module loaded so far except the runtime's, libc's and ours; call again after dlopen.
 * One thread, at a phase boundary or before there are others; not in other callbacks (takes the dynamic linker's lock).
 * False: nothing is exchanged, out->why says why. Stays as it is: what a module that brings code for devices passes to
 * GOMP_target (libgomp knows it by its address), and calls whose address the program read before and keeps in a register.
 */
bool switching_hand_over(switching_translate *translate, struct switching_status *out);
/* What a stand-in would pass for the body of a region, where the call came past it. Any thread, about to enter the runtime. */
uintptr_t switching_body(uintptr_t body);
void switching_hand_back(void);          /* the tables as they were */
/* true: translates only the bodies of parallel regions, while nothing is recorded; tasks then cost a jump. One thread at a time; others may be in stand-ins. */
void switching_rest(bool rest);

/*
 * Moves the calling thread, which is inside a call to the runtime that returns to *slot, into the clone (on) or the original (off).
 * `expected`: the return address the runtime reports for this call (codeptr_ra). False: not the same, no clone
 * continues there, or a shadow stack is active; nothing was changed. Callbacks allowed.
 */
bool switching_return(uintptr_t *slot, uintptr_t expected, bool on);
/* The same for all frames of the program above the caller's, found by the unwinder; number of frames moved. Not in callbacks of workers. */
unsigned int switching_frames(bool on);

#endif
