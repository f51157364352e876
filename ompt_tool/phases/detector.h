/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PHASES_DETECTOR_H
#define MEMSEARCH_PHASES_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * Where one repetition of the program's main phase ends and the next begins. Fed with
 * what the initial thread does: parallel regions (level 0) and, for programs that keep
 * their time loop inside one region, the loops and barriers in it (level 1).
 *
 * Three sources, best first: marks (omp_control_tool); the repeating sequence of regions
 * (dynamic periodicity detection, Freitag, Corbalan, Labarta, "A dynamic periodicity
 * detector: application to speedup computation", IPDPS 2001); an anchor region, executed
 * often, whose intervals cover most of the time with the least variation.
 *
 * Only the initial thread calls it, from callbacks: bounded time, no allocation. All
 * state is inside the struct, which the caller provides zeroed or from detector_init.
 */
struct detector;

uint64_t detector_bytes(void);
void detector_init(struct detector *detector);

enum detector_answer {
	DETECTOR_NOTHING,
	DETECTOR_BOUNDARY,       /* one execution of the phase ended here and the next begins */
	DETECTOR_FOUND,          /* the phase is known from now on; its first execution begins here */
	DETECTOR_CHANGED,        /* another phase was found, or the old one is gone for good: start over */
	DETECTOR_BEGIN,          /* marks: an execution begins (nothing ended) */
	DETECTOR_END,            /* marks: an execution ends (none begins) */
};

/*
 * The initial thread begins `region` (region number, see region_table.h) at `now_ns`;
 * level 0: a parallel region or a mark-free top-level construct; level 1: a loop or
 * barrier inside the region it is in. The answer belongs to this moment, before the
 * region begins.
 */
enum detector_answer detector_event(struct detector *detector, int level, uint32_t region, uint64_t now_ns);

/* A mark: command 64 begins, 65 ends an execution of phase `number`. From the first mark on nothing else counts. */
enum detector_answer detector_mark(struct detector *detector, bool begin, int number, uint64_t now_ns);

/* What is in use now; `region_out` the region that starts an execution or MS_REGION_NONE. */
enum phase_method detector_method(const struct detector *detector, uint32_t *region_out);
/* In words why nothing was found (yet); constant text. */
const char *detector_note(const struct detector *detector);

#endif
