/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_ACCESS_ROWS_H
#define MEMSEARCH_ACCESSES_ACCESS_ROWS_H

#include "memsearch/status.h"

struct sensor_record;

/*
 * Writes recorded accesses by region, array and instruction, and shared lines, to the run,
 * replacing earlier rows. Requires the run's modules and regions. At the end.
 */
enum ms_status accesses_harvest(const struct sensor_record *to);
/* Notes in the run which accesses were recorded but not counted, and which were not recorded. */
void accesses_losses(const struct sensor_record *to);

#endif
