/* SPDX-License-Identifier: Apache-2.0 */
/* The list of sensors. Here, as some have parts in folders that use the list themselves. */
#include "memsearch/sensor.h"

#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/counters/counters.h"
#include "ompt_tool/sensors/addresses.h"
#include "ompt_tool/sensors/samples.h"
#include "ompt_tool/accesses/watchpoints.h"
#include "ompt_tool/recording/recording_times.h"

extern const struct sensor sensor_clock, sensor_rusage, sensor_simulated;

const struct sensor *const sensors[MS_SENSORS] = {
	[MS_SENSOR_CLOCK] = &sensor_clock,
	[MS_SENSOR_RUSAGE] = &sensor_rusage,
	[MS_SENSOR_SAMPLES] = &sensor_samples,
	[MS_SENSOR_FAULTS] = &sensor_faults,
	[MS_SENSOR_COUNTERS] = &sensor_counters,
	[MS_SENSOR_ACCESSES] = &sensor_accesses,
	[MS_SENSOR_SIMULATED] = &sensor_simulated,
	[MS_SENSOR_ADDRESSES] = &sensor_addresses,
	[MS_SENSOR_WATCHPOINTS] = &sensor_watchpoints,
	[MS_SENSOR_LOOPS] = &sensor_loop_time,
};
