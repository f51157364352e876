/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: CLOCK_MONOTONIC. Its metrics are differences of event times, so they are computed in
 * events/; this file only tests whether the clock is reliable.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "memsearch/sensor.h"

#define CALIBRATION_NS 20000
#define READS_MAX 1000000

static uint64_t read_clock(void)
{
	struct timespec now;

	return clock_gettime(CLOCK_MONOTONIC, &now) == 0
		       ? (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec
		       : 0;
}

static void probe(struct sensor_status *status)
{
	uint64_t begin = read_clock(), last = begin, now = begin;

	status->why = MS_MISSING_BROKEN;
	if (!begin) {
		snprintf(status->text, sizeof(status->text), "clock_gettime: %s", strerror(errno));
		return;
	}
	for (int reads = 0; now - begin < CALIBRATION_NS && reads < READS_MAX;
	     reads++, last = now) {
		now = read_clock();
		if (now < last) {
			snprintf(status->text, sizeof(status->text),
				 "CLOCK_MONOTONIC ran backwards");
			return;
		}
	}
	if (now == begin) {
		snprintf(status->text, sizeof(status->text), "CLOCK_MONOTONIC stands still");
		return;
	}
	status->works = true;
	status->why = MS_PRESENT;
}

extern const struct sensor sensor_clock;
const struct sensor sensor_clock = {
	.id = MS_SENSOR_CLOCK,
	.probe = probe,
};
