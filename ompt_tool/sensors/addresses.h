/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_ADDRESSES_H
#define MEMSEARCH_SENSORS_ADDRESSES_H

/*
 * Sampled data accesses as a sensor: by region and data structure, as far as these are known when
 * the ring is read, that is at the begins and ends of regions. The hardware's answer to the
 * requests that simulated.h answers for a modelled machine.
 */
struct sensor;

extern const struct sensor sensor_addresses;

#endif
