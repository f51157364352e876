/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_INSTALLATION_H
#define MEMSEARCH_CMDS_INSTALLATION_H

struct arena;

/*
 * A file of ours, relative to the folder above the one this program is in, so that it works
 * installed anywhere and in the build folder: "lib/libmemsearch.so". NULL: no memory or no /proc.
 */
const char *installation_path(struct arena *arena, const char *relative);

#define INSTALLATION_TOOL "lib/libmemsearch.so"
#define INSTALLATION_GOMP_TOOL "lib/libmemsearch-gomp.so"
/* a folder: a link libgomp.so.1 to the libomp of the build, if there was one */
#define INSTALLATION_GOMP "lib/memsearch/gomp"
#define INSTALLATION_CORE "lib/memsearch/memsearch-core.so"
#define INSTALLATION_STRATEGIES "lib/memsearch/strategies"
#define INSTALLATION_PROPERTIES "share/memsearch/properties"

#endif
