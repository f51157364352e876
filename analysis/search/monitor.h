/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_MONITOR_H
#define MEMSEARCH_SEARCH_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/search/engine_config.h"
#include "memsearch/request.h"
#include "memsearch/status.h"

/*
 * The measuring side of a search (Periscope's monitor): it is passed requests, and adds the rows of
 * one execution after the other to the database. Two are interchangeable: a record
 * (record_replay.h), and a program that runs (agent/live_monitor.h). The loop that asks them is
 * monitored_search.h. Not here: the search in the program itself, which measures on its own thread
 * (ompt_tool/session/executions.c).
 *
 * To add one: a `const struct monitor`.
 */
struct database;

enum monitor_event_kind {
	MONITOR_NOTHING,   /* for now; a search that is asked again later finds the next one */
	MONITOR_EXECUTION, /* its rows are in the database */
	MONITOR_LEFT_OUT,  /* an execution without rows, see engine_account */
	MONITOR_CHARGE,    /* see engine_charge: tool_ns */
	MONITOR_BEFORE,    /* see engine_before: program_ns, tool_ns, ends_ns */
	MONITOR_RECORDING, /* see engine_recording_takes: executions */
	MONITOR_RESTART,   /* another phase, see engine_restart */
	MONITOR_END,       /* the last one: the program ended, or cannot be reached */
	MONITOR_EVENTS
};

struct monitor_event {
	uint32_t kind;
	uint32_t executions;
	struct engine_cost cost; /* of MONITOR_EXECUTION and MONITOR_LEFT_OUT */
	double program_ns, tool_ns, ends_ns;
};

struct monitor {
	/* Before engine_new: what the engine may request. */
	void (*configure)(void *ctx, struct engine_config *config);
	/* Regions, constants, and what is missing. MS_ERR_MEMORY */
	enum ms_status (*prepare)(void *ctx, struct database *db);
	/* Of the next experiment; copied. MS_ERR_MEMORY: nothing is requested. */
	enum ms_status (*request)(void *ctx, struct database *db, const struct ms_request *requests,
				  size_t nr);
	void (*next)(void *ctx, struct database *db, struct monitor_event *out);
	/* costs of executions are predicted by the engine; nothing changes once all is decided */
	bool is_replay;
};

#endif
