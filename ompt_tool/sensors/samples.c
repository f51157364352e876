/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: CPU-clock samples with instruction and stack, in the region they were taken in. */
#include "ompt_tool/sensors/samples.h"

#include <linux/perf_event.h>
#include <time.h>

#include "analysis/options/options.h"
#include "memsearch/sensor.h"
#include "ompt_tool/sampling/hotspots.h"
#include "ompt_tool/sampling/ring.h"
#include "ompt_tool/sampling/sampler.h"

/* measured slowdown 7 % (14 us per sample); at 10 kHz 16 % */
#define HZ_MAX 4000.0
#define HZ_MIN 1.0
#define PROBE_HZ 10000
#define SECOND_NS 1000000000ull
#define SPIN 200 /* some 0.3 us */
#define SPUN 3   /* samples */
#define SAMPLE_BYTES 368
#define SAMPLE_NS_MAX 100000
#define NOT_SAMPLED UINT64_MAX

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/*
 * Cost of a sample: the excess of a short interval in which a sample was taken over the shortest
 * interval. Spins in user code; NOT_SAMPLED: no sample until `end_ns`.
 */
static uint64_t time_of_sample(const struct ring *ring, uint64_t end_ns)
{
	uint64_t least_ns = UINT64_MAX, last_ns = cpu_ns();
	volatile double value = 1;

	while (last_ns < end_ns) {
		uint64_t before = ring_pending(ring), ns;
		bool sampled;

		for (int i = 0; i < SPIN; i++)
			value = value * 1.0000001;
		/* before the clock is read: a later sample counts for the next interval */
		sampled = ring_pending(ring) != before;
		ns = cpu_ns() - last_ns;
		last_ns += ns;
		if (sampled && least_ns < ns)
			return ns - least_ns;
		least_ns = ns < least_ns ? ns : least_ns;
	}
	return NOT_SAMPLED;
}

static struct sampler_kind kind;

/* The minimum of several samples, because other interrupts occur, too. */
static bool spin(const struct ring *ring)
{
	uint64_t end_ns = cpu_ns() + 50000000, least_ns = NOT_SAMPLED;

	for (int i = 0; i < SPUN; i++) {
		uint64_t ns = time_of_sample(ring, end_ns);

		least_ns = ns < least_ns ? ns : least_ns;
	}
	/* otherwise unknown */
	kind.kernel_ns = least_ns < SAMPLE_NS_MAX ? (uint32_t)least_ns : 0;
	return ring_pending(ring) > 0;
}

/*
 * A clock sample with its stack takes SAMPLE_BYTES. At 1 kHz a ring of 128 KiB holds 0.36 s between
 * two region boundaries. The initial thread gets more, because serial stretches are its own and may
 * be long.
 */
#define RING_BYTES (128u << 10)
#define RING_BYTES_INITIAL (512u << 10)

static struct sampler_kind kind = {
	.ring_bytes = RING_BYTES,
	.ring_bytes_initial = RING_BYTES_INITIAL,
	.sensor = MS_SENSOR_SAMPLES,
	.metric = MS_METRIC_SAMPLES,
	.metric_lost = MS_METRIC_SAMPLES_LOST,
	.events = { { .config = PERF_COUNT_SW_CPU_CLOCK,
		      .period = SECOND_NS / 1000,
		      .stack = true } },
	.nr_events = 1,
	.slows_down = true,
	.record_bytes = SAMPLE_BYTES,
	.calibrate = spin,
};

static void configure(const struct sensor_setting *setting)
{
	double hz = setting->options->sampling_rate;

	hz = hz < HZ_MIN ? HZ_MIN : hz > HZ_MAX ? HZ_MAX : hz;
	kind.events[0].period = (uint64_t)((double)SECOND_NS / hz);
}

/*
 * Probes at a high rate, which shows faster whether the event works; the rate does not matter for
 * that.
 */
static void probe(struct sensor_status *status)
{
	uint64_t period = kind.events[0].period;

	kind.events[0].period = SECOND_NS / PROBE_HZ;
	sampler_probe(&kind, status);
	kind.events[0].period = period;
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
	hotspots_losses(&kind, to, "clock samples missing among the hot lines");
}

const struct sensor sensor_samples = {
	.id = MS_SENSOR_SAMPLES,
	.descriptors = 1,
	.rings = 1,
	.probe = probe,
	SAMPLER_CALLBACKS,
	.session = { .configure = configure, .harvest = harvest, .losses = losses },
};

static const struct sampler_kind *kind_of(enum ms_sensor_id sensor)
{
	return sensor == MS_SENSOR_FAULTS ? faults_kind() : &kind;
}

void samples_each(const struct thread *thread, enum ms_sensor_id sensor,
		  void (*visit)(void *ctx, const struct sample_site *site), void *ctx)
{
	sampler_each(kind_of(sensor), thread, visit, ctx);
}

bool samples_site(const struct thread *thread, enum ms_sensor_id sensor, uint32_t position,
		  struct sample_site *out)
{
	return sampler_site(kind_of(sensor), thread, position, out);
}

struct touch_log *samples_touches(const struct thread *thread)
{
	return sampler_touches(faults_kind(), thread);
}

struct samples_losses samples_losses(const struct thread *thread, enum ms_sensor_id sensor)
{
	return sampler_losses(kind_of(sensor), thread);
}

bool samples_interrupted(enum ms_sensor_id sensor)
{
	return sampler_interrupted(kind_of(sensor));
}

void samples_drain(struct thread *thread, enum ms_sensor_id sensor)
{
	sampler_drain(kind_of(sensor), thread);
}
