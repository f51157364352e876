/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_MACHINE_H
#define MEMSEARCH_PROCESS_MACHINE_H

#include "analysis/record/run.h"

/*
 * What this machine is, in the few facts a report needs, from /proc and /sys. Strings in the arena;
 * a fact that cannot be read is "" or 0, never a guess. `cpus`: see allowed_cpus.h. Not from a
 * callback.
 */
struct arena;
void machine_describe(struct arena *arena, const char *cpus, struct machine *machine_out);
/*
 * Fills in what memory delivers, if a calibration of this machine is kept (analysis/bandwidth).
 * Says so if that is damaged.
 */
void machine_calibration(struct arena *arena, const char *cpus, struct machine *machine);
/* Of a cache line that memory delivers; 0: not known. */
double machine_line_bytes(void);
/*
 * The least that the first access to a page of anonymous memory costs the thread, with giving the
 * page back; 0: no memory to try it with. Measured at the first call, in 0.3 ms.
 */
double machine_page_fault_ns(void);

/*
 * The program: argv[0], its command line (at most 4 KiB), and how long ago it was started, in ns
 * (0: unknown).
 */
const char *machine_program(struct arena *arena, const char **command_out);
uint64_t machine_process_age_ns(void);

#endif
