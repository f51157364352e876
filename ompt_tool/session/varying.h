/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_VARYING_H
#define MEMSEARCH_SESSION_VARYING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Varies the number of threads between executions of the phase (`memsearch sweep --online`), which
 * the environment requests: OPTIONS_VARIED_THREADS. Each number has a search of its own, with its
 * performance database; online.phase is that of the present number. At the end each becomes a
 * record NAME.N beside the record NAME, as if it were of a run with N threads. Where the threads
 * were not varied, there is none of them, and the note of the record's phase says why.
 *
 * All on the initial thread, at phase boundaries, or at the end of the program.
 */
struct run_phase;
struct search;

/* After searches_new and before searches_begin. False: no memory. */
bool varying_start(void);
/* Whether it is requested, and nothing prevents it so far. */
bool varying_is_on(void);

/*
 * A phase was found: its executions begin with the first number of threads, and values so far are
 * of no use. `inside`: the boundary lies inside a parallel region, whose team stays.
 */
void varying_begin(bool inside);
/* The searches of the phase: online.phase alone, where nothing is varied. NULL: no more. */
struct search *varying_search(size_t number);
/* The execution that ends now does not count. */
bool varying_is_warm_up(void);
/* An execution, or a group of short ones, has ended, in which `joined` threads took part. */
void varying_execution(uint32_t joined);
/* On the program's stack, at the end of a boundary: calls the runtime where the number changes. */
void varying_apply(void);

/* The program ends: online.phase is a search without values again. */
void varying_end(void);
/* After the search's end: why there is no record of each number, or NULL, where it is requested. */
void varying_note(struct run_phase *phase);
/* When online.run is complete: writes the records. */
void varying_write(void);

#endif
