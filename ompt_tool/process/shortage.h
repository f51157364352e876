/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_SHORTAGE_H
#define MEMSEARCH_PROCESS_SHORTAGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether memsearch must stop allocating memory (MEMORY_TO_GO_ON_MIN), because the program's
 * control group is nearly full and the kernel would kill the program, or because an allocation
 * fails: evaluation requires memory. Checked every 100 ms at most; now_ns 0: now. Permanent; logged
 * once. Phase boundaries and the end only.
 */
bool memory_is_short(uint64_t now_ns);

#endif
