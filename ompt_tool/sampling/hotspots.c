/* SPDX-License-Identifier: Apache-2.0 */
/* The most frequently sampled instructions, by region. */
#include "ompt_tool/sampling/hotspots.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"
#include "memsearch/sensor.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sampling/sampler.h"
#include "ompt_tool/sampling/unwinder.h"

/* instructions stored per region and metric; a report joins those of one line */
#define SPOTS_PER_REGION 32

/*
 * With fewer clock samples in a region their shares are not significant: 10 have a relative error
 * of 1/sqrt(10), a third.
 */
#define SAMPLES_MIN 10

struct spot {
	uint32_t region, metric;
	/* sampled instruction; instruction or return address in own code */
	uint64_t ip, own;
	uint64_t count;
	bool is_return;
};

struct spots {
	struct arena *arena;
	const struct run *run;
	struct unwinder *unwinder; /* NULL: instructions are kept as sampled */
	const struct sensor_record *to;
	uint32_t thread;
	struct spot *items;
	size_t nr, room;
	enum ms_status status;
};

static bool is_tool(const char *path)
{
	const char *name = base_name(path);

	return !strcmp(name, "memsearch-core.so") || !strcmp(name, "libmemsearch.so");
}

/* Samples in the tool's own code are not the program's; its cost is a metric of its own. */
static bool is_ours(const struct run *run, uint64_t ip)
{
	struct code_address code = run_modules_address(run, ip);

	return code.module < run->nr_modules && is_tool(run->modules[code.module].path);
}

static void spot_keep(struct spots *spots, const struct spot *spot)
{
	if (ARENA_GROW(spots->arena, spots->items, spots->nr, spots->room))
		spots->items[spots->nr++] = *spot;
	else
		spots->status = MS_ERR_MEMORY;
}

/* Counts for the sample's region and for all enclosing regions, as their times do. */
static void spot_add(void *ctx, const struct sample_site *site)
{
	struct spots *spots = ctx;
	const struct run *run = spots->run;
	struct spot spot = { .region = site->region,
			     .metric = site->metric,
			     .ip = site->ip,
			     .own = site->ip,
			     .count = site->count };
	uint64_t own;

	if (is_ours(run, site->ip))
		return;
	if (spots->unwinder && unwinder_own_code(spots->unwinder, site, &own) == MS_OK &&
	    own != site->ip) {
		spot.own = own;
		spot.is_return = true;
	}
	if (spots->unwinder && spot.metric == MS_METRIC_SAMPLES && spots->to->sampled)
		spots->to->sampled(spots->to->ctx, spot.region, spots->thread,
				   spot.is_return ? spot.own - 1 : spot.own, spot.count);
	while (spot.region < run->nr_regions && spot.region != MS_REGION_USER) {
		spot_keep(spots, &spot);
		spot.region = run->regions[spot.region].parent;
	}
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By region, metric, own address, then the most frequent leaf first. */
static int spot_order(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int order = compare(x->region, y->region);

	order = order ? order : compare(x->metric, y->metric);
	order = order ? order : compare(x->own, y->own);
	return order ? order : compare(y->count, x->count);
}

static int spot_heavier(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int order = compare(x->region, y->region);

	order = order ? order : compare(x->metric, y->metric);
	order = order ? order : compare(y->count, x->count);
	return order ? order : compare(x->own, y->own);
}

/*
 * Sums the samples of different threads and leaves at the same own address; returns the number of
 * entries.
 */
static size_t spots_merge(struct spot *items, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct spot *last = kept ? &items[kept - 1] : NULL;

		if (last && last->region == items[i].region && last->metric == items[i].metric &&
		    last->own == items[i].own)
			last->count += items[i].count;
		else
			items[kept++] = items[i];
	}
	return kept;
}

static enum ms_status spots_keep(struct run *run, struct arena *arena, const struct spot *items,
				 size_t nr)
{
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++)
		all += items[i].count;
	if (items[0].metric == MS_METRIC_SAMPLES && all < SAMPLES_MIN)
		return MS_OK;
	for (size_t i = 0; i < nr && i < SPOTS_PER_REGION; i++) {
		if (!ARENA_GROW(arena, run->hotspots, run->nr_hotspots, run->room_hotspots))
			return MS_ERR_MEMORY;
		run->hotspots[run->nr_hotspots++] = (struct run_hotspot){
			.region = items[i].region,
			.metric = items[i].metric,
			.address = run_modules_address(run, items[i].own),
			.leaf = run_modules_address(run, items[i].ip),
			.is_return = items[i].is_return,
			.count = items[i].count,
			.share = (double)items[i].count / (double)all,
		};
	}
	return MS_OK;
}

static size_t spots_of_one(const struct spot *items, size_t nr)
{
	size_t same = 1;

	while (same < nr && items[same].region == items[0].region &&
	       items[same].metric == items[0].metric)
		same++;
	return same;
}

/* Those of other metrics stay. */
static void remove_metric(struct run *run, uint32_t metric)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->nr_hotspots; i++)
		if (run->hotspots[i].metric != metric)
			run->hotspots[kept++] = run->hotspots[i];
	run->nr_hotspots = kept;
}

enum ms_status hotspots_harvest(const struct sampler_kind *kind, const struct sensor_record *to,
				struct unwinder *unwinder)
{
	struct spots spots = {
		.arena = arena_new(), .run = to->run, .unwinder = unwinder, .to = to
	};
	enum ms_status status = MS_OK;

	if (!spots.arena)
		return MS_ERR_MEMORY;
	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		spots.thread = thread->index;
		sampler_each(kind, thread, spot_add, &spots);
	}
	sort(spots.items, spots.nr, sizeof(*spots.items), spot_order);
	spots.nr = spots_merge(spots.items, spots.nr);
	sort(spots.items, spots.nr, sizeof(*spots.items), spot_heavier);
	remove_metric(to->run, kind->metric);
	for (size_t i = 0; i < spots.nr && status == MS_OK;) {
		size_t same = spots_of_one(&spots.items[i], spots.nr - i);

		status = spots_keep(to->run, to->arena, &spots.items[i], same);
		i += same;
	}
	arena_free(spots.arena);
	return status != MS_OK ? status : spots.status;
}

void hotspots_losses(const struct sampler_kind *kind, const struct sensor_record *to,
		     const char *what)
{
	uint64_t sites = 0;

	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		sites += sampler_losses(kind, thread).sites;
	run_note_count(to->run, to->arena, what, "more places than a thread's table has room for",
		       sites);
}
