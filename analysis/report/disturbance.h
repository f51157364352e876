/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_DISTURBANCE_H
#define MEMSEARCH_REPORT_DISTURBANCE_H

#include <stdbool.h>

/* Other programs that had the CPUs while the program ran, and what that does to its times. */
struct run;
struct run_node;

#define DISTURBANCE_WITHOUT_CPU_LEAST 0.1 /* of the threads' time */

/*
 * Part of the threads' time in the whole run that they were ready and had no CPU, where there are
 * enough CPUs: also of threads that wait for others, and of starts and ends of regions, in which
 * CpusTaken sees nothing.
 */
double disturbance_without_cpu(const struct run *run);
/* The finding CpusTaken, where it is large enough to cast doubt on times; NULL: it is not. */
const struct run_node *disturbance_taken(const struct run *run);
/* By either of them. */
bool disturbance_loses_cpus(const struct run *run);
/* Threads wait for others for much of the time, and no verdict says why. */
bool disturbance_waits_unexplained(const struct run *run);
/*
 * Part of the threads' time that they wait for others that have no CPU: it is no time of the
 * program's accesses, whose shares are of the rest. 0: none, or other findings explain the waits.
 */
double disturbance_waits(const struct run *run);

#endif
