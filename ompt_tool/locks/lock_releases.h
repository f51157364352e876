/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOCKS_LOCK_RELEASES_H
#define MEMSEARCH_LOCKS_LOCK_RELEASES_H

#include <omp-tools.h>

/*
 * Releases of locks on LLVM's runtime. Its mutex_released cannot be used: once a tool has
 * registered it, __kmpc_end_critical of libomp up to 21 clears the return address that thread 0 has
 * stored for its own next event, whichever thread releases, so that loops of thread 0 have no code
 * address (LLVM PR 169826). Instead the program's calls of the releasing functions are redirected
 * through its tables of addresses:
 *
 *     program ─call *slot─▶ wrapper ─▶ releasing │ libomp's function │ released
 *
 * To add a function that releases: its row in FUNCTIONS (lock_releases.c).
 */
/*
 * In the tool's initialize, after events_start or events_add_runtime with the same `lookup`. No
 * effect on a runtime that announces releases itself (gomp_tool.h). If the runtime is linked
 * statically, or tables cannot be written, releases are not reported; of several runtimes only
 * those of the first one are.
 */
void lock_releases_lead(ompt_function_lookup_t lookup);
/*
 * The same for modules loaded since. At a phase boundary, one thread; takes the dynamic linker's
 * lock.
 */
void lock_releases_follow(void);

#endif
