/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_INTERVAL_H
#define MEMSEARCH_INTERVAL_H

#include <stdint.h>

/*
 * Intervals of a run: the when-axis of the search (Hollingsworth and Miller 1993, 3.4). They are
 * numbered from 1 in the order in which they are declared. Not here: where they begin and end
 * (ompt_tool/session/intervals.h), and their values (analysis/search/database_intervals.h).
 *
 * To add a kind: a row here, and what opens and closes intervals of it.
 */
#define MS_INTERVAL_WHOLE 0u
/* more are not followed: each one has a database of its own */
#define MS_INTERVALS_MOST 32u

/* clang-format off */
#define MS_INTERVAL_KIND_LIST(X) \
	X(MS_INTERVAL_MARKED, "marked", "marked in the program") \
	X(MS_INTERVAL_FROM_CALL, "from_call", "from the first execution of a function on") \
	X(MS_INTERVAL_WHILE_ABOVE, "while_above", "while a metric is above a threshold")
/* clang-format on */

enum ms_interval_kind {
#define X(id, name, text) id,
	MS_INTERVAL_KIND_LIST(X)
#undef X
		MS_INTERVAL_KINDS
};

static inline const char *ms_interval_kind_name(unsigned int kind)
{
	static const char *const names[] = {
#define X(id, name, text) name,
		MS_INTERVAL_KIND_LIST(X)
#undef X
	};
	return kind < MS_INTERVAL_KINDS ? names[kind] : "unknown";
}

static inline const char *ms_interval_kind_text(unsigned int kind)
{
	static const char *const texts[] = {
#define X(id, name, text) text,
		MS_INTERVAL_KIND_LIST(X)
#undef X
	};
	return kind < MS_INTERVAL_KINDS ? texts[kind] : "unknown";
}

#endif
