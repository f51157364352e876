/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_CALIBRATION_H
#define MEMSEARCH_COUNTERS_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A loop whose events working counters must register: it touches fresh pages, stores and loads, and
 * evicts lines from all caches. An event that can be opened but reads 0 over it does not count, as
 * in emulators and some virtual machines.
 */
void calibration_run(void);
/*
 * Whether a working metric must have counted something. False: 0 may be correct (another node's
 * memory …).
 */
bool calibration_moves(uint32_t metric);

#endif
