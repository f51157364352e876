/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: data accesses sampled with their addresses, by data structure. */
#include "ompt_tool/sensors/addresses.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/options/options.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "analysis/search/engine.h"
#include "memsearch/sensor.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/sampling/address_source.h"
#include "ompt_tool/sampling/address_tally.h"
#include "ompt_tool/sampling/ring.h"
#include "ompt_tool/sampling/sampler.h"

/*
 * A sample takes 64 bytes, as a record and as packets; 10,000 a second fill this in 1.6 s. The
 * initial thread's serial stretches may be longer.
 */
#define RING_BYTES (1u << 20)
#define RING_BYTES_INITIAL (2u << 20)
/*
 * if samples are packets: a record of 32 bytes describes all packets between two context switches
 */
#define PACKETS_RING_BYTES (64u << 10)
/* Calibration that must be sampled: this number of accesses, cycling through newly mapped pages. */
#define CALIBRATION_ACCESSES 4000000u
#define CALIBRATION_BYTES (1u << 20)

/* The metric of each field of a sum. */
static const struct {
	enum ms_metric metric;
	size_t at;
} values[] = {
#define VALUE(id, field) { MS_METRIC_##id, offsetof(struct address_sum, field) }
	VALUE(ADDRESS_SAMPLES, samples),      VALUE(SAMPLED_LOADS, loads),
	VALUE(SAMPLED_STORES, stores),        VALUE(SAMPLED_L1D_MISSES, l1_misses),
	VALUE(SAMPLED_L2D_MISSES, l2_misses), VALUE(SAMPLED_L3D_MISSES, l3_misses),
	VALUE(SAMPLED_DRAM_LOCAL, local),     VALUE(SAMPLED_DRAM_REMOTE, remote),
	VALUE(SAMPLED_HITM, modified),        VALUE(SAMPLED_TLB_WALKS, walks),
	VALUE(SAMPLED_WAIT_CYCLES, cycles),
#undef VALUE
};
#define NR_VALUES (sizeof(values) / sizeof(values[0]))
_Static_assert(SAMPLER_STATE + NR_VALUES <=
		       sizeof(((struct frame *)0)->sensor_state[0]) / sizeof(uint64_t),
	       "values must fit a frame");

/* One thread's. */
struct addresses {
	uint64_t left_out; /* atomic store */
	struct address_tally tally;
};

static struct region_table *regions;
static const char *how = "auto";
static struct address_source source;

static void configure(const struct sensor_setting *setting)
{
	regions = setting->regions;
	how = setting->options->addresses;
}

/* Whether the user named a source, which is then used from the start, independent of requests. */
static bool is_named(void)
{
	return strcmp(how, "auto") && strcmp(how, "none");
}

static void configure_search(struct engine_config *config)
{
	for (uint32_t metric = 0; metric < MS_METRICS && is_named(); metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_ADDRESSES)
			config->extra[config->nr_extra++] = metric;
}

/* The sampling period in accesses; 0: no samples. */
static void describe(struct database *db, bool repeats)
{
	(void)repeats;
	database_sample_period(db, (double)source.events[0].period);
}

/* ------------------------------------------------------------------- reading */

static uint64_t value_of(const struct address_sum *sum, size_t i)
{
	return *(const uint64_t *)((const char *)sum + values[i].at);
}

/*
 * Whether the source measures the metric. Page faults have only an address; packets (spe.h) do not
 * show that another cache had the line modified.
 */
static bool is_measured(enum ms_metric metric)
{
	if (metric == MS_METRIC_SAMPLED_HITM && source.events[0].packets)
		return false;
	return source.events[0].data_source || metric == MS_METRIC_ADDRESS_SAMPLES ||
	       metric == MS_METRIC_ADDRESS_SAMPLES_LOST;
}

struct taking {
	struct thread *self;
	struct frame *frame;
};

/*
 * A construct includes the constructs inside: enclosing frames on this thread that request the
 * sensor get the value, too.
 */
static void add_to_frames(const struct taking *taking, size_t i, uint64_t value)
{
	uint32_t depth = taking->self->depth < THREAD_FRAMES ? taking->self->depth : THREAD_FRAMES;

	taking->frame->sensor_state[MS_SENSOR_ADDRESSES][SAMPLER_STATE + i] += value;
	for (struct frame *outer = taking->self->frames;
	     outer < taking->self->frames + depth && outer != taking->frame; outer++)
		if (outer->requests >> MS_SENSOR_ADDRESSES & 1)
			outer->sensor_state[MS_SENSOR_ADDRESSES][SAMPLER_STATE + i] += value;
}

static void add_to_array(const struct taking *taking, const struct address_sum *sum)
{
	uint32_t region;

	if (sum->array == ARRAY_NONE || !regions || taking->frame->region == MS_REGION_NONE)
		return;
	region = region_table_get(regions, MS_DATA_STRUCTURE, (uint64_t)sum->array + 1,
				  taking->frame->region, &(bool){ false });
	for (size_t i = 0; i < NR_VALUES && region != MS_REGION_NONE; i++)
		if (is_measured(values[i].metric))
			summary_add(taking->self->summary, region, values[i].metric,
				    (double)value_of(sum, i));
}

static void add_sum(void *ctx, const struct address_sum *sum)
{
	const struct taking *taking = ctx;

	for (size_t i = 0; i < NR_VALUES; i++)
		add_to_frames(taking, i, value_of(sum, i));
	add_to_array(taking, sum);
}

static bool add(void *state, const struct kernel_sample *sample,
		const struct kernel_event_spec *spec, const struct address_moment *moment)
{
	struct addresses *addresses = state;

	return address_tally_add(&addresses->tally, sample, spec, moment);
}

static void note(void *state, const struct perf_event_header *record)
{
	struct addresses *addresses = state;

	address_tally_note(&addresses->tally, record);
}

static void taken(void *state, struct thread *self, struct frame *frame)
{
	struct addresses *addresses = state;

	address_tally_each(&addresses->tally, add_sum, &(struct taking){ self, frame });
}

/* Values are unknown if the PMU was not sampling all the time, or lost samples. */
static void ended(void *state, struct thread *self, const struct frame *frame, bool whole)
{
	struct addresses *addresses = state;

	if (!whole)
		__atomic_store_n(&addresses->left_out, addresses->left_out + 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < NR_VALUES && whole; i++)
		if (is_measured(values[i].metric))
			summary_add(self->summary, frame->region, values[i].metric,
				    (double)frame
					    ->sensor_state[MS_SENSOR_ADDRESSES][SAMPLER_STATE + i]);
}

/* --------------------------------------------------------------------- probe */

static bool sweep(const struct ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile uint64_t *memory = mmap(NULL, CALIBRATION_BYTES, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t words = CALIBRATION_BYTES / sizeof(*memory), at = 0;

	if ((void *)memory == MAP_FAILED)
		return false;
	for (uint32_t i = 0; i < CALIBRATION_ACCESSES && !ring_pending(ring); i++) {
		memory[at] += i;
		at = (at + page / sizeof(*memory) + 1) % words;
	}
	munmap((void *)memory, CALIBRATION_BYTES);
	return ring_pending(ring) > 0;
}

_Static_assert(ADDRESS_SOURCE_EVENTS <= SAMPLER_EVENTS,
	       "a sampler has room for all events of a source");
static const struct sampler_reader reader = { sizeof(struct addresses), add, note, taken, ended };

static struct sampler_kind kind = {
	.sensor = MS_SENSOR_ADDRESSES,
	.metric = MS_METRIC_ADDRESS_SAMPLES,
	.metric_lost = MS_METRIC_ADDRESS_SAMPLES_LOST,
	.reader = &reader,
	.leaves_out_tool = true,
	.ring_bytes = RING_BYTES,
	.ring_bytes_initial = RING_BYTES_INITIAL,
	.calibrate = sweep,
};

static void not_here(const char *why, struct sensor_status *status)
{
	*status = (struct sensor_status){ .why = is_named() ? MS_MISSING_NOT_SUPPORTED
							    : MS_MISSING_NO_ADDRESSES };
	snprintf(status->text, sizeof(status->text), "%s", why);
}

/* A PMU that cannot exclude the kernel is denied to users without the privilege to sample it. */
static void say_everywhere(struct sensor_status *status)
{
	if (status->works || status->why != MS_MISSING_NOT_PERMITTED ||
	    !source.events[0].everywhere)
		return;
	snprintf(
		status->text, sizeof(status->text),
		"before Linux 6.16 it samples the kernel, too, which takes kernel.perf_event_paranoid=1 or CAP_PERFMON");
	snprintf(status->mend, sizeof(status->mend), "sudo sysctl kernel.perf_event_paranoid=1");
}

/* Text: the source, its reliability, and why it does not work. */
static void name_source(struct sensor_status *status)
{
	char why[sizeof(status->text)];

	snprintf(why, sizeof(why), "%s", status->works ? "" : status->text);
	snprintf(status->text, sizeof(status->text), "%s%s%s%s%s", source.title,
		 *source.warning ? ": " : "", source.warning, *why ? "; " : "", why);
}

static void probe(struct sensor_status *status)
{
	char why[ADDRESS_SOURCE_WHY] = "";

	if (!address_source_find(how, "", &source, why)) {
		not_here(why, status);
		return;
	}
	memcpy(kind.events, source.events, sizeof(source.events));
	kind.nr_events = (uint32_t)source.nr_events;
	kind.slows_down = source.events[0].type != 0; /* page faults are each one sample */
	kind.aux_bytes = source.events[0].packets ? RING_BYTES : 0;
	kind.ring_bytes = source.events[0].packets ? PACKETS_RING_BYTES : RING_BYTES;
	kind.ring_bytes_initial = source.events[0].packets ? PACKETS_RING_BYTES
							   : RING_BYTES_INITIAL;
	sampler_probe(&kind, status);
	say_everywhere(status);
	name_source(status);
}

static void probe_metric(enum ms_metric metric, struct sensor_status *status)
{
	if (is_measured(metric))
		return;
	*status = (struct sensor_status){ .why = MS_MISSING_NOT_SUPPORTED };
	snprintf(status->text, sizeof(status->text), "%s",
		 source.events[0].packets ? "Arm SPE tells no modified lines"
					  : "page faults tell no caches");
}

/* ------------------------------------------------------------------- threads */

SAMPLER_DEFINE_CALLBACKS(kind)

/* Missing samples of all threads, except those for which the ring was full. */
struct missed {
	uint64_t throttled, in_pmu, unreadable, crowded; /* as in address_tally.h */
	/* executions of regions in which the PMU had no room for the events */
	uint64_t left_out;
};

static void add_missed(struct missed *all, const struct thread *thread)
{
	const struct addresses *addresses = sampler_state(&kind, thread);

	if (!addresses)
		return;
	all->throttled += addresses->tally.throttled;
	all->in_pmu += addresses->tally.lost;
	all->unreadable += addresses->tally.unreadable + sampler_unreadable(&kind, thread);
	all->crowded += addresses->tally.crowded;
	all->left_out += __atomic_load_n(&addresses->left_out, __ATOMIC_RELAXED);
}

static void losses(const struct sensor_record *to)
{
	struct missed all = { 0 };

	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		add_missed(&all, thread);
	run_note_count(to->run, to->arena, "pauses in which no data addresses were sampled",
		       "the kernel stopped for a moment, as samples came too fast", all.throttled);
	run_note_count(to->run, to->arena, "address samples", "the PMU had no room for them",
		       all.in_pmu);
	run_note_count(to->run, to->arena, "address samples",
		       "they are shorter than they should be", all.unreadable);
	run_note_count(to->run, to->arena,
		       "address samples of data structures, which count as in none",
		       "there were too many data structures between two readings", all.crowded);
	run_note_count(
		to->run, to->arena, "executions of regions without address samples",
		"the PMU had no room for their events, or the program closed file descriptors",
		all.left_out);
}

const struct sensor sensor_addresses = {
	.id = MS_SENSOR_ADDRESSES,
	/* loads, an auxiliary leader of their group, stores; loads and stores of smaller cores */
	.descriptors = 5,
	.rings = 1,
	.probe = probe,
	.probe_metric = probe_metric,
	SAMPLER_CALLBACKS,
	.session = {
		.by_array = true,
		.is_asked_at_start = is_named,
		.configure = configure,
		.describe = describe,
		.configure_search = configure_search,
		.losses = losses,
	},
};
