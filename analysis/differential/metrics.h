/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_METRICS_H
#define MEMSEARCH_DIFFERENTIAL_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric.h"

/*
 * The metrics of a differential profile. One row has one name for users; a counted and a simulated
 * metric of the same meaning are two rows with one name and are never compared with each other.
 *
 * To add one: a row in metrics.c.
 */
enum metric_direction {
	METRIC_COST, /* more is worse */
	/* more is neither better nor worse: compared, and listed on request only */
	METRIC_NEUTRAL
};

struct compared_metric {
	const char *name;    /* in limits, JSON and CSV */
	const char *heading; /* for people */
	const char *unit;    /* as of units_value */
	enum metric_direction direction;
	enum ms_rung rung;
	/* added up; the second may be the first again: there is one */
	enum ms_metric of[2];
};

#define COMPARED_NONE UINT32_MAX
size_t compared_metrics_nr(void);
#define COMPARED_METRICS_MOST 64 /* a set of them is a word */
const struct compared_metric *compared_metric(uint32_t row);
/*
 * The first row, or the next behind `after`, that a measured metric is part of; COMPARED_NONE:
 * there is none. `after` COMPARED_NONE: from the begin.
 */
uint32_t compared_row(uint32_t metric, uint32_t after);
/* Whether the name is one of users': "l2_misses", also "l2_data_misses". */
bool compared_is_named(uint32_t row, const char *name, size_t length);
/* Whether its values are attributed to data structures and lines. */
bool compared_is_of_data(uint32_t row);
/*
 * Whether a region's value of a measured metric leaves out the regions inside of it; all others
 * include them.
 */
bool compared_is_exclusive(uint32_t metric);
/* Whether its values depend on how fast the program ran. */
bool compared_is_time(uint32_t row);

#endif
