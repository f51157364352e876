/* SPDX-License-Identifier: Apache-2.0 */
/* What the sensors and metrics of this machine give, asked of the code that runs in programs. */
#include "analysis/cmds/doctor.h"

#include <dlfcn.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/installation.h"
#include "ompt_tool/sensors/probe.h"

bool doctor_probe(struct arena *arena, struct ms_probe *probe, const char **why_out)
{
	const char *path = installation_path(arena, INSTALLATION_CORE);
	void *core = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	ms_doctor_probe_function *ask = core ? (ms_doctor_probe_function *)dlsym(core, MS_DOCTOR_PROBE) : NULL;

	*probe = (struct ms_probe){ .size = sizeof(*probe) };
	if (!path || !ask) {
		*why_out = path ? arena_strdup(arena, dlerror()) : "the folder of this program is not known";
		return false;
	}
	*why_out = "memsearch-core.so is of another version than this program";
	return ask(probe) == MS_OK;
}

static void add(struct doctor *doctor, enum doctor_topic topic, const char *name, const char *gives, const struct sensor_status *status)
{
	const char *text = arena_strdup(doctor->arena, status->text), *command = arena_strdup(doctor->arena, status->mend);
	enum doctor_state state = !status->works ? DOCTOR_FAILS : *status->text ? DOCTOR_LIMITED : DOCTOR_WORKS;

	if (!status->works && text && !*text)
		text = ms_missing_text(status->why);
	doctor_add(doctor, &(struct doctor_row){ .topic = topic, .state = state, .name = name,
		.text = text && *text ? text : gives, .command = command && *command ? command : NULL });
}

void doctor_add_sensors(struct doctor *doctor, const struct ms_probe *probe)
{
	for (unsigned int id = 0; id < MS_SENSORS; id++)
		if (sensors[id])
			add(doctor, DOCTOR_SENSOR, sensors[id]->name, sensors[id]->summary, &probe->sensors[id]);
	for (unsigned int metric = 0; metric < MS_METRICS; metric++) {
		const struct ms_metric_info *info = ms_metric_info(metric);

		if (probe->metrics[metric].why == MS_MISSING_NOT_REQUESTED)
			continue;        /* room for an event of the user's, who named none */
		add(doctor, DOCTOR_METRIC, info->name, info->meaning, &probe->metrics[metric]);
	}
}
