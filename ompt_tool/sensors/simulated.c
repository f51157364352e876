/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensor: none in the process. Recorded accesses are simulated after the run (analysis/simulation),
 * which fills these metrics.
 */
#include "memsearch/sensor.h"

#include <stdio.h>

static void probe(struct sensor_status *status)
{
	status->why = MS_MISSING_NOT_MODELLED;
	snprintf(
		status->text, sizeof(status->text),
		"after the run, from recorded accesses: `memsearch arrays --machine NAME`, `memsearch report --machine NAME`");
}

extern const struct sensor sensor_simulated;
const struct sensor sensor_simulated = {
	.id = MS_SENSOR_SIMULATED,
	.probe = probe,
};
