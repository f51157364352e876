/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_HARVEST_H
#define MEMSEARCH_ACCESSES_HARVEST_H

#include "memsearch/status.h"

struct sensor_record;

/*
 * What recorded accesses amount to, by region, array and instruction, and lines shared, in place of
 * what the run has. Needs the run's modules and regions. At the end.
 */
enum ms_status accesses_harvest(const struct sensor_record *to);
/* What was recorded and not counted, and not recorded. */
void accesses_losses(const struct sensor_record *to);

#endif
