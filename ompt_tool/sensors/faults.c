/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: minor page faults of user code, with instruction and data address. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/options/options.h"
#include "memsearch/sensor.h"
#include "ompt_tool/arrays/touch_runs.h"
#include "ompt_tool/process/modelled.h"
#include "ompt_tool/sampling/hotspots.h"
#include "ompt_tool/sampling/ring.h"
#include "ompt_tool/sampling/sampler.h"
#include "ompt_tool/sensors/samples.h"

/*
 * Between two region boundaries a thread's ring has room for individual faults of 20 MiB in pages
 * of 4 KiB, and for 160 MiB of which one fault in TOUCH_SPARSE is sampled; the initial thread's for
 * 32 and 400 MiB; less if lockable memory is short (ring.h).
 */
#define RING_BYTES (512u << 10)
#define RING_BYTES_INITIAL (1u << 20)

/*
 * A fault is a record of 48 bytes; with registers and stack it would be 400, the ring would be full
 * after 350 faults, and touching 1.84 times slower instead of 1.23 (bench/samples.sh). So a second
 * event takes the stack of one fault in TOUCH_SPARSE: the few instructions that touch many pages
 * (memset …) are sampled by it. A prime, to avoid correlation with loops that touch several arrays
 * alternately. It counts minor and major faults: two events of the same config mix up their records
 * (see kernel_event.h).
 *
 * A thread that touches much memory at once is sampled by the second event alone: the first
 * ONE_BY_ONE faults between two boundaries are recorded individually, of all others one in
 * TOUCH_SPARSE, at a sixth of the cost (arrays/touch_runs.h).
 */
#define ONE_BY_ONE 8192
#define FAULT_BYTES 48
/* in addition to the fault itself (bench/samples.sh: 740, including reading it) */
#define FAULT_NS 600
#define CALIBRATION_PAGES 8

static bool touch(const struct ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, CALIBRATION_PAGES * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if ((void *)memory == MAP_FAILED)
		return false;
	for (size_t i = 0; i < CALIBRATION_PAGES; i++)
		memory[i * page] = 1;
	munmap((void *)memory, CALIBRATION_PAGES * page);
	return ring_pending(ring) > 0;
}

static struct sampler_kind kind = {
	.sensor = MS_SENSOR_FAULTS,
	.metric = MS_METRIC_FAULT_SAMPLES,
	.metric_lost = MS_METRIC_FAULT_SAMPLES_LOST,
	.events = { { .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
		      .period = 1,
		      .address = true,
		      .page = true },
		    { .config = PERF_COUNT_SW_PAGE_FAULTS,
		      .period = TOUCH_SPARSE,
		      .address = true,
		      .page = true,
		      .stack = true } },
	.nr_events = 2,
	.last_brings_stacks = true,
	.one_by_one = ONE_BY_ONE,
	.leaves_out_tool = true,
	.keeps_touches = true,
	.ring_bytes = RING_BYTES,
	.ring_bytes_initial = RING_BYTES_INITIAL,
	.record_bytes = FAULT_BYTES,
	.kernel_ns = FAULT_NS,
	.calibrate = touch,
};

/*
 * On a modelled machine with several nodes pages are placed by first touch, and first writes of
 * watched pages are page faults: each fault is sampled, whatever their rate.
 */
static void configure(const struct sensor_setting *setting)
{
	kind.one_by_one = setting->options->page_writes ||
					  modelled_has_nodes(setting->options->machine)
				  ? 0
				  : ONE_BY_ONE;
}

const struct sampler_kind *faults_kind(void)
{
	return &kind;
}

static void probe(struct sensor_status *status)
{
	sampler_probe(&kind, status);
}

SAMPLER_DEFINE_CALLBACKS(kind)

static enum ms_status harvest(const struct sensor_record *to, struct unwinder *unwinder,
			      bool at_end)
{
	(void)at_end;
	return hotspots_harvest(&kind, to, unwinder);
}

static void losses(const struct sensor_record *to)
{
	hotspots_losses(&kind, to, "page faults missing among the hot lines");
}

const struct sensor sensor_faults = {
	.id = MS_SENSOR_FAULTS,
	.descriptors = 2, /* the second samples the stacks */
	.rings = 1,
	.probe = probe,
	SAMPLER_CALLBACKS,
	.session = { .configure = configure, .harvest = harvest, .losses = losses },
};
