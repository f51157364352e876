/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_TASK_TAG_H
#define MEMSEARCH_EVENTS_TASK_TAG_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/events/event.h"

/*
 * Task data: set at the begin of a task, read at its end. 0: not set.
 *     bits 0–31 frame number or region   32–55 epoch   61 undeferred   62 implicit   63 explicit
 */
#define TASK_UNDEFERRED (1ull << 61)
#define TASK_IMPLICIT (1ull << 62)
#define TASK_EXPLICIT (1ull << 63)

static inline uint64_t task_tag(uint64_t type, uint32_t value)
{
	uint64_t epoch = __atomic_load_n(&events.epoch, __ATOMIC_RELAXED) & 0xffffff;

	return type | epoch << 32 | value;
}

/* True: the tag has that type and the current epoch; *value_out is the stored value. */
static inline bool task_untag(const ompt_data_t *task, uint64_t type, uint32_t *value_out)
{
	if (!task || !task->value ||
	    (task->value & ~(TASK_UNDEFERRED | 0xffffffffull)) != task_tag(type, 0))
		return false;
	*value_out = (uint32_t)task->value;
	return true;
}

#endif
