/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_CORE_QUERIES_H
#define MEMSEARCH_CMDS_CORE_QUERIES_H

#include <stdbool.h>

#include "memsearch/probe.h"

/*
 * Queries to memsearch-core.so, found as `memsearch run` finds it. False: `why_out` says why it
 * cannot be opened, or answers no query of this program.
 */
struct arena;

/* `properties`: more property files, as --properties; NULL: those of the environment. */
bool core_query_probe(struct arena *arena, const char *properties, struct ms_probe *probe_out,
		      const char **why_out);
/* `root`: as of struct ms_sampling. */
bool core_query_sampling(struct arena *arena, const char *root, struct ms_sampling *sampling_out,
			 const char **why_out);

#endif
