/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_RUN_DELAY_H
#define MEMSEARCH_PROCESS_RUN_DELAY_H

#include <sys/types.h>

/*
 * Time in ns that a thread of this process was ready to run and had no CPU since its begin: the
 * second number in /proc/self/task/TID/schedstat (Linux, Documentation/scheduler/sched-stats.rst).
 * NAN: unknown, or it has ended. Any thread.
 */
double run_delay_ns(pid_t tid);

#endif
