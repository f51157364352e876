/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_EVENT_TABLES_H
#define MEMSEARCH_PROPERTIES_EVENT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/property.h"

/*
 * Event tables: which events of a CPU stand behind the portable metrics. Data, read at run time
 * from properties/metrics/NAME.events:
 *
 *     EVENTS skx, clx "Intel Skylake-SP, Cascade Lake-SP" {
 *         cycles = "UNHALTED_CORE_CYCLES"; l1d_read_misses = "MEM_LOAD_RETIRED:L1_MISS" +
 *         "MEM_LOAD_RETIRED:FB_HIT"
 *             "retired loads; one that waits for a line already on its way counts, too";
 *         dram_reads = 0.5 * "…" - "…";
 *     }
 *
 * The names before the title are those of libpfm4's tables ("papi" for PAPI's presets, "perf" for
 * the kernel's software events); event names are as libpfm4 (PAPI) takes them behind the table's
 * name and "::". A metric is a sum of events with factors; one that is not listed is unsupported on
 * that CPU. Errors as in *.asl: file, line, column, nearest name.
 *
 * To add a CPU: one file. Nothing is compiled.
 */
struct event_term {
	const char *event;
	double factor; /* its size is between these two */
};

/* Terms of one metric: what the counters of a CPU can count at once, at best. */
#define EVENT_TERMS_MAX 8
#define EVENT_FACTOR_MIN 0.001
#define EVENT_FACTOR_MAX 1e6

struct event_metric {
	uint32_t metric; /* enum ms_metric, of MS_SENSOR_COUNTERS */
	const struct event_term *terms;
	size_t nr_terms;
	const char *note; /* what the events leave out or add; NULL */
};

struct event_table {
	const char *const *names;
	size_t nr_names;
	const char *title, *file;
	const struct event_metric *metrics; /* in the order of the file */
	size_t nr_metrics;
};

/*
 * Tables loaded by property_set_load, user's files over shipped ones (the latest with that name).
 * NULL: none of that name.
 */
const struct event_table *property_set_events(const struct property_set *set, const char *name);
/* All, in order of loading; a later one may hide names of an earlier one. */
size_t property_set_event_tables(const struct property_set *set,
				 const struct event_table *const **out);
/* NULL: unsupported */
const struct event_metric *event_table_metric(const struct event_table *table, uint32_t metric);
/* "MEM_LOAD_RETIRED:L1_MISS + MEM_LOAD_RETIRED:FB_HIT"; NULL: no memory. */
const char *event_metric_formula(struct arena *arena, const struct event_metric *metric);
/*
 * A metric for which tables have events: of the counters, and not one of those whose event the user
 * names.
 */
bool event_metric_portable(uint32_t metric);

#endif
