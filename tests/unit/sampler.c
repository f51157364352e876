/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samplers over a CPU and a kernel that are played by this file: events are ones that sample
 * nothing, ring and AUX area are memory of ours. Packets are put there when their event is stopped,
 * as Linux does for SPE; records by the event of the cores the thread is on.
 */
#define _GNU_SOURCE
#include "ompt_tool/sampling/sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "ompt_tool/sampling/ring.h"
#include "ompt_tool/sampling/spe.h"
#include "tests/unit/sampling.h"
#include "tests/unit/spe_packets.h"

#if SANITIZED || __has_feature(undefined_behavior_sanitizer)
TEST(sampler__kernel)
{
	test_skip("the sanitizers' mmap and ioctl cannot be replaced");
}
#else

enum { OUTER = 1, INNER = 2 };

/* ------------------------------------------------------------ the CPU and the kernel */

static struct {
	struct perf_event_mmap_page *page; /* of the ring that was mapped last */
	uint8_t *ring, *area;
	uint64_t area_bytes, written;
	int starts, stops;
	/* errno of the next AUX areas; 0: they are given */
	int refusal;
	bool on;
	struct spe_bytes pending; /* sampled since it was started */
	uint64_t flags;           /* of the next record */
	bool loses_record;
	/* events that write to the ring of the first one, in their order */
	int beside[SAMPLER_EVENTS], nr_beside;
	int first;
} pmu;

static void put_record(const struct perf_event_header *record)
{
	uint64_t bytes = pmu.page->data_size;

	for (size_t i = 0; i < record->size; i++)
		pmu.ring[(pmu.page->data_head + i) % bytes] = ((const uint8_t *)record)[i];
	__atomic_store_n(&pmu.page->data_head, pmu.page->data_head + record->size,
			 __ATOMIC_RELEASE);
}

/* What stopping does. */
static void flush(void)
{
	struct spe_aux record = spe_aux_of(pmu.written, pmu.pending.nr, pmu.flags);

	for (size_t i = 0; i < pmu.pending.nr; i++)
		pmu.area[(pmu.written + i) % pmu.area_bytes] = pmu.pending.data[i];
	pmu.written += pmu.pending.nr;
	if ((pmu.pending.nr || pmu.flags) && !pmu.loses_record)
		put_record(&record.header);
	pmu.pending.nr = 0;
	pmu.flags = 0;
	pmu.loses_record = false;
	__atomic_store_n(&pmu.page->aux_head, pmu.written, __ATOMIC_RELEASE);
}

/* The first one has a ring of ours, of which the kernel knows nothing. */
static int note_output(int fd)
{
	CHECK_THAT(pmu.nr_beside, <, SAMPLER_EVENTS);
	pmu.beside[pmu.nr_beside++] = fd;
	return 0;
}

/* These two stand in the place of libc's in this program. */
int ioctl(int fd, unsigned long what, ...)
{
	va_list more;
	void *argument;

	va_start(more, what);
	argument = va_arg(more, void *);
	va_end(more);
	if (what == PERF_EVENT_IOC_SET_OUTPUT)
		return note_output(fd);
	if (what == PERF_EVENT_IOC_DISABLE && pmu.area && pmu.on) {
		flush();
		pmu.on = false;
		pmu.stops++;
	} else if (what == PERF_EVENT_IOC_ENABLE && pmu.area) {
		pmu.on = true;
		pmu.starts++;
	}
	return (int)syscall(SYS_ioctl, fd, what, argument);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t at)
{
	bool of_event = fd >= 0 && flags == MAP_SHARED && protection == (PROT_READ | PROT_WRITE);
	void *memory;

	if (of_event && at > 0 && pmu.refusal) {
		errno = pmu.refusal;
		return MAP_FAILED;
	}
	memory = (void *)syscall(SYS_mmap, address, bytes, protection,
				 of_event ? MAP_PRIVATE | MAP_ANONYMOUS : flags, of_event ? -1 : fd,
				 of_event ? 0 : at);
	if (of_event && at > 0) {
		CHECK((uint64_t)at == pmu.page->aux_offset && bytes == pmu.page->aux_size);
		pmu.area = memory;
		pmu.area_bytes = bytes;
		pmu.written = 0;
	} else if (of_event) {
		pmu.page = memory;
		pmu.first = fd;
		pmu.nr_beside = 0;
		pmu.ring = (uint8_t *)memory + sysconf(_SC_PAGESIZE);
		pmu.page->data_size = bytes - (uint64_t)sysconf(_SC_PAGESIZE);
	}
	return memory;
}

/* So many accesses while it runs. */
static void sample(int nr)
{
	struct spe_record record = { .events = SPE_RETIRED | SPE_L1,
				     .source = SPE_NO_SOURCE,
				     .pc = 0x401000,
				     .address = 0x7000,
				     .latency = 4 };

	for (int i = 0; i < nr && pmu.on; i++) {
		spe_put_record(&pmu.pending, &record);
		spe_put_end(&pmu.pending);
	}
}

/* ---------------------------------------------------------------------- the sensor */

struct seen {
	uint64_t now;
};
static struct {
	uint64_t value;
	bool whole;
	int ends;
} ended_regions[3];

static bool add(void *state, const struct kernel_sample *one, const struct kernel_event_spec *spec,
		const struct address_moment *moment)
{
	struct seen *seen = state;

	(void)moment;
	CHECK(spec->packets && one->address == 0x7000 && one->ip == 0x401000 &&
	      one->source.by == SERVED_L1);
	seen->now++;
	return true;
}

static void note(void *state, const struct perf_event_header *record)
{
	(void)state;
	CHECK_INT(record->type, PERF_RECORD_AUX);
}

static void taken(void *state, struct thread *self, struct frame *frame)
{
	struct seen *seen = state;

	(void)self;
	frame->sensor_state[MS_SENSOR_ADDRESSES][SAMPLER_STATE] += seen->now;
	seen->now = 0;
}

static void ended(void *state, struct thread *self, const struct frame *frame, bool whole)
{
	(void)state;
	(void)self;
	ended_regions[frame->region].value =
		frame->sensor_state[MS_SENSOR_ADDRESSES][SAMPLER_STATE];
	ended_regions[frame->region].whole = whole;
	ended_regions[frame->region].ends++;
}

static int to_sample = 3;

static bool calibrate(const struct ring *ring)
{
	(void)ring;
	sample(to_sample);
	return false;
}

static const struct sampler_reader reader = { sizeof(struct seen), add, note, taken, ended };
static struct sampler_kind kind = {
	.sensor = MS_SENSOR_ADDRESSES,
	.metric = MS_METRIC_ADDRESS_SAMPLES,
	.metric_lost = MS_METRIC_ADDRESS_SAMPLES_LOST,
	.events = { { .type = PERF_TYPE_SOFTWARE,
		      .config = PERF_COUNT_SW_DUMMY,
		      .period = 1024,
		      .address = true,
		      .data_source = true,
		      .packets = SPE_EVENTS } },
	.nr_events = 1,
	.reader = &reader,
	.ring_bytes = 8192,
	.ring_bytes_initial = 8192,
	.aux_bytes = 65536,
	.calibrate = calibrate,
};

SAMPLER_DEFINE_CALLBACKS(kind)

static void probe(struct sensor_status *status)
{
	sampler_probe(&kind, status);
}

static const struct sensor sensor = { .id = MS_SENSOR_ADDRESSES,
				      .probe = probe,
				      SAMPLER_CALLBACKS };

TEST(sampler__packets_by_region)
{
	struct thread *self;

	need_sensor(&sensor);
	self = begin_thread(&sensor, 0);
	for (int round = 0; round < 500; round++) { /* around the area some times */
		enter(&sensor, self, OUTER);
		sample(5);
		enter(&sensor, self, INNER);
		sample(round % 7);
		leave(&sensor, self);
		CHECK_INT(ended_regions[INNER].value, round % 7);
		CHECK(ended_regions[INNER].whole);
		sample(2);
		leave(&sensor, self);
		CHECK_INT(ended_regions[OUTER].value, 7);
		CHECK(ended_regions[OUTER].whole);
		sample(1); /* nobody's */
		CHECK(pmu.on);
	}
	CHECK_THAT(pmu.written, >, 2 * pmu.area_bytes);
	CHECK_INT(pmu.starts, pmu.stops + 1);
	CHECK_INT(sampler_unreadable(&kind, self), 0);
	end_on_thread(self);
}

/*
 * Of what is truncated, or not told of at all, nobody knows how much it is; the next execution
 * begins anew.
 */
TEST(sampler__packets_gaps)
{
	struct thread *self;

	need_sensor(&sensor);
	self = begin_thread(&sensor, 0);
	for (int round = 0; round < 3; round++) {
		enter(&sensor, self, OUTER);
		enter(&sensor, self, INNER);
		sample(4);
		pmu.flags = round == 0 ? PERF_AUX_FLAG_TRUNCATED : 0;
		pmu.loses_record = round == 1;
		leave(&sensor, self);
		CHECK_INT(ended_regions[INNER].whole, round == 2);
		enter(&sensor, self, INNER);
		sample(3);
		leave(&sensor, self);
		CHECK(ended_regions[INNER].whole);
		leave(&sensor, self);
		CHECK_INT(ended_regions[OUTER].whole, round == 2);
	}
	CHECK_INT(ended_regions[INNER].value, 3);
	end_on_thread(self);
}

TEST(sampler__packets_switched_off_and_on)
{
	struct thread *self;

	need_sensor(&sensor);
	self = begin_thread(&sensor, 0);
	enable(self, false);
	CHECK(!pmu.on);
	enter(&sensor, self, OUTER);
	sample(5);
	leave(&sensor, self);
	CHECK(!pmu.on && ended_regions[OUTER].value == 0);
	enable(self, true);
	enter(&sensor, self, OUTER);
	sample(5);
	leave(&sensor, self);
	CHECK(pmu.on);
	CHECK_INT(ended_regions[OUTER].value, 5);
	end_on_thread(self);
	enable(self, true); /* too late: does nothing */
}

TEST(sampler__packets_what_does_not_work_says_so)
{
	struct sensor_status status;
	struct thread self = { .index = 0 };

	need_sensor(&sensor);
	to_sample = 0;
	sensor.probe(&status);
	CHECK(!status.works && status.why == MS_MISSING_BROKEN);
	to_sample = 3;
	pmu.refusal = EPERM;
	sensor.probe(&status);
	CHECK(!status.works && status.why == MS_MISSING_NOT_PERMITTED &&
	      strstr(status.text, "ulimit -l"));
	CHECK(!sensor.thread_begin(&self));
	pmu.refusal = EOPNOTSUPP;
	sensor.probe(&status);
	CHECK(!status.works);
	CHECK(!sensor.thread_begin(&self));
}

/* ---------------------------------------------------------- several events, two kinds of cores */

#define A_KIND(core) \
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .config1 = (core), \
	.address = true, .data_source = true
enum { LARGER = 4, SMALLER = 10 };

static uint64_t by_period[64];

static bool add_by_period(void *state, const struct kernel_sample *one,
			  const struct kernel_event_spec *spec, const struct address_moment *moment)
{
	(void)moment;
	CHECK_INT(one->address, 0x7000);
	((struct seen *)state)->now++;
	by_period[spec->period]++;
	return true;
}

static const struct sampler_reader reader_of_records = { sizeof(struct seen), add_by_period, note,
							 taken, ended };
/* Loads and stores of each; periods tell them apart. */
static const struct sampler_kind hybrid = {
	.sensor = MS_SENSOR_ADDRESSES,
	.metric = MS_METRIC_ADDRESS_SAMPLES,
	.metric_lost = MS_METRIC_ADDRESS_SAMPLES_LOST,
	.events = { { A_KIND(LARGER), .period = 11 },
		    { A_KIND(LARGER), .period = 12 },
		    { A_KIND(SMALLER), .period = 21 },
		    { A_KIND(SMALLER), .period = 22 } },
	.nr_events = 4,
	.reader = &reader_of_records,
	.ring_bytes = 8192,
	.ring_bytes_initial = 8192,
};

/* While the thread is on such a core, by all events of these. */
static void sample_on(uint64_t core, int nr)
{
	struct {
		struct perf_event_header header;
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time, address, weight, source;
	} record = { { .type = PERF_RECORD_SAMPLE,
		       .misc = PERF_RECORD_MISC_USER,
		       .size = sizeof(record) },
		     .ip = 0x401000,
		     .address = 0x7000 };

	for (uint32_t i = 0; i < hybrid.nr_events; i++) {
		CHECK(!ioctl(i ? pmu.beside[i - 1] : pmu.first, PERF_EVENT_IOC_ID, &record.id));
		for (int n = 0; n < nr && hybrid.events[i].config1 == core; n++)
			put_record(&record.header);
	}
}

TEST(sampler__each_kind_of_cores_has_events)
{
	struct thread *self = mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct frame *frame = self->frames;

	self->summary = summary_new();
	if (!sampler_begin(&hybrid, self))
		test_skip("no events of the kernel here");
	sampler_switch(&hybrid, self, true);
	CHECK_INT(pmu.nr_beside, 3);
	for (int round = 1; round <= 3; round++) {
		*frame = (struct frame){ .region = OUTER,
					 .epoch = 1,
					 .requests = 1u << MS_SENSOR_ADDRESSES };
		self->depth = 1;
		sampler_region_begin(&hybrid, self, frame);
		sample_on(LARGER, 3 * round);
		sample_on(SMALLER, round); /* the thread is moved */
		sampler_region_end(&hybrid, self, frame);
		self->depth = 0;
		CHECK_INT(ended_regions[OUTER].value, 8 * round);
		CHECK(ended_regions[OUTER].whole);
	}
	CHECK_INT(by_period[11], 18);
	CHECK_INT(by_period[12], 18);
	CHECK_INT(by_period[21], 6);
	CHECK_INT(by_period[22], 6);
	sampler_end(&hybrid, self);
}

/* None of them may be missing: what the thread does on such a core would look like nothing. */
TEST(sampler__all_events_or_none)
{
	struct sampler_kind lacks = hybrid;
	struct thread self = { .index = 0 };

	lacks.events[3].type = 0x7fffffff;
	CHECK(!sampler_begin(&lacks, &self));
	CHECK(!self.sensor[MS_SENSOR_ADDRESSES]);
}
#endif
