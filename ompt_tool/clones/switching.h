/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_SWITCHING_H
#define MEMSEARCH_CLONES_SWITCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Three ways to let threads run clones, and the originals again:
 *
 *   hand over   the runtime's entries that take a function (__kmpc_fork_call, GOMP_parallel*, GOMP_task, …) are replaced in the
 *               tables of addresses (GOT) of the program's modules by stand-ins that pass clone_of(function)
 *   return      a thread inside the runtime has its return address replaced by the clone's (clone_after_call), or the
 *               original's: at these points both have the same registers and stack
 *   entry       a jump at the begin of a serial function, while no other thread can be in its first bytes
 *
 * No text is written except by `entry`, and that exactly undone. Nothing here allocates on the program's heap.
 */

/* What the runtime will call a function for. */
enum switching_use {
	SWITCHING_BODY,                  /* of a parallel region */
	SWITCHING_TASK,                  /* an explicit task */
	SWITCHING_OTHER,                 /* copies, reductions and the like */
};

/* Translates a function that is about to be handed to the runtime; callbacks allowed. Which clones are on decides the caller. */
typedef uintptr_t switching_translate(uintptr_t function, enum switching_use use);

struct switching_status {
	unsigned int slots;              /* tables' entries replaced, those of earlier calls included */
	unsigned int refused;            /* … that could not be, in this call: not written, or nobody knows where they lead */
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
void switching_hand_back(void);          /* the tables as they were */

/*
 * Moves the calling thread, which is inside a call to the runtime that returns to *slot, into the clone (on) or the original (off).
 * `expected`: the return address the runtime reports for this call (codeptr_ra). False: not the same, no clone goes on there, or
 * a shadow stack is active; nothing was changed. Callbacks allowed.
 */
bool switching_return(uintptr_t *slot, uintptr_t expected, bool on);
/* The same for all frames of the program above the caller's, found by the unwinder; number of frames moved. Not in callbacks of workers. */
unsigned int switching_frames(bool on);

/*
 * Does the thread (by gettid) wait in the runtime until the calling one goes on? A worker between two regions
 * does, and may spin there, which the kernel cannot tell from running in the program. No thread: NULL.
 */
typedef bool switching_waits(void *ctx, int os_id);

/*
 * A jump from `function` to `clone`; off: the original bytes. Only at a phase boundary when every other thread of the process waits in
 * the runtime or the kernel, which is looked at: who runs and is not said to wait makes it refused. False with the reason.
 * Takes a few file descriptors for a moment. One thread at a time.
 */
bool switching_entry(uintptr_t function, uintptr_t clone, bool on, switching_waits *waits, void *ctx, const char **why_out);
/* Whether such a jump may ever stand there; false with the reason, which holds as long as the module is loaded. */
bool switching_entry_fits(uintptr_t function, uintptr_t clone, const char **why_out);
/* Whether the one put last stands there: its module may have been unloaded, and another have come to its place. */
bool switching_entry_is_on(uintptr_t function);

#endif
