/* SPDX-License-Identifier: Apache-2.0 */
/* The counters' metrics that one experiment measures at once. */
#include "analysis/search/counter_slots.h"

#include <string.h>

void slots_init(struct slots *slots, slots_fits *fits, void *ctx)
{
	*slots = (struct slots){ .fits = fits, .ctx = ctx };
}

void slots_clear(struct slots *slots)
{
	slots_shrink(slots, 0);
}

void slots_shrink(struct slots *slots, size_t nr)
{
	if (slots->nr > nr)
		slots->nr = nr;
	slots->refused = (struct ms_metric_set){ 0 };
}

bool slots_has(const struct slots *slots, uint32_t metric)
{
	if (!slots->fits || !slots_limit(metric))
		return true;
	for (size_t i = 0; i < slots->nr; i++)
		if (slots->metrics[i] == metric)
			return true;
	return false;
}

bool slots_take(struct slots *slots, uint32_t metric)
{
	if (slots_has(slots, metric))
		return true;
	if (ms_metric_set_has(&slots->refused, metric))
		return false;
	slots->metrics[slots->nr] = metric;
	if (!slots->fits(slots->ctx, slots->metrics, slots->nr + 1)) {
		ms_metric_set_add(&slots->refused, metric);
		return false;
	}
	slots->nr++; /* what had no room before has none now */
	return true;
}

bool slots_take_all(struct slots *slots, const uint32_t *metrics, size_t nr)
{
	size_t before = slots->nr;
	struct ms_metric_set refused = slots->refused;

	for (size_t i = 0; i < nr; i++) {
		if (slots_take(slots, metrics[i]))
			continue;
		if (slots->nr > before) {
			slots->nr = before;
			slots->refused = refused; /* beside fewer others it may fit */
		}
		return false;
	}
	return true;
}

bool slots_fit_alone(const struct slots *slots, const uint32_t *metrics, size_t nr)
{
	struct slots alone;

	slots_init(&alone, slots->fits, slots->ctx);
	return slots_take_all(&alone, metrics, nr);
}
