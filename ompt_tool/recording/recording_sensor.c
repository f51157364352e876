/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: every access of code that runs as recording clones. */
#include <math.h>

#include "analysis/options/options.h"
#include "memsearch/sensor.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/callbacks.h"
#include "ompt_tool/accesses/access_rows.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/accesses/loop_times.h"
#include "ompt_tool/accesses/tracing.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/recording/body_clones.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/recording/recorded_code.h"
#include "ompt_tool/recording/recording.h"
#include "ompt_tool/recording/recording_gaps.h"
#include "ompt_tool/recording/recording_obstacles.h"
#include "ompt_tool/regions/region_table.h"

static struct recording *recording; /* of the session */

static void configure(const struct sensor_setting *setting)
{
	accesses_configure(setting->regions);
}

static bool begin(const struct sensor_record *to, const struct options *options, bool works)
{
	(void)options;
	recording = recording_new(to->arena, to->regions, to->run, works);
	return recording != NULL;
}

/* Only the search requests it, as it is expensive. */
static bool is_asked_at_start(void)
{
	return false;
}

static void describe(struct database *db, bool repeats)
{
	if (!repeats)
		recording_mark(recording, db);
}

static void watch(double limit, void (*before)(void))
{
	if (limit < 0) {
		first_execution_stop();
		recording_rest(recording);
	} else {
		recording_watch(recording, limit, before);
	}
}

static void phase(void)
{
	recording_prepare(recording);
}

static void allow(const struct sensor_allowance *allowance)
{
	accesses_pace(allowance->usual_ns, allowance->longest_ns);
	accesses_allow(allowance->ns);
}

/* Before the requests are applied to regions: bursts have requests of their own, which end. */
static void select(const uint32_t *metrics, size_t nr)
{
	(void)metrics;
	if (nr)
		first_execution_stop();
}

/*
 * Times of loops need the code to be followed, too. In one region around the phase, bursts find
 * functions that are called through pointers.
 */
static bool requested(bool asked)
{
	asked |= loop_times_is_on();
	first_execution_ask_again();
	if (asked || first_execution_is_on())
		recorded_code_follow();
	return recording_select(recording, asked);
}

/* Bursts are of use in any execution. */
static void left_out(void)
{
	if (!first_execution_is_on())
		tracing_put_off();
}

static enum sensor_settling settling(struct database *db)
{
	bool incomplete = recording_incomplete(recording);

	if (!recording_settling(recording, db))
		return SENSOR_SETTLED;
	if (!incomplete)
		return SENSOR_SETTLING;
	recording_announce(recording); /* so that threads that left move into their clones again */
	return SENSOR_SETTLING_TWICE;
}

/*
 * Clones are made and declarations read at the boundary before, once. An execution that was cut off
 * before everything was recorded does not show the cost of a whole execution; if accesses were
 * counted in part, the whole cost is extrapolated.
 */
static bool price(double callback_ns, double *ns_out)
{
	*ns_out = fmax(callback_ns, accesses_whole_ns());
	return !recording_used_up(recording);
}

static void drop(const struct database *db)
{
	recording_drop(recording, db);
}

static bool check(struct database *const *dbs, size_t nr, struct database *phase)
{
	(void)dbs;
	(void)nr;
	if (phase)
		recording_check(recording, phase);
	return false;
}

static enum ms_status harvest(const struct sensor_record *to, struct unwinder *unwinder,
			      bool at_end)
{
	(void)unwinder;
	recording_harvest(recording);
	return at_end ? accesses_harvest(to) : MS_OK;
}

static void losses(const struct sensor_record *to)
{
	recording_gaps(to->run, to->arena);
	accesses_losses(to);
}

/* Copies of a region have a body each. */
static bool has_clone(const struct region *region)
{
	uint32_t nr = region ? region_bodies(region) : 0;

	for (uint32_t i = 0; i < nr; i++)
		if (body_clones_has(region->bodies[i]))
			return true;
	return false;
}

/* What the program has done since the region began may forbid its clone, as at its begin. */
static bool is_due(struct thread *self, uint64_t code)
{
	return accesses_due(self, code) &&
	       has_clone(region_table_at(accesses_regions(), self->frames[0].region)) &&
	       !clone_is_paused() && recording_has_same_handlers(recording) &&
	       (self->worker || !recording_cancelled_anywhere());
}

const struct sensor sensor_accesses = {
	.id = MS_SENSOR_ACCESSES,
	.probe = accesses_probe,
	.select = select,
	.thread_begin = accesses_begin_thread,
	.thread_end = accesses_end_thread,
	.enable = accesses_enable,
	.region_begin = accesses_region_begin,
	.region_end = accesses_region_end,
	.region_drop = accesses_region_drop,
	.task_end = accesses_task_end,
	.moved = accesses_moved,
	.due = is_due,
	.resumed = accesses_resumed,
	.fold = accesses_fold_lines,
	.session = {
		.by_array = true,
		.is_measured_alone = true,
		.is_asked_at_start = is_asked_at_start,
		.configure = configure,
		.begin = begin,
		.describe = describe,
		.watch = watch,
		.is_watching = first_execution_is_on,
		.phase = phase,
		.allow = allow,
		.requested = requested,
		.leave_out = accesses_pass_over,
		.left_out = left_out,
		.ended = keeping_phases,
		.settling = settling,
		.price = price,
		.drop = drop,
		.check = check,
		.harvest = harvest,
		.losses = losses,
		.forget = recording_forget,
	},
};
