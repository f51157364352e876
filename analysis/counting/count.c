/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the accesses of recorded traces. */
#include "analysis/counting/count.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/reserve.h"
#include "analysis/counting/access_table.h"
#include "analysis/counting/code_loops.h"
#include "analysis/counting/count_private.h"
#include "analysis/trace/stream.h"
#include "memsearch/metric_set.h"

#define ENTRY_MOST ((uint64_t)1 << 40) /* words: larger values are damage */
/* a loop with this share of a construct's accesses is the construct's own loop */
#define OWN_SHARE 0.9
#define OWN_NONE UINT32_MAX /* the construct has no own loop; 0: not known yet */

/* ------------------------------------------------------------------ data and loops */

static void place_at(void *ctx, uint64_t address, uint64_t since, uint64_t until,
		     struct array_place *out)
{
	const struct counting *counting = ctx;

	trace_reader_place(counting->reader, counting->execution, address, since, until, out);
	trace_reader_narrow(counting->reader, address, out);
}

static uint32_t joined(void *ctx, uint32_t number)
{
	return code_loop_joined(&((const struct counting *)ctx)->loops, number);
}
static uint32_t parent(void *ctx, uint32_t loop)
{
	return code_loop_parent(&((const struct counting *)ctx)->loops, loop);
}

static uint32_t region_of(const struct counting *counting, uint64_t number)
{
	uint32_t region = trace_reader_region(
		trace_reader_execution(counting->reader, counting->execution), (uint32_t)number);

	return region < counting->nr_regions ? region : MS_REGION_NONE;
}

/* ------------------------------------------------------------------ regions below the construct */

static uint64_t values_of(const struct access_sum *sum)
{
	return sum->counts.reads + sum->counts.writes;
}

static bool is_outermost(const struct counting *counting, uint32_t construct, uint32_t loop)
{
	uint32_t outer = code_loop_parent(&counting->loops, loop);

	return loop && !code_loop_is_around(&counting->loops, construct, loop) &&
	       (!outer || code_loop_is_around(&counting->loops, construct, outer));
}

/*
 * The construct's own loop, from the sums at a region's end. Loops of called functions do not
 * count. A work-shared loop usually has one loop; that of a parallel region must have nearly all
 * accesses.
 */
static uint32_t own_loop(const struct counting *counting, struct access_table *table,
			 const struct access_sum *first)
{
	bool work_shared = counting->run->regions[first->region].kind == MS_DO_REGION;
	uint64_t all = values_of(first);
	const struct access_sum *most = NULL;
	uint32_t nr = 0;

	for (struct access_sum *sum = access_table_next(table, first); sum;
	     sum = access_table_next(table, sum)) {
		if (sum->array != ACCESS_ALL || !values_of(sum) ||
		    !is_outermost(counting, first->region, sum->loop))
			continue;
		if (!code_loop_may_be_own(&counting->loops, first->region, sum->loop)) {
			all -= values_of(sum);
			continue;
		}
		nr++;
		if (!most || values_of(sum) > values_of(most))
			most = sum;
	}
	return most && ((work_shared && nr == 1) ||
			(double)values_of(most) >= OWN_SHARE * (double)all)
		       ? most->loop
		       : OWN_NONE;
}

/* The loop's region below the construct; MS_REGION_NONE: none. */
static uint32_t loop_region(struct counting *counting, uint32_t construct, uint32_t loop)
{
	if (!loop || counting->regions[construct].own_loop == loop ||
	    code_loop_is_around(&counting->loops, construct, loop))
		return MS_REGION_NONE;
	return (counting->loops.loops[loop].is_function ? count_rows_function : count_rows_loop)(
		&counting->rows,
		count_loop_around(counting, construct, code_loop_parent(&counting->loops, loop)),
		counting->loops.loops[loop].header);
}

uint32_t count_loop_around(struct counting *counting, uint32_t construct, uint32_t loop)
{
	uint32_t region = MS_REGION_NONE;

	for (; loop && region == MS_REGION_NONE; loop = code_loop_parent(&counting->loops, loop))
		region = loop_region(counting, construct, loop);
	return region == MS_REGION_NONE ? construct : region;
}

/* MS_REGION_NONE: in no array, or of a loop without a region. */
static uint32_t place_of(struct counting *counting, const struct access_sum *sum)
{
	uint32_t region = sum->loop ? loop_region(counting, sum->region, sum->loop) : sum->region;

	if (region == MS_REGION_NONE || sum->array == ACCESS_ALL)
		return region;
	return sum->array < counting->run->nr_arrays
		       ? count_rows_array(&counting->rows, region, sum->array)
		       : MS_REGION_NONE;
}

/* ------------------------------------------------------------------ values */

/*
 * A construct's values count for region 0, too, if all of the phase was requested. Without
 * executions it is a part of a value.
 */
void count_add(struct counting *counting, uint32_t region, uint32_t thread, enum ms_metric metric,
	       double sum, uint64_t executions)
{
	enum ms_region_kind kind = counting->run->regions[region].kind;

	if (!executions) {
		count_rows_part(&counting->rows, region, thread, metric, sum);
		return;
	}
	sum += count_rows_take_part(&counting->rows, region, thread, metric);
	count_rows_add(&counting->rows, region, thread, metric, sum, executions);
	if (counting->all_asked && region != MS_REGION_USER && !ms_region_kind_is_part(kind))
		count_rows_add(&counting->rows, MS_REGION_USER, thread, metric, sum, executions);
}

void count_add_counts(struct counting *counting, uint32_t region, uint32_t thread,
		      const struct access_counts *counts, uint64_t executions)
{
	const struct {
		enum ms_metric metric;
		uint64_t value;
	} values[] = {
		{ MS_METRIC_READS, counts->reads },
		{ MS_METRIC_WRITES, counts->writes },
		{ MS_METRIC_READ_BYTES, counts->read_bytes },
		{ MS_METRIC_WRITTEN_BYTES, counts->written_bytes },
		{ MS_METRIC_STRIDED, counts->strided },
		{ MS_METRIC_CONTIGUOUS, counts->contiguous },
		{ MS_METRIC_ATOMICS, counts->atomics },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		count_add(counting, region, thread, values[i].metric, (double)values[i].value,
			  executions);
}

/* Lines of tasks are not compared, as any thread may execute them. */
static void meet(struct counting *counting, struct lines_set *lines, bool task,
		 const struct access_sum *sum)
{
	if (task)
		count_lines_unknown(counting, sum->place - 1);
	else if (lines)
		compared_met(&lines->of, sum->array, sum->place - 1);
}

static uint32_t keep_place(uint32_t region)
{
	return region == MS_REGION_NONE ? MS_REGION_NONE : region + 1;
}

/*
 * Adds the ended execution. The construct has one value per execution, also in parts; inner regions
 * one per part with accesses.
 */
static void hand_out_sums(struct counting *counting, struct counted_thread *thread,
			  struct access_sum *first, uint32_t phases, struct lines_set *lines,
			  bool task)
{
	const struct counted_region *of = &counting->regions[first->region];
	uint64_t executions = of->cut_executions ? of->cut_executions : 1;

	for (struct access_sum *sum = first; sum; sum = access_table_next(thread->table, sum)) {
		if (sum != first && !values_of(sum))
			continue;
		if (!sum->place)
			sum->place = keep_place(place_of(counting, sum));
		if (sum->place == MS_REGION_NONE)
			continue;
		count_add_counts(counting, sum->place - 1, thread->number, &sum->counts,
				 sum == first && !phases ? 0 : executions);
		if (!sum->loop && sum->array != ACCESS_ALL)
			meet(counting, lines, task, sum);
	}
}

/* False: tables were full. */
static bool hand_out(struct counting *counting, struct counted_thread *thread,
		     const struct open_construct *ended, uint32_t phases)
{
	struct access_sum *first = access_table_end(thread->table, ended->region, phases);
	struct counted_region *of = &counting->regions[ended->region];

	if (!first)
		return false;
	of->counted = true;
	of->estimated |= of->cut_executions > 0;
	if (!of->own_loop && values_of(first))
		of->own_loop = own_loop(counting, thread->table, first);
	hand_out_sums(counting, thread, first, phases, ended->lines,
		      ended->depth == TRACE_DEPTH_TASK);
	count_calls_note(counting, thread, ended, first);
	return true;
}

/* ------------------------------------------------------------------ constructs */

static struct open_construct *open_at(struct counted_thread *thread, uint64_t depth)
{
	for (size_t i = thread->nr_open; i; i--)
		if (thread->open[i - 1].depth == depth)
			return &thread->open[i - 1];
	return NULL;
}

static bool is_nested(uint64_t depth)
{
	return depth < TRACE_DEPTH_SERIAL;
}

static bool is_of_bursts(const struct counting *counting)
{
	return trace_reader_execution(counting->reader, counting->execution)->nr_bursts;
}

/* Executions of the phase that this one is; of bursts all are scaled to one. */
static uint32_t phases_of(const struct counting *counting)
{
	return is_of_bursts(counting)
		       ? 1
		       : trace_reader_execution(counting->reader, counting->execution)->phases;
}

/* What bursts have of it counts, as their time does. */
static void forget_incomplete(const struct counting *counting, struct counted_thread *thread,
			      uint32_t region)
{
	if (region != MS_REGION_NONE && !is_of_bursts(counting))
		access_table_forget(thread->table, region);
}

/* Closes open constructs without an end as incomplete. Frames of a thread are nested. */
static void forget_stale(const struct counting *counting, struct counted_thread *thread,
			 uint64_t depth)
{
	while (thread->nr_open && is_nested(depth) &&
	       thread->open[thread->nr_open - 1].depth >= depth) {
		struct open_construct *last = &thread->open[--thread->nr_open];

		if (last->depth == depth)
			forget_incomplete(counting, thread, last->region);
		if (last->lines)
			count_lines_free(last->lines);
	}
}

static void look_around(struct counted_thread *thread)
{
	const struct open_construct *last = thread->nr_open ? &thread->open[thread->nr_open - 1]
							    : NULL;

	thread->table->lines = last && last->lines && last->region == thread->table->region
				       ? &last->lines->of.lines
				       : NULL;
}

/* Constructs inside a team are reached as its region was. */
static uint32_t call_of(const struct counting *counting, const struct counted_thread *thread,
			const uint64_t *words)
{
	uint32_t call = region_of(counting, words[0] >> 32);
	const struct open_construct *outermost = thread->nr_open ? thread->open : NULL;

	if (words[1])
		return outermost && !outermost->depth ? outermost->call : 0;
	return call != MS_REGION_NONE && counting->run->regions[call].kind == MS_CALL_REGION ? call
											     : 0;
}

static void begin_construct(struct counting *counting, struct counted_thread *thread,
			    const uint64_t *words)
{
	struct open_construct *is = open_at(thread, words[1]),
			      new = { .region = region_of(counting, words[0]),
				      .depth = (uint32_t)words[1],
				      .call = call_of(counting, thread, words) };

	if (is && is->goes_on && is->region == new.region) {
		is->goes_on = false;
		return;
	}
	forget_stale(counting, thread, new.depth);
	if (!is_nested(new.depth))
		return;
	if (!ARENA_GROW(counting->scratch, thread->open, thread->nr_open, thread->room_open)) {
		counting->rows.failed = true;
		return;
	}
	if (words[2] && words[3] && new.region != MS_REGION_NONE)
		new.lines = count_lines_begin(
			counting, thread, (struct lines_key){ (uint32_t)words[2], new.region, 0 },
			(uint32_t)words[3]);
	thread->open[thread->nr_open++] = new;
	look_around(thread);
}

/* The region's values are from complete executions; of this one only the begin is stored. */
static bool is_left_to_others(const struct counting *counting, uint32_t region)
{
	return counting->cut && counting->regions[region].whole;
}

/*
 * Whether the end is that of a part of the outermost construct that began before the execution, or
 * of a piece of it: nothing ends there.
 */
static bool ends_earlier_part(struct counted_thread *thread, uint32_t region,
			      const struct open_construct *open, uint32_t *phases)
{
	if (open && !(thread->before == region + 1 && thread->before_goes_on))
		return false;
	thread->before_goes_on = !*phases;
	*phases = 0;
	return true;
}

static void end_construct(struct counting *counting, struct counted_thread *thread,
			  const uint64_t *words)
{
	uint32_t region = region_of(counting, words[0]), phases = (uint32_t)words[2];
	struct open_construct *open = is_nested(words[1]) ? open_at(thread, words[1]) : NULL;
	struct open_construct ended = open ? *open : (struct open_construct){ .call = 0 };
	bool handed = false;

	ended.region = region;
	ended.depth = (uint32_t)words[1];
	if (!words[1] && ends_earlier_part(thread, region, open, &phases))
		thread->before = words[3] ? 0 : region + 1;
	if (open && !phases) {
		open->goes_on = true;
	} else if (open) {
		open->lines = NULL;
		open->region = MS_REGION_NONE;
		forget_stale(counting, thread, words[1]);
	}
	if (region != MS_REGION_NONE && (words[3] || is_left_to_others(counting, region)))
		access_table_forget(thread->table, region);
	else if (region != MS_REGION_NONE && !counting->cut)
		handed = hand_out(counting, thread, &ended, phases);
	else if (region != MS_REGION_NONE)
		counting->regions[region].cut = true;
	if (ended.lines && phases)
		count_lines_end(counting, ended.lines, handed);
	look_around(thread);
}

static void weigh_burst(const struct counting *counting, struct counted_thread *thread)
{
	access_table_weigh(thread->table,
			   is_of_bursts(counting)
				   ? burst_weights_of(counting->burst_weights,
						      thread->table->region, thread->number,
						      thread->burst_ns)
				   : 1);
}

static void follow_mark(struct counting *counting, struct counted_thread *thread,
			const struct trace_entry *entry)
{
	uint32_t region;

	switch (entry->mark) {
	case TRACE_PART:
		region = region_of(counting, entry->words[0]);
		if (region != thread->table->region)
			access_table_enter(thread->table, region);
		access_table_part(thread->table, entry->words[1], entry->words[2]);
		counting->now = entry->words[2] > counting->now ? entry->words[2] : counting->now;
		weigh_burst(counting, thread);
		look_around(thread);
		break;
	case TRACE_BURST: thread->burst_ns = entry->words[0]; break;
	case TRACE_BEGIN:
		/* ends stride runs */
		access_table_enter(thread->table, thread->table->region);
		begin_construct(counting, thread, entry->words);
		break;
	case TRACE_END:
		access_table_enter(thread->table, thread->table->region);
		end_construct(counting, thread, entry->words);
		break;
	default: break;
	}
}

static void take_again(struct counted_thread *thread, const struct trace_entry *entry)
{
	memcpy(thread->two, entry->words, entry->nr * sizeof(*entry->words));
	for (uint32_t i = 0; i < entry->nr; i++)
		thread->two[entry->nr + i] = entry->words[i] + entry->amounts[i];
	access_table_again(thread->table, thread->two, entry->nr, entry->times);
}

static void take(struct counting *counting, struct counted_thread *thread,
		 const struct trace_entry *entry)
{
	uint64_t values;

	if (entry->kind == TRACE_MARK) {
		follow_mark(counting, thread, entry);
		return;
	}
	if (thread->table->region == MS_REGION_NONE)
		return;
	if (__builtin_mul_overflow(entry->nr, entry->times, &values) || values > ENTRY_MOST) {
		thread->table->dropped++;
		return;
	}
	counting->regions[thread->table->region].cut |= counting->cut;
	access_table_note(thread->table, access_table_weighted(thread->table, values), values);
	if (entry->kind == TRACE_AGAIN)
		take_again(thread, entry);
	else
		access_table_words(thread->table, entry->words, entry->nr);
}

/* Up to where its lines wait for other threads, unless `anyway`. False: the trace is at its end. */
static bool advance(struct counting *counting, struct counted_thread *thread, bool anyway)
{
	struct trace_entry entry;
	bool any = false;

	while ((anyway || !thread->waiting) && trace_look(&thread->stream->trace, &entry)) {
		uint32_t before = thread->waiting;

		take(counting, thread, &entry);
		trace_take(&thread->stream->trace);
		any = true;
		if (anyway && thread->waiting != before)
			break;
	}
	return any;
}

/* Threads wait for each other where lines are compared, which bounds the number of sets. */
static void play(struct counting *counting)
{
	bool any;

	do {
		any = false;
		for (uint32_t i = 0; i < counting->streams->threads; i++)
			any |= advance(counting, &counting->threads[i], false);
		for (uint32_t i = 0; !any && i < counting->streams->threads; i++)
			/* ends of other threads are missing */
			any = advance(counting, &counting->threads[i], true);
	} while (any);
}

/* ------------------------------------------------------------------ incomplete executions */

static double under_way(const struct counting *counting, uint32_t region)
{
	double values = 0;

	for (uint32_t i = 0; i < counting->streams->threads; i++)
		values += (double)access_table_under_way(counting->threads[i].table, region);
	return values;
}

/* Extrapolates the counted words to all recorded words. */
static void hand_out_begin(struct counting *counting, struct counted_thread *thread,
			   uint32_t region, double factor)
{
	if (!access_table_under_way(thread->table, region))
		return;
	access_table_scale(thread->table, region, factor);
	hand_out(counting, thread, &(struct open_construct){ .region = region },
		 phases_of(counting));
}

/* Factor of the region's counts; 1 if it is unknown. */
static double factor_of(const struct counting *counting, uint32_t region, double values)
{
	const struct counted_region *of = &counting->regions[region];

	if (is_of_bursts(counting))
		return burst_sums_of(counting->burst_sums, region)->times /
		       burst_weights_unit(counting->burst_weights, region);
	return of->recorded > values ? of->recorded / values : 1;
}

/*
 * What a thread has of the region's accesses, by what it recorded itself; in bursts by its time, as
 * how long each thread recorded is not stored. 0: unknown.
 */
static double part_of(const struct counting *counting, uint32_t region, uint32_t thread)
{
	size_t threads = counting->streams->threads;
	uint32_t outer;

	if (!is_of_bursts(counting))
		return counting->recorded[region * threads + thread];
	outer = burst_times_of(&counting->burst_times,
			       &burst_sums_of(counting->burst_sums, region)->of, region);
	return outer < counting->nr_regions &&
			       access_table_under_way(counting->threads[thread].table, region)
		       ? counting->times[outer * threads + thread]
		       : 0;
}

/* The parts of all threads; 0: they are not those of the threads with stored accesses. */
static double parts_of(const struct counting *counting, uint32_t region)
{
	double parts = 0;

	for (uint32_t i = 0; i < counting->streams->threads; i++) {
		double part = part_of(counting, region, i);

		if ((part > 0) != (access_table_under_way(counting->threads[i].table, region) > 0))
			return 0;
		parts += part;
	}
	return parts;
}

/* Equal threads are stored up to different places: each is scaled to its part, where it is known. */
static void hand_out_scaled(struct counting *counting, uint32_t region, double values)
{
	double parts = parts_of(counting, region), factor = factor_of(counting, region, values);

	for (uint32_t i = 0; i < counting->streams->threads; i++) {
		struct counted_thread *thread = &counting->threads[i];
		double own = (double)access_table_under_way(thread->table, region);

		hand_out_begin(counting, thread, region,
			       parts > 0 && own > 0
				       ? values * factor * part_of(counting, region, i) / parts /
						 own
				       : factor);
	}
}

static uint64_t executions_of(const struct counting *counting, uint32_t region)
{
	double executions = is_of_bursts(counting)
				    ? counting->burst_times.executions[region]
				    : (double)counting->regions[region].recorded_executions;

	return executions > 1 ? (uint64_t)(executions + 0.5) : 1;
}

/* Counts of the run are more precise; without the region's time a burst cannot be scaled. */
static bool is_of_burst(const struct counting *counting, uint32_t region)
{
	return !(counting->regions[region].recorded > 0) &&
	       burst_times(&counting->burst_times,
			   trace_reader_execution(counting->reader, counting->execution), region,
			   0) > 0;
}

/* Counts of the region that later executions add to: its last one hands them out. */
static bool is_kept(const struct counting *counting, uint32_t region)
{
	const struct burst_sum *sum = burst_sums_of(counting->burst_sums, region);

	return burst_sum_has(sum, counting->execution) && sum->last != counting->execution + 1;
}

static bool is_handed_out(const struct counting *counting, uint32_t region)
{
	const struct counted_region *of = &counting->regions[region];

	return of->cut && !of->whole &&
	       (!is_of_bursts(counting) ||
		burst_sums_of(counting->burst_sums, region)->last == counting->execution + 1);
}

static void hand_out_begins(struct counting *counting)
{
	for (uint32_t region = 0; region < counting->nr_regions; region++) {
		struct counted_region *of = &counting->regions[region];
		double values = is_handed_out(counting, region) ? under_way(counting, region) : 0;

		if (is_kept(counting, region))
			continue;
		of->cut_executions = executions_of(counting, region);
		if (values > 0)
			hand_out_scaled(counting, region, values);
		of->whole |= values > 0; /* once is enough */
		of->bursts |= values > 0 && is_of_bursts(counting);
		of->cut = false;
		of->cut_executions = 0;
		for (uint32_t i = 0; i < counting->streams->threads; i++)
			access_table_forget(counting->threads[i].table, region);
	}
}

static double *by_thread(const struct counting *counting, double *values,
			 const struct run_measurement *of)
{
	return &values[of->row.region * (size_t)counting->streams->threads + of->row.thread];
}

/* Reads and writes of a phase by all threads, and executions of the region by one thread. */
static void note_recorded(struct counting *counting)
{
	for (size_t i = 0; i < counting->run->nr_measurements; i++) {
		const struct run_measurement *of = &counting->run->measurements[i];
		struct counted_region *to = of->row.region < counting->nr_regions
						    ? &counting->regions[of->row.region]
						    : NULL;

		if (to && of->row.metric == burst_times_metric(counting->run, of->row.region) &&
		    of->row.thread < counting->streams->threads)
			*by_thread(counting, counting->times, of) += of->row.stat.sum;
		if (!to || !of->phases ||
		    (of->row.metric != MS_METRIC_READS && of->row.metric != MS_METRIC_WRITES))
			continue;
		to->recorded += of->row.stat.sum / (double)of->phases;
		if (of->row.thread < counting->streams->threads)
			*by_thread(counting, counting->recorded, of) += of->row.stat.sum /
									(double)of->phases;
		if (of->row.stat.count / of->phases > to->recorded_executions)
			to->recorded_executions = of->row.stat.count / of->phases;
	}
}

/* ------------------------------------------------------------------ executions */

static void note_whole(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses,
		       uint64_t *times)
{
	struct counting *counting = ctx;

	(void)thread;
	(void)accesses;
	region = region_of(counting, region);
	if (region != MS_REGION_NONE)
		counting->regions[region].whole = true;
	*times = 0;
}

static void note_burst(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses,
		       uint64_t *times)
{
	struct counting *counting = ctx;

	(void)thread;
	(void)accesses;
	region = region_of(counting, region);
	if (region != MS_REGION_NONE && is_of_burst(counting, region))
		burst_sums_note(counting->burst_sums, counting->execution, region);
	*times = 0;
}

/* Only parts of it are stored. */
static bool is_cut(const struct trace_reader *reader, size_t execution)
{
	return trace_reader_execution(reader, execution)->lost > 0 ||
	       trace_reader_execution(reader, execution)->nr_bursts;
}

/* A record with sampled lines has no strides and lines: counts of the run stay. */
static bool is_sampled(const struct trace_reader *reader, size_t execution)
{
	return trace_reader_execution(reader, execution)->one_in > 1;
}

static bool find_whole(struct counting *counting)
{
	for (counting->execution = 0;
	     counting->execution < trace_reader_executions(counting->reader);
	     counting->execution++) {
		bool bursts =
			trace_reader_execution(counting->reader, counting->execution)->nr_bursts;

		if ((is_cut(counting->reader, counting->execution) && !bursts) ||
		    is_sampled(counting->reader, counting->execution))
			continue;
		if (!trace_reader_play(counting->reader, counting->execution, counting->streams,
				       bursts ? note_burst : note_whole, counting) ||
		    !burst_weights_note(counting->burst_weights, counting->reader,
					counting->execution, counting->streams))
			return false;
		burst_sums_note_begun(counting->burst_sums, counting->execution, counting->streams);
		trace_streams_clear(counting->streams);
	}
	burst_sums_end(counting->burst_sums);
	burst_weights_end(counting->burst_weights);
	return true;
}

static bool any_is_cut(const struct trace_reader *reader)
{
	for (size_t i = 0; i < trace_reader_executions(reader); i++)
		if (is_cut(reader, i))
			return true;
	return false;
}

static void note_asked(struct counting *counting)
{
	const struct traced_construct *regions;
	size_t nr = trace_reader_regions(counting->reader, counting->execution, &regions);
	bool bursts = is_of_bursts(counting);

	counting->loops.regions = regions;
	counting->loops.nr_regions = nr;
	counting->all_asked = (bursts && !counting->run->phase.executions) ||
			      (nr && regions[MS_REGION_USER].asked && !counting->cut);
	if (counting->all_asked && bursts && counting->nr_regions)
		counting->regions[MS_REGION_USER].phases = 1;
	for (uint32_t region = 0; region < nr && region < counting->nr_regions; region++)
		if (regions[region].asked && !bursts &&
		    (!counting->cut || !counting->regions[region].whole))
			counting->regions[region].phases += phases_of(counting);
}

/*
 * A thread closes its part of a region that spans executions at its next construct: in the middle of
 * an execution. What is traced of it is one execution all the same, from boundary to boundary.
 */
static void hand_out_spanning(struct counting *counting)
{
	uint32_t phases = trace_reader_execution(counting->reader, counting->execution)->phases;

	for (uint32_t i = 0; i < counting->streams->threads; i++) {
		struct counted_thread *thread = &counting->threads[i];
		const struct open_construct *open = open_at(thread, 0);

		if (thread->before && open && open->region == thread->before - 1)
			hand_out(counting, thread,
				 &(struct open_construct){ .region = open->region }, phases);
	}
}

static void close_open(const struct counting *counting, struct counted_thread *thread,
		       const struct open_construct *open)
{
	forget_incomplete(counting, thread, open->region);
	if (open->lines)
		count_lines_free(open->lines);
}

static void forget_open(struct counting *counting)
{
	for (uint32_t i = 0; i < counting->streams->threads; i++) {
		struct counted_thread *thread = &counting->threads[i];

		for (size_t open = 0; open < thread->nr_open; open++)
			close_open(counting, thread, &thread->open[open]);
		thread->nr_open = 0;
		thread->burst_ns = 0;
		thread->before = 0;
		thread->before_goes_on = false;
		access_table_enter(thread->table, MS_REGION_NONE);
	}
}

/* False: it is damaged. */
static bool count_execution(struct counting *counting)
{
	counting->cut = is_cut(counting->reader, counting->execution);
	counting->now = 0;
	note_asked(counting);
	if (!trace_reader_play(counting->reader, counting->execution, counting->streams, NULL,
			       NULL))
		return false;
	play(counting);
	if (counting->cut)
		hand_out_begins(counting);
	else
		hand_out_spanning(counting);
	forget_open(counting);
	count_lines_forget(counting);
	trace_streams_clear(counting->streams);
	return true;
}

static bool count_executions(struct counting *counting)
{
	if (any_is_cut(counting->reader) && !find_whole(counting))
		return false;
	for (int cut = 0; cut <= 1; cut++) /* incomplete executions last */
		for (counting->execution = 0;
		     counting->execution < trace_reader_executions(counting->reader);
		     counting->execution++)
			if (is_cut(counting->reader, counting->execution) == cut &&
			    !is_sampled(counting->reader, counting->execution) &&
			    !count_execution(counting))
				return false;
	return true;
}

/* ------------------------------------------------------------------ into the run */

static bool is_replaced(const struct counting *counting, uint32_t region)
{
	uint32_t construct = run_construct(counting->run, region);

	return construct < counting->nr_regions &&
	       (counting->regions[construct].counted ||
		(construct == MS_REGION_USER && counting->regions[construct].phases));
}

static void forget_measurements(struct counting *counting)
{
	struct run *run = counting->run;
	size_t kept = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (ms_metric_info(row->metric)->sensor != MS_SENSOR_ACCESSES ||
		    row->metric == MS_METRIC_FIRST_TOUCHED || !is_replaced(counting, row->region))
			run->measurements[kept++] = run->measurements[i];
	}
	run->nr_measurements = kept;
}

static void forget_counted(struct counting *counting)
{
	struct run *run = counting->run;
	size_t kept = 0;

	forget_measurements(counting);
	for (size_t i = 0; i < run->nr_accesses; i++)
		if (!is_replaced(counting, run->accesses[i].region))
			run->accesses[kept++] = run->accesses[i];
	run->nr_accesses = kept;
	for (size_t i = 0; i < kept; i++)
		counting->undivided += run_array_is_divided(run->arrays, run->nr_arrays,
							    run->accesses[i].array);
	kept = 0;
	for (size_t i = 0; i < run->nr_sharings; i++)
		if (!is_replaced(counting, run->sharings[i].region))
			run->sharings[kept++] = run->sharings[i];
	run->nr_sharings = kept;
}

static void mark_missing(struct counting *counting, uint32_t region, enum ms_metric metric,
			 enum ms_missing why)
{
	struct run *run = counting->run;

	if (ARENA_GROW(counting->arena, run->missing, run->nr_missing, run->room_missing))
		run->missing[run->nr_missing++] = (struct run_missing){ .region = region,
									.metric = metric,
									.why = why };
	else
		counting->rows.failed = true;
}

static bool is_counted_metric(uint32_t metric)
{
	return ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES &&
	       metric != MS_METRIC_FIRST_TOUCHED;
}

/* By region: its construct was recorded during the run. NULL: no memory. */
static bool *recorded_regions(const struct counting *counting)
{
	const struct run *run = counting->run;
	bool *recorded = arena_alloc(counting->scratch, (run->nr_regions + 1) * sizeof(*recorded));

	for (size_t i = 0; recorded && i < run->nr_measurements; i++)
		if (run->measurements[i].row.metric == MS_METRIC_READS &&
		    run->measurements[i].row.region < run->nr_regions)
			recorded[run->measurements[i].row.region] = true;
	return recorded;
}

/*
 * Serial code runs as the original while bursts are recorded, and so do tasks whose functions are
 * not known or that began between bursts; other regions exceeded the limit.
 */
static enum ms_missing why_not(const struct counting *counting, uint32_t construct)
{
	enum ms_region_kind kind = counting->run->regions[construct].kind;

	return kind == MS_SERIAL_REGION || kind == MS_TASK_REGION ? MS_MISSING_NOT_RECORDED
								  : MS_MISSING_BUDGET;
}

/*
 * Bursts give values to regions that had none; regions without a record, and lines, have no value.
 */
static void mark_bursts(struct counting *counting)
{
	struct run *run = counting->run;
	const bool *recorded = recorded_regions(counting);
	size_t kept = 0;

	for (size_t i = 0; i < run->nr_missing; i++)
		if (!is_counted_metric(run->missing[i].metric) ||
		    run->missing[i].why != MS_MISSING_NO_PHASE)
			run->missing[kept++] = run->missing[i];
	run->nr_missing = kept;
	counting->rows.failed |= !recorded;
	for (uint32_t region = 0; recorded && region < counting->nr_regions; region++) {
		uint32_t construct = run_construct(run, region);
		bool bursts = construct < counting->nr_regions &&
			      counting->regions[construct].bursts;

		for (uint32_t metric = 0; metric < MS_METRICS; metric++)
			if (is_counted_metric(metric) &&
			    (!recorded[construct] || (bursts && ms_metric_is_of_lines(metric))))
				mark_missing(counting, region, metric,
					     recorded[construct] ? MS_MISSING_NOT_WHOLE
								 : why_not(counting, construct));
	}
}

/* What was not measured in the run, but counted now. */
static void forget_missing(struct counting *counting)
{
	struct run *run = counting->run;
	struct ms_metric_set *counted = arena_alloc(counting->scratch,
						    (run->nr_regions + 1) * sizeof(*counted));
	size_t kept = 0;

	if (!counted) {
		counting->rows.failed = true;
		return;
	}
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (is_counted_metric(row->metric) && row->region < run->nr_regions)
			ms_metric_set_add(&counted[row->region], row->metric);
	}
	for (size_t i = 0; i < run->nr_missing; i++) {
		const struct run_missing *missing = &run->missing[i];

		if (missing->region >= run->nr_regions ||
		    !ms_metric_set_has(&counted[missing->region], missing->metric))
			run->missing[kept++] = *missing;
	}
	run->nr_missing = kept;
}

static bool has_bursts(const struct trace_reader *reader)
{
	for (size_t i = 0; i < trace_reader_executions(reader); i++)
		if (trace_reader_execution(reader, i)->nr_bursts)
			return true;
	return false;
}

static const bool *counted_regions(struct counting *counting)
{
	bool *counted = arena_alloc(counting->arena, (counting->nr_regions + 1) * sizeof(*counted));

	for (size_t region = 0; counted && region < counting->nr_regions; region++)
		counted[region] = counting->regions[region].counted;
	counting->rows.failed |= !counted;
	return counted;
}

/* Before the run's own values are replaced. */
static bool is_whole(const struct counting *counting)
{
	const bool *recorded = recorded_regions(counting);

	for (uint32_t region = 0; recorded && region < counting->nr_regions; region++)
		if (recorded[region] && region != MS_REGION_USER &&
		    run_construct(counting->run, region) == region &&
		    (!counting->regions[region].counted || counting->regions[region].estimated))
			return false;
	return recorded && !counting->not_compared;
}

static void finish(struct counting *counting, struct count_result *result)
{
	uint64_t *phases = arena_alloc(counting->scratch,
				       (counting->run->nr_regions + 1) * sizeof(*phases));
	const struct run *run = counting->run;

	if (!phases)
		counting->rows.failed = true;
	for (size_t region = 0; phases && region < counting->nr_regions; region++)
		phases[region] = counting->regions[region].phases ? counting->regions[region].phases
								  : 1;
	result->whole = is_whole(counting);
	forget_counted(counting);
	count_calls_put(counting);
	if (phases)
		count_rows_end(&counting->rows, phases,
			       run->phase.executions
				       ? run->phase.wall_ns / (double)run->phase.executions
				       : run->cost.program_wall_ns);
	count_calls_end(counting);
	forget_missing(counting);
	count_instructions_put(counting);
	count_lines_put(counting);
	if (has_bursts(counting->reader))
		mark_bursts(counting);
	for (uint32_t i = 0; i < counting->streams->threads; i++) {
		result->dropped += counting->threads[i].table->dropped;
		result->too_long += counting->threads[i].table->too_long;
	}
	result->counted = counted_regions(counting);
	result->undivided = counting->undivided;
	result->not_compared = counting->not_compared;
}

/* ------------------------------------------------------------------ all of it */

static bool begin_thread(struct counting *counting, uint32_t number)
{
	struct counted_thread *thread = &counting->threads[number];

	thread->number = number;
	thread->stream = &counting->streams->streams[number];
	thread->table = reserve(sizeof(*thread->table));
	if (!thread->table)
		return false;
	thread->table->world = &counting->world;
	thread->table->execution = 1; /* different from that of any site */
	thread->table->region = MS_REGION_NONE;
	return true;
}

static bool begin(struct counting *counting)
{
	size_t cells;

	counting->nr_regions = counting->run->nr_regions;
	counting->regions = arena_alloc(counting->scratch,
					(counting->nr_regions + 1) * sizeof(*counting->regions));
	counting->streams = trace_reader_streams(counting->reader);
	counting->threads = counting->streams ? arena_alloc(counting->scratch,
							    counting->streams->threads *
								    sizeof(*counting->threads))
					      : NULL;
	if (!counting->regions || !counting->threads)
		return false;
	cells = counting->nr_regions * counting->streams->threads;
	counting->world = (struct access_world){ place_at, joined, parent, counting };
	counting->loops = (struct code_loops){ .run = counting->run };
	counting->loops.nr = trace_reader_loops(counting->reader, &counting->loops.loops);
	count_rows_begin(&counting->rows, counting->arena, counting->run);
	if (!burst_times_init(&counting->burst_times, counting->scratch, counting->run))
		return false;
	counting->burst_sums = burst_sums_new(counting->scratch, &counting->burst_times,
					      counting->reader);
	counting->burst_weights = burst_weights_new(counting->scratch, &counting->burst_times,
						    counting->burst_sums);
	counting->recorded = arena_alloc(counting->scratch, (cells + 1) * sizeof(double));
	counting->times = arena_alloc(counting->scratch, (cells + 1) * sizeof(double));
	if (!counting->burst_sums || !counting->burst_weights || !counting->recorded ||
	    !counting->times)
		return false;
	note_recorded(counting);
	for (uint32_t i = 0; i < counting->streams->threads; i++)
		if (!begin_thread(counting, i))
			return false;
	return true;
}

static void give_back(struct counting *counting)
{
	for (uint32_t i = 0;
	     counting->streams && counting->threads && i < counting->streams->threads; i++) {
		struct counted_thread *thread = &counting->threads[i];

		for (struct lines_set *set = thread->free_sets, *next; set; set = next) {
			next = set->next_free;
			reserve_undo(set, sizeof(*set));
		}
		reserve_undo(thread->table, thread->table ? sizeof(*thread->table) : 0);
		reserve_undo(thread->pool, thread->pool ? sizeof(*thread->pool) : 0);
	}
	trace_streams_free(counting->streams);
}

struct count_result count_accesses(struct arena *arena, struct run *run,
				   struct trace_reader *reader)
{
	struct counting counting = {
		.arena = arena, .scratch = arena_new(), .run = run, .reader = reader
	};
	struct count_result result = { .status = COUNT_DONE };

	if (!trace_reader_executions(reader))
		result.status = COUNT_NO_TRACE;
	else if (!counting.scratch || !begin(&counting))
		result.status = COUNT_NO_MEMORY;
	else if (!count_executions(&counting))
		result.status = COUNT_DAMAGED;
	else
		finish(&counting, &result);
	if (result.status == COUNT_DONE && counting.rows.failed)
		result.status = COUNT_NO_MEMORY;
	give_back(&counting);
	if (counting.scratch)
		arena_free(counting.scratch);
	return result;
}
