/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROBE_H
#define MEMSEARCH_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "memsearch/metric.h"
#include "memsearch/sensor.h"
#include "memsearch/status.h"

/*
 * The questions that the `memsearch` program asks about sensors. memsearch-core.so exports a
 * function for each, so that the code that runs in programs answers. The program opens it with
 * dlopen and links none of it.
 *
 * `size` is that of the struct, set by the caller; MS_ERR_VERSION: the caller is of another build.
 */
struct ms_probe {
	size_t size;
	/* set by the caller: more files, as --properties; NULL: of the environment */
	const char *properties;
	struct sensor_status sensors[MS_SENSORS];
	/* a metric of a sensor that does not work says why that does not */
	struct sensor_status metrics[MS_METRICS];
};

#define MS_DOCTOR_PROBE "ms_doctor_probe"

typedef enum ms_status ms_doctor_probe_function(struct ms_probe *probe);

/* Opens, starts and reads everything once, with the options of the environment. */
__attribute__((visibility("default"))) enum ms_status ms_doctor_probe(struct ms_probe *probe);

/* What sampling takes of a machine's limits, judged by the machine's files alone. */
struct ms_sampling {
	size_t size;
	/* set by the caller: stands before /sys; "" is this machine */
	const char *root;
	/* the source of data addresses, and how far it is tested; or why there is none */
	char addresses[320];
	/* the source samples the kernel, too, which takes a privilege */
	bool samples_kernel;
	unsigned int descriptors, rings; /* of all sensors, on each thread */
	/* half of the limit where that is less: low numbers are the program's … */
	unsigned int first_descriptor;
	unsigned int spare_descriptors; /* … and so are the last ones */
	unsigned int ring_pages;        /* of the smallest ring */
};

#define MS_DOCTOR_SAMPLING "ms_doctor_sampling"

typedef enum ms_status ms_doctor_sampling_function(struct ms_sampling *sampling);

__attribute__((visibility("default"))) enum ms_status
ms_doctor_sampling(struct ms_sampling *sampling);

#endif
