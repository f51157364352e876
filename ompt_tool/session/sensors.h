/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_SENSORS_H
#define MEMSEARCH_SESSION_SENSORS_H

#include "memsearch/metric.h"
#include "memsearch/sensor_session.h"

/*
 * Each function calls the member of the same name in struct sensor_session of all sensors that have
 * it; see there. At phase boundaries, on one thread at a time. Sets of sensors have one bit each, 1
 * << enum ms_sensor_id.
 */
void sensors_configure(const struct sensor_setting *setting);
/* False: no memory for one of them. */
bool sensors_begin(const struct sensor_record *to, const struct options *options);
void sensors_describe(struct database *db, bool repeats);
void sensors_configure_search(struct engine_config *config);

/* Whether a sensor works, is requested at the start, and measures by data structure. */
bool sensors_need_arrays_at_start(void);
bool sensors_are_asked_at_start(enum ms_sensor_id id);
/* Whether a sensor of these metrics measures by data structure. */
bool sensors_need_arrays(const struct ms_request *requests, size_t nr);
bool sensors_are_measured_alone(uint32_t asked);

/* `without`: sensors that stop watching. */
void sensors_watch(uint32_t without, double limit, void (*before)(void));
void sensors_phase(void);

/* For the sensors of these metrics. */
void sensors_allow(const struct ms_request *requests, size_t nr,
		   const struct sensor_allowance *allowance);
/* Selects the metrics (struct sensor): before the requests are entered in the region table. */
void sensors_select(const struct ms_request *requests, size_t nr);
/*
 * After that. `asked`: sensors with a request; returns whether a sensor requires this execution to
 * be discarded.
 */
bool sensors_requested(uint32_t asked);
/* Those of `asked`, and those that are watching. */
uint32_t sensors_at_work(uint32_t asked);
void sensors_leave_out(bool on, bool inside);
void sensors_left_out(void);
void sensors_ended(uint32_t executions);
enum sensor_settling sensors_settling(struct database *db);
/*
 * Cost by sensor; elements of other sensors are unchanged, and so is that of a sensor whose
 * measurement was cut off: then it returns false.
 */
bool sensors_price(uint32_t asked, double callback_ns, double ns_out[MS_SENSORS]);
void sensors_drop(const struct database *db);
bool sensors_check(struct database *const *dbs, size_t nr, struct database *phase);

/* Calls all sensors, and returns the first error. */
enum ms_status sensors_harvest(const struct sensor_record *to, struct unwinder *unwinder,
			       bool at_end);
void sensors_losses(const struct sensor_record *to);
void sensors_forget(void);

#endif
