/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_SENSORS_H
#define MEMSEARCH_SESSION_SENSORS_H

#include "memsearch/sensor_session.h"

/*
 * Calls one member of struct sensor_session for every sensor that has it; see there for when, and
 * what it means. At phase boundaries, on one thread at a time.
 */

/* The first error; all are called all the same. */
enum ms_status sensors_harvest(const struct sensor_record *to, struct unwinder *unwinder,
			       bool at_end);
void sensors_losses(const struct sensor_record *to);

#endif
