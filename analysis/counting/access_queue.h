/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_ACCESS_QUEUE_H
#define MEMSEARCH_COUNTING_ACCESS_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Queue of stretches of a record (trace/stretches.h) that groups equal ones: accesses of one site
 * keep their order, those of different sites need not. Each stretch has a list of runs (consecutive
 * repetitions).
 *
 *     at   0  A A A  9 B  14 A A  …        A: 0 × 3 ─▶ 14 × 2        B: 9 × 1
 *
 * Empty when zeroed. No malloc, callbacks allowed.
 */
#define QUEUE_RUNS 256
/* a power of two; stretches whose numbers are alike in it wait one after the other */
#define QUEUE_LISTS 256

struct queue_run {
	uint32_t at, times; /* position of its first header */
	uint32_t next;      /* position in `runs` + 1; 0: last */
};

struct queue_list {
	uint64_t stretch;     /* 0: none */
	uint32_t first, last; /* as `next`; 0: empty */
};

struct access_queue {
	uint32_t nr_runs, nr_lists;
	struct queue_run runs[QUEUE_RUNS];
	struct queue_list lists[QUEUE_LISTS]; /* by stretch */
	uint8_t order[QUEUE_LISTS];           /* of the used lists, by first occurrence */
};

static inline struct queue_list *queue_list(struct access_queue *queue, uint64_t stretch)
{
	return &queue->lists[stretch % QUEUE_LISTS];
}

static inline bool queue_has(struct access_queue *queue, uint64_t stretch)
{
	const struct queue_list *list = queue_list(queue, stretch);

	return list->first && list->stretch == stretch;
}

/* False: full until the queue is cleared. */
static inline bool queue_add(struct access_queue *queue, uint64_t stretch, uint32_t at,
			     uint32_t times)
{
	struct queue_list *list = queue_list(queue, stretch);

	if (queue->nr_runs == QUEUE_RUNS || (list->stretch && list->stretch != stretch))
		return false;
	if (!list->stretch)
		queue->order[queue->nr_lists++] = (uint8_t)(stretch % QUEUE_LISTS);
	list->stretch = stretch;
	queue->runs[queue->nr_runs++] = (struct queue_run){ at, times, 0 };
	if (list->first)
		queue->runs[list->last - 1].next = queue->nr_runs;
	else
		list->first = queue->nr_runs;
	list->last = queue->nr_runs;
	return true;
}

static inline void queue_clear(struct access_queue *queue)
{
	for (uint32_t i = 0; i < queue->nr_lists; i++)
		queue->lists[queue->order[i]] = (struct queue_list){ 0 };
	queue->nr_runs = queue->nr_lists = 0;
}

#endif
