/* SPDX-License-Identifier: Apache-2.0 */
/* Which acquisitions of locks are measured. */
#include "ompt_tool/events/mutex_sampling.h"

#include "ompt_tool/events/event.h"

#define BURST 16  /* acquisitions measured one after the other */
#define EXACT 256 /* the first ones */
/*
 * An acquisition and its release take some 150 ns to measure: where the mean distance is below this
 * it is more than 4 % of the time.
 */
#define FREQUENT_NS 4000

static struct lock_sampling *sampling_of(struct thread *self)
{
	struct lock_sampling *sampling = &self->lock_sampling;
	uint32_t generation = __atomic_load_n(&events.lock_generation, __ATOMIC_RELAXED);

	if (sampling->generation == generation)
		return sampling;
	*sampling = (struct lock_sampling){ .generation = generation, .bursts = 1 };
	self->nr_held = 0; /* may have been released since */
	return sampling;
}

/* The next one stands for that many bursts, of which the others are skipped before it. */
static void end_burst(struct thread *self)
{
	struct lock_sampling *sampling = &self->lock_sampling;
	uint64_t ns = sampling->now_ns - sampling->begin_ns;
	bool frequent = sampling->nr_bursts * BURST >= EXACT && ns < BURST * FREQUENT_NS;

	sampling->end_ns = sampling->now_ns;
	sampling->bursts_ns += ns;
	sampling->nr_bursts++;
	sampling->bursts = frequent ? event_cost_distance(self) : 1;
	sampling->to_skip = (sampling->bursts - 1) * BURST;
	sampling->taken = 0;
}

static bool skips(struct thread *self)
{
	struct lock_sampling *sampling = &self->lock_sampling;

	if (sampling->taken >= BURST)
		end_burst(self);
	if (sampling->to_skip) {
		sampling->to_skip--;
		event_cost_add_skipped(self);
		return true;
	}
	sampling->begins |= !sampling->taken++;
	return false;
}

bool mutex_sampling_takes(struct thread *self, ompt_mutex_t kind)
{
	struct lock_sampling *sampling = sampling_of(self);
	/* inside of one that is measured, to tell their ends apart */
	bool forced = self->nr_held && kind == ompt_mutex_critical;

	sampling->single = mutex_is_nest(kind);
	sampling->taken += forced;
	sampling->skipped = false;
	if (forced || sampling->single)
		return true;
	if (!sampling->tried)
		sampling->skips_next = skips(self);
	sampling->tried = mutex_is_test(kind);
	sampling->skipped = sampling->skips_next;
	return !sampling->skipped;
}

bool mutex_sampling_took(struct thread *self)
{
	struct lock_sampling *sampling = &self->lock_sampling;

	sampling->tried &= sampling->single;
	return !sampling->skipped;
}

static void begin_burst(struct lock_sampling *sampling, uint64_t now_ns)
{
	uint64_t most = 256 * (uint64_t)(sampling->bursts ? sampling->bursts : 1);
	uint64_t times = 256;

	if (sampling->bursts_ns >= sampling->nr_bursts && sampling->nr_bursts)
		times += 256 * (now_ns - sampling->end_ns) /
			 (sampling->bursts_ns / sampling->nr_bursts);
	sampling->begins = false;
	sampling->begin_ns = now_ns;
	sampling->of.nr = (uint32_t)(most / 256);
	sampling->of.times_256 = (uint32_t)(times < most ? times : most);
}

void mutex_sampling_note(struct thread *self, uint64_t now_ns)
{
	struct lock_sampling *sampling = &self->lock_sampling;

	if (sampling->single)
		return;
	/* or a test lock without mutex_acquire */
	if (sampling->begins || !sampling->of.nr)
		begin_burst(sampling, now_ns);
	sampling->now_ns = now_ns;
}

struct lock_handover mutex_sampling_handover(struct thread *self, struct lock_weight weight,
					     bool handover, uint64_t handover_ns)
{
	struct lock_sampling *sampling = &self->lock_sampling;

	if (weight.nr == 1) {
		sampling->acquisitions++;
		sampling->handovers += handover;
		sampling->handover_ns += handover ? handover_ns : 0;
		return (struct lock_handover){ handover ? 256 : 0, handover_ns };
	}
	if (!sampling->handovers)
		return (struct lock_handover){ 0 };
	return (struct lock_handover){ (uint32_t)(256 * weight.nr * sampling->handovers /
						  sampling->acquisitions),
				       sampling->handover_ns / sampling->handovers };
}
