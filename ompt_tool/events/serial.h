/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_SERIAL_H
#define MEMSEARCH_EVENTS_SERIAL_H

#include "ompt_tool/events/event.h"

/* The stretches of the initial thread between parallel regions. In callbacks. */
void serial_begin(struct thread *self, uint64_t construct_before, uint64_t now_ns);
void serial_end(struct thread *self, uint32_t next_region, uint64_t next_construct,
		uint64_t now_ns);
/*
 * At the begin of a region: a thread that returned into a clone by longjmp although no clones may
 * run leaves it. `construct`: event_code(codeptr).
 */
void serial_look(const void *codeptr, uint64_t construct);
/* The calling thread has left clones in its current serial stretch, if it is in one. */
void serial_left(void);

#endif
