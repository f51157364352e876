/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_TOOL_H
#define MEMSEARCH_LOADER_TOOL_H

#include <omp-tools.h>

/*
 * What interpose.c tells the loader: the program confines itself (confinement.h) before OpenMP
 * begins. Says so, as afterwards it must not write. Any thread.
 */
void tool_stay_away(void);
/*
 * Looks for a seccomp filter that is in force already (seccomp_probe.h). In a constructor, where
 * this library is preloaded.
 */
void tool_probe_early(void);
/* For libmemsearch-gomp.so, see tool.c. */
ompt_start_tool_result_t *memsearch_start_tool(unsigned int omp_version,
					       const char *runtime_version);

#endif
