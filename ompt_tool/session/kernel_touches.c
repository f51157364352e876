/* SPDX-License-Identifier: Apache-2.0 */
/* First touches of arrays by system calls. */
#include "ompt_tool/session/kernel_touches.h"

#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"
#include "analysis/record/run.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/first_touch.h"
#include "ompt_tool/arrays/residence.h"
#include "ompt_tool/process/thread.h"

#define PAGES_LEAST 4           /* of an array */
#define BYTES_MOST (2ull << 30) /* of arrays examined at a time */

/*
 * The fault of a resident page was this array's. glibc's malloc returns blocks with a mapping of
 * their own two words behind its begin.
 */
static bool is_fresh(const struct array *array, const struct memory_range *heap, uint64_t page)
{
	uint64_t in_page = array->start & (page - 1);

	if (array->kind == ARRAY_STATIC || array->kind == ARRAY_COMMON ||
	    array->kind == ARRAY_MODULE)
		return true;
	return array->kind == ARRAY_HEAP && (in_page == 0 || in_page == 2 * sizeof(size_t)) &&
	       array->start - heap->low >= heap->high - heap->low;
}

static bool is_one_block(const struct array *array, const struct first_touches *touches,
			 const struct memory_range *heap)
{
	return array->blocks == 1 && array->live_blocks == 1 &&
	       array->bytes >= PAGES_LEAST * touches->page_bytes &&
	       is_fresh(array, heap, touches->page_bytes);
}

/* Some of its pages had no known fault. */
static bool has_unseen(const struct array *array, const struct first_touches *touches)
{
	uint64_t page = array->start / touches->page_bytes,
		 end = (array->start + array->bytes) / touches->page_bytes;

	while (page < end && page_set_has(&touches->seen, array->id, page))
		page++;
	return page < end;
}

static void note(struct kernel_touches *kernel, const struct array *array,
		 const struct memory_ranges *resident)
{
	uint64_t end = array->start + array->bytes;

	for (size_t i = 0; i < resident->nr; i++) {
		const struct memory_range *range = &resident->items[i];

		if (ARENA_GROW(kernel->arena, kernel->resident, kernel->nr, kernel->room))
			kernel->resident[kernel->nr++] = (struct kernel_range){
				array->id, range->low > array->start ? range->low : array->start,
				range->high < end ? range->high : end
			};
	}
}

void kernel_touches_note(struct kernel_touches *kernel, const struct first_touches *touches,
			 const struct memory_range *heap)
{
	struct arena *scratch = arena_new();
	struct memory_ranges anonymous = { 0 }, resident = { 0 };
	uint64_t left = BYTES_MOST;
	bool has_map = false;

	kernel->nr = 0;
	for (uint32_t i = 0; scratch && i < array_count(); i++) {
		const struct array *array = array_get(i);

		if (array->bytes > left || !is_one_block(array, touches, heap))
			continue;
		left -= array->bytes;
		if (!has_unseen(array, touches))
			continue;
		if (!has_map)
			residence_anonymous(scratch, &anonymous);
		has_map = true;
		resident.nr = 0;
		residence_of(scratch, &anonymous, array->start, array->start + array->bytes,
			     &resident);
		note(kernel, array, &resident);
	}
	arena_free(scratch);
}

static uint64_t known_threads(void)
{
	uint64_t known = 0;

	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		known++;
	return known;
}

/* Threads that memsearch does not know, and so samples no faults of. */
static bool has_other_threads(uint64_t known)
{
	struct arena *scratch = arena_new();
	const char *threads = NULL;
	char text[4096];
	bool has_others;

	system_text_read("/proc/self/status", text, sizeof(text));
	if (scratch)
		threads = system_text_value(scratch, text, "Threads");
	has_others = !threads || strtoull(threads, NULL, 10) > known;
	arena_free(scratch);
	return has_others;
}

/*
 * Where one fault in several is sampled, each thread may have touched some pages of an array without a
 * sample.
 */
static bool is_certain(const struct first_touches *touches, const struct array *array,
		       uint64_t threads)
{
	uint64_t unsampled = touches->others ? (threads + 1) * TOUCH_FURTHEST : 0;

	return array->bytes / touches->page_bytes > unsampled &&
	       !first_touches_uncertain(touches, array->id);
}

void kernel_touches_attribute(struct kernel_touches *kernel, struct first_touches *touches,
			      const struct memory_range *heap)
{
	uint64_t threads = known_threads();
	bool are_known = kernel->nr && !has_other_threads(threads);

	for (size_t i = 0; are_known && i < kernel->nr; i++) {
		const struct kernel_range *range = &kernel->resident[i];
		const struct array *array = array_get(range->array);

		if (is_one_block(array, touches, heap) && is_certain(touches, array, threads))
			first_touches_unowned(touches, range->array, RUN_THREAD_UNKNOWN, range->low,
					      range->high);
	}
	kernel->nr = 0;
}
