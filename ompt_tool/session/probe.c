/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors and metrics of this machine for `memsearch doctor`, started as in a program. */
#include "ompt_tool/sensors/probe.h"

#include "analysis/options/options.h"
#include "ompt_tool/counters/counter_plan.h"
#include "ompt_tool/session/core.h"

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

enum ms_status ms_doctor_probe(struct ms_probe *probe)
{
	struct options options;

	if (probe->size != sizeof(*probe))
		return MS_ERR_VERSION;
	plan_keep_quiet();
	options_from_environment(&options, environ);
	if (!core_configure_sensors(&options))
		return MS_ERR_MEMORY;
	sensors_probe(probe->sensors);
	for (unsigned int metric = 0; metric < MS_METRICS; metric++)
		probe_metric((enum ms_metric)metric, probe);
	return MS_OK;
}
