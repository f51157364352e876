/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_CORE_PARTS_H
#define MEMSEARCH_SESSION_CORE_PARTS_H

#include <omp-tools.h>
#include <stdbool.h>

#include "memsearch/metric.h"

/* The parts of the tool in a program: started in order, once, by core.c. One thread at a time. */
struct options;
struct property_set;
struct segment;
struct sensor_status;

/*
 * In the first runtime's initialize. `version`: its name. `leave` is called when the program
 * confines itself (seccomp). False: nothing will be measured (one line was logged).
 */
bool core_parts_start(ompt_function_lookup_t lookup, const char *version, void (*leave)(void));
/* In a further runtime's initialize. False: it cannot be used (a warning was logged). */
bool core_parts_add_runtime(ompt_function_lookup_t lookup, const char *version);
/* After the end, if the program continues: stops the observation of accesses and allocations. */
void core_parts_stop(void);

/*
 * Loads the properties and configures the sensors, before sensors_probe: in a program, and for the
 * `memsearch` program (probe.c). False: no memory.
 */
bool core_configure_sensors(const struct options *options);

/* Valid from online_start on. */
struct property_set *core_properties(void);
struct segment *core_segment(void);
const char *core_allowed_cpus(bool *bound_out); /* see allowed_cpus.h */
const struct sensor_status *core_sensor_status(enum ms_sensor_id id);

#endif
