/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_OWN_PATHS_H
#define MEMSEARCH_PROCESS_OWN_PATHS_H

/*
 * Locations of memsearch's own files, relative to the shared object that contains this code
 * (dladdr), in the build folder as after installation:
 *     lib/memsearch/memsearch-core.so   lib/memsearch/strategies/   share/memsearch/properties/   bin/memsearch
 * Constant strings after the first call, which must be made before threads are created. "":
 * unknown.
 */
const char *paths_strategies(void);
const char *paths_properties(void);
const char *paths_program(void);

#endif
