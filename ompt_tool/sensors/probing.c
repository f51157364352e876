/* SPDX-License-Identifier: Apache-2.0 */
/* Which sensors work here. */
#include "memsearch/sensor.h"

#include <stdio.h>
#include <string.h>

static bool works[MS_SENSORS];

void sensors_probe(struct sensor_status status[MS_SENSORS])
{
	for (int id = 0; id < MS_SENSORS; id++) {
		memset(&status[id], 0, sizeof(status[id]));
		if (sensors[id]) {
			sensors[id]->probe(&status[id]);
		} else {
			status[id].why = MS_MISSING_NOT_SUPPORTED;
			snprintf(status[id].text, sizeof(status[id].text),
				 "left out of this build");
		}
		works[id] = status[id].works;
	}
}

bool sensor_works(enum ms_sensor_id id)
{
	return works[id];
}
