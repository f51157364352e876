/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_ADDRESSES_H
#define MEMSEARCH_SENSORS_ADDRESSES_H

/*
 * Sensor of sampled data accesses: by region and data structure, as far as these are known when the
 * ring is read, at the begins and ends of regions. Measures on hardware the metrics that
 * simulated.h has for a modelled machine.
 */
struct sensor;

extern const struct sensor sensor_addresses;

#endif
