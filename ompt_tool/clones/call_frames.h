/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CALL_FRAMES_H
#define MEMSEARCH_CLONES_CALL_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Return addresses on the calling thread's stack, from a call outwards, through functions that have
 * clones: by their call frame information (frame_rule.h), which is read when they are cloned, so
 * that a callback needs neither an unwinder nor a lock.
 *
 *     │ body's frame      │
 *     │ return address ───┼── of the call of `callee`, in the body
 *     │ callee's frame    │
 *     │ return address ───┼── of the call into the runtime, in `callee`: known from the event
 */
struct code_bounds;
struct copy_place;

struct call_frame {
	uintptr_t *slot;   /* address of a return address */
	uintptr_t pointer; /* the frame pointer (rbp) of the function that it returns to */
};

/*
 * Notes the frame at each return point of a function (places' `original`); those whose frame is
 * computed otherwise than from rsp or rbp have none. One thread at a time, at a phase boundary.
 */
void call_frames_note(const struct code_bounds *bounds, const struct copy_place *returns,
		      size_t nr);
/*
 * From a return address, in an original or a clone, to that of the function that it lies in. False:
 * unknown, nothing changed. Callbacks allowed.
 */
bool call_frames_next(struct call_frame *frame);

#endif
