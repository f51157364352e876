/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the questions of the `memsearch` program about sensors, started as in a program. */
#include "memsearch/probe.h"

#include <stdio.h>

#include "analysis/options/options.h"
#include "ompt_tool/counters/counter_plan.h"
#include "ompt_tool/sampling/address_source.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/ring.h"
#include "ompt_tool/session/core_parts.h"

extern char **environ;

static void probe_metric(enum ms_metric metric, struct ms_probe *probe)
{
	enum ms_sensor_id id = ms_metric_info(metric)->sensor;
	struct sensor_status *status = &probe->metrics[metric];

	*status = probe->sensors[id];
	if (!status->works)
		return;
	*status = (struct sensor_status){ .works = true };
	if (sensors[id]->probe_metric)
		sensors[id]->probe_metric(metric, status);
}

/*
 * Available after the run if accesses can be recorded; in the program this sensor measures nothing.
 */
static void probe_simulated(const struct sensor_status *accesses, struct sensor_status *simulated)
{
	*simulated = (struct sensor_status){ .works = accesses->works, .why = accesses->why };
	if (!accesses->works)
		snprintf(simulated->text, sizeof(simulated->text),
			 "accesses cannot be recorded here");
}

enum ms_status ms_doctor_probe(struct ms_probe *probe)
{
	struct options options;

	if (probe->size != sizeof(*probe))
		return MS_ERR_VERSION;
	plan_keep_quiet();
	options_from_environment(&options, environ);
	if (probe->properties)
		options.properties = probe->properties;
	if (!core_configure_sensors(&options))
		return MS_ERR_MEMORY;
	sensors_probe(probe->sensors);
	probe_simulated(&probe->sensors[MS_SENSOR_ACCESSES], &probe->sensors[MS_SENSOR_SIMULATED]);
	for (unsigned int metric = 0; metric < MS_METRICS; metric++)
		probe_metric((enum ms_metric)metric, probe);
	return MS_OK;
}

enum ms_status ms_doctor_sampling(struct ms_sampling *sampling)
{
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];
	bool found;

	if (sampling->size != sizeof(*sampling))
		return MS_ERR_VERSION;
	found = address_source_find("auto", sampling->root, &source, why);
	if (found)
		snprintf(sampling->addresses, sizeof(sampling->addresses), "%s: %s", source.title,
			 source.warning);
	else
		snprintf(sampling->addresses, sizeof(sampling->addresses), "%s", why);
	sampling->samples_kernel = found && source.events[0].everywhere;
	sampling->descriptors = found ? address_source_descriptors(&source) : 0;
	sampling->rings = found ? address_source_rings(&source) : 0;
	for (unsigned int id = 0; id < MS_SENSORS; id++) {
		if (!sensors[id] || id == MS_SENSOR_ADDRESSES)
			continue;
		sampling->descriptors += sensors[id]->descriptors;
		sampling->rings += sensors[id]->rings;
	}
	sampling->first_descriptor = KERNEL_EVENT_FD_FIRST;
	sampling->spare_descriptors = KERNEL_EVENT_FD_SPARE;
	sampling->ring_pages = RING_MIN_PAGES;
	return MS_OK;
}
