/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_OPTIONS_TRIGGERS_H
#define MEMSEARCH_OPTIONS_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/interval.h"

/*
 * Predicates that open an interval of the run (--interval; Hollingsworth and Miller 1993, 3.4):
 *
 *     from:FUNCTION    from the first execution of a construct in the function to the end
 *     METRIC>NUMBER    executions of the phase in which the metric, summed over regions and threads, is
 *                      above; in the metric's unit
 */
#define TRIGGER_NAME_BYTES 48
#define TRIGGERS_MOST 8 /* as of any list of names, options.c */
#define TRIGGER_ERROR_BYTES 160

struct trigger {
	enum ms_interval_kind kind;
	char name[TRIGGER_NAME_BYTES]; /* as the user wrote it, without "from:" */
	uint32_t metric;               /* of MS_INTERVAL_WHILE_ABOVE */
	double threshold;
};

/* False: `error` (TRIGGER_ERROR_BYTES) says why. */
bool trigger_parse(const char *text, size_t length, struct trigger *out, char *error);
/*
 * Triggers separated by commas, at most `room`; returns how many there are. Bad ones are left out;
 * *bad_out: one is, and `error` says why.
 */
size_t triggers_parse(const char *list, struct trigger *out, size_t room, bool *bad_out,
		      char *error);

#endif
