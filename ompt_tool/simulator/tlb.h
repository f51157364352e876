/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_TLB_H
#define MEMSEARCH_SIMULATOR_TLB_H

#include "ompt_tool/simulator/state.h"

/* Looks up the access's pages (rule 2): cycles that adds. */
uint32_t tlb_access(struct simulator *simulator, struct core *core, const struct access *access);

#endif
