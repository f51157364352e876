/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampling events of one thread: opened, drained at region boundaries, folded into sites and the
 * summary.
 */
#define _GNU_SOURCE
#include "ompt_tool/sampling/sampler.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "analysis/base/own_memory.h"
#include "memsearch/sensor.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sampling/address_tally.h"
#include "ompt_tool/sampling/callers.h"
#include "ompt_tool/sampling/privilege.h"
#include "ompt_tool/sampling/registers.h"
#include "ompt_tool/sampling/ring.h"
#include "ompt_tool/sampling/site_table.h"
#include "ompt_tool/sampling/spe.h"

#define SMALL_RECORD 48 /* without registers and stack */
/* if less than this is free in the ring, a record may have been lost */
#define LARGEST_RECORD 512
#define PIECE_OF_MEMORY (1ull << 63)
#define PIECE_SHIFT 20 /* some 4 stacks in each, at one in 61 pages of 4 KiB */
#define SLOWEST 16     /* limit of the period's growth */

/* User of the descriptors: another thread that switches the event, or the owner at its end. */
enum hands { HANDS_NONE, HANDS_SWITCHING, HANDS_ENDED, HANDS_CLOSED };

struct sampler {
	bool alive;        /* false in a fork's child, and after the thread's end */
	bool refused_ring; /* the event could be opened, but not its ring */
	bool reported;     /* losses were reported in reported_epoch */
	uint32_t reported_epoch;
	enum hands hands;
	struct ring ring;
	struct kernel_event events[SAMPLER_EVENTS]; /* as many as the kind has */
	struct spe_stream packets;                  /* no area: samples are records */
	uint64_t weight;                            /* number of periods that a sample represents */
	uint32_t one_by_one;      /* the kind's, reduced to the available room; 0: no limit */
	uint64_t allowed;         /* atomic; samples of the first event */
	uint64_t allowed_ns;      /* atomic; time of that */
	uint64_t seen;            /* atomic store; samples of the first event that were read */
	uint64_t since_last;      /* of those, after the last event's last sample */
	uint64_t last_address;    /* address of the last event's last sample */
	uint64_t last_ns;         /* its time */
	uint64_t lost_last;       /* samples of the last event, as the kernel counts them */
	uint64_t lost;            /* samples, by the kernel's count */
	uint64_t dropped;         /* samples without a site, because the table was full */
	uint64_t lost_unreported; /* times their weight, not yet in the summary */
	/* lost samples, including those of earlier threads in this block */
	uint64_t lost_ever;
	struct touch_log *touches; /* NULL: touches are not kept */
	uint64_t untouched;        /* touches not kept for lack of a log */
	uint64_t drained;          /* time (array.h) of the last reading of the ring */
	void *state;               /* of the kind's reader */
	struct site_table table;
};

struct code_range {
	uintptr_t low, high;
};

static struct code_range tool_code;
static bool switched_on[MS_SENSORS]; /* for threads that begin later; atomic */
static bool interrupted[MS_SENSORS]; /* was switched on, then off; atomic */

/* Words of a frame's sensor state. */
enum sampler_state {
	STATE_TAKEN, /* samples so far, lost ones included */
	STATE_FLAGS, /* enum below */
	STATE_READER /* first word of the reader's */
};
enum state_flags {
	STATE_ENDED = 1, /* reported; its (late) end event may follow */
	STATE_GAP = 2,   /* an unknown number of samples is missing */
};
_Static_assert(STATE_READER == SAMPLER_STATE, "the reader's words are behind the sampler's");

static bool contains(const struct code_range *range, uint64_t address)
{
	return address - range->low < range->high - range->low;
}

static struct sampler *sampler_of(const struct sampler_kind *kind, const struct thread *thread)
{
	return thread->sensor[kind->sensor];
}

/*
 * The module that contains this function is the tool, unless it is the first module, the program.
 */
static int note_module(struct dl_phdr_info *info, size_t size, void *seen)
{
	struct code_range range = { UINTPTR_MAX, 0 };

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		range.low = low < range.low ? low : range.low;
		range.high = low + info->dlpi_phdr[i].p_memsz > range.high
				     ? low + info->dlpi_phdr[i].p_memsz
				     : range.high;
	}
	if (*(bool *)seen && contains(&range, (uintptr_t)note_module))
		tool_code = range;
	*(bool *)seen = true;
	return 0;
}

/* A stack is needed only to trace a library's instruction to the program. */
static void keep_stack(struct sampler *sampler, struct site *site,
		       const struct kernel_sample *sample)
{
	struct site_stack *stack;

	if (!sample->registers || callers_is_own(sample->ip))
		return;
	stack = site_table_stack(&sampler->table, site);
	if (!stack)
		return;
	memcpy(stack->registers, sample->registers, register_map.nr * sizeof(stack->registers[0]));
	stack->caller = callers_of(sample);
	stack->bytes = sample->stack_bytes < SAMPLE_STACK_BYTES ? sample->stack_bytes
								: SAMPLE_STACK_BYTES;
	memcpy(stack->memory, sample->stack, stack->bytes);
	site_table_publish(&sampler->table, site, stack);
}

struct drain {
	const struct sampler_kind *kind;
	struct sampler *sampler;
	struct thread *thread;
	uint32_t region;
	uint64_t taken;        /* samples times their weight */
	uint64_t lost_records; /* number in PERF_RECORD_LOST records */
	bool gap;              /* an unknown number of samples is missing */
	bool stopped;          /* the event of packets is, while they are read */
	uint64_t now;          /* array.h */
	uint16_t core, team;   /* as in touch_log.h */
};

/* Faults that the tool itself causes: in its code, or in its tables while libc copies into them. */
static bool is_tools_own(const struct drain *drain, const struct kernel_sample *sample)
{
	if (!drain->kind->leaves_out_tool)
		return false;
	for (int i = 0; i < MS_SENSORS; i++)
		if ((i == MS_SENSOR_SAMPLES || i == MS_SENSOR_FAULTS || i == MS_SENSOR_ADDRESSES) &&
		    drain->thread->sensor[i] &&
		    sample->address - (uintptr_t)drain->thread->sensor[i] < sizeof(struct sampler))
			return true;
	if (drain->sampler->state &&
	    sample->address - (uintptr_t)drain->sampler->state < drain->kind->reader->state_bytes)
		return true;
	if (drain->sampler->touches &&
	    sample->address - (uintptr_t)drain->sampler->touches < sizeof(struct touch_log))
		return true;
	return contains(&tool_code, sample->ip);
}

static void keep_touch(const struct drain *drain, const struct site *site,
		       const struct kernel_sample *sample, const struct array_place *place,
		       uint64_t faults)
{
	struct sampler *sampler = drain->sampler;
	struct touch touch = {
		.address = sample->address,
		.place = *place,
		.time = drain->now,
		.when_ns = sample->when_ns,
		.site = site ? (uint32_t)(site - sampler->table.sites) : TOUCH_SITE_NONE,
		.node = drain->thread->last_cpu ? (uint16_t)drain->thread->last_node
						: TOUCH_NODE_UNKNOWN,
		.core = drain->core,
		.team = drain->team,
		.page_shift = sample->page_bytes ? (uint8_t)__builtin_ctzll(sample->page_bytes) : 0,
		.others = (uint8_t)(faults - 1),
	};

	if (!sampler->touches) {
		sampler->untouched++;
		return;
	}
	touch_log_add(sampler->touches, &touch);
}

static void note_lost(struct drain *drain, const struct perf_event_header *record)
{
	if (record->type == PERF_RECORD_LOST && record->size >= sizeof(*record) + 16)
		drain->lost_records += ((const uint64_t *)(record + 1))[1];
}

/* Index of the event that wrote the record. */
static uint32_t event_of(const struct drain *drain, const struct perf_event_header *record)
{
	uint64_t id = kernel_event_of(record);
	uint32_t i = id ? drain->kind->nr_events - 1 : 0;

	while (i > 0 && drain->sampler->events[i].id != id)
		i--;
	return i;
}

/* Number of events whose samples count; they come first. */
static uint32_t counting_events(const struct sampler_kind *kind)
{
	return kind->nr_events - kind->last_brings_stacks;
}

/* Whether the first event has taken all samples it was allowed, and is disabled. */
static bool rests(const struct sampler *sampler)
{
	return sampler->one_by_one &&
	       sampler->seen >= __atomic_load_n(&sampler->allowed, __ATOMIC_RELAXED);
}

/*
 * Number of samples that a sample represents. The last event's sample precedes the first event's of
 * the same moment.
 */
static uint64_t worth(const struct drain *drain, uint32_t event, const struct kernel_sample *sample)
{
	struct sampler *sampler = drain->sampler;
	uint64_t known = sampler->since_last, period = drain->kind->events[event].period;
	bool alone;

	if (event < counting_events(drain->kind)) {
		__atomic_store_n(&sampler->seen, sampler->seen + 1, __ATOMIC_RELAXED);
		sampler->since_last += sample->address != sampler->last_address;
		return sampler->weight;
	}
	sampler->since_last = 0;
	sampler->last_address = sample->address;
	alone = !known &&
		sampler->last_ns > __atomic_load_n(&sampler->allowed_ns, __ATOMIC_RELAXED);
	sampler->last_ns = sample->when_ns;
	if (alone && !rests(sampler)) /* some samples were not read */
		__atomic_store_n(&sampler->seen,
				 __atomic_load_n(&sampler->allowed, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
	if (!rests(sampler))
		return 0;
	return known < period ? period - known : 1;
}

/*
 * Key that distinguishes calls in a library. Declared data structures may not be known yet: then
 * pieces of memory are used.
 */
static struct site_key key_of(const struct drain *drain, const struct kernel_sample *sample,
			      const struct array_place *place)
{
	struct site_key key = { .ip = sample->ip, .region = drain->region };

	if (callers_is_own(sample->ip))
		return key;
	if (!drain->kind->keeps_touches)
		key.caller = callers_of(sample);
	else
		key.data = place->array != ARRAY_NONE
				   ? (uint64_t)place->array + 1
				   : PIECE_OF_MEMORY | sample->address >> PIECE_SHIFT;
	return key;
}

static void take(void *ctx, const struct perf_event_header *record)
{
	struct drain *drain = ctx;
	uint32_t event = event_of(drain, record);
	uint64_t counts;
	struct array_place place = { .array = ARRAY_NONE };
	struct kernel_sample sample;
	struct site_key key;
	struct site *site;

	note_lost(drain, record);
	if (!kernel_event_parse(record, &drain->kind->events[event], &sample))
		return;
	counts = worth(drain, event, &sample);
	if (is_tools_own(drain, &sample))
		return;
	drain->taken += counts;
	if (drain->kind->keeps_touches &&
	    !array_at(sample.address, drain->sampler->drained, drain->now, &place))
		place.array = ARRAY_NONE;
	key = key_of(drain, &sample, &place);
	site = site_table_get(&drain->sampler->table, &key, sample.address);
	if (counts && drain->kind->keeps_touches)
		keep_touch(drain, site, &sample, &place, counts);
	if (!site) {
		drain->sampler->dropped += counts > 0;
		return;
	}
	if (counts)
		site_table_count(site, counts);
	keep_stack(drain->sampler, site, &sample);
}

/* Drops samples of the tool's own code; the reader decides about all others. */
static void hand_sample(struct drain *drain, const struct kernel_sample *sample,
			const struct kernel_event_spec *spec)
{
	const struct address_moment moment = { drain->sampler->drained, drain->now,
					       drain->sampler->weight };

	if (!is_tools_own(drain, sample) &&
	    drain->kind->reader->add(drain->sampler->state, sample, spec, &moment))
		drain->taken += drain->sampler->weight;
}

static void hand_packets(void *ctx, const struct kernel_sample *sample)
{
	struct drain *drain = ctx;

	hand_sample(drain, sample, &drain->kind->events[0]);
}

static void hand_over(void *ctx, const struct perf_event_header *record)
{
	struct drain *drain = ctx;
	const struct kernel_event_spec *spec = &drain->kind->events[event_of(drain, record)];
	struct kernel_sample sample;

	note_lost(drain, record);
	if (kernel_event_parse(record, spec, &sample)) {
		hand_sample(drain, &sample, spec);
		return;
	}
	drain->kind->reader->note(drain->sampler->state, record);
	if (spec->packets)
		drain->gap |= !spe_stream_take(&drain->sampler->packets, spec->packets, record,
					       hand_packets, drain);
}

/*
 * A ring that overflows between two region boundaries contains only the earliest samples: fewer
 * samples from the whole time are better.
 */
static void slow_down(const struct sampler_kind *kind, struct sampler *sampler)
{
	uint64_t weight = sampler->weight * 2;

	if (!kind->slows_down || sampler->weight >= SLOWEST ||
	    !kernel_event_set_period(&sampler->events[0], kind->events[0].period * weight))
		return;
	sampler->weight = weight;
	for (uint32_t i = 1; i < counting_events(kind); i++)
		kernel_event_set_period(&sampler->events[i], kind->events[i].period * weight);
}

/* Losses by the kernel's count per event; false: not supported. */
static bool lost_of(const struct sampler_kind *kind, const struct sampler *sampler,
		    uint64_t *lost_out)
{
	*lost_out = 0;
	for (uint32_t i = 0; i < counting_events(kind); i++) {
		uint64_t lost;

		if (!kernel_event_lost(&sampler->events[i], &lost))
			return false;
		*lost_out += lost;
	}
	return true;
}

/* While the last event replaces the first one, its losses count. */
static uint64_t lost_sparsely(const struct sampler_kind *kind, struct sampler *sampler)
{
	uint64_t before = sampler->lost_last;

	if (!sampler->one_by_one ||
	    !kernel_event_lost(&sampler->events[kind->nr_events - 1], &sampler->lost_last))
		return 0;
	return rests(sampler)
		       ? (sampler->lost_last - before) * kind->events[kind->nr_events - 1].period
		       : 0;
}

/* Returns the samples lost since the last time, times their weight. */
static uint64_t note_losses(const struct sampler_kind *kind, struct sampler *sampler,
			    uint64_t lost_records)
{
	uint64_t lost = sampler->lost + lost_records, weighted;

	if (sampler->events[0].counts_lost && !lost_of(kind, sampler, &lost))
		return 0;
	lost = lost > sampler->lost ? lost - sampler->lost : 0;
	sampler->lost += lost;
	__atomic_store_n(&sampler->seen, sampler->seen + lost, __ATOMIC_RELAXED);
	lost += lost_sparsely(kind, sampler);
	if (!lost)
		return 0;
	weighted = lost * sampler->weight;
	sampler->lost_unreported += weighted;
	sampler->lost_ever += lost;
	slow_down(kind, sampler);
	return weighted;
}

/* Serial stretches are the initial thread's, and have a frame outside of the stack. */
static void note_team(struct drain *drain, const struct frame *frame)
{
	const struct frame *outermost = drain->thread->frames;
	bool in_team = frame >= outermost && frame < outermost + THREAD_FRAMES &&
		       outermost->type == FRAME_PARALLEL;
	uint32_t team = in_team && outermost->parallel
				? __atomic_load_n(&outermost->parallel->threads, __ATOMIC_RELAXED)
				: 0;

	drain->core = (uint16_t)(in_team ? outermost->team_index : drain->thread->index);
	drain->team = (uint16_t)(in_team && !team ? UINT16_MAX : in_team ? team : 1);
}

/*
 * Allows `one_by_one` further samples; at least one: the kernel may have taken the samples in the
 * ring meanwhile, and 0 would mean no limit.
 */
static bool allow(struct sampler *sampler)
{
	uint64_t seen = __atomic_load_n(&sampler->seen, __ATOMIC_RELAXED),
		 allowed = __atomic_load_n(&sampler->allowed, __ATOMIC_RELAXED);
	uint64_t left = allowed > seen ? allowed - seen : 0,
		 more = left < sampler->one_by_one ? sampler->one_by_one - left : 1;

	__atomic_store_n(&sampler->allowed, allowed + more, __ATOMIC_RELAXED);
	if (!kernel_event_allow(&sampler->events[0], (uint32_t)more))
		return false;
	__atomic_store_n(&sampler->allowed_ns, thread_clock_ns(), __ATOMIC_RELAXED);
	return true;
}

/* The other events first: their records go to the first one's ring. */
static bool switch_events(const struct sampler_kind *kind, struct sampler *sampler, bool on)
{
	for (uint32_t i = kind->nr_events - 1; i > 0; i--)
		kernel_event_switch(&sampler->events[i], on);
	if (!on || !sampler->one_by_one)
		return kernel_event_switch(&sampler->events[0], on);
	return allow(sampler);
}

static void close_events(const struct sampler_kind *kind, struct sampler *sampler)
{
	for (uint32_t i = kind->nr_events; i > 0; i--)
		kernel_event_close(&sampler->events[i - 1]);
	__atomic_store_n(&sampler->hands, HANDS_CLOSED, __ATOMIC_RELEASE);
}

/*
 * Brings the events to the wanted state; the thread that holds them also does it for threads that
 * call meanwhile.
 */
static void settle(const struct sampler_kind *kind, struct sampler *sampler)
{
	bool on;

	do {
		enum hands expected = HANDS_NONE;

		if (!__atomic_compare_exchange_n(&sampler->hands, &expected, HANDS_SWITCHING, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return;
		on = __atomic_load_n(&switched_on[kind->sensor], __ATOMIC_SEQ_CST);
		switch_events(kind, sampler, on);
		expected = HANDS_SWITCHING;
		if (!__atomic_compare_exchange_n(&sampler->hands, &expected, HANDS_NONE, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			/* the owner ended meanwhile and left the closing to this thread */
			close_events(kind, sampler);
			return;
		}
	} while (on != __atomic_load_n(&switched_on[kind->sensor], __ATOMIC_SEQ_CST));
}

/*
 * When their event stops, all packets are in memory and have records (Linux, arm_spe_pmu.c). No
 * effect while another thread switches it. True: call `settle`, which restarts it.
 */
static bool stop_packets(const struct sampler_kind *kind, struct sampler *sampler)
{
	enum hands expected = HANDS_NONE;

	if (!sampler->packets.area.page ||
	    !__atomic_load_n(&switched_on[kind->sensor], __ATOMIC_SEQ_CST) ||
	    !__atomic_compare_exchange_n(&sampler->hands, &expected, HANDS_SWITCHING, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return false;
	switch_events(kind, sampler, false);
	__atomic_store_n(&sampler->hands, HANDS_NONE, __ATOMIC_SEQ_CST);
	return true;
}

/* Renews the allowance, so that the next samples are taken individually. */
static void allow_more(const struct sampler_kind *kind, struct sampler *sampler)
{
	/* seldom, as it takes four system calls */
	uint64_t needed = sampler->seen + sampler->one_by_one - sampler->one_by_one / 8;

	if (needed > __atomic_load_n(&sampler->allowed, __ATOMIC_RELAXED) &&
	    __atomic_load_n(&switched_on[kind->sensor], __ATOMIC_SEQ_CST))
		settle(kind, sampler);
}

/* The event was not on the PMU; restarting it retries. */
static bool packets_failed(const struct sampler *sampler)
{
	return sampler->packets.area.page && !kernel_event_runs(&sampler->events[0]);
}

/* Skips a record, but counts it for the allowance. */
static void pass_over(void *ctx, const struct perf_event_header *record)
{
	const struct drain *drain = ctx;
	uint32_t event = event_of(drain, record);
	struct kernel_sample sample;

	if (kernel_event_parse(record, &drain->kind->events[event], &sample))
		worth(drain, event, &sample);
}

static void discard(struct drain *drain)
{
	struct sampler *sampler = drain->sampler;

	if (sampler->one_by_one)
		ring_drain(&sampler->ring, pass_over, drain);
	else
		ring_discard(&sampler->ring);
	if (sampler->packets.area.page)
		spe_stream_discard(&sampler->packets);
}

/* Missing samples of unknown number affect all enclosing constructs. */
static void note_gap(const struct sampler_kind *kind, struct thread *thread, struct frame *frame)
{
	uint32_t depth = thread->depth < THREAD_FRAMES ? thread->depth : THREAD_FRAMES;

	frame->sensor_state[kind->sensor][STATE_FLAGS] |= STATE_GAP;
	for (struct frame *outer = thread->frames; outer < thread->frames + depth; outer++)
		if (outer->requests >> kind->sensor & 1)
			outer->sensor_state[kind->sensor][STATE_FLAGS] |= STATE_GAP;
}

/* If the kernel had no room for their record, packets are in the area without a record. */
static void end_packets(struct drain *drain)
{
	struct spe_stream *packets = &drain->sampler->packets;

	if (drain->stopped && !aux_area_is_drained(&packets->area)) {
		drain->gap = true;
		spe_stream_discard(packets);
	} else {
		aux_area_consumed(&packets->area);
	}
}

static void read_for(struct drain *drain, struct frame *frame)
{
	const struct sampler_kind *kind = drain->kind;
	struct sampler *sampler = drain->sampler;

	drain->region = frame->region;
	note_team(drain, frame);
	ring_drain(&sampler->ring, kind->reader ? hand_over : take, drain);
	if (sampler->packets.area.page)
		end_packets(drain);
	if (kind->reader)
		kind->reader->taken(sampler->state, drain->thread, frame);
	if (!drain->gap)
		return;
	note_gap(kind, drain->thread, frame);
	slow_down(kind, sampler);
}

/* Adds the kernel's time for the samples in the ring, which callbacks do not measure. */
static void note_kernel_time(const struct sampler_kind *kind, struct thread *thread, uint64_t bytes)
{
	if (kind->kernel_ns)
		__atomic_store_n(&thread->sampled_ns,
				 thread->sampled_ns + bytes / kind->record_bytes * kind->kernel_ns,
				 __ATOMIC_RELAXED);
}

/*
 * Reads the ring into the frame's region; without a requesting frame the samples are dropped. Lost
 * samples count for that region, too, without a place.
 */
static void drain_into(const struct sampler_kind *kind, struct thread *thread, struct frame *frame)
{
	struct sampler *sampler = sampler_of(kind, thread);
	struct drain drain = {
		.kind = kind, .sampler = sampler, .thread = thread, .gap = packets_failed(sampler)
	};
	uint64_t lost = 0;
	bool full;

	drain.stopped = stop_packets(kind, sampler);
	note_kernel_time(kind, thread, ring_pending(&sampler->ring));
	full = ring_pending(&sampler->ring) + LARGEST_RECORD > sampler->ring.bytes;
	drain.now = kind->keeps_touches || kind->reader ? array_time() : 0;
	if (frame)
		read_for(&drain, frame);
	else
		discard(&drain);
	sampler->drained = drain.now;
	if (full || drain.lost_records)
		lost = note_losses(kind, sampler, drain.lost_records);
	if (frame)
		frame->sensor_state[kind->sensor][STATE_TAKEN] += drain.taken + lost;
	if (drain.stopped)
		settle(kind, sampler);
	if (sampler->one_by_one)
		allow_more(kind, sampler);
}

/* The innermost of the first `nr` frames that requested this sensor and is still measured. */
static struct frame *innermost(const struct sampler_kind *kind, struct thread *thread, uint32_t nr)
{
	for (uint32_t i = nr < THREAD_FRAMES ? nr : THREAD_FRAMES; i > 0; i--)
		if (thread->frames[i - 1].requests & (1u << kind->sensor) &&
		    !(thread->frames[i - 1].sensor_state[kind->sensor][STATE_FLAGS] & STATE_ENDED))
			return &thread->frames[i - 1];
	return NULL;
}

static bool has_something(const struct sampler *sampler)
{
	return sampler && sampler->alive &&
	       (ring_pending(&sampler->ring) || sampler->packets.area.page);
}

/*
 * Without a requesting frame the samples stay in the ring: serial stretches are measured by a frame
 * outside of the stack.
 */
void sampler_drain(const struct sampler_kind *kind, struct thread *thread)
{
	struct frame *frame = innermost(kind, thread, thread->depth);

	if (frame && has_something(sampler_of(kind, thread)))
		drain_into(kind, thread, frame);
}

/* Frames below this one. The frame of a serial stretch is not on the stack. */
static uint32_t frames_below(const struct thread *self, const struct frame *frame)
{
	bool on_stack = frame >= self->frames && frame < self->frames + THREAD_FRAMES;

	return on_stack ? (uint32_t)(frame - self->frames) : self->depth;
}

void sampler_region_begin(const struct sampler_kind *kind, struct thread *self, struct frame *frame)
{
	memset(frame->sensor_state[kind->sensor], 0, sizeof(frame->sensor_state[kind->sensor]));
	if (has_something(sampler_of(kind, self)))
		drain_into(kind, self, innermost(kind, self, frames_below(self, frame)));
}

/* Once an epoch even if nothing was lost: a loss of 0 is a number, no row is none. */
static void report_losses(const struct sampler_kind *kind, struct thread *self, uint32_t epoch)
{
	struct sampler *sampler = sampler_of(kind, self);

	if (!sampler->lost_unreported && sampler->reported && sampler->reported_epoch == epoch)
		return;
	summary_add(self->summary, MS_REGION_USER, kind->metric_lost,
		    (double)sampler->lost_unreported);
	sampler->lost_unreported = 0;
	sampler->reported = true;
	sampler->reported_epoch = epoch;
}

/*
 * Software events need no hardware counter; for packets it was noted when they were read. An event
 * of a kind of core that the thread is not on is idle, but works.
 */
static bool runs(const struct sampler_kind *kind, const struct sampler *sampler)
{
	if (!kind->events[0].type || sampler->packets.area.page)
		return true;
	for (uint32_t i = 0; i < kind->nr_events; i++)
		if (!kernel_event_runs(&sampler->events[i]))
			return false;
	return true;
}

void sampler_region_end(const struct sampler_kind *kind, struct thread *self, struct frame *frame)
{
	struct sampler *sampler = sampler_of(kind, self);

	if (!sampler || !sampler->alive)
		return;
	if (has_something(sampler))
		drain_into(kind, self,
			   frames_below(self, frame) == self->depth
				   ? frame
				   : innermost(kind, self, self->depth));
	if (kind->reader)
		kind->reader->ended(
			sampler->state, self, frame,
			runs(kind, sampler) &&
				!(frame->sensor_state[kind->sensor][STATE_FLAGS] & STATE_GAP));
	else
		summary_add(self->summary, frame->region, kind->metric,
			    (double)frame->sensor_state[kind->sensor][STATE_TAKEN]);
	frame->sensor_state[kind->sensor][STATE_FLAGS] |= STATE_ENDED;
	report_losses(kind, self, frame->epoch);
}

/* Opens a further event that writes to the ring of the first. */
static enum ms_status open_beside(const struct sampler_kind *kind, struct sampler *sampler,
				  uint32_t i)
{
	enum ms_status status = kernel_event_open(&sampler->events[i], &kind->events[i]);

	if (status == MS_OK && !kernel_event_redirect(&sampler->events[i], &sampler->events[0])) {
		kernel_event_close(&sampler->events[i]);
		status = MS_ERR_IO;
	}
	return i < counting_events(kind) ? status : MS_OK;
}

static void unmap(struct sampler *sampler)
{
	spe_decoder_cut(&sampler->packets.decoder);
	aux_area_unmap(&sampler->packets.area);
	ring_unmap(&sampler->ring);
}

static enum ms_status open_events(const struct sampler_kind *kind, struct sampler *sampler,
				  bool is_initial)
{
	enum ms_status status = kernel_event_open(&sampler->events[0], &kind->events[0]);
	uint32_t bytes = is_initial ? kind->ring_bytes_initial : kind->ring_bytes;
	int error;

	for (uint32_t i = 1; i < kind->nr_events; i++)
		sampler->events[i].fd = -1;
	if (status != MS_OK)
		return status;
	status = ring_map(&sampler->ring, sampler->events[0].fd, bytes,
			  is_initial ? RING_SHARE_INITIAL : RING_SHARE);
	if (status == MS_OK && kind->events[0].packets)
		status = aux_area_map(&sampler->packets.area, &sampler->ring, sampler->events[0].fd,
				      kind->aux_bytes);
	sampler->refused_ring = status != MS_OK;
	for (uint32_t i = 1; i < kind->nr_events && status == MS_OK; i++)
		status = open_beside(kind, sampler, i);
	if (status == MS_OK)
		return MS_OK;
	error = errno;
	unmap(sampler);
	close_events(kind, sampler);
	errno = error;
	return status;
}

/* A later thread may reuse a thread's block: the samples in it stay. */
static struct sampler *take_over(struct sampler *old)
{
	if (!old || old->alive || __atomic_load_n(&old->hands, __ATOMIC_ACQUIRE) != HANDS_CLOSED)
		return thread_memory(sizeof(*old));
	old->reported = false;
	old->lost = old->lost_last = 0;
	old->allowed = old->seen = old->since_last = 0;
	return old;
}

static bool give_state(const struct sampler_kind *kind, struct sampler *sampler)
{
	if (kind->reader && !sampler->state)
		sampler->state = thread_memory(kind->reader->state_bytes);
	return !kind->reader || sampler->state;
}

static void give_back(const struct sampler_kind *kind, struct sampler *sampler)
{
	if (sampler->state)
		own_memory_give_back(sampler->state, kind->reader->state_bytes);
	own_memory_give_back(sampler, sizeof(*sampler));
}

/*
 * Half of the ring is for these, if the last event can replace the first one and losses are known.
 */
static uint32_t one_by_one(const struct sampler_kind *kind, const struct sampler *sampler)
{
	uint64_t room = sampler->ring.bytes / 2 / SMALL_RECORD;

	if (!kind->last_brings_stacks || sampler->events[kind->nr_events - 1].fd < 0 ||
	    !sampler->events[0].counts_lost)
		return 0;
	return room < kind->one_by_one ? (uint32_t)room : kind->one_by_one;
}

bool sampler_begin(const struct sampler_kind *kind, struct thread *self)
{
	struct sampler *sampler = take_over(sampler_of(kind, self));

	if (!sampler)
		return false;
	if (!give_state(kind, sampler) || open_events(kind, sampler, !self->index) != MS_OK) {
		if (sampler != sampler_of(kind, self))
			give_back(kind, sampler);
		return false;
	}
	if (kind->keeps_touches && !sampler->touches)
		sampler->touches = thread_memory(sizeof(*sampler->touches));
	sampler->drained = array_time();
	sampler->weight = 1;
	sampler->one_by_one = one_by_one(kind, sampler);
	sampler->alive = true;
	__atomic_store_n(&sampler->hands, HANDS_NONE, __ATOMIC_RELEASE);
	if (__atomic_load_n(&switched_on[kind->sensor], __ATOMIC_ACQUIRE))
		switch_events(kind, sampler, true);
	__atomic_store_n(&self->sensor[kind->sensor], sampler, __ATOMIC_RELEASE);
	return true;
}

void sampler_switch(const struct sampler_kind *kind, struct thread *thread, bool on)
{
	struct sampler *sampler = __atomic_load_n(&thread->sensor[kind->sensor], __ATOMIC_ACQUIRE);

	if (!on && __atomic_load_n(&switched_on[kind->sensor], __ATOMIC_RELAXED))
		__atomic_store_n(&interrupted[kind->sensor], true, __ATOMIC_RELAXED);
	__atomic_store_n(&switched_on[kind->sensor], on, __ATOMIC_SEQ_CST);
	if (sampler)
		settle(kind, sampler);
}

bool sampler_interrupted(const struct sampler_kind *kind)
{
	return __atomic_load_n(&interrupted[kind->sensor], __ATOMIC_RELAXED);
}

/* The sites stay: they are read at the end of the run. */
void sampler_end(const struct sampler_kind *kind, struct thread *self)
{
	struct sampler *sampler = sampler_of(kind, self);

	if (!sampler || !sampler->alive)
		return;
	sampler_drain(kind, self);
	note_losses(kind, sampler, 0);
	if (sampler->lost_unreported)
		report_losses(kind, self, sampler->reported_epoch);
	sampler->alive = false;
	unmap(sampler);
	if (__atomic_exchange_n(&sampler->hands, HANDS_ENDED, __ATOMIC_ACQ_REL) == HANDS_NONE)
		close_events(kind, sampler);
}

void sampler_each(const struct sampler_kind *kind, const struct thread *thread,
		  void (*visit)(void *ctx, const struct sample_site *site), void *ctx)
{
	const struct sampler *sampler = sampler_of(kind, thread);

	if (sampler)
		site_table_each(&sampler->table, kind->metric, visit, ctx);
}

bool sampler_site(const struct sampler_kind *kind, const struct thread *thread, uint32_t position,
		  struct sample_site *out)
{
	const struct sampler *sampler = sampler_of(kind, thread);

	return sampler && site_table_at(&sampler->table, position, kind->metric, out);
}

uint64_t sampler_unreadable(const struct sampler_kind *kind, const struct thread *thread)
{
	const struct sampler *sampler = __atomic_load_n(&thread->sensor[kind->sensor],
							__ATOMIC_ACQUIRE);

	return sampler ? sampler->packets.decoder.unreadable : 0;
}

struct touch_log *sampler_touches(const struct sampler_kind *kind, const struct thread *thread)
{
	const struct sampler *sampler = __atomic_load_n(&thread->sensor[kind->sensor],
							__ATOMIC_ACQUIRE);

	return sampler ? sampler->touches : NULL;
}

void *sampler_state(const struct sampler_kind *kind, const struct thread *thread)
{
	const struct sampler *sampler = __atomic_load_n(&thread->sensor[kind->sensor],
							__ATOMIC_ACQUIRE);

	return sampler ? sampler->state : NULL;
}

struct samples_losses sampler_losses(const struct sampler_kind *kind, const struct thread *thread)
{
	const struct sampler *sampler = sampler_of(kind, thread);

	if (!sampler)
		return (struct samples_losses){ 0 };
	return (struct samples_losses){
		.lost = sampler->lost_ever,
		.sites = sampler->dropped,
		.touches = sampler->untouched +
			   (sampler->touches
				    ? __atomic_load_n(&sampler->touches->dropped, __ATOMIC_RELAXED)
				    : 0),
	};
}

static void count_access(void *ctx, const struct kernel_sample *sample)
{
	*(uint64_t *)ctx += sample->in_user && sample->address;
}

struct packet_count {
	struct sampler *sampler;
	const struct kernel_event_spec *spec;
	uint64_t accesses;
};

static void count_packets(void *ctx, const struct perf_event_header *record)
{
	struct packet_count *count = ctx;

	spe_stream_take(&count->sampler->packets, count->spec->packets, record, count_access,
			&count->accesses);
}

/*
 * The calibration must be in the ring, or in packets that the ring describes after the event is
 * stopped.
 */
static bool has_sampled(const struct sampler_kind *kind, struct sampler *sampler, bool in_ring)
{
	struct packet_count count = { sampler, &kind->events[0], 0 };

	if (!kind->events[0].packets)
		return in_ring;
	switch_events(kind, sampler, false);
	ring_drain(&sampler->ring, count_packets, &count);
	return count.accesses > 0;
}

static void run_calibration(const struct sampler_kind *kind, struct sampler *sampler,
			    struct sensor_status *status)
{
	if (!switch_events(kind, sampler, true) ||
	    !has_sampled(kind, sampler, kind->calibrate(&sampler->ring))) {
		*status = (struct sensor_status){ .why = MS_MISSING_BROKEN };
		snprintf(
			status->text, sizeof(status->text),
			"the event opens but samples nothing, not even what was done to be sampled");
	}
	switch_events(kind, sampler, false);
}

/*
 * Kernels and architectures without sampled registers: the callers of a library's instruction stay
 * unknown.
 */
static void give_up_stacks(struct sampler_kind *kind, struct sensor_status *status)
{
	kind->events[0].stack = false;
	kind->nr_events -= kind->last_brings_stacks;
	kind->last_brings_stacks = false;
	snprintf(status->text, sizeof(status->text),
		 "this kernel samples no registers and stacks: samples inside libraries cannot be "
		 "traced to the program's lines");
}

static bool stacks_refused(const struct sampler_kind *kind)
{
	const struct kernel_event_spec *spec =
		&kind->events[kind->last_brings_stacks ? kind->nr_events - 1 : 0];
	struct kernel_event event;
	enum ms_status status;

	if (!spec->stack || !register_map.mask)
		return spec->stack;
	status = kernel_event_open(&event, spec);
	kernel_event_close(&event);
	return status == MS_ERR_UNSUPPORTED;
}

void sampler_probe(struct sampler_kind *kind, struct sensor_status *status)
{
	struct sampler *sampler = thread_memory(sizeof(*sampler));
	bool seen = false;

	*status = (struct sensor_status){ .works = true };
	if (!sampler) {
		*status = (struct sensor_status){
			.why = MS_MISSING_NOT_SUPPORTED,
			.text = "no memory that a fork wipes (Linux 4.14)"
		};
		return;
	}
	dl_iterate_phdr(note_module, &seen);
	callers_begin();
	if (stacks_refused(kind))
		give_up_stacks(kind, status);
	if (open_events(kind, sampler, false) == MS_OK)
		run_calibration(kind, sampler, status);
	else if (sampler->refused_ring)
		privilege_ring_refused(errno, status);
	else
		privilege_open_refused(errno, status);
	unmap(sampler);
	close_events(kind, sampler);
	own_memory_give_back(sampler, sizeof(*sampler));
}
