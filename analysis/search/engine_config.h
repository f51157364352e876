/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_ENGINE_CONFIG_H
#define MEMSEARCH_SEARCH_ENGINE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric.h"

/* Configuration of the search engine, and the costs that its driver reports (engine.h). */
struct ms_address_range;
struct ms_reading;
struct ms_request;

/* When something happened: executions of the phase so far, and the time since the program's start. */
struct engine_time {
	uint64_t executions;
	double program_ns; /* 0: not known, as over a record */
};

struct engine_config {
	size_t size; /* sizeof(struct engine_config) */
	/* fraction of the program's time measuring may cost; 0.05 */
	double overhead_limit;
	/* 0.05: a verdict flips only beyond ±5 % of its threshold */
	double hysteresis;
	/* 2: of the phase (or groups of them), before any conclusion */
	uint32_t minimum_executions;
	double minimum_ns; /* observation before any conclusion */
	/*
	 * 0.5: least part of an interval from the first observation to its end, or until now; what
	 * has less at the end was missed
	 */
	double interval_covered;
	bool intervals_stay; /* over a record: values of intervals can be had at any time */
	uint32_t sufficient_executions; /* if not true by then, go on to others */
	double sufficient_ns;
	/* candidates measured at once; 0: as many as the budget allows */
	uint32_t active_max;
	/*
	 * 0.2: part of the samples from which a region is frequent, for strategies (ms_host);
	 * above 0 to 1
	 */
	double deep_threshold;
	/* 1 million: candidates of a search; a strategy may propose without end */
	uint32_t candidates_max;
	/* executions differ: what they gave recently is also evaluated by itself; true */
	bool windows;
	/*
	 * Whether these metrics of counters can be measured at once; constant, NULL: all, always.
	 * See counter_slots.h.
	 */
	bool (*fits)(void *ctx, const uint32_t *metrics, size_t nr);
	void *fits_ctx;
	/*
	 * Answers requests with address ranges, of metrics and regions that have values, and says
	 * where data structures were, as ms_host; NULL: nothing does.
	 */
	void (*measure)(void *ctx, const struct ms_request *requests, size_t nr,
			struct ms_reading *out);
	size_t (*memory)(void *ctx, uint32_t region, struct ms_address_range *out, size_t room);
	void *measure_ctx;
	/* For the time of each verdict; NULL: not known. */
	struct engine_time (*now)(void *ctx);
	void *now_ctx;
	/*
	 * Counters the user named: measured in every region, whatever the search asks for, as far
	 * as they fit and the budget goes. They come first, in turn; where they leave no counter to
	 * the search, every other experiment is its own.
	 */
	uint32_t extra[MS_METRICS];
	size_t nr_extra;
};
/* the defaults, each with its origin in the .c */
void engine_config_init(struct engine_config *config);

/* Measured costs, by which the engine stays within the overhead limit. */
struct engine_cost {
	/* of the phase that it is about: 1, or a group of short ones */
	uint64_t executions;
	double program_ns; /* wall time of these */
	double tool_ns;    /* tool time in them, worst thread */
	/* part of tool_ns between executions: adding up, reading what the kernel collected */
	double between_ns;
	/*
	 * estimated share of each sensor, NAN if unknown; of a stopped measurement, the cost of all
	 * of it
	 */
	double per_sensor_ns[MS_SENSORS];
	/* recording or simulation exceeded its limit and was stopped: no results of the execution */
	bool stopped_early;
};

#endif
