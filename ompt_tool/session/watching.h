/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_WATCHING_H
#define MEMSEARCH_SESSION_WATCHING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The state ONLINE_WATCHING: the program is measured in stretches, which go into the search over
 * the whole program. Where that costs more than the limit, sensors are disabled, the most expensive
 * first.
 */
struct thread;

void watching_begin(void);
/* Ends a stretch: into the search over the whole program. */
void watching_checkpoint(uint64_t now_ns);
/* Whether the stretch is long enough, costs too much, or disabled sensors fit the limit again. */
bool watching_must_change(const struct thread *self, uint64_t now_ns);
/* Whether the stretch is long enough that ending it here costs little. */
bool watching_may_part(uint64_t now_ns);
/* Ends a stretch and begins the next one, with less or more. */
void watching_continue(const struct thread *self, uint64_t now_ns);

#endif
