/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROBE_H
#define MEMSEARCH_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "memsearch/metric.h"
#include "memsearch/sensor.h"
#include "memsearch/status.h"

/*
 * Queries about sensors by the `memsearch` program. memsearch-core.so exports a function for each,
 * so that the same code answers that measures programs. `memsearch` opens it with dlopen and is not
 * linked to it.
 *
 * The caller sets `size` to the size of the struct. MS_ERR_VERSION: the caller is from another
 * build.
 */
struct ms_probe {
	size_t size;
	/* set by the caller: more files, as --properties; NULL: of the environment */
	const char *properties;
	struct sensor_status sensors[MS_SENSORS];
	/* for a metric of a sensor that does not work: the sensor's status */
	struct sensor_status metrics[MS_METRICS];
};

#define MS_DOCTOR_PROBE "ms_doctor_probe"

typedef enum ms_status ms_doctor_probe_function(struct ms_probe *probe);

/* Opens, starts and reads everything once, with the options of the environment. */
__attribute__((visibility("default"))) enum ms_status ms_doctor_probe(struct ms_probe *probe);

/*
 * What sampling uses of the machine's limits, judged by the machine's files alone: no event is
 * opened.
 */
struct ms_sampling {
	size_t size;
	/* set by the caller: prefix of the paths of these files; "" is this machine */
	const char *root;
	/* source of data address samples and how well it is tested, or why there is none */
	char addresses[320];
	/* the source also samples the kernel, which requires a privilege */
	bool samples_kernel;
	unsigned int descriptors, rings; /* of all sensors, on each thread */
	/*
	 * lowest descriptor number that sensors use, or half of the limit if that is less: the
	 * program uses the low numbers
	 */
	unsigned int first_descriptor;
	/* descriptors at the upper limit that are left to the program */
	unsigned int spare_descriptors;
	unsigned int ring_pages; /* of the smallest ring */
};

#define MS_DOCTOR_SAMPLING "ms_doctor_sampling"

typedef enum ms_status ms_doctor_sampling_function(struct ms_sampling *sampling);

__attribute__((visibility("default"))) enum ms_status
ms_doctor_sampling(struct ms_sampling *sampling);

#endif
