/* SPDX-License-Identifier: Apache-2.0 */
/* What a session asks of its sensors. */
#include "ompt_tool/session/sensors.h"

#include "memsearch/sensor.h"

/* The sensors that have this member, as `session`. */
#define EACH_SENSOR_WITH(member) \
	for (unsigned int id = 0; id < MS_SENSORS; id++) \
		for (const struct sensor_session *session = sensors[id] ? &sensors[id]->session : NULL; \
		     session && session->member; session = NULL)

enum ms_status sensors_harvest(const struct sensor_record *to, struct unwinder *unwinder,
			       bool at_end)
{
	enum ms_status first = MS_OK;

	EACH_SENSOR_WITH(harvest)
	{
		enum ms_status status = session->harvest(to, unwinder, at_end);

		first = first == MS_OK ? status : first;
	}
	return first;
}

void sensors_losses(const struct sensor_record *to)
{
	EACH_SENSOR_WITH(losses)
	session->losses(to);
}
