/* SPDX-License-Identifier: Apache-2.0 */
/* Answers requests of a search with the measurements of a finished run. */
#include "analysis/search/record_replay.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/accounting.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/run_measurements.h"
#include "memsearch/metric_set.h"

struct covered {
	bool here;
	uint32_t below; /* kinds, as ms_request.kinds, without 0 for all */
};

struct record_replay {
	struct arena *arena;
	const struct run *run;
	double wall_ns;      /* of one execution */
	uint64_t group;      /* executions at a time; of 1 ns at least */
	uint32_t *requested; /* rows that a request is for */
	size_t nr_requested;
	uint32_t *by_metric; /* rows of metric M: those from first[M] to first[M + 1] */
	size_t first[MS_METRICS + 1];
	/* what requests cover: bits by row; by region, of one metric */
	uint64_t *is_requested;
	struct covered *covered;
	/* by region: metrics with rows in it or in a region around it */
	struct ms_metric_set *measured;
	struct ms_metric_set anywhere;
	uint32_t *next; /* for record_replay_requests */
	size_t room_next;
};

static void add_measured(struct ms_metric_set *set, uint32_t metric)
{
	enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;

	ms_metric_set_add(set, metric);
	for (uint32_t other = 0; measured_together(sensor) && other < MS_METRICS; other++)
		if (ms_metric_info(other)->sensor == sensor)
			ms_metric_set_add(set, other);
}

static void set_add_set(struct ms_metric_set *set, const struct ms_metric_set *other)
{
	for (size_t i = 0; i < MS_METRIC_SET_WORDS; i++)
		set->words[i] |= other->words[i];
}

/* Parents have smaller ids (run_check). */
static void find_measured(struct record_replay *replay)
{
	const struct run *run = replay->run;

	for (size_t i = 0; i < run->nr_measurements; i++)
		add_measured(&replay->measured[run->measurements[i].row.region],
			     run->measurements[i].row.metric);
	for (size_t i = 0; i < run->nr_regions; i++) {
		set_add_set(&replay->anywhere, &replay->measured[i]);
		if (run->regions[i].parent < i)
			set_add_set(&replay->measured[i],
				    &replay->measured[run->regions[i].parent]);
	}
}

static void order_by_metric(struct record_replay *replay)
{
	const struct run *run = replay->run;
	size_t next[MS_METRICS];

	for (size_t i = 0; i < run->nr_measurements; i++)
		replay->first[run->measurements[i].row.metric + 1]++;
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		replay->first[metric + 1] += replay->first[metric];
	memcpy(next, replay->first, sizeof(next));
	for (uint32_t i = 0; i < run->nr_measurements; i++)
		replay->by_metric[next[run->measurements[i].row.metric]++] = i;
}

/* A record that was cut off has no total time: that of the longest observation. */
static double execution_ns(const struct run *run)
{
	double wall_ns = run_execution_ns(run);

	for (size_t i = 0; i < run->nr_measurements && wall_ns <= 0; i++)
		if (run->measurements[i].phases)
			wall_ns = run->measurements[i].observed_ns /
				  (double)run->measurements[i].phases;
	return wall_ns;
}

/* For a bit by row. */
static size_t words_of(const struct run *run)
{
	return (run->nr_measurements + 63) / 64;
}

enum ms_status record_replay_new(struct arena *arena, const struct run *run,
				 struct record_replay **out)
{
	struct record_replay *replay = arena_alloc(arena, sizeof(*replay));
	double wall_ns = execution_ns(run);

	if (!run->nr_measurements || !run->nr_regions || !(wall_ns > 0) || !isfinite(wall_ns))
		return MS_ERR_NOT_FOUND;
	if (!replay)
		return MS_ERR_MEMORY;
	*replay = (struct record_replay){
		.arena = arena,
		.run = run,
		.wall_ns = wall_ns,
		.group = (uint64_t)fmin(fmax(1, ceil(RECORD_REPLAY_GROUP_NS / wall_ns)),
					RECORD_REPLAY_GROUP_NS),
		.requested = arena_alloc(arena, run->nr_measurements * sizeof(*replay->requested)),
		.measured = arena_alloc(arena, run->nr_regions * sizeof(*replay->measured)),
		.by_metric = arena_alloc(arena, run->nr_measurements * sizeof(*replay->by_metric)),
		.is_requested = arena_alloc(arena, words_of(run) * sizeof(*replay->is_requested)),
		.covered = arena_alloc(arena, run->nr_regions * sizeof(*replay->covered)),
	};
	if (!replay->requested || !replay->measured || !replay->by_metric ||
	    !replay->is_requested || !replay->covered)
		return MS_ERR_MEMORY;
	find_measured(replay);
	order_by_metric(replay);
	*out = replay;
	return MS_OK;
}

/* ------------------------------------------------------------------ what can be measured */

static bool fits(void *ctx, const uint32_t *metrics, size_t nr)
{
	const struct record_replay *replay = ctx;

	(void)metrics;
	return nr <= replay->run->counting.at_once;
}

static void configure(void *ctx, struct engine_config *config)
{
	const struct record_replay *replay = ctx;

	config->fits = replay->run->counting.at_once ? fits : NULL;
	config->fits_ctx = ctx;
	config->windows = false; /* each execution has the mean of the run */
}

static enum ms_missing unmeasured_anywhere(enum ms_sensor_id sensor)
{
	return sensor == MS_SENSOR_SIMULATED   ? MS_MISSING_NOT_MODELLED
	       : sensor == MS_SENSOR_LOOPS     ? MS_MISSING_NO_LOOP_TIMES
	       : sensor == MS_SENSOR_ADDRESSES ? MS_MISSING_NO_ADDRESSES
					       : MS_MISSING_NOT_REQUESTED;
}

static enum ms_missing unmeasured_here(enum ms_sensor_id sensor)
{
	return sensor == MS_SENSOR_SIMULATED || sensor == MS_SENSOR_ACCESSES
		       ? MS_MISSING_NOT_RECORDED
		       : MS_MISSING_NOT_REQUESTED;
}

/* The run's own reason stays. */
static void set_unmeasured(struct database *db, uint32_t region, uint32_t metric,
			   enum ms_missing why)
{
	if (database_missing_why(db, region, metric) == MS_PRESENT)
		database_missing(db, region, metric, why);
}

enum ms_status record_replay_prepare(const struct record_replay *replay, struct database *db)
{
	const struct run *run = replay->run;

	if (!measured_regions(db, run))
		return MS_ERR_MEMORY;
	measured_missing(db, run);
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;

		if (!ms_metric_set_has(&replay->anywhere, metric)) {
			set_unmeasured(db, MS_REGION_NONE, metric, unmeasured_anywhere(sensor));
			continue;
		}
		for (uint32_t region = 0; region < run->nr_regions; region++)
			if (!ms_metric_set_has(&replay->measured[region], metric))
				set_unmeasured(db, region, metric, unmeasured_here(sensor));
	}
	return MS_OK;
}

/* ------------------------------------------------------------------ executions */

/* The requests of one metric, as a list: numbers + 1, 0 ends it. */
struct by_metric {
	const struct ms_request *requests;
	uint32_t first[MS_METRICS], *next;
};

/* What the requests of a metric cover: regions themselves, and kinds of regions below. */
static void cover(struct record_replay *replay, const struct by_metric *lists, uint32_t metric)
{
	const struct run *run = replay->run;

	memset(replay->covered, 0, run->nr_regions * sizeof(*replay->covered));
	for (uint32_t i = lists->first[metric]; i; i = lists->next[i - 1]) {
		const struct ms_request *request = &lists->requests[i - 1];
		struct covered *covered;

		if (request->region >= run->nr_regions)
			continue;
		covered = &replay->covered[request->region];
		covered->here = true;
		if (request->flags & MS_REQUEST_SUBREGIONS)
			covered->below |= request->kinds ? request->kinds : UINT32_MAX;
	}
	/* Parents have smaller ids (run_check). */
	for (size_t i = 0; i < run->nr_regions; i++) {
		struct covered *covered = &replay->covered[i];

		if (run->regions[i].parent >= i)
			continue;
		covered->here |= replay->covered[run->regions[i].parent].below >>
					 run->regions[i].kind &
				 1;
		covered->below |= replay->covered[run->regions[i].parent].below;
	}
}

static void find_requested(struct record_replay *replay, const struct by_metric *lists)
{
	const struct run *run = replay->run;

	memset(replay->is_requested, 0, words_of(run) * sizeof(*replay->is_requested));
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		if (!lists->first[metric])
			continue;
		cover(replay, lists, metric);
		for (size_t i = replay->first[metric]; i < replay->first[metric + 1]; i++) {
			uint32_t row = replay->by_metric[i];

			if (replay->covered[run->measurements[row].row.region].here)
				replay->is_requested[row / 64] |= 1ull << row % 64;
		}
	}
	replay->nr_requested = 0;
	for (uint32_t word = 0; word < words_of(run); word++)
		for (uint64_t bits = replay->is_requested[word]; bits; bits &= bits - 1)
			replay->requested[replay->nr_requested++] = word * 64 +
								    (uint32_t)__builtin_ctzll(bits);
}

enum ms_status record_replay_requests(struct record_replay *replay, struct database *db,
				      const struct ms_request *requests, size_t nr)
{
	struct by_metric lists = { .requests = requests };

	database_requests(db, requests, nr);
	replay->nr_requested = 0;
	if (nr > replay->room_next) {
		replay->room_next = 2 * nr;
		replay->next = arena_alloc(replay->arena,
					   replay->room_next * sizeof(*replay->next));
	}
	lists.next = replay->next;
	if (nr && !lists.next)
		return MS_ERR_MEMORY;
	for (uint32_t i = 0; i < nr; i++) {
		lists.next[i] = lists.first[requests[i].metric];
		lists.first[requests[i].metric] = i + 1;
	}
	find_requested(replay, &lists);
	return MS_OK;
}

/* Of one execution. Not kept: records have millions of rows. */
static struct ms_measurement row_of(const struct record_replay *replay, size_t measurement)
{
	const struct measured_wall wall = { replay->wall_ns, replay->wall_ns };

	return measured_in_one(&replay->run->measurements[measurement], &wall);
}

/* The sum over a group; a gauge has no sum. */
static struct ms_measurement in_group(const struct record_replay *replay, size_t measurement)
{
	struct ms_measurement row = row_of(replay, measurement);

	if (ms_metric_info(row.metric)->gauge)
		return row;
	row.stat.count *= replay->group;
	row.stat.sum *= (double)replay->group;
	row.stat.sum_squares *= (double)replay->group;
	return row;
}

void record_replay_execution(const struct record_replay *replay, struct database *db,
			     struct engine_cost *cost_out)
{
	double wall_ns = replay->wall_ns * (double)replay->group;

	database_execution_begin(db);
	for (size_t i = 0; i < replay->nr_requested; i++) {
		struct ms_measurement row = in_group(replay, replay->requested[i]);

		database_add(db, &row);
	}
	database_execution_end(db, wall_ns, replay->group);
	cost_out->executions = replay->group;
	cost_out->program_ns = wall_ns;
}

uint64_t record_replay_counters(const struct record_replay *replay)
{
	struct arena *arena = arena_new();
	struct database *db = arena ? database_new(arena) : NULL;
	struct database_volume volume = { 0 };

	if (db && record_replay_prepare(replay, db) == MS_OK) {
		/* Nothing is requested: it notes which threads have rows, and keeps no value. */
		for (size_t i = 0; i < replay->run->nr_measurements; i++)
			database_add(db, &replay->run->measurements[i].row);
		database_volume(db, &volume);
	}
	if (arena)
		arena_free(arena);
	return volume.counters_possible;
}

double record_replay_trace_bytes(const struct record_replay *replay, uint64_t executions)
{
	double values = 0;

	for (size_t i = 0; i < replay->run->nr_measurements; i++) {
		struct ms_measurement row = row_of(replay, i);

		values += ms_metric_info(row.metric)->gauge ? 1 : (double)row.stat.count;
	}
	return values * (double)executions * ACCOUNTING_SAMPLE_BYTES;
}

/* ------------------------------------------------------------------ as a monitor */

static enum ms_status prepare(void *ctx, struct database *db)
{
	return record_replay_prepare(ctx, db);
}

static enum ms_status request(void *ctx, struct database *db, const struct ms_request *requests,
			      size_t nr)
{
	return record_replay_requests(ctx, db, requests, nr);
}

static void next(void *ctx, struct database *db, struct monitor_event *out)
{
	*out = (struct monitor_event){ .kind = MONITOR_EXECUTION };
	record_replay_execution(ctx, db, &out->cost);
}

const struct monitor record_replay_monitor = {
	.configure = configure,
	.prepare = prepare,
	.request = request,
	.next = next,
	.is_replay = true,
};
