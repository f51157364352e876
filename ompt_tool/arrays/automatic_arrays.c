/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in frames of functions on the initial thread's stack. */
#include "ompt_tool/arrays/automatic_arrays.h"

#include <stdbool.h>

#include "analysis/debuginfo/declared.h"
#include "ompt_tool/arrays/array.h"

#define FRAMES_MOST 128
#define PLACED_MOST 256
#define FILES_MOST 64
/* of array_time: a frame that no other contests has its place from the start on */
#define SINCE_START 1

static struct automatic_frame frames[FRAMES_MOST];
static size_t nr_frames;

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

		if (at >= item->low && at < item->high)
			place(item, frame);
	}
}

static void update_all(void)
{
	for (size_t i = 0; i < nr_placed; i++)
		update(&placed[i]);
}

void automatic_arrays_note(const struct automatic_frame *frame)
{
	for (size_t i = 0; i < nr_frames; i++)
		if (frames[i].code == frame->code && frames[i].cfa == frame->cfa)
			return;
	if (!frame->cfa || nr_frames == FRAMES_MOST)
		return;
	frames[nr_frames++] = *frame;
	for (size_t i = 0; i < nr_files; i++)
		place_all(&files[i], frame);
	update_all();
}

void automatic_arrays_declare(const struct declared_list *declared, uint64_t bias)
{
	if (nr_files == FILES_MOST || !declared->nr_automatic)
		return;
	files[nr_files++] = (struct file){ *declared, bias };
	for (size_t i = 0; i < nr_frames; i++)
		place_all(&files[nr_files - 1], &frames[i]);
	update_all();
}
