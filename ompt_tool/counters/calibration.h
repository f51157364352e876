/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_CALIBRATION_H
#define MEMSEARCH_COUNTERS_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A loop that events must notice: it touches fresh pages, stores and loads, and throws lines out of
 * the caches. What opens and reads 0 over it does not count, as events in emulators and some
 * virtual machines do.
 */
void calibration_run(void);
/*
 * Whether a metric that works must have counted something. False: it may be 0 with good reason
 * (another node's memory …).
 */
bool calibration_moves(uint32_t metric);

#endif
