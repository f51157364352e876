/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs entries and exits of loops and functions. */
#include "ompt_tool/accesses/loop_clock.h"

#include "analysis/trace/stretch_rows.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/clones/clone_loops.h"

struct event {
	uint32_t number; /* of the loop */
	uint64_t ticks, stack;
};

static void lose(struct loop_clock *clock)
{
	const struct loop_open *open = &clock->open[--clock->nr];

	clock->lost(clock->ctx, open->construct);
}

static bool is_around(uint32_t outer, const struct clone_loop *loop)
{
	uint32_t number = loop->parent;

	while (number && number != outer && clone_loop(number))
		number = clone_loop(number)->parent;
	return number == outer;
}

/*
 * Whether the entry cannot be live when the other one happens. A call has a lower stack pointer than
 * its caller; a recursive call has a function's entry between the loops.
 */
static bool is_stale(const struct loop_open *open, const struct event *entry)
{
	const struct clone_loop *loop = clone_loop(entry->number), *of = clone_loop(open->number);

	if (loop->is_function)
		return open->stack <= entry->stack;
	return open->stack < entry->stack ||
	       (of->function == loop->function && !is_around(open->number, loop));
}

static void enter(struct loop_clock *clock, uint32_t construct, const struct event *entry)
{
	while (clock->nr && is_stale(&clock->open[clock->nr - 1], entry))
		lose(clock);
	if (clock->nr == LOOP_CLOCK_DEPTH) {
		clock->lost(clock->ctx, construct);
		return;
	}
	clock->open[clock->nr++] = (struct loop_open){ .number = entry->number,
						       .construct = construct,
						       .begun = entry->ticks,
						       .stack = entry->stack,
						       .paused = clock->paused,
						       .events = clock->events };
}

static bool is_outermost(const struct loop_clock *clock, uint32_t joined)
{
	for (uint32_t i = 0; i < clock->nr; i++)
		if (loop_joined(clock->open[i].number) == joined)
			return false;
	return true;
}

static uint64_t without(uint64_t ticks, uint64_t part)
{
	return ticks > part ? ticks - part : 0;
}

/* Between the two times of an event's begin and end lies one event, half of each. */
static void close(struct loop_clock *clock, const struct event *exit)
{
	const struct loop_open *open = &clock->open[--clock->nr];
	uint64_t probe_ticks = (clock->events - open->events) * clock->event_ticks;
	uint64_t elapsed = without(without(exit->ticks, open->begun), clock->paused - open->paused);
	struct loop_span span = { .loop = loop_joined(open->number),
				  .construct = open->construct,
				  .ticks = without(elapsed, probe_ticks),
				  .probe_ticks = probe_ticks };

	span.own_ticks = without(span.ticks, open->inner_ticks);
	span.outermost = is_outermost(clock, span.loop);
	if (clock->nr)
		clock->open[clock->nr - 1].inner_ticks += span.ticks;
	clock->closed(clock->ctx, &span);
}

/* An exit without entry is one of a loop that was entered in the original. */
static void leave(struct loop_clock *clock, const struct event *exit)
{
	uint32_t at = clock->nr;

	while (at && clock->open[at - 1].number != exit->number)
		at--;
	if (!at)
		return;
	while (clock->nr > at)
		lose(clock);
	close(clock, exit);
}

static void take(struct loop_clock *clock, uint32_t construct, enum record_event event,
		 const struct event *of)
{
	if (!clone_loop(of->number))
		return;
	clock->events += of->ticks != clock->last_ticks; /* events at one place share a time */
	clock->last_ticks = of->ticks;
	if (event == RECORD_LOOP_ENTRY || event == RECORD_FUNCTION_ENTRY)
		enter(clock, construct, of);
	else if (event == RECORD_LOOP_EXIT || event == RECORD_FUNCTION_EXIT)
		leave(clock, of);
}

void loop_clock_words(struct loop_clock *clock, uint32_t construct, const uint64_t *words,
		      size_t nr)
{
	for (size_t at = 0; at < nr;) {
		const struct record_stretch *row = record_stretch(words[at]);

		if (!row || row->words >= nr - at)
			return;
		if (row->event && row->event <= RECORD_LOOP_EXIT && row->words == RECORD_TIME_WORDS)
			take(clock, construct, row->event,
			     &(struct event){ row->subject, words[at + 1], words[at + 2] });
		at += 1 + row->words;
	}
}

void loop_clock_pause(struct loop_clock *clock, uint64_t ticks)
{
	clock->paused += ticks;
}

void loop_clock_end(struct loop_clock *clock, uint32_t construct)
{
	while (clock->nr && clock->open[clock->nr - 1].construct == construct)
		lose(clock);
}
