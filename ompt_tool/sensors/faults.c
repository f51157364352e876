/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: every minor page fault of user code, with instruction and data address. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ompt_tool/sensors/ring.h"
#include "ompt_tool/sensors/sampler.h"
#include "ompt_tool/sensors/samples.h"
#include "ompt_tool/sensors/sensor.h"

/*
 * Between two region boundaries a thread may touch this much / 40 * 4 KiB (some 50 MiB, the initial one 100 MiB)
 * before its ring is full; where lockable memory is short, less (ring.h).
 */
#define RING_BYTES (512u << 10)
#define RING_BYTES_INITIAL (1u << 20)

/*
 * Every fault is a record of 40 bytes; with registers and stack it would be 384, and the ring
 * full after 350 faults and the touching 1.84 times slower instead of 1.31 (bench/samples.sh).
 * So a second event takes the stack of one fault in 31: the few
 * instructions that touch many pages (memset …) are met by it. A prime, so that it does not
 * keep step with loops that touch several arrays in turn. It counts minor and major faults:
 * two events of the same config mix up their records (see kernel_event.h).
 */
#define FAULTS_PER_STACK 31
#define CALIBRATION_PAGES 8

static bool touch(const struct ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, CALIBRATION_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

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
	.events = { { .config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .period = 1, .address = true, .page = true },
		    { .config = PERF_COUNT_SW_PAGE_FAULTS, .period = FAULTS_PER_STACK, .address = true, .stack = true } },
	.nr_events = 2,
	.last_brings_stacks = true,
	.leaves_out_tool = true,
	.keeps_touches = true,
	.ring_bytes = RING_BYTES,
	.ring_bytes_initial = RING_BYTES_INITIAL,
	.calibrate = touch,
};

const struct sampler_kind *faults_kind(void)
{
	return &kind;
}

static void probe(struct sensor_status *status)
{
	sampler_probe(&kind, status);
}

SAMPLER_DEFINE_CALLBACKS(kind)

const struct sensor sensor_faults = {
	.name = "faults",
	.summary = "every minor page fault of user code, with data address and instruction",
	.id = MS_SENSOR_FAULTS,
	.descriptors = 2,                /* the second brings the stacks */
	.rings = 1,
	.probe = probe,
	SAMPLER_CALLBACKS,
};
