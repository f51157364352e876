/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded accesses by data structure, put together from the measurements of every region and
 * thread.
 */
#include "analysis/report/array_use.h"

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/finding.h"
#include "memsearch/metric.h"

/* of what a construct moves of an array: then the loop is named in its place */
#define NEARLY_ALL 0.9

/*
 * What one thread does to one array in one construct, or in one natural loop of it, which is part
 * of that.
 */
struct entry {
	uint32_t array, region, loop, thread; /* loop MS_REGION_NONE: in all of the construct */
	double reads, writes, bytes;
};

/* Bytes of an array moved by one stride. */
struct walk {
	uint32_t array;
	double stride, bytes;
};

struct entries {
	struct arena *arena;
	struct entry *items;
	size_t nr, room;
};

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int less(double a, double b)
{
	return (a > b) - (a < b);
}

static void add_rate(double *rate, const struct run_region *region, double of_thread)
{
	if (run_region_is_of_one_thread(region))
		*rate += of_thread;
	else if (of_thread > *rate)
		*rate = of_thread;
}

/* Values that a region reads and writes. */
struct values {
	double of_phase, of_execution;
};

static void add_measurements(const struct run *run, double *rates, struct values *values)
{
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];
		uint32_t region = one->row.region;

		if (region >= run->nr_regions || !one->phases ||
		    (one->row.metric != MS_METRIC_READS && one->row.metric != MS_METRIC_WRITES))
			continue;
		values[region].of_phase += one->row.stat.sum / (double)one->phases;
		if (one->row.metric == MS_METRIC_READS)
			add_rate(&rates[region], &run->regions[region],
				 (double)one->row.stat.count / (double)one->phases);
	}
}

static void add_accesses(const struct run *run, struct values *values)
{
	for (size_t i = 0; i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];
		double executions = run_access_executions(access);

		if (access->region < run->nr_regions && executions > 0)
			values[access->region].of_execution += (double)(access->reads +
									access->writes) /
							       executions;
	}
}

/*
 * Whether a region's values are parts of one execution. A parallel region that contains the time
 * loop has one value for a group of executions of the phase, so there is less than one value per
 * execution of the phase; the same is true of a region that is not executed in every one. The
 * accesses of one execution of the phase distinguish them: those of all its lines together, or that
 * number times the number of values.
 */
static bool is_in_parts(const struct run_region *region, double rate, const struct values *values)
{
	return region->kind == MS_PARALLEL_REGION && region->parent == MS_REGION_USER && rate > 0 &&
	       rate < 1 &&
	       values->of_phase * values->of_phase >
		       rate * values->of_execution * values->of_execution;
}

const double *array_use_rates(struct arena *arena, const struct run *run)
{
	double *rates = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*rates));
	struct values *values = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*values));

	if (!rates || !values)
		return NULL;
	add_measurements(run, rates, values);
	add_accesses(run, values);
	for (size_t i = 0; i < run->nr_regions; i++)
		if (is_in_parts(&run->regions[i], rates[i], &values[i]))
			rates[i] = 1;
	return rates;
}

/* ------------------------------------------------------------------ gathering */

static bool is_of_use(uint32_t metric)
{
	return metric == MS_METRIC_READS || metric == MS_METRIC_WRITES ||
	       metric == MS_METRIC_READ_BYTES || metric == MS_METRIC_WRITTEN_BYTES;
}

/* Counted in the construct, too. */
static bool is_of_call(const struct run *run, const struct run_region *region)
{
	return run->regions[region->parent].kind == MS_CALL_REGION;
}

static void take(struct entries *entries, const struct run *run, const struct run_measurement *one)
{
	const struct run_region *region = &run->regions[one->row.region],
				*construct = finding_construct(run, region);
	bool in_loop = construct && region->parent != construct->id;
	double value = one->row.stat.sum / (double)one->phases;
	struct entry entry = { run_region_array(region),
			       construct ? construct->id : MS_REGION_NONE,
			       in_loop ? region->parent : MS_REGION_NONE,
			       one->row.thread,
			       0,
			       0,
			       0 };

	if (one->row.metric == MS_METRIC_READS)
		entry.reads = value;
	else if (one->row.metric == MS_METRIC_WRITES)
		entry.writes = value;
	else
		entry.bytes = value;
	if (value > 0 && construct && !is_of_call(run, region) && entry.array < run->nr_arrays &&
	    ARENA_GROW(entries->arena, entries->items, entries->nr, entries->room))
		entries->items[entries->nr++] = entry;
}

static void gather(struct entries *entries, const struct run *run)
{
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];

		if (is_of_use(one->row.metric) && one->phases &&
		    one->row.region < run->nr_regions &&
		    run->regions[one->row.region].kind == MS_DATA_STRUCTURE)
			take(entries, run, one);
	}
}

static int by_thread(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int result = order(a->array, b->array);

	return result ? result : order(a->thread, b->thread);
}

static int by_region(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int result = order(a->array, b->array);

	result = result ? result : order(a->region, b->region);
	/* the construct before its loops, and these before those inside */
	return result ? result : order(a->loop + 1, b->loop + 1);
}

/* ------------------------------------------------------------------ by thread, by region */

static void add_to_thread(struct array_use *use, const struct entry *entry)
{
	struct array_thread *last = use->nr_threads ? &use->threads[use->nr_threads - 1] : NULL;

	if (!last || last->thread != entry->thread) {
		last = &use->threads[use->nr_threads++];
		*last = (struct array_thread){ .thread = entry->thread };
	}
	last->reads += entry->reads;
	last->writes += entry->writes;
	last->bytes += entry->bytes;
	use->reads += entry->reads;
	use->writes += entry->writes;
	use->bytes += entry->bytes;
}

static void add_to_region(struct array_use *use, const struct entry *entry)
{
	struct array_region *last = use->nr_regions ? &use->regions[use->nr_regions - 1] : NULL;

	if (!last || last->region != entry->region) {
		last = &use->regions[use->nr_regions++];
		*last = (struct array_region){ .region = entry->region, .loop = MS_REGION_NONE };
	}
	last->bytes += entry->bytes;
}

/* `bytes`: of all threads in the loop, whose construct was added before. */
static void name_loop(struct array_use *use, const struct entry *entry, double bytes)
{
	struct array_region *last = use->nr_regions ? &use->regions[use->nr_regions - 1] : NULL;

	if (last && last->region == entry->region && bytes > 0 && bytes >= NEARLY_ALL * last->bytes)
		last->loop = entry->loop;
}

static int busier_region(const void *left, const void *right)
{
	const struct array_region *a = left, *b = right;
	int result = less(b->bytes, a->bytes);

	return result ? result : order(a->region, b->region);
}

/*
 * Entries of one array follow each other, so its lists may lie in one array as long as the entries.
 */
static bool sum_up_threads(struct array_use *uses, struct entries *entries)
{
	struct array_thread *threads = arena_alloc(entries->arena,
						   (entries->nr + 1) * sizeof(*threads));

	if (!threads)
		return false;
	sort(entries->items, entries->nr, sizeof(*entries->items), by_thread);
	for (size_t i = 0; i < entries->nr; i++) {
		struct array_use *use = &uses[entries->items[i].array];

		if (entries->items[i].loop != MS_REGION_NONE)
			continue;
		use->threads = use->threads ? use->threads : &threads[i];
		add_to_thread(use, &entries->items[i]);
	}
	return true;
}

static bool sum_up_regions(struct array_use *uses, struct entries *entries)
{
	struct array_region *regions = arena_alloc(entries->arena,
						   (entries->nr + 1) * sizeof(*regions));
	double in_loop = 0;

	if (!regions)
		return false;
	sort(entries->items, entries->nr, sizeof(*entries->items), by_region);
	for (size_t i = 0; i < entries->nr; i++) {
		const struct entry *entry = &entries->items[i];
		struct array_use *use = &uses[entry->array];

		use->regions = use->regions ? use->regions : &regions[i];
		in_loop = i && !by_region(entry - 1, entry) ? in_loop + entry->bytes : entry->bytes;
		if (entry->loop == MS_REGION_NONE)
			add_to_region(use, entry);
		else
			name_loop(use, entry, in_loop);
	}
	return true;
}

/* ------------------------------------------------------------------ by stride */

static int by_stride(const void *left, const void *right)
{
	const struct walk *a = left, *b = right;
	int result = order(a->array, b->array);

	return result ? result : less(a->stride, b->stride);
}

static int longer_walk(const void *left, const void *right)
{
	const struct array_stride *a = left, *b = right;
	int result = less(b->bytes, a->bytes);

	return result ? result : less(a->stride, b->stride);
}

/* What an instruction moves by its stride in one execution of the phase. */
static double walked(const struct run_access *access, const double *rates)
{
	double executions = run_access_executions(access);

	return executions > 0 ? (double)(access->reads + access->writes) * access->bytes *
					access->with_stride / executions * rates[access->region]
			      : 0;
}

static bool sum_up_strides(struct arena *arena, const struct run *run, const double *rates,
			   struct array_use *uses)
{
	struct walk *walks = arena_alloc(arena, (run->nr_accesses + 1) * sizeof(*walks));
	struct array_stride *strides = arena_alloc(arena,
						   (run->nr_accesses + 1) * sizeof(*strides));
	size_t nr = 0;

	if (!walks || !strides)
		return false;
	for (size_t i = 0; i < run->nr_accesses; i++)
		if (run->accesses[i].array < run->nr_arrays &&
		    run->accesses[i].region < run->nr_regions)
			walks[nr++] = (struct walk){ run->accesses[i].array,
						     run->accesses[i].stride,
						     walked(&run->accesses[i], rates) };
	sort(walks, nr, sizeof(*walks), by_stride);
	for (size_t i = 0; i < nr; i++) {
		struct array_use *use = &uses[walks[i].array];

		use->strides = use->strides ? use->strides : &strides[i];
		if (!i || by_stride(&walks[i - 1], &walks[i]))
			use->strides[use->nr_strides++] = (struct array_stride){ walks[i].stride,
										 0 };
		use->strides[use->nr_strides - 1].bytes += walks[i].bytes;
	}
	return true;
}

const struct array_use *array_uses(struct arena *arena, const struct run *run, const double *rates)
{
	struct array_use *uses = arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*uses));
	struct entries entries = { .arena = arena };

	if (!uses)
		return NULL;
	gather(&entries, run);
	if (!sum_up_threads(uses, &entries) || !sum_up_regions(uses, &entries) ||
	    !sum_up_strides(arena, run, rates, uses))
		return NULL;
	for (size_t i = 0; i < run->nr_arrays; i++) {
		sort(uses[i].regions, uses[i].nr_regions, sizeof(*uses[i].regions), busier_region);
		sort(uses[i].strides, uses[i].nr_strides, sizeof(*uses[i].strides), longer_walk);
	}
	return uses;
}
