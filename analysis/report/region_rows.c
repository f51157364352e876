/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of a run as rows of the JSON report: place, time by thread and by line. Natural loops and
 * called functions have times by samples, too: a function its own samples, a loop those of the lines
 * that access memory in it.
 */
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/data_private.h"
#include "analysis/report/finding.h"
#include "analysis/report/region_times.h"
#include "analysis/report/source_words.h"
#include "memsearch/host.h"

struct region_writer {
	struct data_writer *data;
	const struct run *run;
	struct region_times times;
	struct row_index spots, accesses; /* by region */
	double *totals;                   /* [nr_regions]: ns, as struct region_time */
	double *samples;                  /* [nr_regions]: of the clock; 0 none */
	double *outside;                  /* [nr_regions]: part of them outside of the runtime */
};

static bool is_sample(const struct run_hotspot *spot)
{
	return spot->metric == MS_METRIC_SAMPLES;
}

/* In one execution of the phase. */
static void count_samples(struct region_writer *writer)
{
	const struct run *run = writer->run;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];

		if (one->row.metric == MS_METRIC_SAMPLES && one->phases &&
		    one->row.region < run->nr_regions)
			writer->samples[one->row.region] += one->row.stat.sum / (double)one->phases;
	}
	for (uint32_t i = 0; i < run->nr_regions; i++)
		writer->outside[i] = 1;
	for (size_t i = 0; i < run->nr_hotspots; i++)
		if (run->hotspots[i].region < run->nr_regions && hotspot_waits(&run->hotspots[i]))
			writer->outside[run->hotspots[i].region] -= run->hotspots[i].share;
}

static bool region_writer_init(struct region_writer *writer, struct data_writer *data,
			       const struct run *run)
{
	size_t nr = run->nr_regions;

	*writer = (struct region_writer){ .data = data, .run = run };
	writer->totals = arena_alloc(data->arena, (nr + 1) * sizeof(*writer->totals));
	writer->samples = arena_alloc(data->arena, (nr + 1) * sizeof(*writer->samples));
	writer->outside = arena_alloc(data->arena, (nr + 1) * sizeof(*writer->outside));
	if (!writer->totals || !writer->samples || !writer->outside ||
	    !region_times_init(&writer->times, data->arena, run) ||
	    !row_index_init(&writer->spots, data->arena, run->hotspots, run->nr_hotspots,
			    sizeof(*run->hotspots), offsetof(struct run_hotspot, region), nr) ||
	    !row_index_init(&writer->accesses, data->arena, run->accesses, run->nr_accesses,
			    sizeof(*run->accesses), offsetof(struct run_access, region), nr))
		return false;
	for (uint32_t i = 0; i < nr; i++)
		writer->totals[i] = region_time_of(&writer->times, i).total;
	count_samples(writer);
	return true;
}

/* ------------------------------------------------------------------ lines */

static bool same_line(const struct source *a, const struct source *b)
{
	return a->line > 0 && a->line == b->line && a->file && b->file && !strcmp(a->file, b->file);
}

/*
 * Part of a line's accesses in the construct that is in the loop, or in loops inside; compilers make
 * several loops of one line. 0: the line has none there.
 */
static double part_in_loop(const struct region_writer *writer, const struct run_hotspot *spot,
			   uint32_t loop)
{
	const struct run *run = writer->run;
	const struct row_index *index = &writer->accesses;
	double all = 0, inside = 0;

	for (uint32_t i = index->first[spot->region]; i < index->first[spot->region + 1]; i++) {
		const struct run_access *access = &run->accesses[index->rows[i]];
		double each = run_access_executions(access);

		if (!(each > 0) || !same_line(&access->source, &spot->source))
			continue;
		each = (double)(access->reads + access->writes) / each;
		all += each;
		if (access->loop < run->nr_regions && run_is_inside(run, access->loop, loop))
			inside += each;
	}
	return all > 0 ? inside / all : 0;
}

/* Of a hot line of a construct, in one of its regions. */
static double part_of(const struct region_writer *writer, const struct run_hotspot *spot,
		      uint32_t region)
{
	if (spot->region == region)
		return 1;
	return is_sample(spot) && !hotspot_waits(spot) ? part_in_loop(writer, spot, region) : 0;
}

/* The line's part of the region's time: of the samples outside of the runtime. */
static double share_of_time(const struct region_writer *writer, const struct run_hotspot *spot)
{
	double outside = writer->outside[spot->region];

	return is_sample(spot) && !hotspot_waits(spot) && outside > 0
		       ? fmin(1, spot->share / outside)
		       : NAN;
}

/* The region whose hot lines it has: a loop that of its construct. MS_REGION_NONE: none. */
static uint32_t lines_of(const struct region_writer *writer, const struct run_region *region)
{
	const struct run_region *construct = region->kind == MS_LOOP_REGION
						     ? finding_construct(writer->run, region)
						     : region;

	return construct ? construct->id : MS_REGION_NONE;
}

static void put_lines(struct region_writer *writer, const struct run_region *region)
{
	struct json *json = &writer->data->json;
	uint32_t from = lines_of(writer, region);

	json_open(json, "hotspots", '[');
	for (uint32_t i = from == MS_REGION_NONE ? 0 : writer->spots.first[from];
	     from != MS_REGION_NONE && i < writer->spots.first[from + 1]; i++) {
		const struct run_hotspot *spot = &writer->run->hotspots[writer->spots.rows[i]];
		double part = part_of(writer, spot, region->id);

		if (!(part > 0))
			continue;
		json_open(json, NULL, '{');
		data_hotspot(writer->data, writer->run, spot, part);
		data_number(writer->data, "total_time_ns",
			    round(part * share_of_time(writer, spot) * writer->totals[from]));
		json_close(json);
	}
	json_close(json);
}

/* ------------------------------------------------------------------ time */

/* NAN: it has no samples of its own, as no part of a construct has that is no loop or function. */
static double sample_share(const struct region_writer *writer, const struct run_region *region,
			   uint32_t construct)
{
	const struct row_index *index = &writer->spots;
	double share = 0;

	if (region->kind == MS_SUB_REGION && writer->samples[construct] > 0)
		share = fmin(1, writer->samples[region->id] / writer->samples[construct]);
	if (region->kind == MS_LOOP_REGION)
		for (uint32_t i = index->first[construct]; i < index->first[construct + 1]; i++) {
			const struct run_hotspot *spot = &writer->run->hotspots[index->rows[i]];
			double part = part_of(writer, spot, region->id);

			share += part > 0 ? part * share_of_time(writer, spot) : 0;
		}
	return share > 0 ? fmin(1, share) : NAN;
}

static void put_sampled(struct region_writer *writer, const struct run_region *region)
{
	const struct run_region *construct = finding_construct(writer->run, region);
	double share = construct && construct != region
			       ? sample_share(writer, region, construct->id)
			       : NAN;

	json_number(&writer->data->json, "sample_share", share);
	data_number(writer->data, "sampled_time_ns",
		    construct ? round(share * writer->totals[construct->id]) : NAN);
}

static void put_threads(struct region_writer *writer, const char *key, const double *values,
			size_t nr)
{
	struct json *json = &writer->data->json;
	bool known = false;

	for (size_t i = 0; i < nr; i++)
		known |= !isnan(values[i]);
	if (!known)
		return json_null(json, key);
	json_open(json, key, '[');
	for (size_t i = 0; i < nr; i++)
		data_number(writer->data, NULL, round(values[i]));
	json_close(json);
}

static void put_times(struct region_writer *writer, const struct run_region *region)
{
	struct region_time time = region_time_of(&writer->times, region->id);

	data_number(writer->data, "total_time_ns", round(time.total));
	data_number(writer->data, "total_wait_ns", round(time.waited));
	put_threads(writer, "thread_times_ns", time.times, time.nr);
	put_threads(writer, "thread_waits_ns", time.waits, time.nr);
	put_sampled(writer, region);
}

/* ------------------------------------------------------------------ rows */

/* NAN: there is no such row. */
static double known_id(uint32_t id, size_t nr)
{
	return id < nr ? id : NAN;
}

static void put_region(struct region_writer *writer, const struct run_region *region, size_t number)
{
	struct json *json = &writer->data->json;

	json_open(json, NULL, '{');
	json_unsigned(json, "run", number);
	json_unsigned(json, "id", region->id);
	json_number(json, "parent", known_id(region->parent, writer->run->nr_regions));
	json_string(json, "kind", ms_region_kind_name(region->kind));
	json_string(json, "place", finding_place(writer->data->arena, writer->run, region->id));
	data_region_source(writer->data, writer->run, region);
	json_number(json, "array_id", known_id(run_region_array(region), writer->run->nr_arrays));
	json_number(json, "measured_executions",
		    region->executions ? (double)region->executions : NAN);
	put_times(writer, region);
	put_lines(writer, region);
	json_close(json);
}

void region_rows(struct data_writer *data, const struct run *run, size_t number)
{
	struct region_writer writer;

	if (!region_writer_init(&writer, data, run))
		return;
	for (size_t i = 0; i < run->nr_regions; i++)
		put_region(&writer, &run->regions[i], number);
}

void module_rows(struct data_writer *writer, const struct run *run, size_t number)
{
	struct json *json = &writer->json;

	for (size_t i = 0; i < run->nr_modules; i++) {
		const struct module *module = &run->modules[i];

		json_open(json, NULL, '{');
		json_unsigned(json, "run", number);
		json_unsigned(json, "id", i);
		data_string(writer, "path", module->path && *module->path ? module->path : NULL);
		data_string(writer, "build_id",
			    module->build_id && *module->build_id ? module->build_id : NULL);
		json_close(json);
	}
}
