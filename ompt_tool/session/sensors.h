/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_SENSORS_H
#define MEMSEARCH_SESSION_SENSORS_H

#include "memsearch/metric.h"
#include "memsearch/sensor_session.h"

/*
 * Each calls one member of struct sensor_session for all sensors that have it; there it says when,
 * and what it means. At phase boundaries, on one thread at a time. Sets of sensors have one bit
 * each, 1 << enum ms_sensor_id.
 */
void sensors_configure(const struct sensor_setting *setting);
/* False: no memory for one of them. */
bool sensors_begin(const struct sensor_record *to, const struct options *options);
void sensors_describe(struct database *db, bool repeats);
void sensors_configure_search(struct engine_config *config);

/* Sensors that work, are asked for at the start, and measure by data structure. */
bool sensors_need_arrays_at_start(void);
bool sensors_are_asked_at_start(enum ms_sensor_id id);
/* Of those that these metrics belong to, one measures by data structure. */
bool sensors_need_arrays(const struct ms_request *requests, size_t nr);
bool sensors_are_measured_alone(uint32_t asked);

/* `without`: sensors that watch no more. */
void sensors_watch(uint32_t without, double limit, void (*before)(void));
void sensors_phase(void);

/* Of sensors that these metrics belong to. */
void sensors_allow(const struct ms_request *requests, size_t nr, double ns, double execution_ns);
/* Metrics are selected (struct sensor): before the requests come into the region table. */
void sensors_select(const struct ms_request *requests, size_t nr);
/* After that. `asked`: sensors with a request; returns whether one wants to leave this execution. */
bool sensors_requested(uint32_t asked);
/* Those of `asked`, and those that are watching. */
uint32_t sensors_at_work(uint32_t asked);
void sensors_leave_out(bool on);
void sensors_left_out(void);
void sensors_ended(uint32_t executions);
bool sensors_settling(struct database *db);
/*
 * By sensor; others' elements stay as they are, as does that of one that was ended: then it returns
 * false.
 */
bool sensors_price(uint32_t asked, double callback_ns, double ns_out[MS_SENSORS]);
void sensors_drop(const struct database *db);
bool sensors_check(struct database *const *dbs, size_t nr, struct database *phase);

/* The first error; all are called all the same. */
enum ms_status sensors_harvest(const struct sensor_record *to, struct unwinder *unwinder,
			       bool at_end);
void sensors_losses(const struct sensor_record *to);
void sensors_forget(void);

#endif
