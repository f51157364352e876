/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_BODY_H
#define MEMSEARCH_EVENTS_BODY_H

#include <stdint.h>

/*
 * Position of the calling thread in the body of its innermost parallel region: a return address in
 * the function that the OpenMP runtime called, in the original also if a clone of it runs. 0: not
 * found. Only in a callback from the body's code, on the initial thread, and not while it executes
 * an explicit task.
 */
uint64_t body_around(void);

#endif
