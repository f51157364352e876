/* SPDX-License-Identifier: Apache-2.0 */
/* Life of the tool in the program: start, finish once, and nothing at all in a fork's child. */
#define _GNU_SOURCE
#include "ompt_tool/session/core.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/channel.h"
#include "analysis/base/log.h"
#include "analysis/base/own_memory.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/pages.h"
#include "analysis/machine/model_text.h"
#include "analysis/options/options.h"
#include "analysis/properties/property.h"
#include "memsearch/sensor.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/simulated.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/heap.h"
#include "ompt_tool/clones/buffer.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/counters/counters.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/locks/lock_releases.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/process/allowed_cpus.h"
#include "ompt_tool/process/modelled.h"
#include "ompt_tool/process/own_libraries.h"
#include "ompt_tool/process/paths.h"
#include "ompt_tool/process/runtime_settings.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sensors/addresses.h"
#include "ompt_tool/sensors/samples.h"
#include "ompt_tool/session/online.h"
#include "ompt_tool/session/restart.h"

#define FINISH_PATIENCE_MS 2000      /* for another thread's phase boundary to end */

/* Of the first runtime's initialize. Two may come at once, on two threads. */
enum begun { NOT_BEGUN, BEGINNING, BEGUN, REFUSED };

static struct {
	struct options options;
	struct segment *segment;
	struct property_set *properties;
	const struct model_file *modelled;       /* whose caches are simulated; NULL: none's */
	struct sensor_status sensors[MS_SENSORS];
	char runtimes[256];              /* names of the OpenMP runtimes that have started us */
	const char *cpus;                /* that the program may use */
	bool bound;                      /* the initial thread may use fewer */
	int adding;                      /* atomic; 1: a thread adds a runtime */
	int process;
	int started;                     /* atomic; 1: online_finish is still to be called */
	int begun;                       /* atomic, enum begun */
	bool finished;                   /* atomic */
} core;

extern char **environ;

const struct model_file *core_modelled(void)
{
	return core.modelled;
}

const char *core_allowed_cpus(bool *bound_out)
{
	*bound_out = core.bound;
	return core.cpus;
}

struct segment *core_segment(void)
{
	return core.segment;
}

const struct sensor_status *core_sensor_status(enum ms_sensor_id id)
{
	return &core.sensors[id];
}

#define WHY_CONFINED "it confines itself (seccomp), and what memsearch calls could end it"

/* `cut_short`: why the program continues; NULL: it ends. */
static void end(const char *cut_short)
{
	if (!events_enter(FINISH_PATIENCE_MS)) {
		events_enable(false);
		log_warning("the end was not reported: the program %s inside a phase boundary", cut_short ? "confined itself" : "ended");
		return;
	}
	if (cut_short)
		log_warning("measured until here: the program continues alone, as %s", cut_short);
	online_finish(cut_short);
	events_enable(false);
	events_leave();
	if (log_is_debug())
		log_debug("stacks of its own: %zu bytes used of %u", own_stack_deepest(), OWN_STACK_BYTES);
}

/*
 * Whichever comes first: the runtime's finalize, the exit handler (also for exit inside a
 * region), the library's destructor. Events that come later find the gate closed.
 */
static void finish_here(void *cut_short)
{
	int started = 1;

	if (getpid() != core.process ||
	    !__atomic_compare_exchange_n(&core.started, &started, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	end(cut_short);
	__atomic_store_n(&core.finished, true, __ATOMIC_RELEASE);
}

static void finish(void)
{
	if (__atomic_load_n(&core.started, __ATOMIC_RELAXED))
		own_stack_call(finish_here, NULL);
}

static bool has_begun(void)
{
	return __atomic_load_n(&core.begun, __ATOMIC_ACQUIRE) == BEGUN;
}

/* Another thread may be at it, and make calls that are forbidden next. */
static void wait_for_end(void)
{
	const struct timespec pause = { 0, 1000000 };

	for (int i = 0; i < FINISH_PATIENCE_MS && has_begun() && !__atomic_load_n(&core.finished, __ATOMIC_ACQUIRE); i++)
		nanosleep(&pause, NULL);
}

/* In the middle of the program: for all that comes, the end has been. Not in vfork's child, which has our memory, but is another process. */
static void leave(void)
{
	if (getpid() != core.process)
		return;
	if (__atomic_load_n(&core.started, __ATOMIC_RELAXED))
		own_stack_call(finish_here, WHY_CONFINED);
	wait_for_end();
	buffer_stop();
	heap_stop();
}

static void forget_here(void *argument)
{
	(void)argument;
	events_enable(false);
	if (__atomic_exchange_n(&core.started, 0, __ATOMIC_RELAXED))
		online_forget();
}

/* In the child: close the gate, and let nothing of the parent's be written. After the end there is nothing to be done, and nothing may be. */
static void forget(void)
{
	own_memory_in_child();
	if (!__atomic_load_n(&core.finished, __ATOMIC_ACQUIRE))
		own_stack_call(forget_here, NULL);
}

struct property_set *core_properties(void)
{
	return core.properties;
}

/* The properties come first: their files say which events stand behind the metrics of counters. */
bool core_configure_sensors(const struct options *options)
{
	struct arena *arena = arena_new();

	core.properties = arena ? property_set_load(arena, paths_properties(), options->properties) : NULL;
	if (!core.properties)
		return false;
	samples_configure(options->sampling_rate);
	addresses_configure(core.segment ? segment_regions(core.segment) : NULL, options->addresses);
	counters_configure(core.properties, options->counters, options->event);
	return true;
}

static void configure_machine(void)
{
	struct arena *arena = arena_new();
	const char *why = "no memory";

	core.modelled = arena ? modelled_machine(arena, core.options.machine, &why) : NULL;
	simulated_configure(segment_regions(core.segment), *core.options.machine != 0, core.modelled ? &core.modelled->model : NULL, why,
			    !strcmp(core.options.machine_addresses, "real"));
	faults_configure(core.modelled && core.modelled->model.nodes > 1);       /* pages lie where the faults were */
}

static bool start_parts(ompt_function_lookup_t lookup)
{
	core.segment = segment_new();
	if (!core.segment) {
		log_warning_errno("nothing is measured: cannot map the shared tables");
		return false;
	}
	if (!core_configure_sensors(&core.options)) {
		log_warning("nothing is measured: no memory for the properties");
		return false;
	}
	accesses_configure(segment_regions(core.segment));
	configure_machine();
	sensors_probe(core.sensors);
	if (!events_start(lookup, segment_regions(core.segment)))
		return false;
	lock_releases_lead(lookup);
	return true;
}

void core_interposer(const struct heap_interposer *offer)
{
	heap_offer(offer);
}

void core_stderr(const struct stat *at_start)
{
	log_begin(at_start);
}

/* Otherwise the first use of the tool's code would cause page faults in the program's regions, which are counted. */
static int take_code(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size, (void)ctx;
	if (!strstr(info->dlpi_name, "/libmemsearch.so") && !strstr(info->dlpi_name, "/memsearch-core.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			pages_read_ahead((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), info->dlpi_phdr[i].p_memsz);
	return 0;
}

static void note_cpus(ompt_function_lookup_t lookup)
{
	struct arena *arena = arena_new();

	core.cpus = arena ? allowed_cpus(arena, lookup, &core.bound) : "";
}

struct start {
	ompt_function_lookup_t lookup;
	const char *version;             /* of the runtime */
	bool started;
};

static void start_here(void *argument)
{
	struct start *start = argument;
	uint64_t begin_ns = thread_clock_ns();
	struct heap_status heap;

	core.process = getpid();
	dl_iterate_phdr(take_code, NULL);
	options_from_environment(&core.options, environ);
	runtime_settings_adapt(start->lookup);
	note_cpus(start->lookup);
	own_libraries_lead();
	heap_translate(clone_original);
	heap_on_confinement(leave);
	heap_start(&heap);       /* first: what is in memory now is looked up in the table of arrays */
	start->started = start_parts(start->lookup) && online_start(&core.options, core.runtimes, begin_ns);
	if (start->started)
		array_start();   /* last: where addresses are limited, tables of recording come first */
	if (!start->started) {
		heap_stop();
		restart_attached(CHANNEL_FAILED);
	}
}

static void add_here(void *argument)
{
	struct start *start = argument;

	runtime_settings_adapt(start->lookup);
	start->started = events_add_runtime(start->lookup);
	if (start->started)
		lock_releases_lead(start->lookup);
}

/* More names are dropped. A reader meanwhile sees the names before, or a part of the new one. */
static void add_name(const char *name)
{
	size_t nr = strlen(core.runtimes);

	if (!strstr(core.runtimes, name))
		snprintf(core.runtimes + nr, sizeof(core.runtimes) - nr, "%s%s", nr ? " and " : "", name);
}

/* A second runtime: the session continues. One that starts during the first one's start has no events: waiting could deadlock. */
static int initialize_further(struct start *start)
{
	int free = 0;

	if (!has_begun() || getpid() != core.process || !__atomic_load_n(&core.started, __ATOMIC_ACQUIRE) ||
	    !__atomic_compare_exchange_n(&core.adding, &free, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return 0;
	own_stack_call(add_here, start);
	if (start->started)
		add_name(start->version);
	__atomic_store_n(&core.adding, 0, __ATOMIC_RELEASE);
	return start->started;
}

static int begin(struct start *start)
{
	add_name(start->version);
	own_stack_call(start_here, start);
	__atomic_store_n(&core.started, start->started, __ATOMIC_RELEASE);
	__atomic_store_n(&core.begun, start->started ? BEGUN : REFUSED, __ATOMIC_RELEASE);
	if (!start->started)
		return 0;
	atexit(finish);
	pthread_atfork(NULL, NULL, forget);
	return 1;
}

static int initialize_runtime(const char *version, ompt_function_lookup_t lookup)
{
	struct start start = { .lookup = lookup, .version = version };
	int none = NOT_BEGUN;

	if (__atomic_compare_exchange_n(&core.begun, &none, BEGINNING, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return begin(&start);
	return initialize_further(&start);
}

/* The one of two runtimes that ends first, libomp by omp_pause_resource_all, does not end the measurement of the other. */
static void finalize(ompt_data_t *tool_data)
{
	(void)tool_data;
	if (events_runtimes() < 2)
		finish();
}

__attribute__((destructor)) static void at_unload(void)
{
	finish();
}

/* One row per runtime, as initialize has no argument for it. A runtime that calls twice has one row. */
enum { RUNTIMES = 2 };
static struct { int taken; char version[128]; } rows[RUNTIMES];

static int initialize_first(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)device, (void)data;
	return initialize_runtime(rows[0].version, lookup);
}

static int initialize_second(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)device, (void)data;
	return initialize_runtime(rows[1].version, lookup);
}

ompt_start_tool_result_t *core_start(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t results[RUNTIMES] = { { initialize_first, finalize, { 0 } }, { initialize_second, finalize, { 0 } } };
	char version[sizeof(rows[0].version)];

	(void)omp_version;
	snprintf(version, sizeof(version), "%s", runtime_version ? runtime_version : "");
	for (int i = 0; i < RUNTIMES; i++) {
		int none = 0;

		if (__atomic_compare_exchange_n(&rows[i].taken, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			memcpy(rows[i].version, version, sizeof(version));
		if (!strcmp(rows[i].version, version))
			return &results[i];
	}
	return NULL;
}
