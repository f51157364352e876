/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_CAUSE_JSON_H
#define MEMSEARCH_REPORT_CAUSE_JSON_H

#include <stddef.h>

#include "analysis/record/run.h"

/* Causes (cause.h) as JSON: member "causes" of schema memsearch-report-1. */
struct arena;
struct json;

/* Adds an array of that name to the open object; the runs are numbered from 1. */
void causes_json(struct json *json, struct arena *arena, const char *key,
		 const struct run *const *runs, size_t nr_runs);

#endif
