/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_ACCESSES_H
#define MEMSEARCH_SENSORS_ACCESSES_H

#include <stdint.h>

#include "ompt_tool/sensors/access_table.h"

/*
 * Every access of code that runs as a clone (clones/clone.h), counted by region, data structure and site. Each data
 * structure met in a region becomes a region of kind DATA_STRUCTURE below it, whose address is the array's number + 1,
 * so that it is measured, searched and reported as any region is. Accesses belong to the innermost construct that
 * asked for them.
 */
struct region_table;
struct thread;
struct sensor;

extern const struct sensor sensor_accesses;

/* Before the sensors are probed. */
void accesses_configure(struct region_table *regions);

/* Rows of one thread; any thread. */
void accesses_each(const struct thread *thread,
		   void (*visit)(void *ctx, const struct access_row *row, uint32_t executions), void *ctx);
uint64_t accesses_dropped(const struct thread *thread);

#endif
