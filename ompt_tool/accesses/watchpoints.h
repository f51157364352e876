/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_WATCHPOINTS_H
#define MEMSEARCH_SENSORS_WATCHPOINTS_H

#include <stdint.h>

/*
 * Watches two words of a cache line that recorded accesses found falsely shared, by the CPU's debug
 * registers, while the program's own code runs: each thread of the construct counts its accesses to
 * either. False sharing is confirmed if each word is accessed by one thread only.
 *
 * A hit costs some 10 us in a virtual machine, so hits per execution of the construct and
 * executions are limited.
 */
/* hits per word, thread and execution of the construct */
#define WATCHPOINTS_HITS 32
/* of constructs that one thread watches in a run: 40 ms of hits at most */
#define WATCHPOINTS_EXECUTIONS 64
#define WATCHPOINTS_SUSPECTS 32 /* in a run; further ones are not watched */

struct sensor;

extern const struct sensor sensor_watchpoints;

struct line_suspect;

/*
 * Adds a suspect: two words of a line in the data structure whose region is `region`, inside
 * `construct`. The one with the most accesses is kept. Any thread, callbacks allowed.
 */
void watchpoints_suspect(uint32_t construct, uint32_t region, const struct line_suspect *suspect);

#endif
