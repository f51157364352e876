/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_TOOL_H
#define MEMSEARCH_LOADER_TOOL_H

#include <omp-tools.h>

/*
 * Called by interpose.c: the program confines itself (confinement.h) before OpenMP begins, so that
 * the core must not be started. Logs a warning, because memsearch must not write afterwards. Any
 * thread.
 */
void tool_stay_away(void);
/*
 * Tests for an installed seccomp filter (seccomp_probe.h). In a constructor, if this library is
 * preloaded.
 */
void tool_probe_early(void);
/* For libmemsearch-gomp.so, see tool.c. */
ompt_start_tool_result_t *memsearch_start_tool(unsigned int omp_version,
					       const char *runtime_version);

#endif
