/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_DATA_PRIVATE_H
#define MEMSEARCH_REPORT_DATA_PRIVATE_H

#include <stddef.h>

#include "analysis/record/run.h"
#include "analysis/report/json.h"

/*
 * Parts of the report as JSON: report_data.c (the document), region_rows.c ("regions" and
 * "modules"). For these files only.
 */
struct arena;
struct report_options;
struct sources;

struct data_writer {
	struct json json;
	struct arena *arena;
	const struct report_options *options;
	struct sources *sources; /* NULL: folders of source files are not looked for */
};

/* Numbers and names of this machine and moment, null in brief output. */
void data_number(struct data_writer *writer, const char *key, double value);
void data_string(struct data_writer *writer, const char *key, const char *value);

/*
 * Members of a source line into the open object. `at`: nr addresses, one of which it is of;
 * `is_return`: return addresses.
 */
void data_source(struct data_writer *writer, const struct run *run, const struct source *source,
		 const struct code_address *at, size_t nr, bool is_return);
/* The same of a region. */
void data_region_source(struct data_writer *writer, const struct run *run,
			const struct run_region *region);
/* Members of a hot line. `part`: of its samples, 0 to 1. */
void data_hotspot(struct data_writer *writer, const struct run *run, const struct run_hotspot *spot,
		  double part);

/* Rows into the open arrays; `number`: the run's. */
void region_rows(struct data_writer *writer, const struct run *run, size_t number);
void module_rows(struct data_writer *writer, const struct run *run, size_t number);

#endif
