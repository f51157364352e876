/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the session functions of all sensors in sequence. */
#include "ompt_tool/session/sensors.h"

#include "memsearch/metric_set.h"
#include "memsearch/sensor.h"

/* clang-format off */
/* For the sensors that have this member, `id` and `session`. */
#define EACH_WITH(member) \
	for (unsigned int id = 0; id < MS_SENSORS; id++) \
		for (const struct sensor_session *session = sensors[id] ? &sensors[id]->session : NULL; \
		     session && session->member; session = NULL)
/* clang-format on */

static uint32_t sensors_of(const struct ms_request *requests, size_t nr)
{
	uint32_t set = 0;

	for (size_t i = 0; i < nr; i++)
		set |= 1u << ms_metric_info(requests[i].metric)->sensor;
	return set;
}

void sensors_configure(const struct sensor_setting *setting)
{
	EACH_WITH(configure)
	session->configure(setting);
}

bool sensors_begin(const struct sensor_record *to, const struct options *options)
{
	bool begun = true;

	EACH_WITH(begin)
	begun = begun && session->begin(to, options, sensor_works(id));
	return begun;
}

void sensors_describe(struct database *db, bool repeats)
{
	EACH_WITH(describe)
	session->describe(db, repeats);
}

void sensors_configure_search(struct engine_config *config)
{
	EACH_WITH(configure_search)
	session->configure_search(config);
}

bool sensors_are_asked_at_start(enum ms_sensor_id id)
{
	bool (*is_asked)(void) = sensors[id] ? sensors[id]->session.is_asked_at_start : NULL;

	return !is_asked || is_asked();
}

bool sensors_need_arrays_at_start(void)
{
	EACH_WITH(by_array)
	if (sensor_works(id) && sensors_are_asked_at_start(id))
		return true;
	return false;
}

bool sensors_need_arrays(const struct ms_request *requests, size_t nr)
{
	uint32_t asked = sensors_of(requests, nr);

	EACH_WITH(by_array)
	if (asked >> id & 1)
		return true;
	return false;
}

bool sensors_are_measured_alone(uint32_t asked)
{
	EACH_WITH(is_measured_alone)
	if (asked >> id & 1)
		return true;
	return false;
}

void sensors_watch(uint32_t without, double limit, void (*before)(void))
{
	EACH_WITH(watch)
	session->watch(without >> id & 1 ? -1 : limit, before);
}

void sensors_phase(void)
{
	EACH_WITH(phase)
	session->phase();
}

void sensors_allow(const struct ms_request *requests, size_t nr,
		   const struct sensor_allowance *allowance)
{
	uint32_t asked = sensors_of(requests, nr);

	EACH_WITH(allow)
	if (asked >> id & 1)
		session->allow(allowance);
}

static size_t metrics_of(unsigned int id, const struct ms_request *requests, size_t nr,
			 uint32_t metrics[MS_METRICS])
{
	struct ms_metric_set set = { 0 };
	size_t nr_metrics = 0;

	for (size_t i = 0; i < nr; i++)
		if (ms_metric_info(requests[i].metric)->sensor == id)
			ms_metric_set_add(&set, requests[i].metric);
	MS_METRIC_SET_EACH(metric, &set)
	metrics[nr_metrics++] = metric;
	return nr_metrics;
}

void sensors_select(const struct ms_request *requests, size_t nr)
{
	for (unsigned int id = 0; id < MS_SENSORS; id++) {
		uint32_t metrics[MS_METRICS];

		if (sensors[id] && sensors[id]->select && sensor_works(id))
			sensors[id]->select(metrics, metrics_of(id, requests, nr, metrics));
	}
}

bool sensors_requested(uint32_t asked)
{
	bool left_out = false;

	EACH_WITH(requested)
	left_out |= session->requested(asked >> id & 1);
	return left_out;
}

uint32_t sensors_at_work(uint32_t asked)
{
	EACH_WITH(is_watching)
	asked |= session->is_watching() ? 1u << id : 0;
	return asked;
}

void sensors_leave_out(bool on, bool inside)
{
	EACH_WITH(leave_out)
	session->leave_out(on, inside);
}

void sensors_left_out(void)
{
	EACH_WITH(left_out)
	session->left_out();
}

void sensors_ended(uint32_t executions)
{
	EACH_WITH(ended)
	session->ended(executions);
}

enum sensor_settling sensors_settling(struct database *db)
{
	enum sensor_settling most = SENSOR_SETTLED;

	EACH_WITH(settling)
	{
		enum sensor_settling settling = session->settling(db);

		most = settling > most ? settling : most;
	}
	return most;
}

bool sensors_price(uint32_t asked, double callback_ns, double ns_out[MS_SENSORS])
{
	bool complete = true;
	double ns;

	EACH_WITH(price)
	{
		if (!(asked >> id & 1))
			continue;
		if (session->price(callback_ns, &ns))
			ns_out[id] = ns;
		else
			complete = false;
	}
	return complete;
}

void sensors_drop(const struct database *db)
{
	EACH_WITH(drop)
	session->drop(db);
}

bool sensors_check(struct database *const *dbs, size_t nr, struct database *phase)
{
	bool changed = false;

	EACH_WITH(check)
	changed |= session->check(dbs, nr, phase);
	return changed;
}

enum ms_status sensors_harvest(const struct sensor_record *to, struct unwinder *unwinder,
			       bool at_end)
{
	enum ms_status first = MS_OK;

	EACH_WITH(harvest)
	{
		enum ms_status status = session->harvest(to, unwinder, at_end);

		first = first == MS_OK ? status : first;
	}
	return first;
}

void sensors_losses(const struct sensor_record *to)
{
	EACH_WITH(losses)
	session->losses(to);
}

void sensors_forget(void)
{
	EACH_WITH(forget)
	session->forget();
}
