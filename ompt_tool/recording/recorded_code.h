/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_RECORDED_CODE_H
#define MEMSEARCH_RECORDING_RECORDED_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Recording clones of the program's functions. At phase boundaries. */
struct clone;

/*
 * The function's clone, with those of the program's functions that it calls: in its own file, and
 * others that are neither the system's nor the tool's. `probes`: enum clone_probes.
 * `runtime_calls_it`: only the OpenMP runtime does. NULL: it cannot be copied.
 */
const struct clone *recorded_code_clone(uintptr_t function, uint32_t probes, bool runtime_calls_it);
/*
 * Makes clones of the program's functions without clones that recorded code has called through
 * pointers since the last call, and lets recorded code call the other functions. True: there were
 * such functions, so that accesses were not recorded.
 */
bool recorded_code_follow(void);
/* Whether code is of the executable, which is never unloaded. Any thread, no lock. */
bool recorded_code_is_executables(uintptr_t address);
/* Whether code is of the executable, or of a library of the program. */
bool recorded_code_is_programs(uintptr_t address);

#endif
