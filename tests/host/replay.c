/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded measurements: reads them and plays them to a search. */
#include "tests/host/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "memsearch/metric_set.h"

#define HEADER "memsearch-experiment 1"
#define WORDS_MAX (MS_METRICS + 3) /* one more than any item has */

struct replay_row {
	uint32_t region, first_thread, last_thread, metric;
	uint64_t count;
	double sum;
};

/* Executions with the same regions and rows. Index ranges into the arrays of the replay. */
struct replay_execution {
	double wall_ns;
	uint64_t times;
	size_t regions, nr_regions, rows, nr_rows;
};

struct replay_missing {
	uint32_t region, metric;
	enum ms_missing why;
};

struct replay_constant {
	const char *name;
	double value;
};

/* At most `room` of these metrics at once. */
struct replay_limit {
	struct ms_metric_set metrics;
	uint64_t room;
};

struct replay {
	struct arena *arena;
	struct ms_region_info *regions;
	size_t nr_regions, room_regions;
	struct replay_row *rows;
	size_t nr_rows, room_rows;
	/* [0]: before the first */
	struct replay_execution *executions;
	size_t nr_executions, room_executions;
	struct replay_missing *missing;
	size_t nr_missing, room_missing;
	struct replay_constant *constants;
	size_t nr_constants, room_constants;
	struct replay_limit *limits;
	size_t nr_limits, room_limits;
	double cost_ns[MS_SENSORS], base_ns, noise;
	size_t at; /* executions[at], so many times already */
	uint64_t at_times, random;
};

/* ------------------------------------------------------------------ reading */

static bool number(const char *word, uint64_t most, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(word, &end, 10);
	return word[0] >= '0' && word[0] <= '9' && !*end && !errno && *out <= most;
}

static bool id(const char *word, uint32_t *out)
{
	uint64_t value;
	bool ok = number(word, UINT32_MAX - 1, &value);

	*out = (uint32_t)value;
	return ok;
}

static bool real(const char *word, double *out)
{
	char *end;

	*out = strtod(word, &end);
	return end != word && !*end && isfinite(*out);
}

static bool metric(const char *word, uint32_t *out)
{
	for (*out = 0; *out < MS_METRICS; ++*out)
		if (!strcmp(ms_metric_info(*out)->name, word))
			return true;
	return false;
}

static bool reason(const char *word, enum ms_missing *out)
{
	static const char *const names[] = {
#define X(name, text) #name,
		MS_MISSING_LIST(X)
#undef X
	};

	for (unsigned int i = 0; i < MS_MISSING_REASONS; i++)
		if (!strcmp(names[i], word)) {
			*out = (enum ms_missing)i;
			return true;
		}
	return false;
}

static bool sensor(const char *word, uint32_t *out)
{
	for (*out = 0; *out < MS_SENSORS; ++*out)
		if (!strcmp(ms_sensor_name(*out), word))
			return true;
	return false;
}

static bool read_constant(struct replay *replay, char **words, size_t nr)
{
	struct replay_constant constant = { 0 };

	if (nr != 3 || !real(words[2], &constant.value) ||
	    !(constant.name = arena_strdup(replay->arena, words[1])) ||
	    !ARENA_GROW(replay->arena, replay->constants, replay->nr_constants,
			replay->room_constants))
		return false;
	replay->constants[replay->nr_constants++] = constant;
	return true;
}

static bool read_missing(struct replay *replay, char **words, size_t nr)
{
	struct replay_missing missing = { .region = MS_REGION_NONE };

	if (nr != 4 || (strcmp(words[1], "*") && !id(words[1], &missing.region)) ||
	    !metric(words[2], &missing.metric) || !reason(words[3], &missing.why) ||
	    !ARENA_GROW(replay->arena, replay->missing, replay->nr_missing, replay->room_missing))
		return false;
	replay->missing[replay->nr_missing++] = missing;
	return true;
}

static bool is_counter(uint32_t metric)
{
	return ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS;
}

static bool read_counters(struct replay *replay, char **words, size_t nr)
{
	struct replay_limit limit = { .room = 0 };
	uint32_t which;

	if (nr < 2 || nr >= WORDS_MAX || !number(words[1], MS_METRICS, &limit.room))
		return false;
	for (size_t i = 2; i < nr; i++) {
		if (!metric(words[i], &which) || !is_counter(which))
			return false;
		ms_metric_set_add(&limit.metrics, which);
	}
	for (which = 0; nr == 2 && which < MS_METRICS; which++)
		if (is_counter(which))
			ms_metric_set_add(&limit.metrics, which);
	if (!ARENA_GROW(replay->arena, replay->limits, replay->nr_limits, replay->room_limits))
		return false;
	replay->limits[replay->nr_limits++] = limit;
	return true;
}

static bool read_cost(struct replay *replay, char **words, size_t nr)
{
	uint32_t which;

	return nr == 3 && sensor(words[1], &which) && real(words[2], &replay->cost_ns[which]);
}

static bool read_base(struct replay *replay, char **words, size_t nr)
{
	return nr == 2 && real(words[1], &replay->base_ns);
}

static bool read_noise(struct replay *replay, char **words, size_t nr)
{
	return nr == 2 && real(words[1], &replay->noise) && replay->noise >= 0 && replay->noise < 1;
}

static bool execution_begin(struct replay *replay, double wall_ns, uint64_t times)
{
	if (!ARENA_GROW(replay->arena, replay->executions, replay->nr_executions,
			replay->room_executions))
		return false;
	replay->executions[replay->nr_executions++] = (struct replay_execution){
		.wall_ns = wall_ns,
		.times = times,
		.regions = replay->nr_regions,
		.rows = replay->nr_rows,
	};
	return true;
}

static bool read_execution(struct replay *replay, char **words, size_t nr)
{
	uint64_t times = 1;
	double wall_ns;

	return (nr == 2 || (nr == 3 && number(words[2], UINT32_MAX, &times) && times)) &&
	       real(words[1], &wall_ns) && wall_ns > 0 && execution_begin(replay, wall_ns, times);
}

static bool read_region(struct replay *replay, char **words, size_t nr)
{
	struct ms_region_info region = { .parent = MS_REGION_NONE };
	unsigned int kind = 0;

	if (nr < 4 || nr > 5 || !id(words[1], &region.id) ||
	    (strcmp(words[2], "-") && !id(words[2], &region.parent)))
		return false;
	while (kind < MS_REGION_KINDS && strcmp(ms_region_kind_name(kind), words[3]))
		kind++;
	region.kind = (enum ms_region_kind)kind;
	if (kind == MS_REGION_KINDS || region.id != replay->nr_regions ||
	    (nr == 5 && !number(words[4], UINT64_MAX, &region.key)) ||
	    !ARENA_GROW(replay->arena, replay->regions, replay->nr_regions, replay->room_regions))
		return false;
	replay->regions[replay->nr_regions++] = region;
	replay->executions[replay->nr_executions - 1].nr_regions++;
	return true;
}

static bool read_row(struct replay *replay, char **words, size_t nr)
{
	char *last = nr == 6 ? strchr(words[2], '-') : NULL;
	struct replay_row row;

	if (nr != 6 || replay->nr_executions < 2)
		return false;
	if (last)
		*last++ = 0;
	if (!id(words[1], &row.region) || row.region >= replay->nr_regions ||
	    !id(words[2], &row.first_thread) || !id(last ? last : words[2], &row.last_thread) ||
	    row.last_thread < row.first_thread || !metric(words[3], &row.metric) ||
	    !number(words[4], UINT64_MAX, &row.count) || !real(words[5], &row.sum) ||
	    !ARENA_GROW(replay->arena, replay->rows, replay->nr_rows, replay->room_rows))
		return false;
	replay->rows[replay->nr_rows++] = row;
	replay->executions[replay->nr_executions - 1].nr_rows++;
	return true;
}

static const struct item {
	const char *name, *form;
	bool (*read)(struct replay *replay, char **words, size_t nr);
} items[] = {
	{ "constant", "constant NAME VALUE", read_constant },
	{ "missing", "missing REGION|* METRIC REASON", read_missing },
	{ "counters", "counters NR [METRIC of a counter …]", read_counters },
	{ "cost", "cost SENSOR NS", read_cost },
	{ "base", "base NS", read_base },
	{ "noise", "noise FRACTION", read_noise },
	{ "execution", "execution WALL_NS [TIMES]", read_execution },
	{ "region", "region ID PARENT|- KIND [KEY], in order of ids", read_region },
	{ "row", "row REGION THREAD[-LAST] METRIC COUNT SUM, of a known region, in an execution",
	  read_row },
};

/* Splits in place; a line of more words than any item has is wrong, so the rest does not matter. */
static size_t split(char *line, char **words)
{
	size_t nr = 0;
	char *kept;

	line[strcspn(line, "#")] = 0;
	for (char *word = strtok_r(line, " \t\r", &kept); word && nr < WORDS_MAX;
	     word = strtok_r(NULL, " \t\r", &kept))
		words[nr++] = word;
	return nr;
}

/* What the line should look like, or NULL when it is right. */
static const char *read_line(struct replay *replay, char *line)
{
	char *words[WORDS_MAX];
	size_t nr = split(line, words);

	if (!nr)
		return NULL;
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if (!strcmp(items[i].name, words[0]))
			return items[i].read(replay, words, nr) ? NULL : items[i].form;
	return "constant, missing, counters, cost, base, noise, execution, region or row";
}

struct replay *replay_parse(struct arena *arena, const char *name, const char *text)
{
	struct replay *replay = arena_alloc(arena, sizeof(*replay));
	size_t number_of_line = 1, length = strcspn(text, "\n");

	if (!replay)
		return NULL;
	replay->arena = arena;
	if (length != strlen(HEADER) || strncmp(text, HEADER, length)) {
		log_warning("%s:1: expected '" HEADER "'", name);
		return NULL;
	}
	if (!execution_begin(replay, 0, 0))
		return NULL;
	while (text[length]) {
		const char *expected;
		char *line;

		text += length + 1;
		number_of_line++;
		length = strcspn(text, "\n");
		line = arena_strndup(arena, text, length);
		expected = line ? read_line(replay, line) : "memory";
		if (expected) {
			log_warning("%s:%zu: expected %s", name, number_of_line, expected);
			return NULL;
		}
	}
	replay->at = 1;
	return replay;
}

static char *file_text(struct arena *arena, int file)
{
	off_t size = lseek(file, 0, SEEK_END);
	char *text = size >= 0 ? arena_alloc(arena, (size_t)size + 1) : NULL;

	return text && pread(file, text, (size_t)size, 0) == (ssize_t)size ? text : NULL;
}

struct replay *replay_read(struct arena *arena, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char *text;

	if (file < 0) {
		log_warning_errno("cannot open '%s'", path);
		return NULL;
	}
	text = file_text(arena, file);
	if (!text)
		log_warning_errno("cannot read '%s'", path);
	close(file);
	return text ? replay_parse(arena, path, text) : NULL;
}

/* ------------------------------------------------------------------ playing */

uint64_t replay_executions(const struct replay *replay)
{
	uint64_t nr = 0;

	for (size_t i = 1; i < replay->nr_executions; i++)
		nr += replay->executions[i].times;
	return nr;
}

static bool fits(void *ctx, const uint32_t *metrics, size_t nr)
{
	const struct replay *replay = ctx;
	struct ms_metric_set asked = { 0 }, of_limit;

	ms_metric_set_add_all(&asked, metrics, nr);
	for (size_t i = 0; i < replay->nr_limits; i++) {
		of_limit = ms_metric_set_both(&asked, &replay->limits[i].metrics);
		if (ms_metric_set_count(&of_limit) > replay->limits[i].room)
			return false;
	}
	return true;
}

void replay_configure(const struct replay *replay, struct engine_config *config)
{
	config->fits = replay->nr_limits ? fits : NULL;
	config->fits_ctx = (void *)replay;
}

static void meet_regions(const struct replay *replay, const struct replay_execution *execution,
			 struct database *db)
{
	for (size_t i = 0; i < execution->nr_regions; i++)
		if (database_region(db, &replay->regions[execution->regions + i]) != MS_OK)
			log_warning("replay: region %u does not fit",
				    replay->regions[execution->regions + i].id);
}

static bool has_rows(const struct replay *replay, uint32_t metric)
{
	for (size_t i = 0; i < replay->nr_rows; i++)
		if (replay->rows[i].metric == metric)
			return true;
	return false;
}

void replay_prepare(const struct replay *replay, struct database *db)
{
	meet_regions(replay, &replay->executions[0], db);
	for (size_t i = 0; i < replay->nr_constants; i++)
		database_constant(db, replay->constants[i].name, replay->constants[i].value);
	for (size_t i = 0; i < replay->nr_missing; i++)
		database_missing(db, replay->missing[i].region, replay->missing[i].metric,
				 replay->missing[i].why);
	/* its program runs no clones */
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (!has_rows(replay, metric) &&
		    ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES)
			database_missing(db, MS_REGION_NONE, metric, MS_MISSING_NOT_SUPPORTED);
		else if (!has_rows(replay, metric) &&
			 ms_metric_info(metric)->sensor == MS_SENSOR_SIMULATED)
			database_missing(db, MS_REGION_NONE, metric, MS_MISSING_NOT_MODELLED);
		else if (!has_rows(replay, metric) &&
			 ms_metric_info(metric)->sensor == MS_SENSOR_ADDRESSES)
			database_missing(db, MS_REGION_NONE, metric, MS_MISSING_NO_ADDRESSES);
}

static bool is_requested(const struct database *db, const struct replay_row *row,
			 const struct ms_request *requests, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint32_t region = row->region;
		struct ms_region_info info, own;

		if (requests[i].metric != row->metric)
			continue;
		while (requests[i].flags & MS_REQUEST_SUBREGIONS && region != requests[i].region &&
		       database_region_info(db, region, &info) && info.parent != MS_REGION_NONE)
			region = info.parent;
		if (region == requests[i].region &&
		    (region == row->region || (database_region_info(db, row->region, &own) &&
					       ms_request_wants(&requests[i], own.kind))))
			return true;
	}
	return false;
}

/* 1 ± noise; a linear congruential generator (Knuth's MMIX constants) is random enough. */
static double vary(struct replay *replay)
{
	replay->random = replay->random * 6364136223846793005u + 1442695040888963407u;
	return 1 + replay->noise * ((double)(replay->random >> 11) / (double)(1ull << 52) - 1);
}

static void hand_out(struct database *db, const struct replay_row *row, double factor)
{
	double sum = ms_metric_info(row->metric)->gauge ? row->sum : row->sum * factor;
	struct ms_measurement measurement = {
		.region = row->region,
		.metric = row->metric,
		.stat = { .count = row->count, .sum = sum },
	};

	if (row->count) {
		measurement.stat.min = measurement.stat.max = sum / (double)row->count;
		measurement.stat.sum_squares = ms_metric_info(row->metric)->rung ==
							       MS_RUNG_SIMULATED
						       ? 0
						       : sum * sum / (double)row->count;
	}
	for (uint32_t thread = row->first_thread; thread <= row->last_thread; thread++) {
		measurement.thread = thread;
		if (database_add(db, &measurement) != MS_OK)
			log_warning("replay: a row of region %u does not fit", row->region);
	}
}

/* Repetitions first, then the next recorded execution, then from the beginning. */
static const struct replay_execution *next_execution(struct replay *replay)
{
	const struct replay_execution *execution = &replay->executions[replay->at];

	if (++replay->at_times == execution->times) {
		replay->at_times = 0;
		replay->at = replay->at + 1 < replay->nr_executions ? replay->at + 1 : 1;
	}
	return execution;
}

void replay_execution(struct replay *replay, struct database *db, const struct ms_request *requests,
		      size_t nr, struct engine_cost *cost_out)
{
	const struct replay_execution *execution = next_execution(replay);
	double tool_ns = replay->base_ns;

	*cost_out = (struct engine_cost){ .executions = 1, .program_ns = execution->wall_ns };
	meet_regions(replay, execution, db);
	database_execution_begin(db);
	for (size_t i = 0; i < execution->nr_rows; i++) {
		const struct replay_row *row = &replay->rows[execution->rows + i];
		enum ms_sensor_id which = ms_metric_info(row->metric)->sensor;
		/* drawn for every row, so that requests do not change the values */
		double factor = vary(replay);

		if (!is_requested(db, row, requests, nr))
			continue;
		hand_out(db, row, factor);
		cost_out->per_sensor_ns[which] += replay->cost_ns[which] * (double)row->count *
						  (row->last_thread - row->first_thread + 1);
	}
	for (size_t i = 0; i < MS_SENSORS; i++)
		tool_ns += cost_out->per_sensor_ns[i];
	cost_out->tool_ns = tool_ns;
	database_execution_end(db, execution->wall_ns, 1);
}

struct replay_result replay_run(struct replay *replay, struct engine *engine, struct database *db)
{
	struct replay_result result = { .executions = replay_executions(replay) };
	const struct ms_request *requests;
	size_t nr = engine_requests(engine, &requests);

	database_requests(db, requests, nr);
	for (uint64_t i = 1; i <= result.executions; i++) {
		struct engine_cost cost;

		replay_execution(replay, db, requests, nr, &cost);
		result.program_ns += cost.program_ns;
		result.tool_ns += cost.tool_ns;
		if (engine_execution_done(engine, &cost)) {
			nr = engine_requests(engine, &requests);
			database_requests(db, requests, nr);
		}
		if (!result.done_after && engine_done(engine))
			result.done_after = i;
	}
	engine_finish(engine);
	return result;
}
