/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_RUN_DELAY_H
#define MEMSEARCH_PROCESS_RUN_DELAY_H

#include <sys/types.h>

/*
 * Times in ns of a thread of this process since its begin, by /proc/self/task/TID/schedstat (Linux,
 * Documentation/scheduler/sched-stats.rst): on a CPU; and ready to run without having one. NAN:
 * unknown, or it has ended. Any thread.
 */
double run_cpu_ns(pid_t tid);
double run_delay_ns(pid_t tid);

#endif
