/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CORE_H
#define MEMSEARCH_CORE_H

#include <omp-tools.h>

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

/* What sensors have to know before sensors_probe: in a program, and for `memsearch doctor` (probe.c). */
struct options;
void core_configure_sensors(const struct options *options);

/* From online_start on. */
struct segment *core_segment(void);
const struct sensor_status *core_sensor_status(enum ms_sensor_id id);

#endif
