/* SPDX-License-Identifier: Apache-2.0 */
/* What happens at a phase boundary, from the first event to the last. */
#define _GNU_SOURCE              /* secure_getenv */
#include "ompt_tool/session/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/guest_state.h"
#include "analysis/base/log.h"
#include "analysis/base/own_stack.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_text.h"
#include "analysis/options/followed.h"
#include "analysis/search/budget.h"
#include "analysis/search/carry.h"
#include "analysis/search/outcome.h"
#include "analysis/simulation/findings.h"
#include "analysis/simulation/values.h"
#include "analysis/simulator/simulator.h"
#include "memsearch/sensor.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/accesses/simulated.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/process/machine.h"
#include "ompt_tool/process/paths.h"
#include "ompt_tool/process/runtime_settings.h"
#include "ompt_tool/process/shortage.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/recording/recording.h"
#include "ompt_tool/recording/static_loops.h"
#include "ompt_tool/sensors/addresses.h"
#include "ompt_tool/sensors/samples.h"
#include "ompt_tool/session/core.h"
#include "ompt_tool/session/counting.h"
#include "ompt_tool/session/harvest.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/restart.h"

/* While no phase is known, evaluate and write the record this often: what was found survives kill -9. */
#define CHECKPOINT_NS 1000000000ull
/* With many regions and threads checkpoints and record take long; they come so many times their cost apart. */
#define COSTS_PER_STEP 100
/* Sensors of threads that the program keeps creating may take the limit's so-manyth part. */
#define THREADS_PART 20
/* A stretch of watching must last so long before its cost is judged. */
#define STRETCH_NS 10000000ull
/* The record is brought up to date this often at most, later every 8th part of the time so far. */
#define RECORD_NS 100000000ull
#define RECORDS_PER_RUN 8
#define MIB 1048576.0
/* The cost of the end is predicted from that of the begin, up to this bound: a longer begin was disturbed. */
#define END_NS_MAX 10e6
/* Where all counters are measured in turn, each has so many executions of the phase, which are short. */
#define TURN 2
/* An execution lasts at least this many times what its boundary costs; shorter ones are taken together. */
#define BOUNDARIES_PER_EXECUTION 1000.0

struct online online;

/* --------------------------------------------------------------------- start */

static void sensor_missing(struct database *db, const struct sensor *sensor, const struct sensor_status *status)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == sensor->id)
			database_missing(db, MS_REGION_NONE, metric, status->why);
}

/* A sensor that works may lack some metrics; for counters counting.h does this. */
static void metrics_missing(const struct sensor *sensor)
{
	for (uint32_t metric = 0; metric < MS_METRICS && sensor->probe_metric && !sensor->missing; metric++) {
		struct sensor_status status = { .works = true };

		if (ms_metric_info(metric)->sensor != sensor->id)
			continue;
		sensor->probe_metric((enum ms_metric)metric, &status);
		if (status.works)
			continue;
		database_missing(online.whole.db, MS_REGION_NONE, metric, status.why);
		database_missing(online.phase.db, MS_REGION_NONE, metric, status.why);
	}
}

static void note_sensors(void)
{
	struct run *run = &online.run;

	for (unsigned int id = 0; id < MS_SENSORS; id++) {
		const struct sensor_status *status = core_sensor_status(id);

		if (sensors[id] && ms_missing_unasked(status->why)) {     /* not requested: not reported */
			sensor_missing(online.whole.db, sensors[id], status);
			sensor_missing(online.phase.db, sensors[id], status);
			continue;
		}
		if (!sensors[id] || !ARENA_GROW(online.arena, run->sensors, run->nr_sensors, run->room_sensors))
			continue;
		run->sensors[run->nr_sensors++] = (struct run_sensor){
			.name = sensors[id]->name, .works = status->works, .why = status->text[0] ? status->text : NULL,
		};
		if (status->works) {
			metrics_missing(sensors[id]);
			continue;
		}
		sensor_missing(online.whole.db, sensors[id], status);
		sensor_missing(online.phase.db, sensors[id], status);
	}
	counting_mark(online.counting, online.whole.db);
	counting_mark(online.counting, online.phase.db);
	recording_mark(online.recording, online.whole.db, online.phase.db);
}

static void event_missing(void *ctx, enum ms_metric metric)
{
	(void)ctx;
	database_missing(online.whole.db, MS_REGION_NONE, metric, MS_MISSING_NO_EVENT);
	database_missing(online.phase.db, MS_REGION_NONE, metric, MS_MISSING_NO_EVENT);
}

static const struct ms_strategy *load_strategy(void)
{
	struct strategy_list *list = strategies_load(online.arena, paths_strategies());
	const struct ms_strategy *strategy = list ? strategies_find(list, online.options.strategy) : NULL;
	const char *usual = options_default("strategy");

	if (strategy || !list || !strategies_find(list, usual)) {
		if (!strategy)
			log_warning("no strategy '%s' in %s; nothing will be searched for", online.options.strategy, paths_strategies());
		return strategy;
	}
	log_warning("there is no strategy '%s' (`memsearch list strategies`): '%s' is used", online.options.strategy, usual);
	online.options.strategy = online.run.strategy = usual;
	return strategies_find(list, usual);
}

/* Samples that the user asked for by name are taken whatever the search asks for. */
static void always_sample(struct engine_config *config)
{
	for (uint32_t metric = 0; metric < MS_METRICS && addresses_named(); metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_ADDRESSES)
			config->extra[config->nr_extra++] = metric;
}

/* Of the modelled caches: as the user says, as far as the machine allows it. */
static void choose_lines(struct engine_config *config)
{
	const char *lines = online.options.lines;

	config->modelled = core_modelled() != NULL;
	config->sparsest = core_modelled() ? simulator_sparsest(&core_modelled()->model) : 1;
	if (!strcmp(lines, "auto"))
		return;
	config->lines = !strcmp(lines, "all") ? 1 : (uint32_t)strtoul(lines, NULL, 10);
	config->lines = config->lines < config->sparsest ? config->lines : config->sparsest;
}

static void say_lines(void)
{
	uint32_t lines = (uint32_t)strtoul(online.options.lines, NULL, 10), sparsest = core_modelled() ? simulator_sparsest(&core_modelled()->model) : lines;

	if (lines > sparsest && sparsest > 1)
		log_warning("--lines %u: machine %s allows set sampling down to 1:%u; using 1:%u", lines, core_modelled()->model.name, sparsest, sparsest);
	else if (lines > sparsest)
		log_warning("--lines %u: machine %s allows no set sampling, by its sets or prefetchers; all lines are simulated", lines, core_modelled()->model.name);
}

/* What this machine's caches hold is the calibration's affair. */
static void set_modelled_caches(void)
{
	if (core_modelled())
		findings_modelled(online.phase.db, &core_modelled()->model, experiment_threads(online.experiment));
}

static bool search_new(struct search *search, const struct ms_strategy *strategy)
{
	struct engine_config config;

	engine_config_init(&config);
	config.overhead_limit = online.options.overhead;
	counting_configure(online.counting, &config);
	always_sample(&config);
	choose_lines(&config);
	search->db = database_new(online.arena);
	if (!search->db)
		return false;
	findings_machine(search->db, &online.run.machine);
	database_constant(search->db, "sampling_hz", online.options.sampling_rate);
	database_constant(search->db, "chunk_cost", runtime_settings_chunk_ns(online.run.runtime));
	database_sample_period(search->db, addresses_period());
	database_constant(search->db, "page_size", (double)sysconf(_SC_PAGESIZE));
	if (machine_line_bytes())
		database_constant(search->db, "line_size", machine_line_bytes());
	if (core_modelled())
		findings_waits(search->db, &core_modelled()->model);
	search->engine = engine_new(online.arena, &config, online.properties, search->db, strategy);
	return search->engine != NULL;
}

static uint32_t outermost_line(const struct machine_model *model)
{
	uint32_t line = 0;

	for (int level = 0; level < MODEL_LEVELS; level++)
		line = model->cache[level].bytes ? model->cache[level].line : line;
	return line;
}

static void describe_model(struct run_modelled *out)
{
	const struct model_file *file = core_modelled();

	if (file)
		*out = (struct run_modelled){ .name = file->model.name, .title = file->title, .cores = file->model.cores, .nodes = file->model.nodes,
					      .line = outermost_line(&file->model), .here = !strcmp(file->model.name, MACHINES_HOST) };
	for (unsigned int level = 0; file && level < MODEL_LEVELS; level++)
		out->levels |= file->model.cache[level].bytes ? 1u << level : 0;
}

#define VARIABLE_MOST 4000               /* bytes of one that the record has */

static const char *variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? arena_printf(online.arena, "%.*s", VARIABLE_MOST, value) : NULL;
}

static void describe_run(const char *runtimes)
{
	struct run *run = &online.run;
	struct timespec now;
	bool bound;
	const char *cpus = core_allowed_cpus(&bound);

	run->program = machine_program(online.arena, &run->command);
	run->runtime = runtimes;
	run->runtime_swapped = secure_getenv(OPTIONS_RUNTIME_SWAPPED) != NULL;
	run->omp_places = variable("OMP_PLACES");
	run->omp_proc_bind = variable("OMP_PROC_BIND");
	run->pid = (uint32_t)online.pid;
	run->strategy = online.options.strategy;
	run->cost.limit = online.options.overhead;
	describe_model(&run->modelled);
	run->phase.method = PHASE_WHOLE_PROGRAM;
	run->phase.region = MS_REGION_NONE;
	if (clock_gettime(CLOCK_REALTIME, &now) == 0)
		run->start_realtime_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	machine_describe(online.arena, cpus, &run->machine);
	machine_calibration(online.arena, bound ? cpus : NULL, &run->machine);   /* the kernel has another list of its own */
}

static const char *default_record(void)
{
	return arena_printf(online.arena, "memsearch-%s-%d.ms", base_name(online.run.program), online.pid);
}

static void say_properties(const struct property_set *set)
{
	for (size_t i = 0; i < set->nr_messages; i++)
		log_warning("%s", property_message_line(online.arena, &set->messages[i]));
}

static bool make_parts(void)
{
	const struct ms_strategy *strategy;

	online.detector = arena_alloc(online.arena, detector_bytes());
	online.counting = counting_new(online.arena, &online.run, online.options.event, online.options.counters_at_once);
	followed_set(online.options.follow);
	online.recording = recording_new(online.arena, segment_regions(online.segment), &online.run);
	online.inventory = inventory_new(online.arena);
	if (online.counting && online.recording && online.inventory)
		online.experiment = experiment_new(online.arena, online.segment, &online.run, online.counting, online.recording, online.inventory);
	online.carry = carry_new(online.arena);
	online.properties = core_properties();
	if (!online.detector || !online.experiment || !online.carry || !online.properties)
		return false;
	detector_init(online.detector);
	say_properties(online.properties);
	say_lines();
	strategy = load_strategy();
	return strategy && search_new(&online.whole, strategy) && search_new(&online.phase, strategy);
}

/* --measure none and time request less than everything; disabled sensors have no values; counters are not spent on metrics without readers. */
static bool wanted(const struct search *search, uint32_t metric)
{
	enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;
	const char *measure = online.options.measure;

	if (!strcmp(measure, "none") || (!strcmp(measure, "time") && sensor != MS_SENSOR_CLOCK && metric < MS_METRIC_EVENT_1))
		return false;
	if (sensor == MS_SENSOR_ACCESSES || sensor == MS_SENSOR_SIMULATED)
		return false;            /* the search alone asks for these, in one region or the other */
	if (sensor == MS_SENSOR_ADDRESSES && !addresses_named())
		return false;
	if (sensor == MS_SENSOR_COUNTERS && strcmp(measure, "all") && !engine_reads(search->engine, metric))
		return false;
	return !(online.without >> sensor & 1);
}

/* Everything that is wanted, wherever a property may ask for it; of counters what has its turn. */
static void request_all(const struct search *search)
{
	const struct ms_request *requests;
	uint32_t metrics[MS_METRICS];
	size_t nr = 0;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (wanted(search, metric))
			metrics[nr++] = metric;
	nr = engine_requests_of(search->engine, metrics, nr, &requests, &online.others_wait);
	online.stretches = 0;
	database_requests(search->db, requests, nr);
	experiment_request(online.experiment, requests, nr);
}

/* After a stretch, or `turn` executions, of which everything was asked: counters that wait get their turn. */
static void take_turns(const struct search *search, uint64_t turn)
{
	if (online.others_wait && ++online.stretches >= turn)
		request_all(search);
}

/* A program that is run again counts in each run what it has not counted before. */
static void note_earlier_runs(void)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		engine_measured_before(online.whole.engine, metric, carry_measured(online.carry, metric));
}

void online_check_counters(void)
{
	struct database *const dbs[] = { online.whole.db, online.phase.db };

	online.others_wait |= counting_check(online.counting, dbs, 2);
}

/* What is attributed while it is measured takes the names of data structures beforehand. */
static void read_declarations(void)
{
	if (harvest_modules(&online.run, online.arena) != MS_OK)
		return;
	inventory_update(online.inventory, &online.run);
	online.read_midway = true;
}

/* Again and again, as modules come by dlopen. */
static void watch_first_executions(void)
{
	if (online.without >> MS_SENSOR_ACCESSES & 1)
		first_execution_stop();
	else if (!online.options.no_bursts && !strcmp(online.options.measure, "search"))
		recording_watch(online.recording, online.options.overhead, online.read_midway ? NULL : read_declarations);
}

static void watch(void)
{
	online.state = ONLINE_WATCHING;
	watch_first_executions();
	if (addresses_named() && sensor_works(MS_SENSOR_ADDRESSES))
		read_declarations();
	request_all(&online.whole);
}

/* A name that the user gave replaces the record of an earlier run, but not of an earlier program of the same one. */
static struct record *open_record(void)
{
	const char *named = online.options.output;

	if (*named && !restart_is_taken(online.arena, named))
		return record_replace(online.arena, named, &online.record_path);
	return record_create(online.arena, *named ? named : default_record(), &online.record_path);
}

/* How long the process had been running at `begin_ns`; 0: not known. */
static uint64_t age_at(uint64_t begin_ns)
{
	uint64_t age_ns = machine_process_age_ns(), since_ns = thread_clock_ns() - begin_ns;

	return age_ns > since_ns ? age_ns - since_ns : 0;
}

static bool write_trace(void *ctx, const uint8_t *bytes, size_t nr)
{
	(void)ctx;
	return record_trace(online.record, bytes, nr) == MS_OK;
}

/* Where a machine is simulated in the process nothing is left to be simulated later. */
static void keep_traces(void)
{
	if (online.record && sensor_works(MS_SENSOR_ACCESSES) && !simulated_has_machine())
		keeping_start(online.arena, (uint64_t)(online.options.trace_limit * MIB), write_trace, NULL);
}

bool online_start(const struct options *options, const char *runtimes, uint64_t begin_ns)
{
	online.start_ns = online.stretch_ns = begin_ns;
	online.age_at_start_ns = age_at(begin_ns);
	online.pid = getpid();
	online.options = *options;
	online.segment = core_segment();
	online.arena = arena_new();
	if (!online.arena)
		return false;
	describe_run(runtimes);
	if (!make_parts()) {
		log_warning("cannot set up the search; nothing will be measured");
		return false;
	}
	note_sensors();
	events_missing(event_missing, NULL);
	restart_load(online.phase.engine, online.carry, online.arena);
	note_earlier_runs();
	online.record = open_record();
	keep_traces();
	restart_attached(online.record_path);
	events_limit_threads(options->overhead / THREADS_PART);
	events_enable(strcmp(options->measure, "none") != 0);     /* nothing asked for: no phases are needed either */
	watch();
	online.start_cost_ns = thread_clock_ns() - online.start_ns;
	online.stretch_ns = thread_clock_ns();
	return true;
}

/* -------------------------------------------------------------- the search */

/* What was found so far goes to the record, so that it survives kill -9; seldom enough for a run of days. */
static void write_record(const struct search *search)
{
	uint64_t now_ns = thread_clock_ns(), elapsed_ns = now_ns - online.start_ns;
	uint64_t interval_ns = elapsed_ns / RECORDS_PER_RUN > RECORD_NS ? elapsed_ns / RECORDS_PER_RUN : RECORD_NS;

	if (!online.record || now_ns - online.recorded_ns < interval_ns + COSTS_PER_STEP * online.record_cost_ns)
		return;
	online_note_order();
	outcome_fill(&online.run, online.arena, search->engine, search->db, online.properties);
	harvest_modules(&online.run, online.arena);
	harvest_regions(&online.run, online.arena, segment_regions(online.segment));
	recording_harvest(online.recording);
	harvest_hotspots(&online.run, online.arena, NULL);
	harvest_places(&online.run, online.arena);
	online_note_cost(now_ns);
	record_update(online.record, &online.run);
	online.recorded_ns = thread_clock_ns();
	online.record_cost_ns = online.recorded_ns - now_ns;
}

/* Set sampling: metrics that need all lines are missing. */
static void note_lines(const struct search *search)
{
	online.run.modelled.one_in = simulated_one_in();
	for (uint32_t metric = 0; simulated_one_in() > 1 && metric < MS_METRICS; metric++)
		if (simulation_needs_all(metric))
			database_missing(search->db, MS_REGION_NONE, metric, MS_MISSING_FEW_LINES);
}

/* Fewer lines than were planned where the user does not say how many. */
static void plan_simulation(const struct search *search, double allowed_ns)
{
	double to_come_ns = engine_to_come_ns(search->engine);
	struct simulated_plan plan = { .allowed_ns = allowed_ns, .to_come_ns = to_come_ns, .spare_ns = BUDGET_SPARE * to_come_ns, .lines_share = engine_lines_share };
	bool fixed = strcmp(online.options.lines, "auto");

	plan.sparsest = fixed || !core_modelled() ? simulated_one_in() : simulator_sparsest(&core_modelled()->model);
	simulated_plan(&plan);
}

/* Accesses are attributed while they are recorded. */
static void prepare_recording(const struct search *search)
{
	double allowed_ns = engine_recording_balance_ns(search->engine);

	read_declarations();
	accesses_pace(database_phase_ns(search->db));
	accesses_allow(allowed_ns);
	if (engine_lines(search->engine))        /* else nothing is simulated yet */
		simulated_sample(engine_lines(search->engine));
	plan_simulation(search, allowed_ns);
	note_lines(search);
}

static bool is_recorded(uint32_t metric)
{
	enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;

	return sensor == MS_SENSOR_ACCESSES || sensor == MS_SENSOR_SIMULATED;
}

static bool asks_for_addresses(const struct ms_request *requests, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (ms_metric_info(requests[i].metric)->sensor == MS_SENSOR_ADDRESSES)
			return true;
	return false;
}

static void apply_requests(struct search *search)
{
	const struct ms_request *requests;
	size_t nr;

	online.everything = false;
	if (strcmp(online.options.measure, "search")) {
		request_all(search);
		return;
	}
	nr = engine_requests(search->engine, &requests);
	database_requests(search->db, requests, nr);
	if (nr && is_recorded(requests[0].metric))
		prepare_recording(search);
	else if (asks_for_addresses(requests, nr))
		read_declarations();
	experiment_request(online.experiment, requests, nr);
}

/* Runs the search over what the last execution brought; new requests are applied, the record is written. */
static void search_step(struct search *search, const struct engine_cost *cost)
{
	uint64_t begin_ns = thread_clock_ns();

	online.stepped = engine_execution_done(search->engine, cost);
	if (!online.stepped) {
		online.look_ns = (double)(thread_clock_ns() - begin_ns);
		return;
	}
	if (search == &online.phase)
		apply_requests(search);
	write_record(search);
}

/* Sensors that watching disables, the most expensive first, when it exceeds the limit; at last all of them for a while. */
static const uint32_t GIVEN_UP[] = {
	0,
	1u << MS_SENSOR_FAULTS | 1u << MS_SENSOR_SAMPLES | 1u << MS_SENSOR_ADDRESSES,
	1u << MS_SENSOR_FAULTS | 1u << MS_SENSOR_SAMPLES | 1u << MS_SENSOR_ADDRESSES | 1u << MS_SENSOR_RUSAGE | 1u << MS_SENSOR_COUNTERS,
	UINT32_MAX,
};
#define OFF (sizeof(GIVEN_UP) / sizeof(*GIVEN_UP) - 1)

static void watch_at(unsigned int step)
{
	online.step = step;
	online.without = GIVEN_UP[step];
	online.run.cost.limit_bound |= step > 0;
	watch();
}

/* Ends a stretch of watching: into the search over the whole program. */
static void checkpoint(uint64_t now_ns)
{
	uint64_t begin_ns = thread_clock_ns();
	struct engine_cost cost;

	experiment_stretch(online.experiment, online.whole.db, (double)(now_ns - online.stretch_ns), &cost);
	online_check_counters();
	search_step(&online.whole, &cost);
	online.checkpoint_cost_ns = thread_clock_ns() - begin_ns;
}

/* The stretch under way costs the initial thread more than the limit, and is long enough to tell. */
static bool too_dear(const struct thread *self, uint64_t now_ns)
{
	double wall_ns = (double)(now_ns - online.stretch_ns);

	return online.step < OFF && now_ns - online.stretch_ns > STRETCH_NS &&
	       (double)(self->cost_ns - online.stretch_cost_ns) > online.options.overhead * wall_ns;
}

/* Nothing was measured for so long that the limit has room again. */
static bool affordable(const struct thread *self, uint64_t now_ns)
{
	return online.step == OFF && (double)thread_tool_ns(self) < online.options.overhead / 2 * (double)(now_ns - online.start_ns);
}

static bool watching_must_change(const struct thread *self, uint64_t now_ns)
{
	return online.state == ONLINE_WATCHING &&
	       (now_ns - online.stretch_ns > CHECKPOINT_NS + COSTS_PER_STEP * online.checkpoint_cost_ns || too_dear(self, now_ns) || affordable(self, now_ns));
}

/* Ends a stretch of watching and begins the next one, with less or more. */
static void watch_on(const struct thread *self, uint64_t now_ns)
{
	unsigned int step = online.step;

	if (too_dear(self, now_ns))
		step++;
	else if (affordable(self, now_ns))
		step--;
	checkpoint(now_ns);
	if (step != online.step) {
		watch_at(step);
		return;
	}
	watch_first_executions();
	take_turns(&online.whole, 1);
}

/* ---------------------------------------------------------- phase boundaries */

static void note_phase(double wall_ns, uint64_t executions)
{
	struct run_phase *phase = &online.run.phase;
	double each = wall_ns / (double)executions;

	if (!phase->executions || each < phase->min_ns)
		phase->min_ns = each;
	if (each > phase->max_ns)
		phase->max_ns = each;
	phase->executions += executions;
	phase->wall_ns += wall_ns;
	database_constant(online.phase.db, "phase_executions", (double)phase->executions);
}

/*
 * The limit is of the whole run, from the process's begin to its end, which takes about what the begin did: of swim 8 to 14 ms after 7. Bursts have
 * a budget of their own: they must not keep the phase from being measured.
 */
static void account_before(struct search *search)
{
	double begin_ns = (double)online.start_cost_ns, end_ns = fmin(begin_ns, END_NS_MAX), tool_ns = online_lost_ns();
	double lived_ns = (double)(thread_clock_ns() - online.start_ns + online.age_at_start_ns);

	engine_before(search->engine, fmax(0, lived_ns - tool_ns), fmax(0, tool_ns - begin_ns - first_execution_spent_ns()), begin_ns + end_ns);
}

/*
 * The phase is known: from now on measure its executions. The first experiment still measures
 * everything, as watching did, so that the search starts with data at every level and short
 * programs get an answer; the later ones measure only what the search asks for.
 */
static void phase_found(void)
{
	struct run_phase *phase = &online.run.phase;

	recording_prepare(online.recording);
	static_loops_find(segment_regions(online.segment));
	experiment_restart(online.experiment);
	experiment_regions(online.experiment, online.phase.db);
	engine_restart(online.phase.engine);
	simulated_begin_anew();
	online.repetitions = 0;
	account_before(&online.phase);
	*phase = (struct run_phase){ 0 };
	phase->method = detector_method(online.detector, &phase->region);
	online.state = ONLINE_SEARCHING;
	online.stepped = true;
	if (online.step) {                       /* watching had to give things up: it would cost too much */
		apply_requests(&online.phase);
		return;
	}
	request_all(&online.phase);
	online.everything = true;
}

static bool is_settling(void)
{
	bool recording = recording_settling(online.recording, online.phase.db);

	return experiment_settling(online.experiment) || recording;
}

/* The first of two executions that are simulated may have taken more than was thought. */
static void note_thinned(const struct search *search)
{
	if (!engine_lines(search->engine) || engine_lines(search->engine) == simulated_one_in())
		return;
	engine_lines_are(search->engine, simulated_one_in());
	note_lines(search);
}

/* An execution was left out. If it used up the limit of recording, a repetition would, too: the search continues with other candidates until there is room. */
static void go_on_without(const struct engine_cost *cost)
{
	if (!cost->gave_up) {
		engine_account(online.phase.engine, cost);
		note_thinned(&online.phase);
		return;
	}
	note_thinned(&online.phase);             /* what it would have taken is by these lines */
	experiment_regions(online.experiment, online.phase.db);
	if (!simulated_is_on())
		recording_drop(online.recording, online.phase.db);
	search_step(&online.phase, cost);
}

/*
 * Very short executions are taken together, so that folding stays cheap; but how many must not decide what is simulated, and where
 * accesses are recorded one is enough, which costs more than a fold.
 */
static bool is_too_short(uint64_t now_ns)
{
	return !experiment_recording(online.experiment) &&
	       (double)(now_ns - online.stretch_ns) < BOUNDARIES_PER_EXECUTION * (experiment_fold_ns(online.experiment) + online.look_ns);
}

static void execution_ended(uint64_t now_ns)
{
	double wall_ns = (double)(now_ns - online.stretch_ns);
	uint64_t executions = online.repetitions += detector_repetitions(online.detector);
	struct engine_cost cost;

	note_phase(wall_ns, executions);
	online.repetitions = 0;
	if (is_settling()) {
		experiment_settle(online.experiment, wall_ns, executions, &cost);
		go_on_without(&cost);
		return;
	}
	experiment_execution(online.experiment, online.phase.db, wall_ns, executions, &cost);
	set_modelled_caches();
	recording_check(online.recording, online.phase.db);
	online_check_counters();
	if (cost.gave_up)
		note_thinned(&online.phase);
	if (online.everything && !engine_bears(online.phase.engine, &cost))
		apply_requests(&online.phase);   /* too expensive: only requested metrics from now on */
	search_step(&online.phase, &cost);
	if (!strcmp(online.options.measure, "all"))
		take_turns(&online.phase, TURN);
}

static void between_marks(void)
{
	online.state = ONLINE_BETWEEN;
	online.repetitions = 0;
}

static void answer(enum detector_answer what, uint64_t now_ns)
{
	switch (what) {
	case DETECTOR_FOUND:
		checkpoint(now_ns);
		phase_found();
		break;
	case DETECTOR_BEGIN:
		if (online.state == ONLINE_WATCHING) {
			checkpoint(now_ns);
			phase_found();
		}
		experiment_skip(online.experiment, true);
		online.state = ONLINE_SEARCHING;
		break;
	case DETECTOR_BOUNDARY:
		execution_ended(now_ns);
		break;
	case DETECTOR_END:
		execution_ended(now_ns);
		between_marks();
		break;
	case DETECTOR_CHANGED:
		phase_found();
		break;
	case DETECTOR_NOTHING:
		break;
	}
}

/* As omp_control_tool's end, but without another step of the search, which takes memory. */
static void end_measuring(void)
{
	online.ended = true;
	online.state = ONLINE_PAUSED;
	online.repetitions = 0;
	first_execution_stop();
	experiment_request(online.experiment, NULL, 0);
}

struct step {
	const struct thread *self;
	enum detector_answer what;
	uint64_t now_ns;
};

static void take_step(void *argument)
{
	const struct step *step = argument;

	if (memory_is_short(step->now_ns))
		end_measuring();
	else if (step->what == DETECTOR_NOTHING)
		watch_on(step->self, step->now_ns);
	else
		answer(step->what, step->now_ns);
}

/* A step of the search, or a phase's begin, is no part of what the next execution takes; beginning to record is part of what recording takes. */
static void charge_step(void)
{
	if (online.stepped && online.state == ONLINE_SEARCHING && !engine_records(online.phase.engine))
		engine_charge(online.phase.engine, experiment_between_ns(online.experiment));
	online.stepped = false;
}

/* Runs one step and accounts for its time; the next stretch begins after it, unless the present one continues. */
static void boundary(struct thread *self, enum detector_answer what, uint64_t now_ns)
{
	struct thread_stretch stretch = thread_stretch_begin();
	uint64_t noted_ns = self->boundary_ns, elapsed_ns;

	if (what == DETECTOR_BOUNDARY && is_too_short(now_ns))
		online.repetitions += detector_repetitions(online.detector);
	else
		own_stack_call(take_step, &(struct step){ self, what, now_ns });
	elapsed_ns = thread_stretch_end(self, &stretch);
	__atomic_store_n(&self->boundary_ns, noted_ns + elapsed_ns, __ATOMIC_RELAXED);     /* a part of it was noted already */
	charge_step();
	if (!online.repetitions) {
		online.stretch_ns = stretch.begin_ns + elapsed_ns;
		online.stretch_cost_ns = self->cost_ns;
	}
}

/* Between experiments, and nothing new is expected inside of the region that begins now. */
static bool is_at_rest(uint32_t region)
{
	return online.state == ONLINE_SEARCHING && engine_experiments(online.phase.engine) && detector_ignores_inside(online.detector, region, events_rest_in_runtime());
}

/*
 * Without what was timed of the tool's own work: an execution that was simulated is no longer than others for that. An event's own work may be in the
 * sums already, although it came after `now_ns`: this time may stand still then, but never goes back.
 */
static uint64_t programs_ns(const struct thread *self, uint64_t now_ns)
{
	int64_t ns = (int64_t)(now_ns - self->boundary_ns - self->timed_ns);

	if (ns > online.programs_ns)
		online.programs_ns = ns;
	return (uint64_t)online.programs_ns;
}

void online_event(struct thread *self, int level, uint32_t region, uint64_t now_ns)
{
	enum detector_answer what;
	uint64_t flags;

	if (self->index != 0 || online.state == ONLINE_OFF)
		return;
	flags = float_flags();           /* the detector's means raise some */
	if (online.state != ONLINE_PAUSED) {
		if (!now_ns && (online.state == ONLINE_WATCHING || detector_needs_time(online.detector, level, region)))
			now_ns = thread_clock_ns();
		what = detector_event(online.detector, level, region, now_ns ? programs_ns(self, now_ns) : 0);
		if (what != DETECTOR_NOTHING || watching_must_change(self, now_ns))
			boundary(self, what, now_ns);
	}
	if (level == DETECTOR_REGION)
		events_rest(is_at_rest(region));
	float_flags_put_back(flags);
}

/* ------------------------------------------------------------------- control */

/* What was watched so far counts; an execution of a phase does not that is not whole. */
static void pause_measuring(uint64_t now_ns)
{
	if (online.state == ONLINE_WATCHING)
		checkpoint(now_ns);
	online.state = ONLINE_PAUSED;
	online.repetitions = 0;
	first_execution_stop();
	experiment_request(online.experiment, NULL, 0);
}

static void resume_measuring(uint64_t now_ns)
{
	if (online.state != ONLINE_PAUSED || online.ended)
		return;
	experiment_skip(online.experiment, false);
	online.stretch_ns = now_ns;
	if (online.run.phase.method == PHASE_WHOLE_PROGRAM) {
		watch();
		return;
	}
	apply_requests(&online.phase);
	online.state = ONLINE_SEARCHING;
}

void online_control(struct thread *self, uint64_t command, uint64_t modifier, uint64_t now_ns)
{
	enum detector_answer what;

	if (self->index != 0 || online.state == ONLINE_OFF)
		return;
	switch (command) {
	case 1:
		resume_measuring(now_ns);
		break;
	case 2:
		pause_measuring(now_ns);
		break;
	case 4:
		online.ended = true;
		pause_measuring(now_ns);
		break;
	case 64:
	case 65:
		what = detector_mark(online.detector, command == 64, (int)modifier, programs_ns(self, now_ns));
		if (what != DETECTOR_NOTHING && online.state != ONLINE_PAUSED)
			boundary(self, what, now_ns);
		break;
	default:
		break;
	}
}

void online_forget(void)
{
	online.state = ONLINE_OFF;
	recording_forget();
	if (online.record)
		record_abandon(online.record);
}
