/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_CORE_H
#define MEMSEARCH_SESSION_CORE_H

#include <omp-tools.h>
#include <stdbool.h>

/*
 * memsearch-core.so inside the user's program: starts the tool with the first OpenMP runtime
 * (runtimes.c) and makes sure that online_finish is called exactly once, however the program ends
 * (core.c).
 */

/*
 * Called by libmemsearch.so's ompt_start_tool; NULL: the tool does not want to run (one line was
 * logged).
 */
__attribute__((visibility("default"))) ompt_start_tool_result_t *
core_start(unsigned int omp_version, const char *runtime_version);

/* Called by libmemsearch.so before core_start; the offer stays the caller's. */
struct heap_interposer;
__attribute__((visibility("default"))) void core_interposer(const struct heap_interposer *offer);

/*
 * Called by libmemsearch.so before core_start: the file of descriptor 2 at the start of the
 * program, see log_begin.
 */
struct stat;
__attribute__((visibility("default"))) void core_stderr(const struct stat *at_start);

/*
 * In a runtime's initialize, on any thread. True for the first caller, which calls core_begin next.
 */
bool core_claim(void);
/* `version`: the name of the runtime. False: nothing will be measured (one line was logged). */
bool core_begin(ompt_function_lookup_t lookup, const char *version);
/* A further runtime joins the session. False: it has no events. */
bool core_add_runtime(ompt_function_lookup_t lookup, const char *version);
/* At the end of the program; later calls have no effect. */
void core_end(void);

#endif
