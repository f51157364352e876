/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in frames of functions on the initial thread's stack. */
#include "ompt_tool/arrays/automatic_arrays.h"

#include <stdbool.h>

#include "analysis/base/own_stack.h"
#include "analysis/base/read_words.h"
#include "analysis/debuginfo/declared.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/heap.h"

#define FRAMES_MOST 128
#define PLACED_MOST 1024
#define FILES_MOST 64
/* of array_time: a frame that no other contests has its place from the start on */
#define SINCE_START 1

static struct automatic_frame frames[FRAMES_MOST];
static uintptr_t
	callers[FRAMES_MOST]; /* of each frame the word below its CFA, where it returns to */
static size_t nr_frames;
static bool new_frames; /* since automatic_arrays_noted */

static struct file {
	struct declared_list declared;
	uint64_t bias;
} files[FILES_MOST];
static size_t nr_files;

/* Ranges of arrays. */
static struct placed {
	const struct declared_automatic *item;
	uintptr_t low, high;
	bool in_table;
	bool contested; /* another variable has or had a part of it */
} placed[PLACED_MOST];
static size_t nr_placed;

/* False: the frame base is not one that is known. */
static bool base_of(const struct automatic_frame *frame, int base, uintptr_t *out)
{
	if (base == FRAME_BASE_CFA)
		*out = frame->cfa;
	else if (base == AUTOMATIC_FRAME_POINTER)
		*out = frame->frame_pointer;
	else if (base == AUTOMATIC_STACK_POINTER)
		*out = frame->stack;
	else
		return false;
	return true;
}

/* False: it has its range already. */
static bool contest(struct placed *new)
{
	for (size_t i = 0; i < nr_placed; i++) {
		if (placed[i].low >= new->high || placed[i].high <= new->low)
			continue;
		if (placed[i].item == new->item && placed[i].low == new->low)
			return false;
		placed[i].contested = new->contested = true;
	}
	return true;
}

static void place(const struct declared_automatic *item, const struct automatic_frame *frame)
{
	struct placed new = { .item = item };
	uintptr_t base;

	if (!base_of(frame, item->base, &base))
		return;
	new.low = base + (uintptr_t)item->offset;
	new.high = new.low + item->array.bytes;
	if (new.low < frame->stack || new.high > frame->cfa || new.high < new.low ||
	    nr_placed == PLACED_MOST || !contest(&new))
		return;
	placed[nr_placed++] = new;
}

/* Takes out what is contested by now, and puts in the others. */
static void update(struct placed *one)
{
	uint64_t bytes;
	uint32_t array;

	if (one->contested && one->in_table)
		array_block_remove(one->low, &bytes);
	if (one->contested || one->in_table) {
		one->in_table = !one->contested;
		return;
	}
	array = array_new(&one->item->array);
	one->in_table = array != ARRAY_NONE &&
			array_block_add_since(array, one->low, one->high - one->low, SINCE_START);
}

static void place_all(const struct file *file, const struct automatic_frame *frame)
{
	uint64_t at = frame->code - 1 - file->bias;

	for (size_t i = 0; i < file->declared.nr_automatic; i++) {
		const struct declared_automatic *item = &file->declared.automatic[i];

		if (declared_is_at(item, at))
			place(item, frame);
	}
}

static void update_all(void)
{
	for (size_t i = 0; i < nr_placed; i++)
		update(&placed[i]);
}

/* 0: the stack is no longer there, as that of a coroutine. */
static uintptr_t caller_of(const struct automatic_frame *frame)
{
	uintptr_t word;

	return read_words(frame->cfa - sizeof(word), &word, 1) == 1 ? word : 0;
}

/* Further out than what the program uses of its stack, and returning to where it did. */
static bool exists(size_t frame)
{
#ifdef __x86_64__
	return own_stack_programs() < frames[frame].cfa && callers[frame] &&
	       caller_of(&frames[frame]) == callers[frame];
#else /* the return address may be anywhere in the frame */
	(void)frame;
	return false;
#endif
}

static void name_blocks(const struct file *file, const struct automatic_frame *frame)
{
	uint64_t at = frame->code - 1 - file->bias;

	for (size_t i = 0; i < file->declared.nr_members; i++) {
		const struct declared_automatic *item = &file->declared.members[i];
		struct declared declared = { .array = item->array,
					     .pointer = item->pointer,
					     .descriptor = item->descriptor };
		uintptr_t base;

		if (!declared_is_at(item, at) || !base_of(frame, item->base, &base))
			continue;
		declared.address = base + (uintptr_t)item->offset;
		heap_name_by_frame(&declared, frame->stack, frame->cfa);
	}
}

/* Frames were noted from the inside out. */
void automatic_arrays_name_blocks(void)
{
	for (size_t i = nr_frames; i > 0; i--) {
		bool there = exists(i - 1);

		for (size_t k = 0; there && k < nr_files; k++)
			name_blocks(&files[k], &frames[i - 1]);
	}
}

void automatic_arrays_note(const struct automatic_frame *frame)
{
	for (size_t i = 0; i < nr_frames; i++)
		if (frames[i].code == frame->code && frames[i].cfa == frame->cfa)
			return;
	if (!frame->cfa || nr_frames == FRAMES_MOST)
		return;
	callers[nr_frames] = caller_of(frame);
	frames[nr_frames++] = *frame;
	for (size_t i = 0; i < nr_files; i++)
		place_all(&files[i], frame);
	update_all();
	new_frames = true;
}

void automatic_arrays_noted(void)
{
	if (new_frames && nr_files)
		automatic_arrays_name_blocks();
	new_frames = false;
}

void automatic_arrays_declare(const struct declared_list *declared, uint64_t bias)
{
	if (nr_files == FILES_MOST || (!declared->nr_automatic && !declared->nr_members))
		return;
	files[nr_files++] = (struct file){ *declared, bias };
	for (size_t i = 0; i < nr_frames; i++)
		place_all(&files[nr_files - 1], &frames[i]);
	update_all();
}
