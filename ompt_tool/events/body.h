/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_BODY_H
#define MEMSEARCH_EVENTS_BODY_H

#include <stdint.h>

/*
 * Where in its body the innermost parallel region of the calling thread is: a return address in the
 * function that the OpenMP runtime called, in the original also where a clone of it runs. 0: not
 * found. In a callback that the body's code led to, on the initial thread, and not while it
 * executes an explicit task.
 */
uint64_t body_around(void);

#endif
