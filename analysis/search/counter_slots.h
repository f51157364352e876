/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_COUNTER_SLOTS_H
#define MEMSEARCH_SEARCH_COUNTER_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric_set.h"

/*
 * The counter plan of one experiment. A CPU has few counters, so metrics that do not fit together
 * rotate over executions of the phase; the kernel never multiplexes. The measuring side decides
 * what fits (engine_config.fits), called at most once for each metric and set.
 */
typedef bool slots_fits(void *ctx, const uint32_t *metrics, size_t nr);

struct slots {
	slots_fits *fits; /* NULL: everything fits */
	void *ctx;
	uint32_t metrics[MS_METRICS]; /* that were taken */
	size_t nr;
	struct ms_metric_set refused; /* that do not fit beside these */
};

static inline bool slots_limit(uint32_t metric)
{
	return ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS;
}

void slots_init(struct slots *slots, slots_fits *fits, void *ctx);
void slots_clear(struct slots *slots);
bool slots_has(const struct slots *slots, uint32_t metric); /* it is measured anyway */
/* Takes a slot for a metric unless it has one or needs none; false: no room. */
bool slots_take(struct slots *slots, uint32_t metric);
/* All of them or none. */
bool slots_take_all(struct slots *slots, const uint32_t *metrics, size_t nr);
/* Whether all of these have room when nothing else is measured. */
bool slots_fit_alone(const struct slots *slots, const uint32_t *metrics, size_t nr);
/* Releases everything beyond the first `nr`. */
void slots_shrink(struct slots *slots, size_t nr);

#endif
