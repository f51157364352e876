/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_ADDRESSES_H
#define MEMSEARCH_SENSORS_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sampled data accesses as a sensor: by region and data structure, as far as these are known when
 * the ring is read, that is at the begins and ends of regions. The hardware's answer to the
 * requests that simulated.h answers for a modelled machine.
 */
struct region_table;
struct sensor;
struct thread;

extern const struct sensor sensor_addresses;

/*
 * Before the sensors are probed. `how` is --addresses, and is kept; `regions` NULL: nothing is
 * measured, the sensor is probed only.
 */
void addresses_configure(struct region_table *regions, const char *how);
/*
 * The user named a source, so that it is at work from the start, and not only where the search
 * asks.
 */
bool addresses_named(void);

/* Accesses from one sample to the next, once it was probed; 0: there are no samples. */
double addresses_period(void);

#endif
