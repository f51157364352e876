/* SPDX-License-Identifier: Apache-2.0 */
/* What the sensors and metrics of this machine give, asked of the code that runs in programs. */
#include "analysis/cmds/doctor.h"

#include "analysis/base/arena.h"
#include "memsearch/probe.h"

static void add(struct doctor *doctor, enum doctor_topic topic, const char *name, const char *gives,
		const struct sensor_status *status)
{
	const char *text = arena_strdup(doctor->arena, status->text),
		   *command = arena_strdup(doctor->arena, status->mend);
	enum doctor_state state = !status->works  ? DOCTOR_FAILS
				  : *status->text ? DOCTOR_LIMITED
						  : DOCTOR_WORKS;

	if (!status->works && text && !*text)
		text = ms_missing_text(status->why);
	doctor_add(doctor, &(struct doctor_row){ .topic = topic,
						 .state = state,
						 .name = name,
						 .text = text && *text ? text : gives,
						 .command = command && *command ? command : NULL });
}

void doctor_add_sensors(struct doctor *doctor, const struct ms_probe *probe)
{
	for (unsigned int id = 0; id < MS_SENSORS; id++)
		add(doctor, DOCTOR_SENSOR, ms_sensor_name(id), ms_sensor_summary(id),
		    &probe->sensors[id]);
	for (unsigned int metric = 0; metric < MS_METRICS; metric++) {
		const struct ms_metric_info *info = ms_metric_info(metric);

		if (probe->metrics[metric].why == MS_MISSING_NOT_REQUESTED)
			continue; /* room for an event of the user's, who named none */
		add(doctor, DOCTOR_METRIC, info->name, info->meaning, &probe->metrics[metric]);
	}
}
