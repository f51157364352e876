/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PHASES_DETECTOR_H
#define MEMSEARCH_PHASES_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/record/run_phase.h"
#include "memsearch/region.h"

/*
 * Where one repetition of the program's main phase ends and the next begins. Fed with
 * what the initial thread does: parallel regions (level 0) and, for programs that keep
 * their time loop inside one region, the loops and barriers in it (level 1).
 *
 * Three sources, best first: marks (omp_control_tool); the repeating sequence of regions
 * (period.h); an anchor region, executed often, whose intervals cover most of the time
 * with the least variation (anchor.h). Level 1 is used only while one parallel
 * region has been running for DETECTOR_LONG_REGION_NS and level 0 has no phase.
 *
 * An execution lasts at least about DETECTOR_PHASE_NS: shorter repetitions are grouped,
 * see detector_repetitions; a boundary never comes more often than that for long.
 *
 * Only the initial thread calls it, from callbacks: no allocation, some 10 ns an event;
 * looking for the phase takes at most 1/200 of the program's time. All state is inside
 * the struct (some 340 KB, a page is used when it is first needed), which the caller
 * provides zeroed or from detector_init.
 */
struct detector;

#define DETECTOR_PHASE_NS 1000000ull /* shortest execution worth a boundary */
/* repetitions must cover at least this time before they count as the phase */
#define DETECTOR_ENOUGH_NS 10000000ull
#define DETECTOR_LONG_REGION_NS 50000000ull

#define DETECTOR_PATHS 128u

uint64_t detector_bytes(void);
void detector_init(struct detector *detector);

enum detector_answer {
	DETECTOR_NOTHING,
	DETECTOR_BOUNDARY, /* one execution of the phase ended here and the next begins */
	/* the phase is known from now on; its first execution begins here */
	DETECTOR_FOUND,
	/*
	 * as FOUND, but it replaces another phase, whose open execution does not count: start over
	 */
	DETECTOR_CHANGED,
	/*
	 * the phase has not begun again for so long that it is a small part of the run: its open
	 * execution does not count, and another one is searched for
	 */
	DETECTOR_ABANDONED,
	DETECTOR_BEGIN, /* marks: an execution begins (nothing ended) */
	DETECTOR_END,   /* marks: an execution ends (none begins) */
};

enum detector_level {
	DETECTOR_REGION = 0,  /* a parallel region, or a construct in serial code */
	DETECTOR_INSIDE = 1,  /* a loop, single … inside the parallel region it is in */
	DETECTOR_BARRIER = 2, /* as INSIDE, and it is a barrier: a better place for a boundary */
};

/*
 * The initial thread begins `region` (region number, see region_table.h) at `now_ns`, reached on the
 * `path` of calls (its number among the region's, below DETECTOR_PATHS; 0: the first, or not known).
 * The answer belongs to this moment, before the region begins. now_ns may be 0, "not much
 * later than the event before", where detector_needs_time says so: then the answer is NOTHING.
 */
enum detector_answer detector_event(struct detector *detector, int level, uint32_t region,
				    uint32_t path, uint64_t now_ns);

/*
 * Whether the phase in use is abandoned where none of its executions has begun for `since_ns`: at
 * the end of the program, too, where no event comes.
 */
bool detector_abandons(const struct detector *detector, double since_ns);

/*
 * Whether that event needs its time. If the events of the followed phase are less than 10 us apart
 * on average, only events that may end an execution do, and one in 16 of the others.
 */
bool detector_needs_time(const struct detector *detector, int level, uint32_t region);
/*
 * Whether events inside the parallel region `region`, which begins now (after its detector_event),
 * are not needed: a phase of level 0 is followed, its events are as frequent as above (`sparse`: or
 * not), and the region has been executed often enough that it cannot contain the rest of the
 * program.
 */
bool detector_ignores_inside(const struct detector *detector, uint32_t region, bool sparse);
/* Whether constructs inside of parallel regions begin executions of the phase, or may. */
bool detector_needs_constructs(const struct detector *detector);

/*
 * A mark: command 64 begins, 65 ends an execution of phase `number`. From the first begin
 * on nothing else counts (CHANGED, where another phase was in use). The main phase is the
 * first number begun, until another one was begun three times without it; marks of other
 * numbers, and ends without a begin, are ignored; a begin while the same number is open
 * ends one execution and begins the next.
 */
enum detector_answer detector_mark(struct detector *detector, bool begin, int number,
				   uint64_t now_ns);

/* What is in use now; `region_out` the region that starts an execution or MS_REGION_NONE. */
enum phase_method detector_method(const struct detector *detector, uint32_t *region_out);
/*
 * When the phase is found: time since the region that starts it first began, in ns, which is that of
 * executions before it was recognised, as far as nothing else was executed between. 0: marked.
 */
uint64_t detector_before_ns(const struct detector *detector);
/*
 * Repetitions of the phase, as it stands in the source, in the execution that ended last; 0: none
 * has ended yet.
 */
uint32_t detector_repetitions(const struct detector *detector);
/*
 * Marks of other numbers than the main phase's: how often they began, how long they lasted, the
 * latest number.
 */
struct detector_ignored {
	uint64_t executions;
	double ns;
	int number, main_number;
};
void detector_ignored(const struct detector *detector, struct detector_ignored *out);
/* Why no phase was found (yet), constant text; NULL: a phase is in use. */
const char *detector_note(const struct detector *detector);

#endif
