/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the parts of the tool in order. */
#define _GNU_SOURCE /* dl_iterate_phdr, __environ */
#include "ompt_tool/session/core_parts.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/channel.h"
#include "analysis/base/log.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/populate.h"
#include "analysis/options/options.h"
#include "analysis/properties/property.h"
#include "memsearch/sensor.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/heap.h"
#include "ompt_tool/clones/buffer.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/locks/lock_releases.h"
#include "ompt_tool/locks/pthread_mutexes.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/process/allowed_cpus.h"
#include "ompt_tool/process/own_libraries.h"
#include "ompt_tool/process/own_paths.h"
#include "ompt_tool/process/runtime_settings.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/core.h"
#include "ompt_tool/session/online.h"
#include "ompt_tool/session/restart.h"
#include "ompt_tool/session/sensors.h"

static struct {
	struct options options;
	struct segment *segment;
	struct property_set *properties;
	struct sensor_status sensors[MS_SENSORS];
	char runtimes[256]; /* names of the OpenMP runtimes that have started the tool */
	const char *cpus;   /* that the program may use */
	bool bound;         /* the initial thread may use fewer */
} parts;

const char *core_allowed_cpus(bool *bound_out)
{
	*bound_out = parts.bound;
	return parts.cpus;
}

struct segment *core_segment(void)
{
	return parts.segment;
}

const struct sensor_status *core_sensor_status(enum ms_sensor_id id)
{
	return &parts.sensors[id];
}

struct property_set *core_properties(void)
{
	return parts.properties;
}

/* The properties come first: their files define the events of counter metrics. */
bool core_configure_sensors(const struct options *options)
{
	struct arena *arena = arena_new();

	parts.properties = arena ? property_set_load(arena, paths_properties(), options->properties)
				 : NULL;
	if (!parts.properties)
		return false;
	sensors_configure(&(struct sensor_setting){
		.options = options,
		.properties = parts.properties,
		.regions = parts.segment ? segment_regions(parts.segment) : NULL,
	});
	return true;
}

static bool start_parts(ompt_function_lookup_t lookup)
{
	parts.segment = segment_new();
	if (!parts.segment) {
		log_warning_errno("nothing is measured: cannot map the shared tables");
		return false;
	}
	if (!core_configure_sensors(&parts.options)) {
		log_warning("nothing is measured: no memory for the properties");
		return false;
	}
	sensors_probe(parts.sensors);
	if (!events_start(lookup, segment_regions(parts.segment), &online_listener))
		return false;
	lock_releases_lead(lookup);
	pthread_mutexes_lead();
	return true;
}

void core_interposer(const struct heap_interposer *offer)
{
	heap_offer(offer);
	own_stack_watch(offer->works_on);
}

void core_stderr(const struct stat *at_start)
{
	log_begin(at_start);
}

/*
 * Touches the tool's code: otherwise its first use would cause page faults in the program's
 * regions, which are counted.
 */
static int take_code(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size, (void)ctx;
	if (!strstr(info->dlpi_name, "/libmemsearch.so") &&
	    !strstr(info->dlpi_name, "/memsearch-core.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			pages_read_ahead(
				(const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				info->dlpi_phdr[i].p_memsz);
	return 0;
}

static void note_cpus(ompt_function_lookup_t lookup)
{
	struct arena *arena = arena_new();

	parts.cpus = arena ? allowed_cpus(arena, lookup, &parts.bound) : "";
}

/*
 * Names beyond the room are dropped. A concurrent reader sees the previous names, or a part of the
 * new one.
 */
static void add_name(const char *name)
{
	size_t nr = strlen(parts.runtimes);

	if (!strstr(parts.runtimes, name))
		snprintf(parts.runtimes + nr, sizeof(parts.runtimes) - nr, "%s%s",
			 nr ? " and " : "", name);
}

bool core_parts_start(ompt_function_lookup_t lookup, const char *version, void (*leave)(void))
{
	uint64_t begin_ns = thread_clock_ns();
	struct heap_status heap;
	bool started;

	add_name(version);
	dl_iterate_phdr(take_code, NULL);
	options_from_environment(&parts.options, __environ);
	runtime_settings_adapt(lookup);
	note_cpus(lookup);
	own_libraries_lead();
	heap_translate(clone_original);
	heap_on_confinement(leave);
	/* first: resident memory is looked up in the table of arrays */
	heap_start(&heap);
	started = start_parts(lookup) && online_start(&parts.options, parts.runtimes, begin_ns);
	if (started)
		/* last: if addresses are limited, tables of recording have priority */
		array_start();
	if (!started) {
		heap_stop();
		restart_attached(CHANNEL_FAILED);
	}
	return started;
}

bool core_parts_add_runtime(ompt_function_lookup_t lookup, const char *version)
{
	bool added;

	runtime_settings_adapt(lookup);
	added = events_add_runtime(lookup);
	if (added) {
		lock_releases_lead(lookup);
		add_name(version);
	}
	return added;
}

void core_parts_stop(void)
{
	buffer_stop();
	heap_stop();
}
