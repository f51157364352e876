/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_EXPORT_H
#define MEMSEARCH_DIFFERENTIAL_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/buckets.h"
#include "analysis/differential/call_tree.h"

/*
 * Runs in formats that other tools read. Values are those of profile.h: sums over all threads in
 * one mean execution of the phase, times in ns. A value that was not measured is missing or null,
 * never 0.
 *
 * To add a format: export_NAME.c with an export_writer, its row in `formats` (export.c).
 */
struct arena;
struct text;

/* One metric in one node of the tree of all runs. */
struct export_series {
	uint32_t node, metric; /* row of metrics.h */
	/* by run: of the node alone, and with all below it (call_tree_sum); NAN: not measured */
	double *own, *total;
};

struct exports {
	struct arena *arena;
	const struct match *match; /* of all runs, on one side */
	struct buckets buckets;
	struct call_tree tree;
	const char **names; /* by node: different from those of its siblings */
	/* by node, then by metric */
	struct export_series *series;
	size_t nr_series, room_series;
	size_t left_out; /* series that a writer had to leave out */
};

/* In the arena; `match` has to live as long. False: no memory. */
bool exports_of(struct arena *arena, const struct match *match, struct exports *out);

/*
 * Writes all runs, or the run of that number where a file has one run. NULL, or why it cannot be
 * written.
 */
typedef const char *export_writer(struct text *out, struct exports *exports, size_t run);

export_writer export_extrap, export_hatchet, export_csv, export_speedscope, export_perfetto;

struct export_format {
	const char *name;
	export_writer *write;
	bool one_run;       /* in a file */
	enum profile_by by; /* that profiles need */
	const char *begin;  /* of all files */
};

/* NULL: no such format. */
const struct export_format *export_format(const char *name);

/* "l2_misses [simulated]", "time": the name of a metric, unique; in the arena. */
const char *export_metric(struct arena *arena, uint32_t metric);
/* A place of the match; NULL: PROFILE_NONE, as of functions. */
const struct profile_place *export_place(const struct exports *exports, uint32_t place);
/* Names of all settings of all runs, each once; in the arena, NULL: no memory. */
const char **export_settings(const struct exports *exports, size_t *nr_out);

#define EXPORT_EXTRAP_BEGIN "{\n  \"created_by\": \"memsearch"
#define EXPORT_HATCHET_BEGIN "{\n  \"memsearch.version\": \""
#define EXPORT_CSV_BEGIN "run,program,"
#define EXPORT_SPEEDSCOPE_BEGIN "{\n  \"exporter\": \"memsearch"
#define EXPORT_PERFETTO_BEGIN \
	"{\n  \"displayTimeUnit\": \"ns\",\n  \"otherData\": {\n    \"exporter\": \"memsearch"

/* why a run cannot be written by thread */
#define EXPORT_NO_TIMES "this run has no times of regions by thread"

#endif
