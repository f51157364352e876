/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of a thread's page faults. */
#include "ompt_tool/sampling/touch_log.h"

#include "analysis/base/populate.h"

void touch_log_add(struct touch_log *log, const struct touch *touch)
{
	uint64_t begin = __atomic_load_n(&log->begin, __ATOMIC_ACQUIRE);

	if (log->end - begin == TOUCH_LOG_ROOM) {
		__atomic_store_n(&log->dropped, log->dropped + 1, __ATOMIC_RELAXED);
		return;
	}
	if (log->end < TOUCH_LOG_ROOM)
		pages_ahead(log->touches, sizeof(log->touches), log->end * sizeof(*touch),
			    sizeof(*touch));
	log->touches[log->end % TOUCH_LOG_ROOM] = *touch;
	__atomic_store_n(&log->end, log->end + 1, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ reading */

/* NULL: empty. */
static const struct touch *first_of(const struct touch_source *source)
{
	const struct touch_log *log = source->log;

	return log->begin < __atomic_load_n(&log->end, __ATOMIC_ACQUIRE)
		       ? &log->touches[log->begin % TOUCH_LOG_ROOM]
		       : NULL;
}

static bool is_before(const struct touch_source *a, const struct touch_source *b)
{
	return first_of(a)->when_ns < first_of(b)->when_ns;
}

/*
 * Restores the heap order, the earliest touch first (Williams 1964), after the element at `at` has
 * become later than its children.
 */
static void sift(struct touch_source *heap, size_t nr, size_t at)
{
	for (size_t least = at;; at = least) {
		struct touch_source moved = heap[at];

		for (size_t below = 2 * at + 1; below <= 2 * at + 2 && below < nr; below++)
			if (is_before(&heap[below], &heap[least]))
				least = below;
		if (least == at)
			return;
		heap[at] = heap[least];
		heap[least] = moved;
	}
}

static size_t without_empty(struct touch_source *sources, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (first_of(&sources[i]))
			sources[kept++] = sources[i];
	return kept;
}

void touch_log_read(struct touch_source *sources, size_t nr, touch_visit *visit)
{
	nr = without_empty(sources, nr);
	for (size_t i = nr / 2; i > 0; i--)
		sift(sources, nr, i - 1);
	while (nr) {
		struct touch_log *log = sources->log;

		visit(sources->ctx, first_of(sources));
		__atomic_store_n(&log->begin, log->begin + 1, __ATOMIC_RELEASE);
		if (!first_of(sources))
			sources[0] = sources[--nr];
		sift(sources, nr, 0);
	}
}
