/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_PERF_MACHINE_H
#define MEMSEARCH_COUNTERS_PERF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Properties of a machine's counters from /sys and /proc: kinds of core with counters of their own
 * (hybrid CPUs, big.LITTLE), and whether the NMI watchdog uses one. Reads files: not in callbacks.
 */
#define PERF_KINDS_MAX 4

struct perf_kind {
	char name[32]; /* cpu_core, cpu_atom, armv8_cortex_a72 … */
	uint32_t type; /* type for perf_event_open */
};

struct perf_machine {
	struct perf_kind kinds[PERF_KINDS_MAX];
	size_t nr_kinds; /* 0: all cores are of one kind */
	bool nmi_watchdog;
};

/* `root`: prefix of /sys and /proc, "" for this machine, a folder in tests. */
void perf_machine_read(struct perf_machine *machine, const char *root);

#endif
