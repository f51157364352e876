/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PHASES_PERIOD_H
#define MEMSEARCH_PHASES_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A log of region begins and the search for the period of its tail (dynamic
 * periodicity detection, Freitag, Corbalan, Labarta, IPDPS 2001): how far must the
 * sequence be shifted to match itself for most of the time. Not here: what a period
 * is used for (detector.h).
 *
 * Allocates nothing; one thread only.
 */
#define HISTORY_EVENTS 4096u /* the longest period found is a third of it */
/*
 * A symbol: the region's number, which of the paths of calls to it this is (0: the first one, or not
 * known), and whether it is a barrier.
 */
#define HISTORY_BARRIER (1u << 31)
#define HISTORY_PATH 24 /* its lowest bit */
#define HISTORY_REGION ((1u << HISTORY_PATH) - 1)

/* What of a symbol counts for a period. */
#define PERIOD_BY_REGION (HISTORY_REGION | HISTORY_BARRIER)
#define PERIOD_BY_PATH (~0u)

struct history {
	uint64_t count; /* events ever; event i is in slot i % HISTORY_EVENTS */
	uint64_t base;  /* events before this one are overwritten */
	uint64_t begin_ns[HISTORY_EVENTS];
	uint32_t symbol[HISTORY_EVENTS];
	uint32_t paths; /* highest number of a path */
};

static inline void history_add(struct history *history, uint32_t symbol, uint64_t now_ns)
{
	history->begin_ns[history->count % HISTORY_EVENTS] = now_ns;
	history->symbol[history->count % HISTORY_EVENTS] = symbol;
	history->count++;
	if ((symbol & ~HISTORY_BARRIER) >> HISTORY_PATH > history->paths)
		history->paths = (symbol & ~HISTORY_BARRIER) >> HISTORY_PATH;
}

/*
 * Where a repetition starts: at `symbol`, if the events before it are the `context` (nearest
 * first).
 */
#define PERIOD_CONTEXT 64u
struct period {
	uint32_t mask;   /* PERIOD_BY_REGION or PERIOD_BY_PATH */
	uint32_t length; /* events of one repetition; 0: not known (anchor) */
	uint32_t symbol;
	uint32_t nr_context; /* 0 where the symbol occurs once in a repetition */
	uint32_t context[PERIOD_CONTEXT];
	double mean_ns;    /* of one repetition */
	double covered_ns; /* time the repetitions cover */
};

/* Room for one search; nothing in it outlives the call. */
struct period_scratch {
	uint64_t begin_ns[HISTORY_EVENTS];
	uint32_t symbol[HISTORY_EVENTS];
	uint32_t weight[HISTORY_EVENTS];
	double covered[HISTORY_EVENTS / 3 + 1];
	uint32_t nr;
	uint64_t cost_ns; /* estimated time all searches took, added up */
};

/*
 * The period of the history's tail, at least `shortest` events long, repeated at least
 * three times over at least `enough_ns`; the smallest one that covers 90 % of what the
 * best one covers. Takes about 1 ms with a full history.
 */
bool period_find(const struct history *history, struct period_scratch *scratch, uint32_t mask,
		 uint32_t shortest, double enough_ns, struct period *period_out);

/* Does a repetition start at the history's last event? */
bool period_starts(const struct period *period, const struct history *history);

#endif
