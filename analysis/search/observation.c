/* SPDX-License-Identifier: Apache-2.0 */
/* Wall time and executions of the phase during which a column was under observation. */
#include "analysis/search/observation.h"

#include "analysis/search/database_private.h"

void observation_sum(const struct database *db, const struct observation *observation, int batch,
		     double *ns, uint64_t *executions)
{
	for (uint32_t i = 0; i < DATABASE_BATCHES; i++) {
		uint32_t to = observation_batch(observation, i);

		if (!database_in(batch, to))
			continue;
		*ns += observation->ns[to] + (observation->on ? db->total.ns[i] : 0);
		*executions += observation->executions[to] +
			       (observation->on ? db->total.executions[i] : 0);
	}
}

uint64_t observation_executions(const struct database *db, const struct observation *observation)
{
	uint64_t executions = 0;
	double ns = 0;

	observation_sum(db, observation, DATABASE_ALL_BATCHES, &ns, &executions);
	return executions;
}

uint64_t observation_groups(const struct database *db, const struct observation *observation)
{
	return observation->groups + (observation->on ? db->total.groups : 0);
}

double observation_ns(const struct database *db, const struct observation *observation)
{
	uint64_t executions = 0;
	double ns = 0;

	observation_sum(db, observation, DATABASE_ALL_BATCHES, &ns, &executions);
	return ns;
}

void observation_switch(const struct database *db, struct observation *observation, bool on)
{
	double sign = on ? -1 : 1;

	if (observation->on == on)
		return;
	if (on && !observation->begun) {
		observation->begin = db->total.groups;
		observation->begun = true;
	}
	if (on)
		observation->rotation = (uint32_t)(observation_groups(db, observation) -
						   db->total.groups) %
					DATABASE_BATCHES;
	observation->on = on;
	observation->groups += on ? -db->total.groups : db->total.groups;
	observation->begun &= on || observation->groups;
	for (uint32_t i = 0; i < DATABASE_BATCHES; i++) {
		uint32_t to = observation_batch(observation, i);

		observation->ns[to] += sign * db->total.ns[i];
		observation->executions[to] += on ? -db->total.executions[i]
						  : db->total.executions[i];
	}
}

void observation_clear(struct observation *observation)
{
	*observation = (struct observation){ .on = observation->on, .begun = observation->on };
}

struct observation observation_now(const struct database *db, const struct observation *observation)
{
	struct observation now = *observation;

	observation_switch(db, &now, false);
	return now;
}

void observation_forget(const struct database *db, struct observation *observation)
{
	bool on = observation->on;

	*observation = (struct observation){ 0 };
	observation_switch(db, observation, on);
}
