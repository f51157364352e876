/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the program: the last fold, the end of the search, the record, the list on stderr. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/channel.h"
#include "analysis/base/log.h"
#include "analysis/base/own_memory.h"
#include "analysis/report/explain.h"
#include "analysis/report/report.h"
#include "analysis/report/resolve.h"
#include "analysis/report/text.h"
#include "analysis/search/carry.h"
#include "analysis/search/outcome.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/accesses/simulated.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/session/lock_names.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/process/gomp_calls.h"
#include "ompt_tool/process/own_libraries.h"
#include "ompt_tool/process/shortage.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/recording/recording.h"
#include "ompt_tool/recording/recording_gaps.h"
#include "ompt_tool/sensors/addresses.h"
#include "ompt_tool/sampling/unwinder.h"
#include "ompt_tool/sensors/samples.h"
#include "ompt_tool/session/after_run.h"
#include "ompt_tool/session/harvest.h"
#include "ompt_tool/session/online.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/restart.h"

/* With fewer executions of the phase (or groups of short ones) than this, the program as a whole says more. */
#define GROUPS_MIN 2

/* As if it had been observed all the time, and not only until it cost too much. */
static struct ms_measurement whole_row(const struct ms_measurement *row, double observed_ns, double wall_ns)
{
	struct ms_measurement whole = *row;
	double factor = observed_ns > 0 ? wall_ns / observed_ns : 1;

	if (ms_metric_info(whole.metric)->gauge || factor <= 1)
		return whole;
	whole.stat.count = (uint64_t)((double)whole.stat.count * factor);
	whole.stat.sum *= factor;
	whole.stat.sum_squares *= factor;
	return whole;
}

struct whole {
	const struct database *db;
	double wall_ns;
};

static void carry_whole(void *ctx, const struct ms_measurement *row, uint64_t phases, double observed_ns)
{
	const struct whole *whole = ctx;
	struct ms_measurement carried = whole_row(row, observed_ns, whole->wall_ns);

	(void)phases;
	carry_row(online.carry, whole->db, &carried);
}

static struct ms_metric_set metrics_observed(const struct database *db)
{
	struct ms_metric_set metrics = { 0 };

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (database_observed(db, MS_REGION_USER, metric))
			ms_metric_set_add(&metrics, metric);
	return metrics;
}

/*
 * Without a phase the stretches of watching are no repetitions of anything: they are one execution,
 * and each earlier run is another.
 */
static void stretches_to_one(struct search *whole)
{
	struct database_extent extent = database_extent(whole->db);
	struct ms_metric_set observed = metrics_observed(whole->db);
	struct whole of = { whole->db, extent.observed_ns };

	carry_run(online.carry, extent.observed_ns, &observed, extent.rows);
	database_each(whole->db, carry_whole, &of);
	engine_restart(whole->engine);
	database_constant(whole->db, "phase_executions", 1);     /* in one run: what happens once in each is not repeated */
	carry_play(online.carry, whole->db, whole->engine);
}

static void note_whole_program(uint64_t now_ns)
{
	struct run_phase *phase = &online.run.phase;
	const char *note = detector_note(online.detector);

	if (!note)
		note = "one was found, but too few of its executions were measured to answer any question";
	*phase = (struct run_phase){
		.method = PHASE_WHOLE_PROGRAM, .region = MS_REGION_NONE, .executions = carry_executions(online.carry), .note = note,
		.wall_ns = (double)(now_ns - online.start_ns),
	};
	phase->min_ns = phase->max_ns = phase->wall_ns;
	if (phase->executions > 1)
		carry_wall(online.carry, &phase->wall_ns, &phase->min_ns, &phase->max_ns);
	online.run.restarts = (uint32_t)phase->executions - 1;
}

/* False: the phase was not measured often enough for a single answer. */
static bool finish_phase(void)
{
	if (database_groups(online.phase.db) < GROUPS_MIN || !online.run.phase.executions)
		return false;
	engine_finish(online.phase.engine);
	return engine_answered(online.phase.engine);
}

/* Which of the two searches the report is about. */
static struct search *finish_search(uint64_t now_ns)
{
	struct engine_cost cost;

	if (online.state == ONLINE_WATCHING)
		experiment_stretch(online.experiment, online.whole.db, (double)(now_ns - online.stretch_ns), &cost);
	online_check_counters();
	if (finish_phase()) {
		online.run.restarts = engine_runs(online.phase.engine);
		return &online.phase;
	}
	if (online.state == ONLINE_SEARCHING || online.state == ONLINE_BETWEEN)
		experiment_stretch(online.experiment, online.whole.db, (double)(now_ns - online.stretch_ns), &cost);
	online_check_counters();
	online.watched_ns = database_extent(online.whole.db).observed_ns;
	stretches_to_one(&online.whole);
	note_whole_program(now_ns);
	engine_finish(online.whole.engine);
	return &online.whole;
}

static void keep_dropped(const char *what, const char *why, uint64_t count)
{
	run_note_dropped(&online.run, online.arena, (struct run_dropped){ .what = what, .why = why, .count = count });
}

static void add_dropped(const char *what, const char *why, uint64_t count)
{
	if (count)
		keep_dropped(what, why, count);
}

static void add_not_recorded(const char *what, const char *why, uint64_t count)
{
	if (count)
		run_note_dropped(&online.run, online.arena, (struct run_dropped){ .what = what, .why = why, .count = count, .topic = RUN_RECORDING });
}

static void drop_cause(void *ctx, const char *text, const char *why, uint64_t count)
{
	(void)ctx;
	add_dropped(text, why, count);
}

static void drop_call(void *ctx, const char *name)
{
	(void)ctx;
	keep_dropped(arena_printf(online.arena, "what calls of '%s' do", name), "this function of GNU's OpenMP runtime (libgomp) is newer than memsearch", 0);
}

static void drop_module(void *ctx, const char *module)
{
	(void)ctx;
	keep_dropped(arena_printf(online.arena, "parallel regions of '%s'", module), "it was loaded with RTLD_DEEPBIND, so that it calls GNU's OpenMP runtime (libgomp) past memsearch", 0);
}

static void note_dropped_addresses(void)
{
	struct addresses_losses all = { 0 };

	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread)) {
		struct addresses_losses losses = addresses_losses(thread);

		all.throttled += losses.throttled;
		all.in_pmu += losses.in_pmu;
		all.unreadable += losses.unreadable;
		all.crowded += losses.crowded;
		all.left_out += losses.left_out;
	}
	add_dropped("pauses in which no data addresses were sampled", "the kernel stopped for a moment, as samples came too fast", all.throttled);
	add_dropped("address samples", "the PMU had no room for them", all.in_pmu);
	add_dropped("address samples", "they are shorter than they should be", all.unreadable);
	add_dropped("address samples of data structures, which count as in none", "there were too many data structures between two readings", all.crowded);
	add_dropped("executions of regions without address samples", "the PMU had no room for their events, or the program closed file descriptors", all.left_out);
}

static void note_left_out(const struct region *region, const char *what, const char *why)
{
	run_note_dropped(&online.run, online.arena, (struct run_dropped){
		.what = what, .why = why, .topic = RUN_RECORDING, .code = modules_find(online.run.modules, online.run.nr_modules, region->construct),
	});
}

/* Constructs of which something was left out, as there was no time for it: how many, and the one with most. */
struct left_out { uint32_t nr; uint64_t all, most; const struct region *region; };

static void add_left_out(struct left_out *to, const struct region *region, uint64_t words)
{
	to->nr += words > 0;
	to->all += words;
	if (words <= to->most)
		return;
	to->most = words;
	to->region = region;
}

/* Accesses that were not counted, and constructs whose lines were not marked in any execution. */
static void note_estimated(struct region_table *regions)
{
	struct left_out not_counted = { 0 }, not_marked = { 0 };
	uint64_t recorded = 0;

	for (uint32_t id = 0; id < region_table_count(regions); id++) {
		const struct region *region = region_table_at(regions, id);
		struct accesses_counted of = accesses_counted(id);

		if (!region->construct)
			continue;
		recorded += of.recorded;
		add_left_out(&not_counted, region, of.recorded - of.counted);
		add_left_out(&not_marked, region, of.lined ? 0 : of.recorded);
	}
	if (not_counted.nr)
		note_left_out(not_counted.region, arena_printf(online.arena, "%.3g %% of the recorded accesses, most in", 100 * (double)not_counted.all / (double)recorded),
			      "to count all would have taken more than the limit: the rest, in bursts, stands for them, so that numbers of accesses are estimates");
	if (not_marked.nr)
		note_left_out(not_marked.region, arena_printf(online.arena, "how many cache lines are touched, and which of them threads share, in %u construct%s, first of all",
							      not_marked.nr, not_marked.nr == 1 ? "" : "s"), "to mark them would have taken more than the limit");
}

static void note_dropped(void)
{
	uint64_t samples = 0, faults = 0, accesses = 0, too_long = 0, not_compared = 0, not_looked_at = 0;

	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread)) {
		samples += samples_losses(thread, MS_SENSOR_SAMPLES).sites;
		faults += samples_losses(thread, MS_SENSOR_FAULTS).sites;
		accesses += accesses_dropped(thread);
		too_long += accesses_too_long(thread);
		not_compared += accesses_not_compared(thread);
	}
	note_dropped_addresses();
	for (uint32_t region = 0; region < region_table_count(segment_regions(online.segment)); region++)
		not_looked_at += accesses_not_looked_at(region);
	note_estimated(segment_regions(online.segment));
	add_not_recorded("recorded accesses", "more places than a thread's table has room for", accesses);
	add_not_recorded("recorded string instructions, calls of memcpy and the like", "more than 64 GiB each: a signal handler came in between", too_long);
	add_dropped("cache lines that threads share, in executions of a construct", "a thread was far ahead of others", not_compared);
	add_dropped("cache lines that threads share, in executions of a construct", "there was no room for all that a thread touched", not_looked_at);
	add_dropped("clock samples missing among the hot lines", "more places than a thread's table has room for", samples);
	add_dropped("page faults missing among the hot lines", "more places than a thread's table has room for", faults);
	add_dropped("threads without a core, so that nothing is known of the modelled machine", "it has fewer cores than there are threads", simulated_uncovered());
	add_dropped("executions of the phase whose accesses the record does not keep, to simulate them later", "there was no time or room to trace all of them, and of others like them the begin is kept",
		    keeping_losses().executions);
	add_dropped("executions of the phase whose accesses the record does not keep, to simulate them later", "--trace-limit was reached", keeping_losses().at_limit);
	events_dropped(drop_cause, NULL);
	if (strstr(online.run.runtime, "libgomp")) {
		gomp_calls_unknown(drop_call, NULL);
		gomp_calls_unseen(drop_module, NULL);
	}
	if (online.read_midway && own_libraries_why())
		keep_dropped("page faults as they are without memsearch", arena_printf(online.arena,
			     "declarations were read on the program's heap, so that later blocks may lie at other addresses: %s", own_libraries_why()), 0);
}

/* One marked phase is searched in a run; the others must not go unsaid. */
static void note_other_marks(uint64_t now_ns)
{
	struct detector_ignored ignored;

	detector_ignored(online.detector, &ignored);
	if (ignored.executions)
		add_dropped(arena_printf(online.arena, "executions of the marked phase %d (%.0f %% of the run's time)", ignored.number,
					 100 * ignored.ns / (double)(now_ns - online.start_ns)),
			    arena_printf(online.arena, "a run searches one marked phase, here number %d", ignored.main_number),
			    ignored.executions);
}

/* What measuring took on the initial thread so far, from the start on. */
static uint64_t taken_of_initial_ns(void)
{
	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		if (thread->index == 0)
			return thread_tool_ns(thread) + online.start_cost_ns;
	return online.start_cost_ns;
}

double online_lost_ns(void)
{
	return fmax((double)taken_of_initial_ns(), experiment_lost_ns(online.experiment) + (double)online.start_cost_ns);
}

void online_note_order(void)
{
	struct simulation_order order = simulated_order();
	struct simulator_pages pages = simulated_pages();

	online.run.modelled.early_windows = order.early_windows;
	online.run.modelled.lost_teams = order.lost_teams;
	online.run.modelled.lost_accesses = order.lost_accesses;
	online.run.modelled.lost_lines = order.lost_lines;
	online.run.modelled.pages = pages.accessed;
	online.run.modelled.pages_placed = pages.placed;
}

static double slowdown(double lived_ns, double tool_ns) { return lived_ns > tool_ns ? lived_ns / (lived_ns - tool_ns) : 1; }

void online_note_cost(uint64_t now_ns)
{
	struct run_cost *cost = &online.run.cost;
	struct timespec cpu;
	double wall = (double)(now_ns - online.start_ns), lived = wall + (double)online.age_at_start_ns;
	double critical = online_lost_ns();
	uint64_t resident;

	resident = own_memory_resident();
	cost->memory_bytes = resident > cost->memory_bytes ? resident : cost->memory_bytes;
	cost->tool_cpu_ns = experiment_tool_cpu_ns(online.experiment) + (double)online.start_cost_ns;
	cost->program_wall_ns = wall;
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
		cost->program_cpu_ns = (double)cpu.tv_sec * 1e9 + (double)cpu.tv_nsec;
	cost->slowdown = slowdown(lived, critical);
	online.run.threads = experiment_threads(online.experiment);
	online.run.time_seen = online.age_at_start_ns ? wall / lived : 1;
	if (online.watched_ns > 0)
		online.run.time_seen = fmin(online.run.time_seen, online.watched_ns / fmax(online.watched_ns, lived - critical));
}

/* Not those that cannot be had here. */
static uint64_t metrics_possible(const struct database *db)
{
	uint64_t nr = 0;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		nr += database_missing_why(db, MS_REGION_USER, metric) == MS_PRESENT;
	return nr;
}

static void count_executions(struct search *search)
{
	struct run *run = &online.run;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if ((row->metric == MS_METRIC_TIME || row->metric == MS_METRIC_WALL_TIME) && row->region < run->nr_regions &&
		    row->stat.count > run->regions[row->region].executions)
			run->regions[row->region].executions = row->stat.count;
	}
	run->cost.counters_used = run->nr_measurements;
	run->cost.counters_possible = (uint64_t)database_regions(search->db) * metrics_possible(search->db) * (run->threads ? run->threads : 1);
}

/* Each run of the program was an experiment about everything that was evaluated. */
static void note_runs(void)
{
	struct run *run = &online.run;

	for (size_t i = 0; i < run->nr_nodes && run->restarts && run->phase.method == PHASE_WHOLE_PROGRAM; i++)
		if (run->nodes[i].experiments)
			run->nodes[i].experiments = run->restarts + 1;
}

static bool keeps_traces(void)
{
	return online.record_path && online.run.complete && keeping_executions() > 0;
}

/* It prints what is found, with what the analysis of the recorded accesses adds. */
static bool launcher_waits(void)
{
	int fd = channel_open(CHANNEL_ATTACHED);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void print_findings(const char *cut_short)
{
	const struct run *run = &online.run;
	struct report_options options;
	struct text text;

	if (online.options.quiet || launcher_waits())
		return;
	if (!cut_short && !online.options.quick && keeps_traces() && after_run_report(online.arena, online.record_path)) {
		log_warning("%s is the record", online.options.brief ? "RECORD" : online.record_path);
		return;
	}
	report_options_init(&options);
	options.brief = online.options.brief;
	options.colour = isatty(STDERR_FILENO);
	text_init(&text, online.arena);
	report_format("text")(&text, &run, 1, &options);
	if (online.record_path)
		text_printf(&text, "memsearch: %s is the record; `memsearch report %s` shows all of it\n",
			    options.brief ? "RECORD" : online.record_path, options.brief ? "RECORD" : online.record_path);
	log_text(text.bytes, text.length);
}

/* Hot spots and first touches: both may lead out of libraries. */
static void harvest_code(void)
{
	struct unwinder *unwinder = unwinder_new(online.arena, online.run.modules, online.run.nr_modules);

	harvest_hotspots(&online.run, online.arena, unwinder);
	inventory_harvest(online.inventory, &online.run, online.arena, unwinder);
	unwinder_free(unwinder);
}

/* The cost of the end so far, which is not measured later: all except writing the record, and the report. */
static void note_end(uint64_t begin_ns)
{
	struct run_cost *cost = &online.run.cost;
	double end_ns = (double)(thread_clock_ns() - begin_ns);

	cost->tool_cpu_ns += end_ns;
	cost->slowdown = slowdown(cost->program_wall_ns + (double)online.age_at_start_ns + end_ns, online_lost_ns() + end_ns);
}

static void finish(const char *cut_short)
{
	uint64_t now_ns = thread_clock_ns();
	struct search *search;

	events_close_serial(now_ns);
	search = finish_search(now_ns);
	online.state = ONLINE_OFF;
	if (cut_short)                           /* the kernel would go on counting and sampling */
		experiment_request(online.experiment, NULL, 0);
	restart_save(search->engine, search == &online.whole ? online.carry : NULL, online.arena);
	online_note_cost(now_ns);                /* but the end's */
	note_dropped();
	if (cut_short)
		keep_dropped("what the program does from its own confinement on", cut_short, 0);
	note_other_marks(now_ns);
	harvest_modules(&online.run, online.arena);
	recording_gaps(&online.run, online.arena);
	harvest_regions(&online.run, online.arena, segment_regions(online.segment));
	recording_harvest(online.recording);
	harvest_places(&online.run, online.arena);
	inventory_update(online.inventory, &online.run);
	lock_names_fill(&online.run, online.arena, online.inventory, segment_regions(online.segment));
	harvest_code();
	harvest_accesses(&online.run, online.arena, segment_regions(online.segment));
	inventory_dropped(online.inventory, keep_dropped);
	online_note_order();
	outcome_fill(&online.run, online.arena, search->engine, search->db, online.properties);
	count_executions(search);
	note_runs();
	resolve_run(&online.run, online.arena);
	explain(&online.run, online.arena, online.properties);
	online.run.complete = true;
	note_end(now_ns);
	if (online.record) {
		record_update(online.record, &online.run);       /* all but its own size */
		online.run.cost.record_bytes = record_bytes(online.record);
		record_close(online.record, &online.run);
	}
	print_findings(cut_short);
}

void online_finish(const char *cut_short)
{
	if (online.state != ONLINE_OFF && online.pid == getpid() && !memory_is_short(0))
		finish(cut_short);
}
