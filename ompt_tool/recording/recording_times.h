/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_TIMES_H
#define MEMSEARCH_RECORDING_TIMES_H

/*
 * Sensor of the times of natural loops and called functions (accesses/loop_times.h). Its clones are
 * chosen and entered as those of recorded accesses are (recording.h), in other executions.
 */
struct sensor;

extern const struct sensor sensor_loop_time;

#endif
