/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_STORED_CAUSES_H
#define MEMSEARCH_CMDS_STORED_CAUSES_H

#include <stdbool.h>

#include "analysis/record/run.h"
#include "analysis/store/store_causes.h"

struct arena;

/* What a report says of the run, of its machine and of the modelled one. False: no memory. */
bool stored_causes(struct arena *arena, const struct run *run, struct store_causes *out);

#endif
