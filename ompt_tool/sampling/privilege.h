/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_PRIVILEGE_H
#define MEMSEARCH_COUNTERS_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Permissions of this process for kernel events, and if none, why and how to fix it. Reads /proc:
 * not for callbacks (but without malloc, so safe at thread begin).
 */
struct sensor_status;

/* The number a /proc file holds, or `otherwise`. */
long privilege_number(const char *path, long otherwise);
/* Rings are not charged to RLIMIT_MEMLOCK: CAP_IPC_LOCK, or perf_event_paranoid below 0. */
bool privilege_unlimited_memlock(void);

/* Fills why and text of a sensor that does not work for errno value `error` of perf_event_open. */
void privilege_open_refused(int error, struct sensor_status *status);
/* The same where the event opened and mapping its ring failed. */
void privilege_ring_refused(int error, struct sensor_status *status);

#endif
