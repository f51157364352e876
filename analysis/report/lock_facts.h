/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_LOCK_FACTS_H
#define MEMSEARCH_REPORT_LOCK_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What was measured of the program's locks, and from how many threads on each is held all the time:
 * the regions of kind MUTEX. Values are of one mean execution of the phase, all threads together;
 * NAN: not measured.
 */
struct arena;
struct json;
struct run;
struct run_region;

struct lock_facts {
	uint32_t region; /* of kind MUTEX */
	/* where it is held longest; NULL: not known */
	const struct run_region *place;
	uint32_t places;  /* how many of those there are */
	uint32_t threads; /* that took it */
	double acquisitions;
	double hold_ns; /* each time, on average; time off the CPU included */
	double use;     /* part of the phase's wall time in which it is held */
	/* threads that wait for it, on average over the phase */
	double waiting;
	/* acquisitions of which another thread had the lock before */
	double handovers;
	/* each, from that thread's release (or the later begin of the wait) to the acquisition */
	double handover_ns;
	/* an upper bound: by the time in which the lock is free, which samples exceed */
	bool handover_most;
	/*
	 * Threads with which it is held all the time: those that are busy now, by the part of the
	 * time in which it is held, or goes from one thread to another that waits. Busy is who is in a parallel region and waits neither at a
	 * barrier nor for this lock. McKenney (Differential Profiling, 1999) divides the number of
	 * threads by the utilisation; waiting is left out as it grows beyond all bounds towards
	 * saturation and so must not be extrapolated (eq. 7 there). NAN also where one thread of
	 * several alone takes it, as nothing tells whether others would.
	 */
	double saturation;
};

/* Of all locks that were measured, the one with the largest `use` first. */
size_t lock_facts_of(struct arena *arena, const struct run *run, const struct lock_facts **out);
/*
 * Of the lock that a critical or lock region takes; NULL: it is not known, was not measured, or the
 * region takes several.
 */
const struct lock_facts *lock_facts_at(const struct lock_facts *locks, size_t nr,
				       const struct run *run, uint32_t region);

/*
 * "critical `update` (solver.c:211) is held 24.1 us each time, 47 % of the time, and saturates at
 * 4.1 threads; 1200 times a step it goes to another thread, which takes 0.41 us." `here`: the
 * reader knows its place, so without it, and without a subject where it has no name. NULL: `lock`
 * is.
 */
const char *lock_facts_sentence(struct arena *arena, const struct run *run,
				const struct lock_facts *lock, bool here);
/* "critical `update` (solver.c:211)" */
const char *lock_facts_name(struct arena *arena, const struct run *run,
			    const struct lock_facts *lock);
/* An object of these values, of run `number`. */
void lock_facts_json(struct json *json, struct arena *arena, const struct run *run, size_t number,
		     const struct lock_facts *lock);

#endif
