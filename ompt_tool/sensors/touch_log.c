/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of a thread's page faults. */
#include "ompt_tool/sensors/touch_log.h"

#include "analysis/base/pages.h"

void touch_log_add(struct touch_log *log, const struct touch *touch)
{
	uint64_t begin = __atomic_load_n(&log->begin, __ATOMIC_ACQUIRE);

	if (log->end - begin == TOUCH_LOG_ROOM) {
		__atomic_store_n(&log->dropped, log->dropped + 1, __ATOMIC_RELAXED);
		return;
	}
	if (log->end < TOUCH_LOG_ROOM)
		pages_ahead(log->touches, sizeof(log->touches), log->end * sizeof(*touch), sizeof(*touch));
	log->touches[log->end % TOUCH_LOG_ROOM] = *touch;
	__atomic_store_n(&log->end, log->end + 1, __ATOMIC_RELEASE);
}

void touch_log_read(struct touch_log *log, touch_visit *visit, void *ctx)
{
	uint64_t end = __atomic_load_n(&log->end, __ATOMIC_ACQUIRE);

	for (uint64_t i = log->begin; i < end; i++)
		visit(ctx, &log->touches[i % TOUCH_LOG_ROOM]);
	__atomic_store_n(&log->begin, end, __ATOMIC_RELEASE);
}
