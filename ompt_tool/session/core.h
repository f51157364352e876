/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_CORE_H
#define MEMSEARCH_SESSION_CORE_H

#include <omp-tools.h>
#include <stdbool.h>

#include "memsearch/metric.h"

/*
 * memsearch-core.so inside the user's program: starts the parts in order and makes sure that
 * online_finish is called exactly once, however the program ends.
 */
struct segment;
struct sensor_status;

/* Called by libmemsearch.so's ompt_start_tool; NULL: the tool does not want to run (one line was logged). */
__attribute__((visibility("default")))
ompt_start_tool_result_t *core_start(unsigned int omp_version, const char *runtime_version);

/* Called by libmemsearch.so before that: what it offers stays its own. */
struct heap_interposer;
__attribute__((visibility("default")))
void core_interposer(const struct heap_interposer *offer);

/* Called by libmemsearch.so before that: what descriptor 2 led to when the program began, see log_begin. */
struct stat;
__attribute__((visibility("default")))
void core_stderr(const struct stat *at_start);

/* Loads the properties and tells sensors what they have to know before sensors_probe: in a program, and for `memsearch doctor` (probe.c). False: no memory. */
struct options;
bool core_configure_sensors(const struct options *options);

/* From online_start on. */
struct property_set *core_properties(void);
struct model_file;
const struct model_file *core_modelled(void);        /* whose caches are simulated; NULL: none's */
struct segment *core_segment(void);
const char *core_allowed_cpus(bool *bound_out);      /* see allowed_cpus.h */
const struct sensor_status *core_sensor_status(enum ms_sensor_id id);

#endif
