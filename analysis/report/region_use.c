/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated traffic by region against the bandwidth of this machine, and against what it counted.
 */
#include "analysis/report/region_use.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/recorded.h"
#include "analysis/report/region_times.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"

/* of a construct's accesses and waiting in one inside: then that one says it all */
#define NEARLY_ALL 0.99
#define SIMULATED "simulated_" /* begin of the names of modelled metrics */
#define WIDTH 100
#define NR(array) (sizeof(array) / sizeof(*(array)))

/* ------------------------------------------------------------------ time */

/*
 * [run->nr_regions]: ns of the thread that spends most there in one execution of the phase; NAN:
 * not measured. NULL: no memory.
 */
static const double *times_of(struct arena *arena, const struct run *run)
{
	double *times = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times));
	struct region_times all;

	if (!times || !region_times_init(&all, arena, run))
		return NULL;
	for (uint32_t i = 0; i < run->nr_regions; i++)
		times[i] = region_time_of(&all, i).longest;
	return times;
}

/* ------------------------------------------------------------------ traffic */

/* NULL: the calibration holds for what was simulated. */
static const char *why_not_attainable(struct arena *arena, const struct run *run)
{
	if (!(run->machine.attainable_bandwidth > 0) || !(run->machine.single_bandwidth > 0))
		return "there was no calibration of this machine: `memsearch doctor --calibrate` makes one, before the program runs";
	if (!run->modelled.here)
		return arena_printf(arena,
				    "the calibration is of this machine, and %s was modelled",
				    run->modelled.name ? run->modelled.name : "another");
	return NULL;
}

/* Prefetched lines count: they are read from memory, too. */
static void add_traffic(struct arena *arena, const struct run *run, struct region_use *use)
{
	const struct misses *misses = &use->misses;
	double line = run->modelled.line ? run->modelled.line : NAN;

	use->read = (misses->local + misses->remote + misses->prefetches) * line;
	use->written = misses->write_backs * line;
	use->rate = use->time > 0 ? use->read / use->time * 1e9 : NAN;
	use->why = why_not_attainable(arena, run);
	use->attainable = use->why ? NAN
				   : fmin(use->threads * run->machine.single_bandwidth,
					  run->machine.attainable_bandwidth);
}

static bool is_all_of(const struct misses *part, const struct misses *whole)
{
	return misses_accesses(part) >= NEARLY_ALL * misses_accesses(whole) &&
	       part->cycles >= NEARLY_ALL * whole->cycles;
}

/* Constructs by region; parents have smaller numbers than what is inside. */
struct constructs {
	struct region_use *uses;
	size_t nr;
	/* [run->nr_regions]: position in uses + 1; 0: nothing was simulated there */
	uint32_t *at;
	bool *covered; /* [nr]: one inside is nearly all of it */
};

static struct region_use *use_at(const struct constructs *all, uint32_t region)
{
	return all->at[region] ? &all->uses[all->at[region] - 1] : NULL;
}

static void mark_covered(const struct run *run, const struct constructs *all)
{
	for (size_t i = 0; i < all->nr; i++) {
		uint32_t region = all->uses[i].region;

		while (run->regions[region].parent < region) {
			region = run->regions[region].parent;
			if (all->at[region] &&
			    is_all_of(&all->uses[i].misses, &use_at(all, region)->misses))
				all->covered[all->at[region] - 1] = true;
		}
	}
}

static void count_threads(struct arena *arena, const struct run *run, const struct constructs *all)
{
	struct misses_rows threads = misses_rows(arena, run, MISSES_BY_CONSTRUCT_AND_THREAD);

	for (size_t i = 0; i < threads.nr; i++)
		if (misses_accesses(&threads.items[i].of) > 0 && all->at[threads.items[i].region])
			use_at(all, threads.items[i].region)->threads++;
}

/* To the region of each access and those around it. */
static void add_streams(const struct run *run, const struct constructs *all)
{
	double executions = misses_executions(run);

	for (size_t i = 0; i < run->nr_accesses; i++) {
		uint32_t region = run->accesses[i].region;

		for (bool more = region < run->nr_regions; more;
		     region = run->regions[region].parent) {
			if (all->at[region])
				misses_add_streams(&use_at(all, region)->misses, &run->accesses[i],
						   executions);
			more = run->regions[region].parent < region;
		}
	}
}

static int most_waiting(const void *left, const void *right)
{
	const struct region_use *a = left, *b = right;
	int order = (a->misses.cycles < b->misses.cycles) - (a->misses.cycles > b->misses.cycles);

	return order ? order : (a->region > b->region) - (a->region < b->region);
}

static bool constructs_init(struct constructs *all, struct arena *arena, const struct run *run)
{
	struct misses_rows rows = misses_rows(arena, run, MISSES_BY_CONSTRUCT);
	const double *parts = recorded_parts(arena, run), *times = times_of(arena, run);
	double none = misses_no_streams(run);

	*all = (struct constructs){ arena_alloc(arena, (rows.nr + 1) * sizeof(*all->uses)), 0,
				    arena_alloc(arena, (run->nr_regions + 1) * sizeof(*all->at)),
				    arena_alloc(arena, (rows.nr + 1) * sizeof(*all->covered)) };
	if (!all->uses || !all->at || !all->covered || !parts || !times)
		return false;
	for (size_t i = 0; i < rows.nr; i++) {
		uint32_t region = rows.items[i].region;

		if (!(misses_accesses(&rows.items[i].of) > 0))
			continue;
		all->uses[all->nr++] = (struct region_use){ .region = region,
							    .misses = rows.items[i].of,
							    .time = times[region],
							    .recorded = parts[region] };
		all->uses[all->nr - 1].misses.streamed = none;
		all->at[region] = (uint32_t)all->nr;
	}
	return true;
}

size_t region_uses(struct arena *arena, const struct run *run, const struct region_use **out)
{
	struct constructs all;
	size_t nr = 0;

	*out = NULL;
	if (!constructs_init(&all, arena, run))
		return 0;
	mark_covered(run, &all);
	count_threads(arena, run, &all);
	add_streams(run, &all);
	for (size_t i = 0; i < all.nr; i++) {
		if (all.covered[i])
			continue;
		add_traffic(arena, run, &all.uses[i]);
		all.uses[nr++] = all.uses[i];
	}
	sort(all.uses, nr, sizeof(*all.uses), most_waiting);
	*out = all.uses;
	return nr;
}

/* ------------------------------------------------------------------ by node */

/* What threads of one node of the modelled machine read. */
struct node_use {
	double local, remote;
};

static uint32_t node_of(const struct run_modelled *modelled, uint32_t thread)
{
	uint32_t core = thread < modelled->nr_thread_cores ? modelled->thread_cores[thread]
							   : thread;

	return core % modelled->cores / (modelled->cores / modelled->nodes);
}

/* The first row of the region, by which they are sorted. */
static size_t first_of(const struct misses_rows *threads, uint32_t region)
{
	return BISECT(i, threads->nr, threads->items[i].region < region);
}

static struct node_use node_use(const struct run *run, const struct misses_rows *threads,
				uint32_t region, uint32_t node)
{
	struct node_use use = { 0, 0 };

	for (size_t i = first_of(threads, region);
	     i < threads->nr && threads->items[i].region == region; i++) {
		const struct misses_row *row = &threads->items[i];

		if (node_of(&run->modelled, row->thread) != node)
			continue;
		use.local += row->of.local * run->modelled.line;
		use.remote += row->of.remote * run->modelled.line;
	}
	return use;
}

/* a modelled machine has no more: MODEL_NODES of analysis/machine/model.h */
enum { NODES_MAX = 64 };

static bool has_nodes(const struct run *run)
{
	return run->modelled.nodes > 1 && run->modelled.nodes <= NODES_MAX &&
	       run->modelled.cores >= run->modelled.nodes;
}

/* "node 0: 2.4 MiB of its own, 310 KiB of others; node 1: …" */
static const char *nodes_words(struct arena *arena, const struct run *run,
			       const struct misses_rows *threads, uint32_t region)
{
	struct text text;

	text_init(&text, arena);
	for (uint32_t node = 0; has_nodes(run) && node < run->modelled.nodes; node++) {
		struct node_use use = node_use(run, threads, region, node);

		if (!(use.local + use.remote > 0))
			continue;
		text_printf(&text, "%snode %" PRIu32 ": ", text.length ? "; " : "", node);
		units_bytes(&text, use.local);
		text_add(&text, " of its own, ");
		units_bytes(&text, use.remote);
		text_add(&text, " of others");
	}
	return text.length ? text.bytes : NULL;
}

/* ------------------------------------------------------------------ counted */

/*
 * The hardware's metric of the same name; MS_METRICS: it has none. Cycles are another thing: the
 * model's are those of all accesses, as if none overlapped.
 */
static uint32_t counted_metric(uint32_t simulated)
{
	const char *name = ms_metric_info(simulated)->name;

	if (strncmp(name, SIMULATED, strlen(SIMULATED)) || simulated == MS_METRIC_SIM_STALL_CYCLES)
		return MS_METRICS;
	for (uint32_t i = 0; i < MS_METRICS; i++)
		if (!strcmp(ms_metric_info(i)->name, name + strlen(SIMULATED)))
			return i;
	return MS_METRICS;
}

/* One value of one thread; `metric` is the hardware's in both cases. */
struct side {
	uint32_t region, metric;
	bool simulated;
	double value;
};

static int by_pair(const void *left, const void *right)
{
	const struct side *a = left, *b = right;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

/* What each metric is compared as, MS_METRICS: not at all; and which of these are simulated. */
struct sides_of {
	uint32_t metric[MS_METRICS];
	bool simulated[MS_METRICS];
};

static struct sides_of compared_metrics(void)
{
	struct sides_of of;

	for (uint32_t i = 0; i < MS_METRICS; i++) {
		of.metric[i] = MS_METRICS;
		of.simulated[i] = false;
	}
	for (uint32_t i = 0; i < MS_METRICS; i++) {
		uint32_t counted = counted_metric(i);

		if (counted == MS_METRICS)
			continue;
		of.metric[i] = of.metric[counted] = counted;
		of.simulated[i] = true;
	}
	return of;
}

static size_t sides(struct arena *arena, const struct run *run, struct side **out)
{
	const struct sides_of of = compared_metrics();
	size_t nr = 0, room = 0;

	*out = NULL;
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];
		uint32_t metric = one->row.metric < MS_METRICS ? of.metric[one->row.metric]
							       : MS_METRICS;

		if (metric != MS_METRICS && one->phases && ARENA_GROW(arena, *out, nr, room))
			(*out)[nr++] = (struct side){ one->row.region, metric,
						      of.simulated[one->row.metric],
						      one->row.stat.sum / (double)one->phases };
	}
	sort(*out, nr, sizeof(**out), by_pair);
	return nr;
}

/* Sides of one region and metric are added up; both must be there. */
static bool pair_of(const struct side *first, size_t nr, struct counted_pair *out)
{
	bool counted = false, simulated = false;

	*out = (struct counted_pair){ first->region, first->metric, 0, 0 };
	for (size_t i = 0; i < nr; i++) {
		*(first[i].simulated ? &out->simulated : &out->counted) += first[i].value;
		*(first[i].simulated ? &simulated : &counted) = true;
	}
	return counted && simulated;
}

static bool has_use(const bool *used, uint32_t region, size_t nr_regions)
{
	return region < nr_regions && used[region];
}

size_t counted_pairs(struct arena *arena, const struct run *run, const struct counted_pair **out)
{
	const struct region_use *uses;
	struct side *items;
	size_t nr_uses = region_uses(arena, run, &uses), nr = 0,
	       nr_items = sides(arena, run, &items);
	struct counted_pair *pairs = arena_alloc(arena, (nr_items + 1) * sizeof(*pairs));
	bool *used = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*used));

	for (size_t i = 0; used && i < nr_uses; i++)
		used[uses[i].region] = true;
	for (size_t i = 0, end; pairs && used && i < nr_items; i = end) {
		for (end = i + 1; end < nr_items && !by_pair(&items[i], &items[end]);)
			end++;
		nr += has_use(used, items[i].region, run->nr_regions) &&
		      pair_of(&items[i], end - i, &pairs[nr]);
	}
	*out = pairs;
	return nr;
}

/* ------------------------------------------------------------------ text */

static void sentence(struct text *out, const char *string)
{
	text_wrap(out, string, 0, WIDTH);
	text_add(out, "\n");
}

static const char *share_words(struct arena *arena, double share)
{
	struct text text;

	text_init(&text, arena);
	units_share(&text, share);
	return text.bytes;
}

struct use_row {
	struct arena *arena;
	const struct run *run;
	const struct region_use *use;
	size_t run_number;
};

static const char *place_of(const struct use_row *row)
{
	return finding_place(row->arena, row->run, row->use->region);
}

static const char *attainable_words(const struct use_row *row)
{
	double part = row->use->rate / row->use->attainable;

	return isnan(part) ? "unknown" : share_words(row->arena, part);
}

/* clang-format off */
#define USE_FIELDS(X) \
	X(NUMBER, NULL, "run", NULL, NULL, row->run_number) \
	X(NUMBER, "region", "region", NULL, NULL, row->use->region) \
	X(STRING, "place", "place", NULL, NULL, place_of(row)) \
	X(NUMBER, "threads", "threads", NULL, NULL, row->use->threads) \
	X(NUMBER, "time_ns", "time", "time", "ns", row->use->time) \
	X(NUMBER, NULL, NULL, "accesses", "1", misses_accesses(&row->use->misses)) \
	X(NUMBER, "read_bytes", "read", "read", "bytes", row->use->read) \
	X(NUMBER, "written_bytes", "written", "written", "bytes", row->use->written) \
	X(NUMBER, NULL, NULL, "reads at", "bytes/ns", row->use->rate / 1e9) \
	X(NUMBER, "read_bandwidth", "read_bandwidth", NULL, NULL, row->use->rate) \
	X(NUMBER, "attainable_bandwidth", "attainable_bandwidth", NULL, NULL, row->use->attainable) \
	X(STRING, "attainable_why", NULL, NULL, NULL, row->use->why) \
	X(NUMBER, "recorded", "recorded", NULL, NULL, row->use->recorded) \
	X(STRING, NULL, NULL, "of attainable", NULL, attainable_words(row)) \
	X(STRING, NULL, NULL, "region", NULL, place_of(row))
/* clang-format on */
EMIT_LIST(use_fields, struct use_row, USE_FIELDS)

struct pair_row {
	struct arena *arena;
	const struct run *run;
	const struct counted_pair *pair;
};

static const char *ratio_words(const struct pair_row *row)
{
	double counted = row->pair->counted;

	return counted > 0 ? arena_printf(row->arena, "%.2f", row->pair->simulated / counted) : "-";
}

/* clang-format off */
#define PAIR_FIELDS(X) \
	X(STRING, "metric", NULL, NULL, NULL, ms_metric_info(row->pair->metric)->name) \
	X(NUMBER, "counted", NULL, "counted here", "1", row->pair->counted) \
	X(NUMBER, "simulated", NULL, "simulated", "1", row->pair->simulated) \
	X(STRING, NULL, NULL, "ratio", NULL, ratio_words(row)) \
	X(STRING, NULL, NULL, "what", NULL, ms_metric_info(row->pair->metric)->name) \
	X(STRING, NULL, NULL, "region", NULL, finding_place(row->arena, row->run, row->pair->region))
/* clang-format on */
EMIT_LIST(pair_fields, struct pair_row, PAIR_FIELDS)

static void text_of_pairs(struct text *out, const struct run *run)
{
	static const struct emit_list *const lists[] = { &pair_fields, NULL };
	const struct counted_pair *pairs;
	size_t nr = counted_pairs(out->arena, run, &pairs);
	struct table table;

	emit_columns(&table, out->arena, EMIT_TEXT, lists);
	for (size_t i = 0; i < nr; i++) {
		const struct pair_row row = { out->arena, run, &pairs[i] };

		emit_row(&table, EMIT_TEXT, lists, &row);
	}
	if (!table.nr)
		return;
	text_add(out, "\n");
	table_print(out, &table, "text");
	text_add(out, "\n");
	sentence(
		out,
		run->modelled.here
			? "Counted by this machine's hardware, and simulated: hashed caches, this machine's own prefetchers and other programs' use of them are not in the model."
			: "Counted by this machine's hardware, simulated on another machine: the ratio tells how they differ, not how good the model is.");
}

static bool is_more_than_all(const struct region_use *uses, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (uses[i].rate > uses[i].attainable) /* false where one is not known */
			return true;
	return false;
}

static void say_bandwidth(struct text *out, const struct region_use *uses, size_t nr)
{
	text_add(out, "\n");
	sentence(
		out,
		"Read and written: bytes between the last cache of the modelled machine and memory, prefetched lines included; by the time the region takes "
		"here when nothing is recorded.");
	sentence(
		out,
		uses[0].why
			? arena_printf(
				  out->arena,
				  "What part of the attainable bandwidth that is, is not known: %s.",
				  uses[0].why)
			: "Of attainable: of what as many threads can read, by the calibration.");
	if (is_more_than_all(uses, nr))
		sentence(
			out,
			"More than all of it: this machine's caches keep more than the modelled ones, or other programs disturbed the calibration.");
}

static void add_notes(struct table *table, const struct run *run, const struct misses_rows *threads,
		      const struct region_use *use, double waited)
{
	struct arena *arena = table->arena;

	table_note(table, "misses", misses_words(arena, &use->misses, waited));
	table_note(table, "from nodes", nodes_words(arena, run, threads, use->region));
	table_note(table, "recorded",
		   isnan(use->recorded) ? "unknown"
					: arena_printf(arena, "code with %s of its time",
						       share_words(arena, use->recorded)));
}

static const struct emit_list *const use_lists[] = { &use_fields, NULL };

size_t regions_text(struct text *out, const struct run *run, double waited, size_t most)
{
	struct misses_rows threads = misses_rows(out->arena, run, MISSES_BY_CONSTRUCT_AND_THREAD);
	const struct region_use *uses;
	size_t nr = region_uses(out->arena, run, &uses), shown = most && most < nr ? most : nr;
	struct table table;

	emit_columns(&table, out->arena, EMIT_TEXT, use_lists);
	for (size_t i = 0; i < shown; i++) {
		const struct use_row row = { out->arena, run, &uses[i], 0 };

		emit_row(&table, EMIT_TEXT, use_lists, &row);
		add_notes(&table, run, &threads, &uses[i], waited);
	}
	if (!table.nr)
		return 0;
	table_print(out, &table, "text");
	text_of_pairs(out, run);
	say_bandwidth(out, uses, nr);
	return nr - shown;
}

/* ------------------------------------------------------------------ JSON */

static void json_nodes(struct json *json, const struct run *run, const struct misses_rows *threads,
		       uint32_t region)
{
	json_open(json, "nodes", '[');
	for (uint32_t node = 0; has_nodes(run) && node < run->modelled.nodes; node++) {
		struct node_use use = node_use(run, threads, region, node);

		if (!(use.local + use.remote > 0))
			continue;
		json_open(json, NULL, '{');
		json_unsigned(json, "node", node);
		json_number(json, "local_bytes", use.local);
		json_number(json, "remote_bytes", use.remote);
		json_close(json);
	}
	json_close(json);
}

static void json_counted(struct json *json, struct arena *arena, const struct run *run,
			 const struct counted_pair *pairs, size_t nr, uint32_t region)
{
	json_open(json, "counted", '[');
	for (size_t i = 0; i < nr; i++) {
		const struct pair_row row = { arena, run, &pairs[i] };

		if (pairs[i].region != region)
			continue;
		json_open(json, NULL, '{');
		emit_members(json, &pair_fields, &row);
		json_close(json);
	}
	json_close(json);
}

void regions_json(struct json *json, struct arena *arena, const struct run *run)
{
	struct misses_rows threads = misses_rows(arena, run, MISSES_BY_CONSTRUCT_AND_THREAD);
	const struct region_use *uses;
	const struct counted_pair *pairs;
	size_t nr = region_uses(arena, run, &uses), nr_pairs = counted_pairs(arena, run, &pairs);

	json_open(json, "by_region", '[');
	for (size_t i = 0; i < nr; i++) {
		const struct use_row row = { arena, run, &uses[i], 0 };

		json_open(json, NULL, '{');
		emit_members(json, &use_fields, &row);
		misses_json(json, &uses[i].misses);
		json_nodes(json, run, &threads, uses[i].region);
		json_counted(json, arena, run, pairs, nr_pairs, uses[i].region);
		json_close(json);
	}
	json_close(json);
}

/* ------------------------------------------------------------------ CSV */

void regions_csv_columns(struct table *table, struct arena *arena)
{
	static const struct emit_list *const lists[] = { &use_fields, &misses_fields, NULL };

	emit_columns(table, arena, EMIT_CSV, lists);
}

void regions_csv(struct table *table, struct arena *arena, const struct run *run, size_t number)
{
	const struct region_use *uses;
	size_t nr = region_uses(arena, run, &uses);

	for (size_t i = 0; i < nr; i++) {
		const struct use_row row = { arena, run, &uses[i], number };

		emit_cells(table, EMIT_CSV, &use_fields, &row);
		emit_cells(table, EMIT_CSV, &misses_fields, &uses[i].misses);
	}
}
