/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_HOST_FAKE_TOOL_H
#define MEMSEARCH_TESTS_HOST_FAKE_TOOL_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/region.h"

/*
 * Around the tool under the fake host: a clock that the test sets, an online part that
 * asks for what the test wants and notes what it is told, and the rows of a fold.
 * A test that uses it includes tests/host/fake/tool.c once: these functions take the place of
 * those in the library.
 */
struct fake_call {
	int level;
	uint32_t region;
	uint64_t now_ns;
};

struct fake_online {
	const enum ms_metric *metrics; /* asked for everywhere; NULL: TIME */
	size_t nr_metrics;
	uint32_t kinds;              /* 1 << enum ms_region_kind of the regions asked; 0: all */
	int off;                     /* measure nothing, not even phases */
	struct fake_call calls[256]; /* of the listener */
	uint32_t nr_calls, nr_controls, nr_finishes, nr_forgets;
	uint64_t last_command, last_modifier;
	void (*at_event)(const struct fake_call *call);
};
extern struct fake_online fake_online;

/* Requests the metrics of fake_online in all regions, or nothing. */
void fake_request(int on);

/* The time that events see. 0: the real clock. */
void fake_time(uint64_t now_ns);
void fake_pass(uint64_t ns);
/* From now on each look at that time takes so long; 0: none. */
void fake_tick(uint64_t ns);

/* Everything folded since the last call of fake_fold, merged by (region, thread, metric). */
void fake_fold(void);
/* count 0: no such row. */
struct ms_stat fake_stat(uint32_t region, uint32_t thread, enum ms_metric metric);
/*
 * The region of that kind and code address below `parent`; MS_REGION_NONE. UINT32_MAX as parent:
 * any.
 */
uint32_t fake_region(enum ms_region_kind kind, uint64_t code, uint32_t parent);
uint64_t fake_dropped(void);

#endif
