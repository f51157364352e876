/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_ALLOWED_CPUS_H
#define MEMSEARCH_PROCESS_ALLOWED_CPUS_H

#include <omp-tools.h>
#include <stdbool.h>

/*
 * CPUs that the program's threads may use, in the kernel's list format ("0-3,8"): the affinity mask
 * of the calling thread, and the places of the OpenMP runtime. With OMP_PROC_BIND or OMP_PLACES
 * libgomp binds the initial thread in its constructor, before the tool starts; the other CPUs are
 * in its places only. `lookup`: of the runtime that starts. *bound_out: the places have more CPUs
 * than the thread's mask. "": unknown. Not in callbacks. The text lives in the arena.
 */
struct arena;
const char *allowed_cpus(struct arena *arena, ompt_function_lookup_t lookup, bool *bound_out);

#endif
