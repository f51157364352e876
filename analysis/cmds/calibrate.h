/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_CALIBRATE_H
#define MEMSEARCH_CMDS_CALIBRATE_H

#include <stdbool.h>

#include "analysis/bandwidth/bandwidth.h"

/*
 * When the bandwidth of memory (analysis/bandwidth) is measured: by `memsearch doctor --calibrate`,
 * and once by `memsearch run` before a program starts, if what needs it can be measured here.
 * MEMSEARCH__CALIBRATION_MS is the time one try takes, for tests; 2000 otherwise.
 * MEMSEARCH__CALIBRATION_SPREAD is the spread of every try, for tests.
 */
struct arena;
struct sensor_status;

#define CALIBRATION_SECONDS 2.0
/*
 * seconds to wait for another process that calibrates; then both measure, and may disturb each
 * other
 */
#define CALIBRATION_PATIENCE 10.0
/* an uncertain calibration is repeated before a run, at most once in this time */
#define CALIBRATION_RETRY_SECONDS 3600

/*
 * Measures and keeps; what goes wrong is said in one line on stderr, if `talk`. False: nothing was
 * measured.
 */
bool calibrate(struct arena *arena, struct bandwidth *out, bool talk);

enum calibration {
	CALIBRATION_KEPT, /* one is there */
	/* what it would be compared with can be neither counted nor recorded */
	CALIBRATION_NO_USE,
	/* it could not be kept, and would be made again for every run */
	CALIBRATION_NO_PLACE,
	CALIBRATION_DUE,
};

/* `kept`: of bandwidth_load; `of_use`: lines from memory can be counted, or accesses recorded. */
enum calibration calibration_judge(const struct bandwidth_place *place, enum ms_status kept,
				   bool of_use);
/* Measures if it is due, and says so first if `talk`. */
void calibrate_before_run(struct arena *arena, bool talk);

/*
 * "23.4 GB/s to 2 threads, 12.1 GB/s to one (spread 3.1 %, 0.8 %; measured 2026-11-20 07:00 UTC)"
 */
const char *calibration_text(struct arena *arena, const struct bandwidth *bandwidth);

#endif
