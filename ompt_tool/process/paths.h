/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_PATHS_H
#define MEMSEARCH_PROCESS_PATHS_H

/*
 * Where our own files are, relative to the shared object this code is in (dladdr), in the build
 * folder as after installation:
 *     lib/memsearch/memsearch-core.so   lib/memsearch/strategies/   share/memsearch/properties/   bin/memsearch
 * Constant strings after the first call, which must come before there are threads. "" when unknown.
 */
const char *paths_strategies(void);
const char *paths_properties(void);
const char *paths_program(void);

#endif
