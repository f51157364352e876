/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_PAUSING_H
#define MEMSEARCH_SESSION_PAUSING_H

#include <stdint.h>

/*
 * The state ONLINE_PAUSED: nothing is measured, because the program called omp_control_tool or
 * memory is short. On the initial thread.
 */

/* Values of watching so far count; an incomplete execution of a phase does not. */
void pausing_begin(uint64_t now_ns);
/* Measures again, unless online.ended. */
void pausing_resume(uint64_t now_ns);
/* Ends measuring for good, for this reason, without a step of the search, which needs memory. */
void pausing_end(const char *why);

#endif
