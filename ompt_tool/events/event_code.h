/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_EVENT_CODE_H
#define MEMSEARCH_EVENTS_EVENT_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Code addresses of events. Callbacks allowed, but for those that find ranges. */

/*
 * Code address of an event as regions use it: 0 where the runtime gave none or one in
 * its own code (after a tail call).
 */
uint64_t event_code(const void *codeptr);
bool event_code_in_libc(uint64_t address);
/* Finds the address ranges of memsearch and of libc. */
void event_code_init(void);
/*
 * Finds those of a runtime, and of the library that produces its events (mostly the runtime
 * itself), by any function of each.
 */
void event_code_of_runtime(const void *in_runtime, const void *in_producer);

#endif
