/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_PERF_READY_H
#define MEMSEARCH_CMDS_PERF_READY_H

#include <stdbool.h>

/*
 * The process that opens the only event of the system waits for a grace period of the kernel
 * (account_event in its kernel/events/core.c), 15 to 40 ms, and the one that runs a virtual
 * machine's first counter waits for its host, 10 ms. A thread of the command does so while the
 * program is prepared, so that the program does not, and keeps the event until the command ends.
 * Nothing happens where events are not permitted, and under a seccomp filter, which could kill the
 * command for it. `counters`: the CPU's are needed, too.
 */
void perf_ready_begin(bool counters);

#endif
