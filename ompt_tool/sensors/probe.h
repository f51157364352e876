/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_PROBE_H
#define MEMSEARCH_SENSORS_PROBE_H

#include <stddef.h>

#include "memsearch/metric.h"
#include "memsearch/sensor.h"
#include "memsearch/status.h"

/*
 * What every sensor and metric gives on this machine, as memsearch-core.so finds it: the one
 * function it exports for `memsearch doctor`, which so asks the very code that runs in programs.
 */
struct ms_probe {
	size_t size;                                 /* of this struct, set by the caller */
	struct sensor_status sensors[MS_SENSORS];
	struct sensor_status metrics[MS_METRICS];    /* a metric of a sensor that does not work says why that does not */
};

#define MS_DOCTOR_PROBE "ms_doctor_probe"

typedef enum ms_status ms_doctor_probe_function(struct ms_probe *probe);

/* Opens, starts and reads everything once. MS_ERR_VERSION: `size` is another's, so the caller is of another build. */
__attribute__((visibility("default")))
enum ms_status ms_doctor_probe(struct ms_probe *probe);

#endif
