/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_TURNS_H
#define MEMSEARCH_SIMULATOR_TURNS_H

#include "analysis/simulator/state.h"

/* One a thread. NULL: no memory. */
struct cursor *turns_new(struct arena *arena, uint32_t threads);
/* All threads' walks, in turns, to their ends. */
void turns_run(struct simulator *simulator, const struct simulator_trace *traces);

#endif
