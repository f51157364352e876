/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_THIS_MACHINE_H
#define MEMSEARCH_PROCESS_THIS_MACHINE_H

#include "analysis/record/run_machine.h"

/*
 * Describes this machine for reports, from /proc and /sys. Strings in the arena; a value that
 * cannot be read is "" or 0, never a guess. `cpus`: see allowed_cpus.h. Not in callbacks.
 */
struct arena;
void machine_describe(struct arena *arena, const char *cpus, struct machine *machine_out);
/*
 * Fills in the memory bandwidth, if a calibration of this machine is stored (analysis/bandwidth).
 * Logs a warning if it is damaged.
 */
void machine_calibration(struct arena *arena, const char *cpus, struct machine *machine);
/* Size of a cache line transferred from memory; 0: unknown. */
double machine_line_bytes(void);
/*
 * Minimum cost of the first access to a page of anonymous memory for the thread, including the
 * release of the page, in ns; 0: no memory to test with. Measured at the first call, in 0.3 ms.
 */
double machine_page_fault_ns(void);
/* Of struct machine; in 20 us. */
double machine_atomic_ns(void);
/* Likewise: the kernel tells the nominal clock, in virtual machines the time stamp counter's. */
double machine_cycle_ns(void);

/*
 * The program: argv[0], its command line (at most 4 KiB), and the time since its start, in ns (0:
 * unknown).
 */
const char *machine_program(struct arena *arena, const char **command_out);
uint64_t machine_process_age_ns(void);

#endif
